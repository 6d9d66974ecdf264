package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// sizeTable is a table of operations with a column for each size and engine.
type sizeTable struct {
	columns, rows []string
	cells         map[[2]string]string // by column and row
}

const sizeTitle = "operation"

// readSizeTable reads the table of a document; it is empty without one.
func readSizeTable(file string) (*sizeTable, error) {
	t := &sizeTable{cells: map[[2]string]string{}}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	_, text1, _ := strings.Cut(string(text), "<!-- begin of what make bench writes: sizes -->")
	text1, _, _ = strings.Cut(text1, "<!-- end of what make bench writes: sizes -->")
	for line := range strings.Lines(text1) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "| "):
		case cells[0] == sizeTitle:
			t.columns = cells[1:]
		default:
			t.rows = append(t.rows, cells[0])
			for i, c := range t.columns {
				t.cells[[2]string{c, cells[0]}] = cells[1+i]
			}
		}
	}
	return t, err
}

// set replaces a column. Its rows come first.
func (t *sizeTable) set(column string, all timings) {
	if !slices.Contains(t.columns, column) {
		t.columns = append(t.columns, column)
	}
	var rows []string
	for _, one := range all {
		t.cells[[2]string{column, one.title}] = one.String()
		rows = append(rows, one.title)
	}
	for _, row := range t.rows {
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	t.rows = rows
}

func (t *sizeTable) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "On %s. Of each operation: p50 and p95 of the time of a request; p95 of the processor time of the server and the "+
		"database, in ms. At most %d requests of one client for each, no two of random lists alike.\n\n", processor(),
		maxRequests)
	fmt.Fprintf(&b, "| %s | %s |\n|---|%s\n", sizeTitle, strings.Join(t.columns, " | "),
		strings.Repeat("---:|", len(t.columns)))
	for _, row := range t.rows {
		b.WriteString("| " + row)
		for _, column := range t.columns {
			b.WriteString(" | " + or(t.cells[[2]string{column, row}], "–"))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// writeSizeTable writes the table into the document, after each column.
func writeSizeTable(o options, t *sizeTable) error {
	if o.output == "" {
		return nil
	}
	return write(o.output, "sizes", t.String())
}

// thousands returns a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
