package markdown

import (
	"bytes"
	"io"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// maxMarkup is how many elements of markup may be within each other. Further ones are text.
const maxMarkup = 20

// elements are the elements of markup that are shown as GitHub shows them, by the names of what is written for them. They have no
// attributes but the address of a link or a picture. Any other markup is text.
var elements = map[string]string{
	"br": "br", "hr": "hr", "kbd": "kbd", "sub": "sub", "sup": "sup", "b": "strong", "strong": "strong", "i": "em", "em": "em", "s": "del",
	"del": "del", "ins": "ins", "code": "code", "pre": "pre", "details": "details", "summary": "summary",
	"p": "p", "div": "p", "center": "p",
	"table": "table", "thead": "thead", "tbody": "tbody", "tr": "tr", "th": "th", "td": "td", "a": "a", "img": "img",
}

// tag is the beginning or the end of an element of markup.
type tag struct {
	ast.BaseInline
	name   string // of elements
	end    bool
	href   []byte // of a link
	raw    string // as it was written
	isText bool   // it has no other end
}

var kindTag = ast.NewNodeKind("Tag")

// Kind implements ast.Node.
func (*tag) Kind() ast.NodeKind { return kindTag }

// Dump implements ast.Node.
func (t *tag) Dump(source []byte, level int) { ast.DumpHelper(t, source, level, nil, nil) }

// readMarkup puts elements in the place of the markup of a document that has them. Each begins and ends within the same block or the same
// text, so that what is behind it is as it was; a tag without its other end is text. Comments are not shown.
func readMarkup(document ast.Node, source []byte) {
	var parents []ast.Node
	seen := map[ast.Node]bool{}
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && isMarkup(n) && !seen[n.Parent()] {
			seen[n.Parent()] = true
			parents = append(parents, n.Parent())
		}
		return ast.WalkContinue, nil
	})
	for _, parent := range parents {
		m := markup{parent: parent}
		for n := parent.FirstChild(); n != nil; {
			next := n.NextSibling()
			if isMarkup(n) {
				m.read(n, source)
			}
			n = next
		}
		for _, t := range m.open {
			t.isText = true
		}
	}
}

func isMarkup(n ast.Node) bool { return n.Kind() == ast.KindRawHTML || n.Kind() == ast.KindHTMLBlock }

// markup is the markup of the children of a node.
type markup struct {
	parent ast.Node
	open   []*tag
}

// read replaces a node by its elements and its text, unless it has markup of other elements.
func (m *markup) read(n ast.Node, source []byte) {
	var parts []ast.Node
	z := html.NewTokenizer(bytes.NewReader(textOfMarkup(n, source)))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		part, ok := partOf(kind, z, n.Kind() == ast.KindHTMLBlock)
		if !ok {
			return
		}
		if part != nil {
			parts = append(parts, part)
		}
	}
	if z.Err() != io.EOF { //nolint:errorlint // the tokenizer returns it as it is
		return
	}
	for _, part := range parts {
		if t, ok := part.(*tag); ok {
			m.match(t)
		}
		if picture, ok := part.FirstChild().(*ast.Image); ok && m.inLink() {
			part = picture.FirstChild()
		}
		m.parent.InsertBefore(m.parent, n, part)
	}
	m.parent.RemoveChild(m.parent, n)
}

// textOfMarkup returns the markup of a node.
func textOfMarkup(n ast.Node, source []byte) []byte {
	if raw, ok := n.(*ast.RawHTML); ok {
		return raw.Segments.Value(source)
	}
	text := n.Lines().Value(source)
	if block, ok := n.(*ast.HTMLBlock); ok && block.HasClosure() {
		text = append(text, block.ClosureLine.Value(source)...)
	}
	return text
}

// partOf returns the part of a token, nil for a comment and the space between blocks. ok is false for markup that is shown as text.
func partOf(kind html.TokenType, z *html.Tokenizer, inBlock bool) (part ast.Node, ok bool) {
	raw := string(z.Raw())
	switch kind {
	case html.CommentToken:
		return nil, strings.HasPrefix(raw, "<!--") && strings.HasSuffix(raw, "-->")
	case html.TextToken:
		if inBlock && strings.TrimSpace(raw) == "" {
			return nil, true
		}
		return textBlock(plainText(html.UnescapeString(raw))), true
	case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		return elementOf(z.Token(), raw)
	}
	return nil, false
}

// elementOf returns the part of a tag.
func elementOf(token html.Token, raw string) (part ast.Node, ok bool) {
	name, ok := elements[token.Data]
	t := &tag{name: name, end: token.Type == html.EndTagToken, raw: raw}
	isVoid := name == "br" || name == "hr" || name == "img"
	if !ok || t.end && isVoid || token.Type == html.SelfClosingTagToken && !isVoid {
		return nil, false
	}
	if name == "img" {
		return pictureOf(token)
	}
	if name == "a" && !t.end {
		t.href = []byte(attribute(token, "href"))
	}
	return t, true
}

// pictureOf returns the picture of a tag, as Markdown has it.
func pictureOf(token html.Token) (part ast.Node, ok bool) {
	src := attribute(token, "src")
	if src == "" {
		return nil, false
	}
	l := ast.NewLink()
	l.Destination = []byte(src)
	if alt := attribute(token, "alt"); alt != "" {
		l.AppendChild(l, plainText(alt))
	} else {
		l.AppendChild(l, plainText("picture"))
	}
	return textBlock(ast.NewImage(l)), true
}

func attribute(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func plainText(s string) ast.Node {
	text := ast.NewString([]byte(s))
	text.SetRaw(true)
	return text
}

func textBlock(n ast.Node) ast.Node {
	b := ast.NewTextBlock()
	b.AppendChild(b, n)
	return b
}

// match finds the beginning of an element that ends. The elements that began within it, and have not ended, are text.
func (m *markup) match(t *tag) {
	switch {
	case t.name == "br" || t.name == "hr":
		return
	case !t.end:
		if t.isText = len(m.open) >= maxMarkup || t.name == "a" && (m.inLink() || inLink(m.parent)); !t.isText {
			m.open = append(m.open, t)
		}
		return
	}
	for i := len(m.open) - 1; i >= 0; i-- {
		if m.open[i].name != t.name {
			continue
		}
		for _, unmatched := range m.open[i+1:] {
			unmatched.isText = true
		}
		m.open = m.open[:i]
		return
	}
	t.isText = true
}

// inLink reports whether a link of markup has begun.
func (m *markup) inLink() bool {
	for _, t := range m.open {
		if t.name == "a" {
			return true
		}
	}
	return false
}

// writeTag writes the beginning or the end of an element.
func writeTag(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	t, ok := node.(*tag)
	switch {
	case !ok || !entering:
	case t.isText:
		_, _ = w.Write(util.EscapeHTML([]byte(t.raw)))
	case t.end:
		_, _ = w.WriteString("</" + t.name + ">")
	case t.name == "a":
		writeHref(w, t.href)
		_ = w.WriteByte('>')
	default:
		_, _ = w.WriteString("<" + t.name + ">")
	}
	return ast.WalkContinue, nil
}
