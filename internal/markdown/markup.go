package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// maxMarkup is how many elements of markup may be within each other. Further ones are text.
const maxMarkup = 20

// elements are the elements of markup that are shown as GitHub shows them, by the names of what is written for them.
// One without a name shows what is in it. They have no attributes but the address of a link or a picture. The tags of
// any other element are text.
var elements = map[string]string{
	"br": "br", "hr": "hr", "wbr": "wbr", "kbd": "kbd", "samp": "samp", "var": "var", "sub": "sub", "sup": "sup",
	"b": "strong", "strong": "strong", "i": "em", "em": "em", "cite": "em", "dfn": "em", "s": "del",
	"strike": "del", "del": "del", "ins": "ins", "u": "u", "small": "small", "mark": "mark", "q": "q",
	"code": "code", "tt": "code", "pre": "pre", "details": "details", "summary": "summary",
	"blockquote": "blockquote", "h1": "h1", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h5", "h6": "h6", "ul": "ul",
	"ol": "ol", "li": "li", "dl": "dl", "dt": "dt", "dd": "dd", "p": "p", "div": "p", "center": "p", "figure": "p",
	"section": "p", "article": "p", "header": "p", "footer": "p", "main": "p", "nav": "p", "aside": "p",
	"figcaption": "em", "caption": "caption", "table": "table", "thead": "thead", "tbody": "tbody",
	"tfoot": "tfoot", "tr": "tr", "th": "th", "td": "td", "ruby": "ruby", "rt": "rt", "rp": "rp", "a": "a",
	"img": "img", "picture": "", "source": "", "span": "", "font": "", "abbr": "", "time": "", "bdo": "",
}

// within are the elements without which a browser would take an element as one of what is around the text.
var within = map[string]string{
	"li": "ul ol", "dt": "dl", "dd": "dl", "rt": "ruby", "rp": "ruby", "source": "picture", "caption": "table",
	"thead": "table", "tbody": "table", "tfoot": "table", "tr": "table", "th": "table", "td": "table",
}

const (
	voids  = " br hr wbr img source "
	blocks = " p pre details blockquote h1 h2 h3 h4 h5 h6 ul ol dl table hr "
)

// tag is the beginning or the end of an element of markup.
type tag struct {
	ast.BaseInline
	element string // of elements
	name    string // that is written for it
	end     bool
	begin   *tag   // of an end
	in      *tag   // the element that it is within
	level   int    // of a heading
	href    []byte // of a link
	raw     []byte // as it was written
	isText  bool   // it has no other end, or is of no element
}

// isShown reports whether a tag is an element, and not text.
func (t *tag) isShown() bool {
	return !t.isText && (t.begin == nil || t.begin.isShown()) && (t.in == nil || t.in.isShown())
}

func (t *tag) isVoid() bool { return strings.Contains(voids, " "+t.element+" ") }

var kindTag = ast.NewNodeKind("Tag")

// Kind implements ast.Node.
func (*tag) Kind() ast.NodeKind { return kindTag }

// Dump implements ast.Node.
func (t *tag) Dump(source []byte, level int) { ast.DumpHelper(t, source, level, nil, nil) }

// readMarkup puts elements in the place of the markup of a document that has them. Each begins and ends within the
// same block or the same text, so that what is behind it is as it was; a tag without its other end is text. Comments
// are not shown.
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

// read replaces a node by its elements and its text, unless it is code.
func (m *markup) read(n ast.Node, source []byte) {
	var parts []ast.Node
	for _, p := range piecesOf(n, source) {
		if part := partOf(p); part != nil {
			parts = append(parts, part)
		}
	}
	if isCode(parts) {
		return
	}
	for _, part := range parts {
		if t, ok := part.(*tag); ok {
			m.match(t, n)
		}
		if picture, ok := part.(*ast.Image); ok && m.inLink() {
			part = picture.FirstChild()
		}
		m.parent.InsertBefore(m.parent, n, part)
	}
	m.parent.RemoveChild(m.parent, n)
}

// isCode reports whether markup is an example of markup: it has tags of other elements, and at most boxes with
// scripts besides.
func isCode(parts []ast.Node) bool {
	open, others, boxes, scripts := 0, false, false, false
	for _, part := range parts {
		t, ok := part.(*tag)
		switch {
		case !ok:
			if part.Kind() == ast.KindImage {
				return false
			}
		case t.isText:
			others, scripts = true, scripts || t.element == "script" || t.element == "style"
		case t.element != "div":
			return false
		case t.end:
			open, boxes = open-1, true
		default:
			open, boxes = open+1, true
		}
	}
	return others && open == 0 && (scripts || !boxes)
}

