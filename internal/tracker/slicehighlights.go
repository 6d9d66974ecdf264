package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
)

// maxReportBytes is the limit of the evidence of a kind that is read for a report. One set is always read.
const maxReportBytes = 32 << 20

// withinBudget returns how many of the sets are read for a report.
func withinBudget(sets []store.Attachment) int {
	var read int64
	for i, a := range sets {
		if read += a.Size; read > maxReportBytes && i > 0 {
			return i
		}
	}
	return len(sets)
}

// reportSection is a section of a report with the rows of a kind of evidence.
type reportSection struct {
	title    string
	noun     string  // for its rows
	path     string  // where the API lists all rows, relative to the slice
	share    float64 // of the remaining characters
	kind     api.AttachmentKind
	numbered bool
	classes  []int    // of the rows; empty for all
	words    []string // every row contains one of them; empty for any row
	line     func(row []byte) (string, error)
}

var (
	consoleSection = reportSection{
		title: "Errors and warnings of the console", noun: "errors and warnings", path: "/console?level=error,warn", share: 0.45,
		kind: api.KindConsole, line: consoleLine, words: []string{"error", "warn"},
		classes: convert([]api.ConsoleLevel{"error", "warn"}, evidence.LevelClass),
	}
	networkSection = reportSection{
		title: "Failed requests", noun: "failed requests", path: "/network?status=4xx,5xx,failed", share: 0.5,
		kind: api.KindNetwork, line: networkLine, classes: []int{0, 4, 5, 6, 7, 8, 9},
	}
	actionsSection = reportSection{
		title: "What the user did", noun: "actions", path: "/actions", share: 0.35,
		kind: api.KindActions, line: actionLine, numbered: true,
	}
)

// highlights are the lines of a set of evidence in a report. They do not depend on the length of the report.
type highlights struct {
	lines []highlight
	more  int // rows after them
}

// highlight is the line of a row, and of the rows that are equal to it unless the section is numbered.
type highlight struct {
	text string
	rows int
}

// The limits of the highlights of a set.
const (
	maxHighlights     = 4000
	maxHighlightBytes = 200 << 10
)

// highlights returns the highlights of a set for a section. With an index, only blocks with rows of the section are read.
func (t *Tracker) highlights(ctx context.Context, a store.Attachment, section reportSection) (highlights, error) {
	h, err := cached(t.derived, "highlights "+a.ID, func() (highlights, int, error) {
		ctx, cancel := detached(ctx)
		defer cancel()
		r, index, err := t.openEvidence(ctx, a)
		if err != nil {
			return highlights{}, 0, ignoreNotFound(err)
		}
		defer func() { _ = r.Close() }()
		h := highlighter{section: section, mayMatch: rowMatcher(section.words...), seen: map[string]int{}}
		err = r.Rows(section.kind, evidence.Filter{Classes: section.classes}, func(_ int, row []byte) (bool, error) {
			added := h.add(row)
			return added || index == nil, ctx.Err() // with an index the other rows need not be read to be counted
		})
		switch {
		case h.more == 0 || index == nil:
		case len(section.classes) > 0:
			h.more = max(1, index.Count(section.classes)-h.rows)
		default:
			h.more = max(1, int(*a.Entries)-h.rows)
		}
		return h.highlights, h.bytes + 24*len(h.lines), err
	})
	if t.isLost(err, a) {
		return highlights{more: int(*a.Entries)}, nil
	}
	return h, err
}

// highlighter collects highlights.
type highlighter struct {
	highlights
	section  reportSection
	mayMatch func(row []byte) bool
	seen     map[string]int // the indexes of the highlights, by their texts
	rows     int            // rows whose line is a highlight, or repeats one
	bytes    int            // size of the highlights
}

// add adds the line of a row, or counts it with an equal line unless the section is numbered. It ignores a row that the section
// does not show. When the highlights are full, it only counts the row and returns false.
func (h *highlighter) add(row []byte) bool {
	if !h.mayMatch(row) {
		return true
	}
	line, err := h.section.line(row)
	if err != nil || line == "" { // a row that cannot be decoded is shown only in its attachment
		return true
	}
	if h.rows >= maxHighlights || h.bytes >= maxHighlightBytes {
		h.more++
		return false
	}
	h.rows++
	if i, ok := h.seen[line]; ok && !h.section.numbered {
		h.lines[i].rows++
		return true
	}
	h.seen[line] = len(h.lines)
	h.lines = append(h.lines, highlight{line, 1})
	h.bytes += len(line)
	return true
}

// consoleLine returns the line of an error or a warning, empty for other rows.
func consoleLine(row []byte) (string, error) {
	var e api.ConsoleEntry
	if err := json.Unmarshal(row, &e); err != nil || e.Level != "error" && e.Level != "warn" {
		return "", err
	}
	line := string(e.Level) + ": " + truncate(e.Message, 1000)
	if e.Stack != nil && e.Level == "error" {
		stack := strings.TrimPrefix(*e.Stack, e.Message)
		line += "\n" + truncate(strings.TrimLeft(stack, "\n"), 1500)
	}
	return line, nil
}

// networkLine returns the line of a failed request, empty for other rows.
func networkLine(row []byte) (string, error) {
	n, err := evidence.Summary(row)
	if err != nil || !evidence.Failed(n) {
		return "", err
	}
	status := fmt.Sprintf("%d %s", n.Status, n.StatusText)
	if n.Status == 0 {
		status = "no answer"
	}
	line := fmt.Sprintf("%s %s → %s", n.Method, truncate(n.URL, 500), status)
	if n.Error != nil {
		line += " " + *n.Error
	}
	if n.ResponseBody != nil {
		line += "\n  answered: " + truncate(*n.ResponseBody, 300)
	}
	return line, nil
}

// actionLine returns the line of an action of the user.
func actionLine(row []byte) (string, error) {
	var e api.ActionEntry
	if err := json.Unmarshal(row, &e); err != nil {
		return "", err
	}
	line := e.Type
	for _, p := range []*string{e.Selector, e.Text, e.Value, e.URL} {
		if p != nil && *p != "" {
			line += " " + strings.Join(strings.Fields(truncate(*p, 120)), " ")
		}
	}
	return line, nil
}
