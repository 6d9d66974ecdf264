package markdown

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds of a conversion, so that its time, its memory and its HTML grow with the text and no faster. A text beyond
// them is shown as it was written, and so is a table with too many cells, which has those that its rows lack, too.
// The delimiters of a paragraph, whose matching takes the square of their number, are matched in parts.
const (
	maxDepth      = 120    // blocks within each other; a list is two, with its item
	maxDelimiters = 300    // of a part of a paragraph, a heading or a cell
	maxCells      = 20_000 // of the tables of a text
	fixedWork     = 50_000 // steps of the parser of blocks, beside two for each byte
	fixedHTML     = 1 << 20
	htmlPerByte   = 8
)

// The words above what is shown as it was written.
const (
	textNotice      = "This text is shown as it was written, because formatting it would take too much."
	paragraphNotice = "Shown as it was written, because it has more than 300 marks of formatting without a space."
	cellNotice      = "Shown as it was written, because a cell of the table has more than 300 marks of formatting."
	tableNotice     = "Shown as it was written, because the tables of this text would have more than 20,000 cells."
)

// errTooMuch ends a conversion that is beyond its bounds.
var errTooMuch = errors.New("too much to format")

// meter counts the work of a conversion.
type meter struct{ work, cells int }

var meterKey = parser.NewContextKey()

func newMeter(source string) *meter {
	m := &meter{fixedWork + 2*len(source), maxCells}
	m.spend(strings.Count(source, `\|`) * strings.Count(source,
		"`") / 100) // the parser compares each of them in cells with each other
	return m
}

// spend counts steps, and ends the conversion when they are too many.
func (m *meter) spend(steps int) {
	if m.work -= steps; m.work < 0 {
		panic(errTooMuch)
	}
}

func meterOf(pc parser.Context) *meter { return pc.Get(meterKey).(*meter) }

// boundedBlock is a parser of blocks that counts its steps, and ends the conversion of a text that is nested too
// deeply.
type boundedBlock struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (b boundedBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	node, state := b.BlockParser.Open(parent, reader, pc)
	if node != nil {
		meterOf(pc).spend(1)
		if len(pc.OpenedBlocks()) >= maxDepth {
			panic(errTooMuch)
		}
	}
	return node, state
}

// Continue implements parser.BlockParser.
func (b boundedBlock) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	meterOf(pc).spend(1)
	return b.BlockParser.Continue(node, reader, pc)
}

// boundedHeading leaves a heading with too many delimiters to the paragraphs.
type boundedHeading struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (b boundedHeading) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if line, _ := reader.PeekLine(); delimiters(line) > maxDelimiters {
		return nil, parser.NoChildren
	}
	return b.BlockParser.Open(parent, reader, pc)
}

// blockParsers are the parsers of CommonMark, with bounds.
func blockParsers() (all []util.PrioritizedValue) {
	const headings = 600 // the priority of the parser of headings
	for _, p := range parser.DefaultBlockParsers() {
		block, _ := p.Value.(parser.BlockParser)
		if p.Priority == headings {
			block = boundedHeading{block}
		}
		all = append(all, util.Prioritized(boundedBlock{block}, p.Priority))
	}
	return all
}

func delimiters(line []byte) (n int) {
	for _, c := range line {
		if strings.IndexByte("*_~[]<`", c) >= 0 {
			n++
		}
	}
	return n
}

// definitions finds the definitions of links in the lines of a paragraph, and a few more.
var definitions = regexp.MustCompile(`(?m)\[(?:\\.|[^\[\]\\])+\]:\s*(?:<[^<>\n]*>|\S+)(?:[ \t\r]*$|\s+["'(])`)

// plainTable makes code of a table with too many cells, or of a cell with too many delimiters, before definitions and
// tables are read.
type plainTable struct{}

// Transform implements parser.ParagraphTransformer.
func (plainTable) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	m, lines, columns, marks := meterOf(pc), node.Lines(), 0, 0
	if first := lines.At(0); bytes.HasPrefix(bytes.TrimLeft(first.Value(reader.Source()), " \t"), []byte("[")) {
		all := definitions.FindAllIndex(lines.Value(reader.Source()), -1)
		m.spend(len(all) * lines.Len() / 64) // the parser moves the lines below each of them
	}
	for i := range lines.Len() {
		at := lines.At(i)
		line := at.Value(reader.Source())
		if i > 0 && len(bytes.Trim(line, "|-: \t\r\n")) == 0 {
			columns = max(columns, bytes.Count(line, []byte("|"))+1)
		}
		for cell := range bytes.SplitSeq(line, []byte("|")) {
			marks = max(marks, delimiters(cell))
		}
	}
	cells := columns * lines.Len()
	switch {
	case columns > 0 && marks > maxDelimiters:
		showAsWritten(node, cellNotice)
	case cells > m.cells:
		showAsWritten(node, tableNotice)
	default:
		m.cells -= cells
	}
}

// showAsWritten puts code with a notice in the place of a paragraph.
func showAsWritten(node *ast.Paragraph, notice string) {
	block := ast.NewCodeBlock()
	block.SetLines(node.Lines())
	block.SetAttributeString("notice", notice)
	node.Parent().ReplaceChild(node.Parent(), node, block)
}

// asWritten writes a block of code, below its notice if it has one.
func asWritten(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	if notice, ok := node.AttributeString("notice"); ok {
		_, _ = fmt.Fprintf(w, "<p><em>%s</em></p>\n", notice)
	}
	_, _ = w.WriteString("<pre><code>")
	writeLines(w, source, node.Lines())
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

func writeLines(w util.BufWriter, source []byte, lines *text.Segments) {
	for i := range lines.Len() {
		at := lines.At(i)
		template.HTMLEscape(w, at.Value(source))
	}
}

// boundedHTML is HTML that ends the conversion when there is too much of it.
type boundedHTML struct {
	bytes.Buffer
	left int
}

// Write implements io.Writer.
func (b *boundedHTML) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		panic(errTooMuch)
	}
	return b.Buffer.Write(p)
}
