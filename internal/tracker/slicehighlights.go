package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
)

// maxReportBytes is the limit of the evidence of a kind that is read for a report. One set is always read.
const maxReportBytes = 32 << 20

// withinBudget returns the newest of the sets, as many as are read for a report.
func withinBudget(sets []store.Attachment) []store.Attachment {
	var read int64
	for i := len(sets) - 1; i >= 0; i-- {
		if read += sets[i].Size; read > maxReportBytes && i < len(sets)-1 {
			return sets[i+1:]
		}
	}
	return sets
}

// reportSection is a section of a report with the rows of a kind of evidence.
type reportSection struct {
	title    string
	noun     string // for its rows
	harmless string // for the rows that the section does not show; empty when it shows every row
	path     string // where the API lists all rows, relative to the slice
	share    int
	kind     api.AttachmentKind
	classes  []int    // of the rows; empty for all
	words    []string // every row contains one of them; empty for any row
	line     func(row []byte) (highlight, error)
}

var (
	consoleSection = reportSection{
		title: "Errors and warnings of the console", noun: "errors and warnings", path: "/console?level=error,warn", share: 9,
		harmless: "messages of the console, without an error or a warning",
		kind:     api.KindConsole, line: consoleLine, words: []string{"error", "warn"},
		classes: convert([]api.ConsoleLevel{"error", "warn"}, evidence.LevelClass),
	}
	networkSection = reportSection{
		title: "Failed requests", noun: "failed requests", path: "/network?status=4xx,5xx,failed", share: 9,
		harmless: "requests, none of which failed",
		kind:     api.KindNetwork, line: networkLine, classes: []int{0, 4, 5, 6, 7, 8, 9},
	}
	actionsSection = reportSection{
		title: "Actions of the user", noun: "actions", path: "/actions", share: 7,
		kind: api.KindActions, line: actionLine,
	}
)

// highlights are the lines of a set of evidence in a report. They do not depend on the length of the report.
type highlights struct {
	lines []highlight
	more  int // rows before them
}

// highlight is the text of a row, and of those that are equal to it, or are part of the same input.
type highlight struct {
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

// highlights returns the newest highlights of a set for a section. With an index, only blocks with rows of the section are read.
func (t *Tracker) highlights(ctx context.Context, a store.Attachment, section reportSection) (highlights, error) {
	h, err := cached(t.derived, "highlights "+a.ID, func() (highlights, int, error) {
		ctx, cancel := detached(ctx)
		defer cancel()
		r, _, err := t.openEvidence(ctx, a)
		if err != nil {
			return highlights{}, 0, ignoreNotFound(err)
		}
		defer func() { _ = r.Close() }()
		h := highlighter{section: section, mayMatch: rowMatcher(section.words...), seen: map[string]int{}}
		filter := evidence.Filter{Classes: section.classes}
		if len(section.classes) == 0 {
			filter.After = max(0, int(*a.Entries)-maxHighlights)
			h.more = filter.After
		}
		err = r.Rows(section.kind, filter, func(_ int, row []byte) (bool, error) {
			h.add(row)
			return true, ctx.Err()
		})
		return h.highlights, h.bytes + 160*len(h.lines), err
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
	seen     map[string]int // the indexes of the highlights by their texts, counted with those that were removed
	removed  int            // highlights
	bytes    int            // size of the highlights
	page     string         // of the newest action
}

// add adds the highlight of a row, or counts it with an equal one, or with the input that it is part of. It ignores a row that
// the section does not show. When the highlights are full, it removes the oldest one.
func (h *highlighter) add(row []byte) {
	if !h.mayMatch(row) {
		return
	}
	line, err := h.section.line(row)
	if err != nil || line.text == "" { // a row that cannot be decoded is shown only in its attachment
		return
	}
	if h.section.kind == api.KindActions {
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
	h.seen[line.text] = h.removed + len(h.lines)
	h.lines = append(h.lines, line)
	for h.bytes += len(line.text); len(h.lines) > maxHighlights || h.bytes > maxHighlightBytes && len(h.lines) > 1; {
		h.removeOldest()
	}
}

func (h *highlighter) removeOldest() {
	oldest := h.lines[0]
	if h.seen[oldest.text] == h.removed {
		delete(h.seen, oldest.text)
	}
	h.lines, h.removed, h.more, h.bytes = h.lines[1:], h.removed+1, h.more+oldest.rows, h.bytes-len(oldest.text)
}

// earlier returns the highlight that a row belongs to, nil for none: an equal one, and for an action, whose order matters, only
// the newest one, or the input of the same field before it has scrolled the page.
func (h *highlighter) earlier(line highlight) *highlight {
	newest := len(h.lines) - 1
	if h.section.kind != api.KindActions {
		if i, ok := h.seen[line.text]; ok {
			return &h.lines[i-h.removed]
		}
		return nil
	}
	for i := newest; i >= 0; i-- {
		if earlier := &h.lines[i]; earlier.input == line.input && (line.input != "" || earlier.text == line.text) {
			return earlier
		}
		if h.lines[i].input != scrolling {
			break
		}
	}
	return nil
}

// consoleLine returns the highlight of an error or a warning, without text for other rows. A message about a failed request is
// less telling than another error, because the request is shown, too.
func consoleLine(row []byte) (highlight, error) {
	var e api.ConsoleEntry
	if err := json.Unmarshal(row, &e); err != nil || e.Level != "error" && e.Level != "warn" {
		return highlight{}, err
	}
	line := highlight{text: string(e.Level) + ": " + truncate(e.Message, 1000), rows: 1, first: e.Timestamp.Time, last: e.Timestamp.Time}
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
func networkLine(row []byte) (highlight, error) {
	n, err := evidence.Summary(row)
	if err != nil || !evidence.Failed(n) {
		return highlight{}, err
	}
	status := fmt.Sprintf("%d %s", n.Status, n.StatusText)
	if n.Status == 0 {
		status = "no answer"
	}
	line := highlight{rows: 1, first: n.StartedAt.Time, last: n.StartedAt.Time}
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
