package markdown

import (
	"math"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// partedParagraph parts a paragraph with too many delimiters, such as one of badges or of pasted logs, where no link,
// code or emphasis seems to be open. Each part is parsed alone, and joinParts makes one paragraph of them. A
// paragraph that cannot be parted is code.
type partedParagraph struct{}

// Transform implements parser.ParagraphTransformer.
func (partedParagraph) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	source := reader.Source()
	lines := trimmed(node.Lines(), source)
	var parts []*ast.Paragraph
	for from := (place{}); from.line < len(lines); {
		to, ok := nextPlace(lines, source, from)
		switch {
		case !ok:
			showAsWritten(node, paragraphNotice)
			return
		case from == place{} && to.line == len(lines):
			return
		}
		part := ast.NewParagraph()
		part.SetLines(between(lines, from, to))
		part.SetAttributeString("continues", len(parts) > 0)
		parts, from = append(parts, part), to
	}
	parent := node.Parent()
	parts[0].SetBlankPreviousLines(node.HasBlankPreviousLines())
	for _, part := range parts {
		parent.InsertBefore(parent, node, part)
	}
	parent.RemoveChild(parent, node)
}

// trimmed returns the lines of a paragraph as the parser reads them.
func trimmed(lines *text.Segments, source []byte) (all []text.Segment) {
	for i := range lines.Len() {
		line := lines.At(i)
		all = append(all, line.TrimLeftSpace(source))
	}
	all[len(all)-1] = all[len(all)-1].TrimRightSpace(source)
	return all
}

// place is a place in the lines of a paragraph: an offset in the source, or the beginning of a line.
type place struct{ line, at int }

// nextPlace returns where a part ends that begins at a place: the last place where the fewest delimiters are open,
// behind at least half of those that a part may have. ok is false when there is none.
func nextPlace(lines []text.Segment, source []byte, from place) (to place, ok bool) {
	marks, open, fewest := 0, openMarks{}, math.MaxInt
	for i := from.line; i < len(lines); i++ {
		start := max(lines[i].Start, from.at)
		for at := start; at < lines[i].Stop; at++ {
			if marks >= maxDelimiters/2 && (at == start || isPlace(source[at-1], source[at])) &&
				open.count() <= fewest {
				to, ok, fewest = place{i, at}, true, open.count()
			}
			if marks += delimiters(source[at : at+1]); marks > maxDelimiters {
				return to, ok
			}
			open.read(source[start:lines[i].Stop], at-start)
		}
	}
	return place{line: len(lines)}, true
}

// isPlace reports whether a part may end between two bytes: before a space, and between two letters beyond ASCII.
func isPlace(before, after byte) bool {
	return after == ' ' || after == '\t' || before >= 0x80 && after >= 0xC0
}

// between returns the lines from a place to another one.
func between(lines []text.Segment, from, to place) *text.Segments {
	part := text.NewSegments()
	for i := from.line; i < len(lines) && i <= to.line; i++ {
		line := lines[i].WithStart(max(lines[i].Start, from.at))
		if i == to.line {
			line = line.WithStop(to.at)
		}
		if line.Len() > 0 {
			part.Append(line)
		}
	}
	return part
}

// openMarks are the delimiters that are open in a part.
type openMarks struct {
	brackets int
	odd      [8]bool // runs of the others: of one, and of more
}

func (o *openMarks) count() int {
	n := o.brackets
	for _, odd := range o.odd {
		if odd {
			n++
		}
	}
	return n
}

// read reads a byte of a line.
func (o *openMarks) read(line []byte, at int) {
	c := line[at]
	switch i := strings.IndexByte("*_~`", c); {
	case i >= 0 && (at == 0 || line[at-1] != c):
		if at+1 < len(line) && line[at+1] == c {
			i += 4
		}
		o.odd[i] = !o.odd[i]
	case strings.IndexByte("[(<", c) >= 0:
		o.brackets++
	case strings.IndexByte("])>", c) >= 0:
		o.brackets = max(o.brackets-1, 0)
	}
}

// joinParts makes one paragraph of the parts of each, and one text of those in a list without blank lines, which has
// no paragraphs.
func joinParts(document ast.Node) {
	var parts []ast.Node
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		before := n.PreviousSibling()
		isText := n.Kind() == ast.KindTextBlock && before != nil && before.Kind() == ast.KindTextBlock
		if continues, _ := n.AttributeString("continues"); entering && (continues == true || isText) {
			parts = append(parts, n)
		}
		return ast.WalkContinue, nil
	})
	for _, part := range parts {
		whole := part.PreviousSibling()
		for c := part.FirstChild(); c != nil; {
			next := c.NextSibling()
			whole.AppendChild(whole, c)
			c = next
		}
		part.Parent().RemoveChild(part.Parent(), part)
	}
}