// partOf returns the part of a piece, nil for a comment.
func partOf(p piece) ast.Node {
	name, ok := elements[p.Data]
	t := &tag{element: p.Data, name: name, end: p.Type == html.EndTagToken, raw: p.raw}
	switch p.Type {
	case html.CommentToken:
		if bytes.HasPrefix(p.raw, []byte("<!--")) && bytes.HasSuffix(p.raw, []byte("-->")) {
			return nil
		}
		t.isText = true
	case html.TextToken:
		return plainText(p.Data)
	case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		if t.isText = !ok || t.end && t.isVoid() || p.Type == html.SelfClosingTagToken && !t.isVoid(); t.isText ||
			t.end {
			return t
		}
	default:
		t.isText = true
	}
	switch {
	case t.isText:
	case name == "img":
		return pictureOf(p, t)
	case name == "a":
		t.href = p.address("href")
	case len(name) == 2 && name[0] == 'h' && name != "hr":
		t.level = int(name[1] - '0')
	}
	return t
}

// pictureOf returns the picture of a tag, as Markdown has it.
func pictureOf(p piece, t *tag) ast.Node {
	l := ast.NewLink()
	if l.Destination = p.address("src"); len(l.Destination) == 0 {
		t.isText = true
		return t
	}
	l.AppendChild(l, plainText(cmp.Or(p.attribute("alt"), "picture")))
	return ast.NewImage(l)
}

func plainText(s string) ast.Node {
	t := ast.NewString([]byte(s))
	t.SetRaw(true)
	return t
}

// match finds the beginning of an element that ends before a node. The elements that began within it, and have not
// ended, are text.
func (m *markup) match(t *tag, before ast.Node) {
	if !t.isText && !t.end {
		names := within[t.element]
		t.in = m.opened(names)
		t.isText = names != "" && t.in == nil || t.name == "a" && (m.inLink() || inLink(m.parent)) ||
			len(m.open) >= maxMarkup && !t.isVoid()
		if !t.isText && !t.isVoid() {
			m.open = append(m.open, t)
		}
	}
	if t.isText || !t.end {
		return
	}
	for i := len(m.open) - 1; i >= 0; i-- {
		if m.open[i].element != t.element {
			continue
		}
		for _, unmatched := range m.open[i+1:] {
			unmatched.isText = true
		}
		t.begin = m.open[i]
		m.open = m.open[:i]
		t.begin.spareParagraph(before)
		return
	}
	t.isText = true
}

// spareParagraph leaves out a paragraph that has blocks in it, which a browser would end before them.
func (t *tag) spareParagraph(end ast.Node) {
	for n := t.NextSibling(); t.name == "p" && n != nil && n != end; n = n.NextSibling() {
		if in, ok := n.(*tag); n.Type() == ast.TypeBlock || ok && in.isShown() &&
			strings.Contains(blocks, " "+in.name+" ") {
			t.name = ""
		}
	}
}

// opened returns the innermost element with one of some names that has begun.
func (m *markup) opened(names string) *tag {
	for i := len(m.open) - 1; i >= 0; i-- {
		if slices.Contains(strings.Fields(names), m.open[i].element) {
			return m.open[i]
		}
	}
	return nil
}

// inLink reports whether a link of markup has begun.
func (m *markup) inLink() bool { return m.opened("a") != nil }

// writeTag writes the beginning or the end of an element.
func writeTag(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	t, ok := node.(*tag)
	if !ok || !entering {
		return ast.WalkContinue, nil
	}
	slash, of := "", t
	if t.end && t.begin != nil {
		slash, of = "/", t.begin
	}
	name := of.name
	if of.level > 0 {
		name = "h" + strconv.Itoa(of.level)
	}
	switch {
	case !t.isShown():
		_, _ = w.Write(util.EscapeHTML(t.raw))
	case name == "a" && !t.end:
		writeHref(w, t.href)
		_ = w.WriteByte('>')
	case name != "":
		_, _ = w.WriteString("<" + slash + name + ">")
	}
	return ast.WalkContinue, nil
}
