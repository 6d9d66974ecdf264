package trace

import (
	"encoding/json"
	"slices"

	"bugslice/api"
)

// Limits of the evidence as JSON. Together they are less than the 10 MiB of a report.
const (
	maxConsole = 1 << 20
	maxActions = 1 << 20
	maxNetwork = 4 << 20
	maxReplay  = 3 << 20
	maxRows    = 20_000 // of a kind
)

// part is what is known of the part of a trace that is being read: that of the test, or of a context of the browser.
type part struct {
	clock
	isTest bool    // of the test runner
	url    string  // of the page
	last   float64 // the newest time
}

// list has the last rows of those that were added: at least maxRows, if there are so many.
type list[T any] struct {
	rows  []T
	older int // how many were dropped
}

func (l *list[T]) add(row T) {
	if l.rows = append(l.rows, row); len(l.rows) == 2*maxRows {
		l.rows, l.older = slices.Clone(l.rows[maxRows:]), l.older+maxRows
	}
}

// newest sorts rows by time, and returns the newest ones whose JSON has at most limit bytes, and the number of the
// others.
func newest[T any](rows []T, limit int, at func(T) api.Time) (fitting []T, older int) {
	slices.SortStableFunc(rows, func(a, b T) int { return at(a).Compare(at(b).Time) })
	size, from := 0, len(rows)
	for from > 0 && len(rows)-from < maxRows {
		row, err := json.Marshal(rows[from-1])
		if size += len(row) + 1; err != nil || size > limit {
			break
		}
		from--
	}
	return rows[from:], from
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// text returns a JSON text; empty for another value.
func text(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
