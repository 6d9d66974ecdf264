package tracker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store/notices"
)

// ListWatches lists what the caller has chosen to watch and to mute, of what the caller sees.
func (t *Tracker) ListWatches(ctx context.Context, c access.Caller, v input.Valid[api.ListWatches]) (api.Page[api.Watch], error) {
	in, err := v.Value(c.Allow(api.OpListWatches))
	if err != nil {
		return api.Page[api.Watch]{}, err
	}
	l := listing[api.Watch]{operation: api.OpListWatches, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(w api.Watch) string { return w.SubjectID },
		func(after string, limit int) ([]api.Watch, error) {
			q := t.access.Read(ctx)
			workspaces, err := c.ListedWorkspaces(q, "")
			if err != nil {
				return nil, err
			}
			rows, err := q.Notices().Watches(c.ID, workspaces, after, limit)
			if err != nil {
				return nil, err
			}
			named, err := q.Notices().Subjects(convert(rows, func(w notices.Watch) string { return w.SubjectID }))
			return convert(rows, func(w notices.Watch) api.Watch {
				return api.Watch{SubjectID: w.SubjectID, Kind: w.Kind, Name: named[w.SubjectID].Name, Level: w.Level}
			}), err
		}))
}

// GetWatch says whether the caller is told of a slice, a view, a space or a workspace, which the caller sees.
func (t *Tracker) GetWatch(ctx context.Context, c access.Caller, v input.Valid[api.GetWatch]) (api.Watch, error) {
	in, err := v.Value(c.Allow(api.OpGetWatch))
	if err != nil {
		return api.Watch{}, err
	}
	q := t.access.Read(ctx)
	s, err := t.watchable(q, c, in.SubjectID)
	if err != nil {
		return api.Watch{}, err
	}
	return t.watchOf(q, c, s)
}

// watchable returns a subject that the caller sees.
func (t *Tracker) watchable(q access.Queries, c access.Caller, subjectID string) (s notices.Subject, err error) {
	if strings.HasPrefix(subjectID, "slc_") || !strings.Contains(subjectID, "_") {
		slice, err := c.Slice(q, subjectID)
		return notices.Subject{ID: slice.ID, Kind: "slice", WorkspaceID: &slice.WorkspaceID, Name: slice.Summary}, err
	}
	found, err := q.Notices().Subjects([]string{subjectID})
	if err != nil {
		return s, err
	}
	s, ok := found[subjectID]
	switch {
	case !ok:
	case s.UserID != nil:
		ok = *s.UserID == c.ID
	default:
		if _, err := c.RoleIn(q, *s.WorkspaceID); err != nil {
			return s, access.MaskNotFound(err, "subject")
		}
	}
	if !ok {
		return s, api.NotFound("subject")
	}
	return s, nil
}

// watchOf returns what the caller has chosen for a subject, and why the caller is told of a slice otherwise.
func (t *Tracker) watchOf(q access.Queries, c access.Caller, s notices.Subject) (w api.Watch, err error) {
	w = api.Watch{SubjectID: s.ID, Kind: s.Kind, Name: s.Name, Level: api.Automatic}
	stored, err := q.Notices().Watch(c.ID, s.ID)
	switch {
	case err != nil || s.Kind != "slice" && stored == nil:
		return w, err
	case stored != nil && stored.Reason == "":
		w.Level = stored.Level
		return w, nil
	}
	slice, err := q.Slice(s.ID)
	if err != nil {
		return w, err
	}
	commenters, err := q.Notices().Commenters([]string{s.ID})
	if err != nil {
		return w, err
	}
	switch {
	case text(slice.AssigneeID) == c.ID:
		w.Reason = new(api.ReasonAssigned)
	case slice.Reporter.Type == "user" && text(slice.Reporter.ID) == c.ID:
		w.Reason = new(api.ReasonReported)
	case slices.Contains(commenters[s.ID], c.ID):
		w.Reason = new(api.ReasonCommented)
	case stored != nil:
		w.Reason = &stored.Reason
	}
	return w, nil
}

// SetWatch chooses whether the caller is told of a slice, a view, a space or a workspace, which the caller sees.
func (t *Tracker) SetWatch(ctx context.Context, c access.Caller, v input.Valid[api.SetWatch]) (api.Watch, error) {
	in, err := v.Value(c.Allow(api.OpSetWatch))
	if err != nil {
		return api.Watch{}, err
	}
	q := t.access.Read(ctx)
	subject, err := t.watchable(q, c, in.Body.SubjectID)
	if err != nil {
		return api.Watch{}, err
	}
	known, err := t.presentMatches(q, c, subject, in.Body.Level)
	if err != nil {
		return api.Watch{}, err
	}
	return access.Write(ctx, t.access, c, api.OpSetWatch, func(tx *access.Tx, c access.Caller) (api.Watch, error) {
		s, err := t.watchable(tx.Queries, c, subject.ID)
		if err != nil {
			return api.Watch{}, err
		}
		return idempotent(t, tx, c, in, func() (api.Watch, error) {
			if err := t.setWatch(tx, c, s, in.Body.Level); err != nil {
				return api.Watch{}, err
			}
			if err := tx.Notices().AddMatches(known); err != nil {
				return api.Watch{}, err
			}
			return t.watchOf(tx.Queries, c, s)
		})
	})
}

// setWatch stores what the caller has chosen. A user watches at most maxWatchedViews views.
func (t *Tracker) setWatch(tx *access.Tx, c access.Caller, s notices.Subject, level api.WatchLevel) error {
	w := tx.Notices()
	if level == api.Automatic {
		return w.DeleteWatch(c.ID, s.ID)
	}
	if s.Kind == "view" && level == api.Watching {
		if _, err := tx.LockUser(c.ID); err != nil { // the count is of one transaction at a time
			return err
		}
	}
	err := w.Put(notices.Watch{UserID: c.ID, SubjectID: s.ID, Kind: s.Kind, WorkspaceID: s.WorkspaceID, Level: level, CreatedAt: t.clock()})
	if err != nil || s.Kind != "view" {
		return err
	}
	n, err := w.CountViews(c.ID)
	if err == nil && n > maxWatchedViews {
		err = api.NewProblem(api.CodeTooManyViews, fmt.Sprintf("You watch %d views already. Stop watching one first.", maxWatchedViews))
	}
	return err
}

// presentMatches returns what a view has when the caller begins to watch it: no news, while it is later changed.
func (t *Tracker) presentMatches(q access.Queries, c access.Caller, s notices.Subject, level api.WatchLevel) ([]notices.Match, error) {
	if s.Kind != "view" || level != api.Watching {
		return nil, nil
	}
	v, err := q.View(s.ID)
	if err != nil {
		return nil, access.OrNotFound(err, "view")
	}
	workspaceID := text(v.WorkspaceID)
	found, err := t.matching(q, c, viewIn{workspaceID, v.Query}, nil, maxViewMatches)
	return convert(found, func(id string) notices.Match {
		return notices.Match{SliceID: id, ViewID: s.ID, UserID: c.ID}
	}), unlessRefused(err)
}
