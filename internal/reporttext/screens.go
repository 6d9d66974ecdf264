package reporttext

import (
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/evidence"
)

// How long before an action, or a failure without one, and after a failure the page is compared.
const (
	beforeAction  = 20 * time.Millisecond
	beforeFailure = time.Second
	afterFailure  = 2 * time.Second
)

// Screens are the texts of the page around failures.
type Screens struct {
	at    []screenAt
	page  evidence.Screen
	shown int // of the moments, in the order of their times
}

// screenAt is the text of the page at a moment before or after a failure.
type screenAt struct {
	failure int
	isAfter bool
	at      time.Time
	lines   []string
}

// Screens returns a collector of the texts of the page around failures, to which the events of a replay are added.
func (f Failures) Screens() *Screens {
	s := &Screens{}
	for i, one := range f.list {
		from := one.at.Add(-beforeFailure)
		if !one.action.IsZero() && one.at.Sub(one.action) <= before {
			from = one.action.Add(-beforeAction)
		}
		s.at = append(s.at, screenAt{failure: i, at: from}, screenAt{failure: i, isAfter: true, at: one.at.Add(afterFailure)})
	}
	slices.SortStableFunc(s.at, func(a, b screenAt) int { return a.at.Compare(b.at) })
	return s
}

// Add adds an event. It reports whether a later event may matter.
func (s *Screens) Add(event []byte) (more bool) {
	at, _, ok := evidence.Interval(api.KindReplay, event)
	for ok && s.shown < len(s.at) && at.After(s.at[s.shown].at) {
		s.take()
	}
	s.page.Apply(event)
	return s.shown < len(s.at)
}

// take reads the page at the next moment.
func (s *Screens) take() {
	s.at[s.shown].lines = s.page.Text()
	s.shown++
}

// End ends the events.
func (s *Screens) End() {
	for s.shown < len(s.at) {
		s.take()
	}
	s.page = evidence.Screen{}
}

// Size returns the approximate memory of the texts.
func (s *Screens) Size() (n int) {
	for _, one := range s.at {
		for _, line := range one.lines {
			n += len(line) + 16
		}
	}
	return n
}

// The limits of a line about a change of the page.
const (
	maxChanges      = 20 // more lines are another page
	maxChangedLines = 5
	maxChangedLine  = 120
)

// lines returns a line for each failure around which the page changed.
func (s *Screens) lines(f Failures) (lines []timed) {
	if s == nil {
		return nil
	}
	told := map[string]bool{}
	for i, one := range f.list {
		var from, to []string
		for _, page := range s.at {
			if page.failure == i && page.isAfter {
				to = page.lines
			} else if page.failure == i {
				from = page.lines
			}
		}
		text := changed(from, to)
		if text == "" || told[text] {
			continue
		}
		told[text] = true
		at := one.at.Add(time.Millisecond)
		lines = append(lines, timed{Highlight{text: text, rows: 1, rank: failing, first: at, last: at},
			&source{"changes of the page", "/replay"}})
	}
	return lines
}

// changed returns how a text of the page became another one; empty when they are equal, or another page was opened.
func changed(from, to []string) string {
	now, before := added(to, from), added(from, to)
	if len(from) == 0 || len(now)+len(before) > maxChanges {
		return ""
	}
	var parts []string
	if len(now) > 0 {
		parts = append(parts, "shows now "+joined(now))
	}
	if len(before) > 0 {
		parts = append(parts, "no longer "+joined(before))
	}
	if len(parts) == 0 {
		return ""
	}
	return "the page " + strings.Join(parts, "; ")
}

// added returns the lines that are more often in one text than in another.
func added(to, from []string) (lines []string) {
	count := map[string]int{}
	for _, line := range from {
		count[line]++
	}
	for _, line := range to {
		if count[line]--; count[line] < 0 {
			lines = append(lines, `"`+oneLine(line, maxChangedLine)+`"`)
		}
	}
	return lines
}

// joined returns the first lines in one.
func joined(lines []string) string {
	if len(lines) > maxChangedLines {
		lines = append(lines[:maxChangedLines:maxChangedLines], "…")
	}
	return strings.Join(lines, " | ")
}
