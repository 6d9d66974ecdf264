package tracker

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// probeKey calls fn, which reserves a key that the caller has chosen. It refuses a caller who does not see all
// workspaces and has asked for too many keys that are taken.
func (t *Tracker) probeKey(ctx context.Context, c access.Caller, fn func() (api.Workspace, error),
) (api.Workspace, error) {
	if sees, err := seesWorkspaces(t.access.Read(ctx), c); err != nil {
		return api.Workspace{}, err
	} else if sees {
		return fn()
	}
	attempt, wait := t.refusalLimits.takenKeys.Reserve(c.ID)
	if wait > 0 {
		p := api.NewProblem(api.CodeRateLimited,
			"Too many of the workspace keys that you asked for were taken. Wait before you choose another one, or leave the key as it is.")
		p.RetryAfter = wait
		return api.Workspace{}, p
	}
	defer attempt.Release() // unless it has failed
	w, err := fn()
	var p *api.Problem
	if errors.As(err, &p) && p.Code == api.CodeWorkspaceKeyTaken {
		attempt.Fail()
	}
	return w, err
}

// asksForKey reports whether a change gives a workspace another key than it has.
func (t *Tracker) asksForKey(ctx context.Context, in api.UpdateWorkspace) bool {
	if !hasKey(in.Patch, "key") {
		return false
	}
	w, err := t.access.Read(ctx).Workspace(in.WorkspaceID)
	return err != nil || in.Patch["key"] != w.Key
}

// seesWorkspaces reports whether a caller sees all workspaces of its organisation.
func seesWorkspaces(q access.Queries, c access.Caller) (bool, error) {
	if c.Type != access.UserCaller {
		return c.IsOperator(), nil
	}
	u, err := q.User(c.ID)
	return managesPeople(u.Role), err
}

// assignKey derives a key from the name of a workspace. For a caller who does not see every workspace its number is
// random: a key that is skipped, because it is taken, would tell of one.
func assignKey(tx *access.Tx, c access.Caller, w *store.Workspace) error {
	sees, err := seesWorkspaces(tx.Queries, c)
	if err != nil {
		return err
	}
	if sees {
		return tx.AssignWorkspaceKey(w)
	}
	return tx.AssignRandomWorkspaceKey(w)
}

// reserveKey reserves the key of a workspace, or derives one from its name when it has none.
func reserveKey(tx *access.Tx, c access.Caller, w *store.Workspace) error {
	if w.Key == "" {
		return assignKey(tx, c, w)
	}
	reserved, err := tx.ReserveWorkspaceKey(w)
	if err != nil || reserved {
		return err
	}
	const detail = "another workspace of the organisation has this key, or had it"
	return api.NewProblem(api.CodeWorkspaceKeyTaken, "The key "+w.Key+" is taken: "+detail+".",
		api.Fault{Pointer: "/key", Code: api.CodeWorkspaceKeyTaken, Detail: detail})
}

// reserveImportedKey reserves the key of a workspace of an export, or a derived one when that is taken or missing.
func reserveImportedKey(tx *access.Tx, w *store.Workspace) error {
	if w.Key != "" {
		if reserved, err := tx.ReserveWorkspaceKey(w); reserved || err != nil {
			return err
		}
	}
	return tx.AssignWorkspaceKey(w)
}

// MyWorkspace is a workspace with the caller's role in it.
type MyWorkspace struct {
	ID, Key, Name string
	TimeZone      string
	MetadataKeys  []string // by which its slices are filtered
	LabelColors   map[string]api.LabelColor
	Role          api.Role
	Sequence      int64 // of its newest event; not known to a service
	HasTests      bool  // whether a run of tests was counted; not known to a service
}

// MyWorkspaces returns the workspaces of which a user is a member, or the workspace of a service, by name.
func (t *Tracker) MyWorkspaces(ctx context.Context, c access.Caller) ([]MyWorkspace, error) {
	if err := c.Allow(api.OpListWorkspaces); err != nil {
		return nil, err
	}
	return myWorkspaces(t.access.Read(ctx), c)
}

func myWorkspaces(q access.Queries, c access.Caller) ([]MyWorkspace, error) {
	if c.Type == access.ServiceCaller {
		w, err := q.Workspace(c.WorkspaceID)
		return []MyWorkspace{{ID: w.ID, Key: w.Key, Name: w.Name, TimeZone: w.TimeZone, MetadataKeys: w.MetadataKeys,
			LabelColors: w.LabelColors, Role: api.RoleAdmin}}, err
	}
	rows, err := q.MemberWorkspaces(c.ID)
	all := convert(rows, func(w store.MemberWorkspace) MyWorkspace { return MyWorkspace(w) })
	slices.SortFunc(all, func(a, b MyWorkspace) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	return all, err
}

// WorkspaceOfKey returns the id of the workspace that has, or had, a key. A workspace that the caller does not see is
// not found.
func (t *Tracker) WorkspaceOfKey(ctx context.Context, c access.Caller, key string) (string, error) {
	if err := c.Allow(api.OpListWorkspaces); err != nil {
		return "", err
	}
	id, err := t.access.Read(ctx).WorkspaceOfKey(c.Organization.ID, c.ReferenceReader(), key)
	return id, access.MaskNotFound(err, "workspace")
}
