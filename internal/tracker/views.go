package tracker

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/query"
	"bugslice/internal/store"
)

// maxViews is the number of views of a workspace, and of a user alone.
const maxViews = 100

// ListViews lists the views of one workspace, or of all workspaces the caller sees, and those of the caller alone.
func (t *Tracker) ListViews(ctx context.Context, c access.Caller, v input.Valid[api.ListViews],
) (api.Page[api.View], error) {
	in, err := v.Value(c.Allow(api.OpListViews))
	if err != nil {
		return api.Page[api.View]{}, err
	}
	l := listing[api.View]{operation: api.OpListViews, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(v api.View) string { return v.ID },
		func(afterID string, limit int) ([]api.View, error) {
			q := t.access.Read(ctx)
			workspaces, err := c.ListedWorkspaces(q, in.WorkspaceID)
			if err != nil {
				return nil, err
			}
			rows, err := q.Views(workspaces, c.ID, afterID, limit)
			return convert(rows, func(v store.View) api.View { return v.View }), err
		}))
}

// CreateView saves a query for the members of a workspace that the caller administers, or for the caller alone.
func (t *Tracker) CreateView(ctx context.Context, c access.Caller, v input.Valid[api.CreateView]) (api.View, error) {
	in, err := v.Value(c.Allow(api.OpCreateView))
	if err != nil {
		return api.View{}, err
	}
	if err := checkQuery(in.Body.Query); err != nil {
		return api.View{}, err
	}
	return access.Write(ctx, t.access, c, api.OpCreateView, func(tx *access.Tx, c access.Caller) (api.View, error) {
		view := store.View{View: api.View{WorkspaceID: in.Body.WorkspaceID, ViewFields: in.Body.ViewFields, Version: 1}}
		switch {
		case view.WorkspaceID == nil && c.Type == access.ServiceCaller:
			view.WorkspaceID = &c.WorkspaceID
		case view.WorkspaceID == nil:
			view.UserID = &c.ID
		}
		if err := requireViewOwner(tx.Queries, c, view); err != nil {
			return api.View{}, err
		}
		return idempotent(t, tx, c, in, func() (api.View, error) {
			view.ID = id.New(id.View)
			view.CreatedAt = api.At(id.Time(view.ID))
			view.UpdatedAt = view.CreatedAt
			if view.UserID != nil { // the count is of one transaction at a time
				if _, err := tx.LockUser(*view.UserID); err != nil {
					return view.View, err
				}
			}
			if err := tx.InsertView(view); err != nil {
				return view.View, err
			}
			if err := t.publishView(tx, c, view, event{Type: api.EventViewCreated, ID: view.ID,
				Subject: view.View}); err != nil {
				return view.View, err
			}
			return view.View, checkViewCount(tx.Queries, view)
		})
	})
}

// checkViewCount refuses a new view beyond the limit, after the lock on its workspace or user.
func checkViewCount(q access.Queries, view store.View) error {
	n, err := q.CountViews(view)
	if err == nil && n > maxViews {
		err = api.NewProblem(api.CodeTooManyViews,
			fmt.Sprintf("There are %d views already. Delete one first.", maxViews))
	}
	return err
}

// UpdateView changes a view of the caller alone, or of a workspace that the caller administers.
func (t *Tracker) UpdateView(ctx context.Context, c access.Caller, v input.Valid[api.UpdateView]) (api.View, error) {
	in, err := v.Value(c.Allow(api.OpUpdateView))
	if err != nil {
		return api.View{}, err
	}
	return access.Write(ctx, t.access, c, api.OpUpdateView, func(tx *access.Tx, c access.Caller) (api.View, error) {
		view, err := lockView(tx, c, in.ViewID, in.IfMatch)
		if err != nil {
			return api.View{}, err
		}
		previous, err := applyPatch(&view.ViewFields, in.Patch)
		if err != nil || len(previous) == 0 {
			return view.View, err
		}
		if err := checkQuery(view.Query); err != nil {
			return api.View{}, err
		}
		view.UpdatedAt = maxTime(t.clock(), view.UpdatedAt)
		if err := tx.UpdateView(&view); err != nil {
			return view.View, err
		}
		return view.View, t.publishView(tx, c, view, event{Type: api.EventViewUpdated, ID: view.ID, Subject: view.View,
			Previous: previous})
	})
}

// DeleteView deletes a view of the caller alone, or of a workspace that the caller administers.
func (t *Tracker) DeleteView(ctx context.Context, c access.Caller, v input.Valid[api.DeleteView]) (api.Nothing, error) {
	in, err := v.Value(c.Allow(api.OpDeleteView))
	if err != nil {
		return api.Nothing{}, err
	}
	return access.Write(ctx, t.access, c, api.OpDeleteView, func(tx *access.Tx, c access.Caller) (api.Nothing, error) {
		view, err := lockView(tx, c, in.ViewID, in.IfMatch)
		if err != nil {
			return api.Nothing{}, err
		}
		if err := tx.DeleteView(view.ID); err != nil {
			return api.Nothing{}, err
		}
		return api.Nothing{}, t.publishView(tx, c, view, event{Type: api.EventViewDeleted, ID: view.ID,
			Subject: view.View})
	})
}

// lockView returns a view that the caller may change, with a row lock. It refuses another version than that of
// If-Match.
func lockView(tx *access.Tx, c access.Caller, viewID, ifMatch string) (store.View, error) {
	view, err := tx.LockView(viewID)
	if err == nil && view.WorkspaceID != nil {
		_, err = c.RoleIn(tx.Queries, *view.WorkspaceID)
	}
	if err != nil {
		return view, access.MaskNotFound(err, "view")
	}
	if err := requireViewOwner(tx.Queries, c, view); err != nil {
		return view, access.OrNotFound(err, "view")
	}
	return view, checkIfMatch("view", ifMatch, view.Version)
}

// requireViewOwner refuses a caller who may not write a view: a member of its workspace who is no admin. It hides the
// view from everybody else.
func requireViewOwner(q access.Queries, c access.Caller, view store.View) error {
	switch {
	case view.WorkspaceID != nil:
		return c.RequireAdmin(q, *view.WorkspaceID)
	case c.Type == access.UserCaller && *view.UserID == c.ID:
		return nil
	}
	return store.ErrNotFound
}

// publishView records the event of a view: in the log of its workspace, or in the audit log alone.
func (t *Tracker) publishView(tx *access.Tx, c access.Caller, view store.View, e event) error {
	if view.WorkspaceID == nil {
		return t.recordAudit(tx, c, e)
	}
	return t.publish(tx, c, *view.WorkspaceID, e)
}

// checkQuery refuses a text of the search box that cannot be parsed, with the position of each fault.
func checkQuery(text string) error {
	_, err := query.Parse(text)
	var found query.Faults
	if !errors.As(err, &found) {
		return err
	}
	faults := make([]api.Fault, len(found))
	for i, f := range found {
		at := utf8.RuneCountInString(text[:f.At.From]) + 1
		faults[i] = api.Fault{Pointer: "/query", Code: f.Code,
			Detail: fmt.Sprintf("%s (at character %d)", f.Detail, at)}
	}
	return api.NewProblem(api.CodeInvalidBody, faults[0].Detail, faults...)
}
