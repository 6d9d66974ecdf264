package output

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Column is a column of a table of records.
type Column[T any] struct {
	Title string
	Cell  func(T) Cell
	// Flexible says that the cells are truncated so that the table fits the terminal. One column of a table is.
	Flexible bool
	// Optional says that the column is left out of a narrow terminal. The last one is left out first.
	Optional bool
}

// Cell is a cell of a table.
type Cell struct {
	Text  string
	Style Style
}

const (
	gap         = 2
	minFlexible = 40 // columns, below which optional columns are left out
)

// Table prints records: on a terminal as a table that fits it, and otherwise as lines separated by tabs, without
// headings.
func Table[T any](p *Printer, records []T, columns []Column[T]) error {
	if !p.Terminal {
		return tabbed(p.Out, records, columns)
	}
	cells := make([][]Cell, len(records))
	for i, r := range records {
		cells[i] = make([]Cell, len(columns))
		for j, c := range columns {
			cells[i][j] = c.Cell(r)
			cells[i][j].Text = OneLine(cells[i][j].Text)
		}
	}
	widths := fit(columns, cells, p.Width)
	return p.Page(func(w io.Writer) error {
		heading := make([]Cell, len(columns))
		for j, c := range columns {
			heading[j] = Cell{strings.ToUpper(c.Title), Dim}
		}
		for _, row := range append([][]Cell{heading}, cells...) {
			if _, err := io.WriteString(w, p.row(row, widths)+"\n"); err != nil {
				return err
			}
		}
		return nil
	})
}

func tabbed[T any](w io.Writer, records []T, columns []Column[T]) error {
	for _, r := range records {
		texts := make([]string, len(columns))
		for j, c := range columns {
			texts[j] = OneLine(c.Cell(r).Text)
		}
		if _, err := io.WriteString(w, strings.Join(texts, "\t")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// fit returns the widths of the columns in a terminal; 0 for one that is left out.
func fit[T any](columns []Column[T], cells [][]Cell, terminal int) []int {
	widths, total := make([]int, len(columns)), -gap
	flexible := -1
	for j, c := range columns {
		widths[j] = ansi.StringWidth(c.Title)
		for _, row := range cells {
			widths[j] = max(widths[j], ansi.StringWidth(row[j].Text))
		}
		if total += widths[j] + gap; c.Flexible {
			flexible = j
		}
	}
	if flexible < 0 {
		return widths
	}
	for j := len(columns) - 1; j >= 0; j-- {
		if columns[j].Optional && widths[flexible]-(total-terminal) < min(minFlexible, widths[flexible]) {
			total -= widths[j] + gap
			widths[j] = 0
		}
	}
	if total > terminal {
		widths[flexible] = max(widths[flexible]-(total-terminal), 1)
	}
	return widths
}

func (p *Printer) row(cells []Cell, widths []int) string {
	var b strings.Builder
	space := 0
	for j, c := range cells {
		if widths[j] == 0 {
			continue
		}
		text := ansi.Truncate(c.Text, widths[j], "…")
		b.WriteString(strings.Repeat(" ", space) + p.Styled(c.Style, text))
		space = widths[j] - ansi.StringWidth(text) + gap
	}
	return ansi.Truncate(b.String(), p.Width, "…")
}
