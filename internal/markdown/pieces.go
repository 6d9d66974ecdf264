package markdown

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

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

// piece is a tag, a text or a comment, at a byte of one of the lines of its markup.
type piece struct {
	html.Token
	raw, source []byte
	lines       *text.Segments
	line, at    int
}

// piecesOf returns the pieces of markup. What is behind the last of them, such as a tag without an end, is one of no
// type.
func piecesOf(n ast.Node, source []byte) (all []piece) {
	p := piece{source: source, lines: linesOfMarkup(n)}
	value := p.lines.Value(source)
	z := html.NewTokenizer(bytes.NewReader(value))
	for {
		kind := z.Next()
		if p.raw = bytes.Clone(z.Raw()); kind == html.ErrorToken {
			p.raw = value
		}
		value = value[len(p.raw):]
		for p.line < p.lines.Len() && p.at >= lengthOf(p.lines, p.line) {
			p.at -= lengthOf(p.lines, p.line)
			p.line++
		}
		if p.Token = z.Token(); len(p.raw) > 0 {
			all = append(all, p)
		}
		if kind == html.ErrorToken {
			return all
		}
		if p.Data != "script" && p.Data != "style" {
			z.NextIsNotRawText()
		}
		p.at += len(p.raw)
	}
}

func lengthOf(lines *text.Segments, i int) int {
	line := lines.At(i)
	return line.Len()
}

// cut returns bytes of a piece as a part of the source, if they are in one line.
func (p piece) cut(from, to int) []byte {
	at := p.at + from
	for i := p.line; i < p.lines.Len(); i++ {
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

func (p piece) attribute(name string) string {
	for _, a := range p.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
