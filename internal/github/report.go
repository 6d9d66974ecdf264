package github

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
)

// Limits of a slice, in characters.
const (
	maxSummary = 200
	maxText    = 65536 // of a description or a comment
	maxLabel   = 50
	maxLabels  = 50
	maxName    = 100
)

// report converts a validated issue with its comments.
func (g issue) report(repository string, comments []comment) Report {
	number := strconv.FormatInt(g.Number, 10)
	externalID := "github:" + repository + "#" + number
	r := Report{Reporter: reporter(g.User), FiledAt: g.CreatedAt}
	r.Fields = api.SliceFields{ExternalID: &externalID, Status: api.Open,
		Summary:  truncate(strings.Join(strings.Fields(withoutNUL(g.Title)), " "), maxSummary, &r.Changes.Titles),
		Labels:   labels(g.Labels, &r.Changes.Labels),
		Metadata: map[string]string{"github.repository": repository, "github.number": number}}
	if g.Body != nil && *g.Body != "" {
		text := truncate(withoutNUL(*g.Body), maxText, &r.Changes.Texts)
		r.Fields.Description = &text
	}
	if g.HTMLURL != "" {
		r.Fields.SourceURL = &g.HTMLURL
	}
	if g.Assignee != nil && g.Assignee.Login != "" {
		r.Changes.Assignees++
		r.Fields.Metadata["github.assignee"] = reporter(g.Assignee).Name
	}
	if g.State == "closed" {
		resolution := g.resolution()
		r.Fields.Status, r.Fields.Resolution, r.ResolvedAt = api.Closed, &resolution, g.closedAt()
	}
	for i, c := range comments {
		converted := Comment{Author: reporter(c.User), At: api.At(c.CreatedAt),
			Body:     truncate(withoutNUL(c.Body), maxText, &r.Changes.Texts),
			Position: position(comments[:i], c.CreatedAt, func(c comment) time.Time { return c.CreatedAt })}
		if c.ID > 0 {
			converted.Name = "github:" + strconv.FormatInt(c.ID, 10)
		}
		r.Comments = append(r.Comments, converted)
	}
	return r
}

// resolution returns the resolution of a closed issue.
func (g issue) resolution() api.Resolution {
	if g.StateReason != nil {
		switch *g.StateReason {
		case "not_planned":
			return api.WontFix
		case "duplicate":
			return api.Duplicate
		}
	}
	return api.Fixed
}

// closedAt returns the time when an issue was closed, or created when GitHub does not tell.
func (g issue) closedAt() *time.Time {
	if g.ClosedAt != nil {
		return g.ClosedAt
	}
	return &g.CreatedAt
}

// labels converts the labels of an issue, and counts those that are changed or left out.
func labels(all []label, changed *int) []string {
	names := []string{}
	for _, l := range all {
		name := labelName(l.Name)
		fits := name != "" && !slices.Contains(names, name) && len(names) < maxLabels
		if fits {
			names = append(names, name)
		}
		if !fits || name != l.Name {
			*changed++
		}
	}
	return names
}

// labelName replaces commas and control characters, which no label may have.
func labelName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x20 || r == ',' {
			return ' '
		}
		return r
	}, name)
	return truncate(strings.TrimSpace(name), maxLabel, new(int))
}

// reporter converts a user; GitHub shows a deleted one as ghost.
func reporter(u *user) api.Reporter {
	name := "ghost"
	if u != nil && withoutNUL(u.Login) != "" {
		name = truncate(withoutNUL(u.Login), maxName, new(int))
	}
	return api.Reporter{Type: "guest", Name: name}
}

// withoutNUL removes U+0000, which no text of the API may have.
func withoutNUL(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// truncate returns at most max characters of s, and counts a truncation.
func truncate(s string, max int, truncations *int) string {
	n := 0
	for i := range s {
		if n++; n > max {
			*truncations++
			return s[:i]
		}
	}
	return strings.ToValidUTF8(s, "")
}
