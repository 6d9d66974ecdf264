package output

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Markdown returns Markdown as text for the terminal: wrapped to its width, with styles where colours are shown.
func (p *Printer) Markdown(source string) string {
	source = Safe(source)
	parser := goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.Linkify,
		extension.TaskList)).Parser()
	r := &markdown{p: p, source: []byte(source)}
	document := parser.Parse(text.NewReader(r.source))
	return strings.TrimRight(r.blocks(document, min(p.Width, maxText)), "\n") + "\n"
}

// markdown renders a document.
type markdown struct {
	p      *Printer
	source []byte
}

// blocks returns the blocks in a node, with an empty line between them unless they are items of a tight list.
func (r *markdown) blocks(parent ast.Node, width int) string {
	var texts []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if text := strings.TrimRight(r.block(n, max(width, 10)), "\n"); text != "" {
			texts = append(texts, text)
		}
	}
	between := "\n\n"
	if list, ok := parent.(*ast.List); ok && list.IsTight {
		between = "\n"
	}
	if item, ok := parent.(*ast.ListItem); ok {
		if list, ok := item.Parent().(*ast.List); ok && list.IsTight {
			between = "\n"
		}
	}
	return strings.Join(texts, between)
}

func (r *markdown) block(n ast.Node, width int) string {
	switch n := n.(type) {
	case *ast.Heading:
		return r.p.Styled(Bold, ansi.Wrap(strings.Repeat("#", n.Level)+" "+ansi.Strip(r.inlines(n)), width, " "))
	case *ast.Blockquote:
		return indent(r.blocks(n, width-2), "│ ", "│ ")
	case *ast.List:
		return r.blocks(n, width)
	case *ast.ListItem:
		marker := "• "
		if list := n.Parent().(*ast.List); list.IsOrdered() {
			number := list.Start
			for before := n.PreviousSibling(); before != nil; before = before.PreviousSibling() {
				number++
			}
			marker = strconv.Itoa(number) + ". "
		}
		space := ansi.StringWidth(marker)
		return indent(r.blocks(n, width-space), marker, strings.Repeat(" ", space))
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
		return indent(r.p.Styled(Cyan, strings.TrimRight(r.lines(n), "\n")), "    ", "    ")
	case *ast.ThematicBreak:
		return strings.Repeat("─", min(width, 20))
	}
	if n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
		return r.blocks(n, width)
	}
	return ansi.Wrap(r.inlines(n), width, " ")
}

// lines returns the text of a block that is not parsed further.
func (r *markdown) lines(n ast.Node) string {
	var b bytes.Buffer
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(r.source))
	}
	return strings.ReplaceAll(b.String(), "\t", "    ")
}

func (r *markdown) inlines(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b.WriteString(r.inline(n))
	}
	return b.String()
}

func (r *markdown) inline(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Text:
		text := string(n.Value(r.source))
		if n.HardLineBreak() {
			return text + "\n"
		}
		if n.SoftLineBreak() {
			return text + " "
		}
		return text
	case *ast.String:
		return string(n.Value)
	case *ast.CodeSpan:
		return r.p.Styled(Cyan, ansi.Strip(r.inlines(n)))
	case *ast.Emphasis:
		style := Italic
		if n.Level > 1 {
			style = Bold
		}
		return r.p.Styled(style, ansi.Strip(r.inlines(n)))
	case *ast.Link:
		return r.link(r.inlines(n), string(n.Destination))
	case *ast.Image:
		return r.link("picture: "+r.inlines(n), string(n.Destination))
	case *ast.AutoLink:
		return r.p.Styled(Line, string(n.URL(r.source)))
	case *ast.RawHTML:
		var b bytes.Buffer
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			b.Write(s.Value(r.source))
		}
		return b.String()
	case *extast.TaskCheckBox:
		if n.IsChecked {
			return "[x] "
		}
		return "[ ] "
	}
	return r.inlines(n)
}

// link returns a text with the address to which it leads, unless that is the text.
func (r *markdown) link(text, address string) string {
	if plain := ansi.Strip(text); plain == address {
		return r.p.Styled(Line, address)
	}
	return text + " (" + r.p.Styled(Line, address) + ")"
}

// indent puts a marker before the first line of a text, and another one before the others.
func indent(text, first, others string) string {
	return first + strings.ReplaceAll(text, "\n", "\n"+others)
}
