package reporttext

import (
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/evidence"
)

// Kind is a kind of evidence whose rows are on the time line of a report.
type Kind struct {
	Evidence api.AttachmentKind
	Words    []string // every row that is a highlight contains one of them; empty for any row

	source   source // of its highlights
	harmless string // for the rows that are no highlights; empty when each row is one
	classes  []int  // of the highlights; empty for all
	line     func(row []byte) (Highlight, error)
}

// source names rows of evidence, and the path at which the API lists them, relative to the slice.
type source struct{ noun, path string }

// The kinds of evidence.
var (
	Console = Kind{
		source:   source{"errors and warnings", "/console?level=error,warn"},
		harmless: "messages of the console, without an error or a warning",
		Evidence: api.KindConsole, line: consoleLine, Words: []string{"error", "warn"},
		classes: []int{evidence.LevelClass("error"), evidence.LevelClass("warn")},
	}
	Network = Kind{
		source:   source{"failed requests", "/network?status=4xx,5xx,failed"},
		harmless: "requests, none of which failed",
		Evidence: api.KindNetwork, line: networkLine, classes: []int{0, 4, 5, 6, 7, 8, 9},
	}
	Actions = Kind{source: source{"actions", "/actions"}, Evidence: api.KindActions, line: actionLine}
)

func (k Kind) isActions() bool { return k.Evidence == api.KindActions }

// The ranks of lines, the least telling first. Those below passing are left out before anything else of a report.
const (
	scrolled  = -3 + iota // scrolling, and files of a page that are missing
	typing                // input, and messages of the console without an error
	acting                // clicks and other actions
	passing               // warnings, and what happened right before a failure
	failing               // errors, and requests that failed
	telling               // errors with a stack, answers from 500 on, and suspicious successes
	lastError             // of the console
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

	url, sent, answered string // of a request, with the beginnings of its bodies
	isWeak              bool   // a weak suspicion made it telling
}

// timed is a line of the time line with the kind of its rows.
type timed struct {
	Highlight
	source *source
}

func (l *timed) isAction() bool { return l.source != nil && *l.source == Actions.source }

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

// size returns the approximate memory of the texts of a highlight.
func (l *Highlight) size() int { return len(l.text) + len(l.url) + len(l.sent) + len(l.answered) }

// Size returns the approximate memory of the highlights.
func (h *Collector) Size() int { return h.bytes + 240*len(h.Lines) }

// Add adds the highlight of a row, or counts it with an equal one, or with the input that it is part of. It ignores a
// row that is no highlight. When the highlights are full, it removes the oldest one.
func (h *Collector) Add(row []byte) {
	if !h.mayMatch(row) {
		return
	}
	line, err := h.kind.line(row)
	if err != nil || line.text == "" { // a row that cannot be decoded is shown only in its attachment
		return
	}
	if h.kind.isActions() {
		line.describe(h.page)
		h.page = line.page
	}
	h.addLine(line)
}

func (h *Collector) addLine(line Highlight) {
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
	for h.bytes += line.size(); len(h.Lines) > maxHighlights || h.bytes > maxHighlightBytes && len(h.Lines) > 1; {
		h.removeOldest()
	}
}

func (h *Collector) removeOldest() {
	oldest := h.Lines[0]
	if h.seen[oldest.text] == h.removed {
		delete(h.seen, oldest.text)
	}
	h.Lines, h.removed, h.More, h.bytes = h.Lines[1:], h.removed+1, h.More+oldest.rows, h.bytes-oldest.size()
}

// earlier returns the highlight that a row belongs to, nil for none: an equal one, and for an action, whose order
// matters, only the newest one, or the input of the same field before it has scrolled the page.
func (h *Collector) earlier(line Highlight) *Highlight {
	newest := len(h.Lines) - 1
	if !h.kind.isActions() {
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

// oneLine returns the beginning of a text, of at most limit characters, in one line.
func oneLine(text string, limit int) string {
	short := strings.Join(strings.Fields(truncate(text, limit)), " ")
	if len(truncate(text, limit)) < len(text) {
		short += "…"
	}
	return short
}
