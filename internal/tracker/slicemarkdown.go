package tracker

import (
	"context"
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/reporttext"
	"bugslice/internal/store"
)

// Markdown returns a report of a slice the caller sees, for agents and people. It has at most MaxTokens tokens, by an
// estimate. The oldest and least telling content is left out first, and listed with the requests that return it. Text
// from outside is fenced, or between backticks, and cannot end its fence.
func (t *Tracker) Markdown(ctx context.Context, c access.Caller, v input.Valid[api.GetSlice]) (string, error) {
	in, err := v.Value(c.Allow(api.OpGetSlice))
	if err != nil {
		return "", err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpGetSlice)
	if err != nil {
		return "", err
	}
	defer slot.Release()
	q := t.access.Read(ctx)
	g := t.access.NewSliceGuard(ctx, c, api.OpGetSlice, in.SliceID)
	s, err := c.Slice(q, in.SliceID)
	if err != nil {
		return "", err
	}
	text, err := t.markdown(ctx, q, c, s, in)
	if err != nil {
		return "", err
	}
	return text, g.Allow()
}

// maxReportBytes is the limit of the evidence of a kind that is read for a report. One set is always read.
const maxReportBytes = 32 << 20

// maxReportedOccurrences is the maximum number of occurrences that a report compares.
const maxReportedOccurrences = 10

// markdown returns the report of a slice that the caller may read, in a slot of its organisation.
func (t *Tracker) markdown(ctx context.Context, q access.Queries, c access.Caller, s store.Slice, in api.GetSlice) (
	_ string, err error,
) {
	r := reporttext.Report{Slice: t.show(s)}
	occurrence, err := c.Occurrence(q, s, int64(in.Occurrence))
	if err != nil {
		return "", err
	}
	if r.Occurrences, err = reportedOccurrences(q, s, occurrence); err != nil {
		return "", err
	}
	if r.Original, err = t.originalName(q, c, s); err != nil {
		return "", err
	}
	if r.Links, err = reportLinks(q, c, r.Slice); err != nil {
		return "", err
	}
	if err = t.addRecording(ctx, q, s, &r); err != nil {
		return "", err
	}
	if s.CommentCount > 0 {
		if r.Comments, err = q.NewestComments(s.ID, "", api.MaxLimit); err != nil {
			return "", err
		}
		slices.Reverse(r.Comments)
		if err = resolveReactions(q, c, s.ID, r.Comments); err != nil {
			return "", err
		}
	}
	if r.Files, err = q.Attachments(s.ID, store.AttachmentFilter{}, "", api.MaxLimit); err != nil {
		return "", err
	}
	return r.Markdown(in.MaxTokens), nil
}

// originalName returns the original of a slice by its id, after its reference when the caller sees it; empty for none.
func (t *Tracker) originalName(q access.Queries, c access.Caller, s store.Slice) (string, error) {
	if s.DuplicateOfID == nil {
		return "", nil
	}
	original, err := c.Slice(q, *s.DuplicateOfID)
	if err != nil {
		return *s.DuplicateOfID, ignoreNotFound(err)
	}
	return t.show(original).Reference + " (" + original.ID + ")", nil
}

// reportLinks returns the records that belong to a slice, each with its name when the caller may read that.
func reportLinks(q access.Queries, c access.Caller, s api.Slice) (links []reporttext.Link, err error) {
	var reporterID *string // of a user, who can be assigned
	if s.Reporter.Type == "user" {
		reporterID = s.Reporter.ID
	}
	for _, link := range []struct {
		label     string
		id        *string
		operation string // that reads the name
		name      func() (string, error)
	}{
		{"workspace", &s.WorkspaceID, api.OpGetWorkspace, func() (string, error) {
			w, err := q.Workspace(s.WorkspaceID)
			return w.Name, err
		}},
		{"space", s.SpaceID, api.OpGetSpace, func() (string, error) {
			space, err := q.Space(s.WorkspaceID, *s.SpaceID)
			return space.Name, err
		}},
		{"reporter", reporterID, api.OpGetSlice, func() (string, error) { return s.Reporter.Name, nil }},
		{"assignee", s.AssigneeID, api.OpListMembers, func() (string, error) {
			members, err := q.MembersAmong([]string{s.WorkspaceID}, []string{*s.AssigneeID})
			if err != nil || len(members) == 0 {
				return "", err
			}
			return members[0].Name, nil
		}},
	} {
		if link.id == nil {
			continue
		}
		l := reporttext.Link{Label: link.label, ID: *link.id}
		if c.Allow(link.operation) == nil {
			l.Name, err = link.name()
			if err != nil && !errors.Is(err, store.ErrNotFound) { // what was deleted meanwhile has no name
				return nil, err
			}
		}
		links = append(links, l)
	}
	return links, nil
}
