// Package summary writes what a job says about its tests, as Markdown for the page of the job: which failures are new,
// which are known, since when and who has them, which tests are flaky, and which bugs are fixed.
//
// Names and messages are written by the code under test. In a summary they are text: they make no link, no picture and
// no table.
package summary

import (
	"fmt"
	"strings"
	"time"

	"bugslice/internal/ci/results"
)

// MaxBytes is the size of the largest summary that GitHub takes.
const MaxBytes = 1 << 20

const (
	maxEntries = 100 // of a kind
	maxTests   = 5   // of an entry
	maxText    = 200 // characters
)

// Kind says what a failure is.
type Kind string

// The kinds, in the order in which they are written.
const (
	New       Kind = "New failures"
	Regressed Kind = "Failures that are back"
	Known     Kind = "Known failures"
	Closed    Kind = "Failures that somebody has closed"
	Elsewhere Kind = "Failures that are fixed on the default branch"
	Unknown   Kind = "Failures that could not be looked up"
	Flaky     Kind = "Flaky tests"
	Fixed     Kind = "Fixed"
)

var kinds = []Kind{New, Regressed, Known, Closed, Elsewhere, Unknown, Flaky, Fixed}

// Entry is a failure, a flaky test or a fixed bug.
type Entry struct {
	Kind           Kind
	Title          string
	Tests          []string // their names
	Reference, URL string   // of the report; empty without one
	Since          time.Time
	Assignee       string // the name of who has it
	Owner          string // of its file, by CODEOWNERS
	Note           string // a sentence of the program
}

// Summary is what a job says.
type Summary struct {
	Name    string // of the job
	Totals  results.Totals
	Entries []Entry
	Faults  []string // such as what is wrong with a file
	Notes   []string
}

// Markdown returns the summary, of at most MaxBytes.
func (s *Summary) Markdown() string {
	var out strings.Builder
	out.WriteString("## " + s.heading() + "\n\n" + s.counts())
	for _, kind := range kinds {
		s.writeKind(&out, kind)
	}
	writeList(&out, "Problems", texts(s.Faults))
	writeList(&out, "Notes", texts(s.Notes))
	const end = "\n\nThe summary is longer than what can be shown.\n"
	if out.Len() <= MaxBytes {
		return out.String()
	}
	text := out.String()[:MaxBytes-len(end)]
	return text[:strings.LastIndex(text, "\n")] + end
}

func (s *Summary) heading() string {
	if s.Name == "" {
		return "Tests"
	}
	return "Tests of " + Text(short(s.Name))
}

// counts returns the numbers of the tests as a sentence.
func (s *Summary) counts() string {
	t := s.Totals
	text := plural(t.Tests, "test")
	for _, part := range []struct {
		n    int
		what string
	}{{t.Failures + t.Errors, "failed"}, {t.Flaky, "flaky"}, {t.Skipped, "skipped"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return text + ".\n"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (s *Summary) writeKind(out *strings.Builder, kind Kind) {
	var lines []string
	for _, e := range s.Entries {
		if e.Kind == kind {
			lines = append(lines, e.line())
		}
	}
	writeList(out, string(kind), lines)
}

func texts(lines []string) (safe []string) {
	for _, line := range lines {
		safe = append(safe, Text(line))
	}
	return safe
}

// writeList writes lines of Markdown as a list.
func writeList(out *strings.Builder, heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(out, "\n### %s (%d)\n\n", heading, len(lines))
	for _, line := range lines[:min(len(lines), maxEntries)] {
		out.WriteString("- " + line + "\n")
	}
	if more := len(lines) - maxEntries; more > 0 {
		fmt.Fprintf(out, "- and %d more\n", more)
	}
}

// line returns the entry as an item of a list.
func (e *Entry) line() string {
	var parts []string
	if e.Reference != "" {
		parts = append(parts, "["+Text(e.Reference)+"]("+address(e.URL)+")")
	}
	parts = append(parts, Text(short(e.Title)))
	text := strings.Join(parts, " ")
	var facts []string
	if !e.Since.IsZero() {
		facts = append(facts, "since "+e.Since.UTC().Format(time.DateOnly))
	}
	if e.Assignee != "" {
		facts = append(facts, "assigned to "+Text(short(e.Assignee)))
	}
	if e.Owner != "" {
		facts = append(facts, "owner "+Text(short(e.Owner)))
	}
	if e.Note != "" {
		facts = append(facts, e.Note)
	}
	if len(facts) > 0 {
		text += " (" + strings.Join(facts, ", ") + ")"
	}
	for _, test := range e.Tests[:min(len(e.Tests), maxTests)] {
		text += "\n  - " + Code(short(test))
	}
	if more := len(e.Tests) - maxTests; more > 0 {
		text += fmt.Sprintf("\n  - and %s more", plural(more, "test"))
	}
	return text
}

// address returns an address of the server as the target of a link, which it cannot end.
func address(url string) string {
	return strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "\n", "", "\r", "", "\\", "%5C").
		Replace(url)
}

func short(text string) string {
	if runes := []rune(line(text)); len(runes) > maxText {
		return string(runes[:maxText-1]) + "…"
	}
	return line(text)
}
