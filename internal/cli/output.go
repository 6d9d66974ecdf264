package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"bugslice/api"
)

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printTable prints rows of cells in aligned columns.
func printTable(out io.Writer, rows ...[]any) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = printable(fmt.Sprint(cell))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	return w.Flush()
}

// printable replaces control characters, which could move the cursor of a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// counted is a line of a report: a number of records, and a text that names them in the plural.
type counted struct {
	n    int
	text string
}

// count returns a number with its noun, in the singular for one.
func count[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// printCounts prints the lines whose number is not zero.
func printCounts(w io.Writer, lines []counted) {
	for _, l := range lines {
		if l.n > 0 {
			fmt.Fprintf(w, "%s: %d.\n", l.text, l.n)
		}
	}
}

// orDash returns a time as text, or a dash for none.
func orDash(at *api.Time) string {
	if at == nil {
		return "-"
	}
	return at.String()
}
