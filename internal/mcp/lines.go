package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/reporttext"
)

// withheld stands for the text of a reporter without an account.
const withheld = "(text of a reporter without an account is withheld)"

// isGuest reports whether the text of a reporter is withheld.
func (s *session) isGuest(r api.Reporter) bool { return s.WithholdGuests && r.Type == "guest" }

// summaryOf returns the summary of a report for a line.
func (s *session) summaryOf(r api.Slice, n int) string {
	if s.isGuest(r.Reporter) {
		return withheld
	}
	return code(r.Summary, n)
}

// line returns a report as one line, with the reason why it was found.
func (s *session) line(r api.Slice, reason string) string {
	state := strings.ReplaceAll(string(r.Status), "_", " ")
	if r.Resolution != nil && *r.Resolution != api.Fixed {
		state += " as " + strings.ReplaceAll(string(*r.Resolution), "_", " ")
	}
	if r.Priority != nil {
		state += ", " + string(*r.Priority)
	}
	seen := day(r.CreatedAt)
	if r.OccurrenceCount > 1 {
		seen = fmt.Sprintf("%d× %s–%s", r.OccurrenceCount, seen, day(r.LastSeenAt))
	}
	return fmt.Sprintf("%s %s; %s%s: %s\n", r.Reference, state, seen, s.releasesOf(r), s.summaryOf(r, 120)+reason)
}

func day(t api.Time) string { return t.UTC().Format(time.DateOnly) }

// releasesOf returns the first and the last release of a report for a line, empty for none.
func (s *session) releasesOf(r api.Slice) string {
	if s.isGuest(r.Reporter) {
		return ""
	}
	first, last := textOf(r.Environment.Release), ""
	if r.LastOccurrence != nil {
		last = textOf(r.LastOccurrence.Environment.Release)
	}
	switch {
	case first == "" && last == "":
		return ""
	case last == "" || last == first:
		return "; " + s.releaseName(first)
	}
	return "; " + s.releaseName(first) + "–" + s.releaseName(last)
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// similarLine returns a similar report as one line.
func (s *session) similarLine(ctx context.Context, one api.Similar) string {
	summary := code(one.Summary, 120) + s.reason(one.Matches)
	if s.WithholdGuests {
		if r, err := s.report(ctx, one.ID); err != nil || s.isGuest(r.Reporter) {
			summary = withheld
		}
	}
	return fmt.Sprintf("%s %s; similarity %.2f: %s\n", one.Reference, one.Status, one.Score, summary)
}

// reason says in which part of a report the words of a search are. That part may be of a guest: it is left out when
// their text is withheld.
func (s *session) reason(matches []api.Match) string {
	if s.WithholdGuests {
		return ""
	}
	return reporttext.Reason(matches)
}
