package markdown

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
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
	raw    []byte // as it was written
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
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && isMarkup(n) && (len(parents) == 0 || parents[len(parents)-1] != n.Parent()) {
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
	lines, at := linesOfMarkup(n), 0
	z := html.NewTokenizer(bytes.NewReader(lines.Value(source)))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		p := piece{raw: bytes.Clone(z.Raw()), source: source, lines: lines, at: at}
		p.Token, at = z.Token(), at+len(p.raw)
		part, ok := partOf(p, n.Kind() == ast.KindHTMLBlock)
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

// linesOfMarkup returns the lines of the markup of a node.
func linesOfMarkup(n ast.Node) *text.Segments {
	if raw, ok := n.(*ast.RawHTML); ok {
		return raw.Segments
	}
	lines := text.NewSegments()
	lines.AppendAll(n.Lines().Sliced(0, n.Lines().Len()))
	if block, ok := n.(*ast.HTMLBlock); ok && block.HasClosure() {
		lines.Append(block.ClosureLine)
	}
	return lines
}

// piece is a tag, a text or a comment, at a byte of the lines of its markup.
type piece struct {
	html.Token
	raw, source []byte
	lines       *text.Segments
	at          int
}

// cut returns bytes of a piece as a part of the source, if they are in one line.
func (p piece) cut(from, to int) []byte {
	at := p.at + from
	for i := range p.lines.Len() {
		line := p.lines.At(i)
		if at >= line.Len() {
			at -= line.Len()
			continue
		}
		if start := line.Start + at - line.Padding; start >= 0 && bytes.HasPrefix(p.source[start:], p.raw[from:to]) {
			return p.source[start : start+to-from]
		}
		break
	}
	return p.raw[from:to]
}

// partOf returns the part of a token, nil for a comment and the space between blocks. ok is false for markup that is shown as text.
func partOf(p piece, inBlock bool) (part ast.Node, ok bool) {
	switch p.Type {
	case html.CommentToken:
		return nil, bytes.HasPrefix(p.raw, []byte("<!--")) && bytes.HasSuffix(p.raw, []byte("-->"))
	case html.TextToken:
		if inBlock && len(bytes.TrimSpace(p.raw)) == 0 {
			return nil, true
		}
		return textBlock(plainText(html.UnescapeString(string(p.raw)))), true
	case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		return elementOf(p)
	}
	return nil, false
}

// elementOf returns the part of a tag.
func elementOf(p piece) (part ast.Node, ok bool) {
	name, ok := elements[p.Data]
	t := &tag{name: name, end: p.Type == html.EndTagToken, raw: p.raw}
	isVoid := name == "br" || name == "hr" || name == "img"
	if !ok || t.end && isVoid || p.Type == html.SelfClosingTagToken && !isVoid {
		return nil, false
	}
	if name == "img" {
		return pictureOf(p)
	}
	if name == "a" && !t.end {
		t.href = p.address("href")
	}
	return t, true
}

// pictureOf returns the picture of a tag, as Markdown has it.
func pictureOf(p piece) (part ast.Node, ok bool) {
	src := p.address("src")
	if len(src) == 0 {
		return nil, false
	}
	l := ast.NewLink()
	l.Destination = src
	if alt := p.attribute("alt"); alt != "" {
		l.AppendChild(l, plainText(alt))
	} else {
		l.AppendChild(l, plainText("picture"))
	}
	return textBlock(ast.NewImage(l)), true
}

func (p piece) attribute(name string) string {
	for _, a := range p.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// attributes finds the name of a tag and its attributes, each with its value.
var attributes = regexp.MustCompile(`([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?`)

// address returns the address in a tag: the part of the source that it is, unless that is written in another way.
func (p piece) address(name string) []byte {
	address := p.attribute(name)
	for _, m := range attributes.FindAllSubmatchIndex(p.raw, -1) {
		if !strings.EqualFold(string(p.raw[m[2]:m[3]]), name) {
			continue
		}
		for i := 4; i < len(m); i += 2 {
			if m[i] >= 0 && string(p.raw[m[i]:m[i+1]]) == address {
				return p.cut(m[i], m[i+1])
			}
		}
		break
	}
	return []byte(address)
}

func plainText(s string) ast.Node {
	t := ast.NewString([]byte(s))
	t.SetRaw(true)
	return t
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
		_, _ = w.Write(util.EscapeHTML(t.raw))
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
