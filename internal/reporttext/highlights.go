package reporttext

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/evidence"
)

// Kind is a kind of evidence that a report has a section about.
type Kind struct {
	Evidence api.AttachmentKind
	Words    []string // every row of the section contains one of them; empty for any row

	title    string
	noun     string // for its rows
	harmless string // for the rows that the section does not show; empty when it shows every row
	path     string // where the API lists all rows, relative to the slice
	share    int
	classes  []int // of the rows; empty for all
	line     func(row []byte) (Highlight, error)
}

// The kinds of evidence, in the order of their sections.
var (
	Console = Kind{
		title: "Errors and warnings of the console", noun: "errors and warnings", path: "/console?level=error,warn",
		share:    9,
		harmless: "messages of the console, without an error or a warning",
		Evidence: api.KindConsole, line: consoleLine, Words: []string{"error", "warn"},
		classes: []int{evidence.LevelClass("error"), evidence.LevelClass("warn")},
	}
	Network = Kind{
		title: "Failed requests", noun: "failed requests", path: "/network?status=4xx,5xx,failed", share: 9,
		harmless: "requests, none of which failed",
		Evidence: api.KindNetwork, line: networkLine, classes: []int{0, 4, 5, 6, 7, 8, 9},
	}
	Actions = Kind{
		title: "Actions of the user", noun: "actions", path: "/actions", share: 7,
		Evidence: api.KindActions, line: actionLine,
	}
)

// Highlights are the lines of a set of evidence in a report. They do not depend on the length of the report.
type Highlights struct {
	Lines []Highlight
	More  int // rows before them
}

// Highlight is the text of a row, and of those that are equal to it, or are part of the same input.
type Highlight struct {
	text        string
	rows        int
	rank        int
	first, last time.Time
	input       string // the field of an input, or scrolling; empty for other rows
	value, keys string // of an input
	page        string // of an action
	pageBefore  string // of the action before it
}

// The limits of the highlights of a set.
const (
	maxHighlights     = 4000
	maxHighlightBytes = 200 << 10
)

// Collector collects the highlights of a set.
type Collector struct {
	Highlights
	Filter evidence.Filter // of the rows to add

	kind     Kind
	mayMatch func(row []byte) bool
	seen     map[string]int // the indexes of the highlights by their texts, counted with those that were removed
	removed  int            // highlights
	bytes    int            // size of the highlights
	page     string         // of the newest action
}

// Collect returns a Collector for a set of evidence with a number of rows. mayMatch reports whether a row may contain
// one of the words of the kind.
func Collect(kind Kind, rows int, mayMatch func(row []byte) bool) *Collector {
	c := &Collector{kind: kind, mayMatch: mayMatch, seen: map[string]int{},
		Filter: evidence.Filter{Classes: kind.classes}}
	if len(kind.classes) == 0 {
		c.Filter.After = max(0, rows-maxHighlights)
		c.More = c.Filter.After
	}
	return c
}

// Size returns the approximate memory of the highlights.
func (h *Collector) Size() int { return h.bytes + 160*len(h.Lines) }

// Add adds the highlight of a row, or counts it with an equal one, or with the input that it is part of. It ignores a
// row that the section does not show. When the highlights are full, it removes the oldest one.
func (h *Collector) Add(row []byte) {
	if !h.mayMatch(row) {
		return
	}
	line, err := h.kind.line(row)
	if err != nil || line.text == "" { // a row that cannot be decoded is shown only in its attachment
		return
	}
	if h.kind.Evidence == api.KindActions {
		line.describe(h.page)
		h.page = line.page
	}
	if earlier := h.earlier(line); earlier != nil {
		h.bytes -= len(earlier.text)
		if earlier.rows, earlier.last = earlier.rows+1, line.last; earlier.input != "" {
			earlier.extend(line)
		}
		h.bytes += len(earlier.text)
		return
	}
	h.seen[line.text] = h.removed + len(h.Lines)
	h.Lines = append(h.Lines, line)
	for h.bytes += len(line.text); len(h.Lines) > maxHighlights || h.bytes > maxHighlightBytes && len(h.Lines) > 1; {
		h.removeOldest()
	}
}

func (h *Collector) removeOldest() {
	oldest := h.Lines[0]
	if h.seen[oldest.text] == h.removed {
		delete(h.seen, oldest.text)
	}
	h.Lines, h.removed, h.More, h.bytes = h.Lines[1:], h.removed+1, h.More+oldest.rows, h.bytes-len(oldest.text)
}

// earlier returns the highlight that a row belongs to, nil for none: an equal one, and for an action, whose order
// matters, only the newest one, or the input of the same field before it has scrolled the page.
func (h *Collector) earlier(line Highlight) *Highlight {
	newest := len(h.Lines) - 1
	if h.kind.Evidence != api.KindActions {
		if i, ok := h.seen[line.text]; ok {
			return &h.Lines[i-h.removed]
		}
		return nil
	}
	for i := newest; i >= 0; i-- {
		if earlier := &h.Lines[i]; earlier.input == line.input && (line.input != "" || earlier.text == line.text) {
			return earlier
		}
		if h.Lines[i].input != scrolling {
			break
		}
	}
	return nil
}

// consoleLine returns the highlight of an error or a warning, without text for other rows. A message about a failed
// request is less telling than another error, because the request is shown, too.
func consoleLine(row []byte) (Highlight, error) {
	var e api.ConsoleEntry
	if err := json.Unmarshal(row, &e); err != nil || e.Level != "error" && e.Level != "warn" {
		return Highlight{}, err
	}
	line := Highlight{text: string(e.Level) + ": " + truncate(e.Message, 1000), rows: 1, first: e.Timestamp.Time,
		last: e.Timestamp.Time}
	if e.Level == "error" && !strings.HasPrefix(e.Message, "Failed to load resource") {
		line.rank = 1
	}
	if e.Stack != nil && e.Level == "error" {
		stack := strings.TrimPrefix(*e.Stack, e.Message)
		line.text += "\n" + truncate(strings.TrimLeft(stack, "\n"), 1500)
		line.rank = 2
	}
	return line, nil
}

// networkLine returns the highlight of a failed request, without text for other rows.
func networkLine(row []byte) (Highlight, error) {
	n, err := evidence.Summary(row)
	if err != nil || !evidence.Failed(n) {
		return Highlight{}, err
	}
	status := fmt.Sprintf("%d %s", n.Status, n.StatusText)
	if n.Status == 0 {
		status = "no answer"
	}
	line := Highlight{rows: 1, first: n.StartedAt.Time, last: n.StartedAt.Time}
	line.text = fmt.Sprintf("%s %s → %s", n.Method, truncate(n.URL, 500), strings.TrimSpace(status))
	if n.Error != nil {
		line.text += " " + *n.Error
	}
	for _, body := range []struct {
		verb string
		text *string
	}{{"answered", n.ResponseBody}, {"sent", n.RequestBody}} {
		if body.text != nil {
			line.text += "\n  " + body.verb + ": " + oneLine(*body.text, 200)
		}
	}
	switch {
	case n.Status >= 500:
		line.rank = 2
	case n.Status != 404:
		line.rank = 1
	}
	return line, nil
}

// oneLine returns the beginning of a text, of at most limit characters, in one line.
func oneLine(text string, limit int) string {
	short := strings.Join(strings.Fields(truncate(text, limit)), " ")
	if len(truncate(text, limit)) < len(text) {
		short += "…"
	}
	return short
}
