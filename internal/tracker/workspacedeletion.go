package tracker

import (
	"context"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// deletionGrace is the time between the request to delete a workspace and its deletion.
const deletionGrace = 30 * 24 * time.Hour

// GetUsage returns the usage of a workspace the caller sees.
func (t *Tracker) GetUsage(ctx context.Context, c access.Caller, v input.Valid[api.GetUsage]) (
	u api.WorkspaceUsage, err error,
) {
	in, err := v.Value(c.Allow(api.OpGetUsage))
	if err != nil {
		return u, err
	}
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, in.WorkspaceID); err != nil {
		return u, err
	}
	u.QuotaBytes = t.quotaBytes
	if u.StoredBytes, err = q.StoredBytes(in.WorkspaceID); err == nil {
		u.DeleteAt, err = q.DeletionTime(in.WorkspaceID)
	}
	return u, access.OrNotFound(err, "workspace")
}

// ScheduleDeletion deletes a workspace in 30 days, unless that is cancelled. Until then it works as before. name must
// be its name. The caller must be an admin of it. Its fault names /name.
func (t *Tracker) ScheduleDeletion(ctx context.Context, c access.Caller, v input.Valid[api.ScheduleDeletion]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpScheduleDeletion))
	if err != nil {
		return none, err
	}
	at := api.At(t.now().Add(deletionGrace))
	return none, t.setDeletion(ctx, c, api.OpScheduleDeletion, in.WorkspaceID,
		func(w store.Workspace) (*api.Time, api.EventType, error) {
			if in.Body.Name != w.Name {
				return nil, "", api.InvalidMember("/name", "different", "this is not the name of the workspace")
			}
			return &at, api.EventDeletionScheduled, nil
		})
}

// CancelDeletion keeps a workspace that was going to be deleted, until its time has come. The caller must be an admin
// of it.
func (t *Tracker) CancelDeletion(ctx context.Context, c access.Caller, v input.Valid[api.CancelDeletion]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpCancelDeletion))
	if err != nil {
		return none, err
	}
	return none, t.setDeletion(ctx, c, api.OpCancelDeletion, in.WorkspaceID,
		func(store.Workspace) (*api.Time, api.EventType, error) {
			return nil, api.EventDeletionCancelled, nil
		})
}

func (t *Tracker) setDeletion(ctx context.Context, c access.Caller, operation, workspaceID string,
	decide func(store.Workspace) (*api.Time, api.EventType, error),
) error {
	return access.Change(ctx, t.access, c, operation, func(tx *access.Tx, c access.Caller) error {
		if err := c.RequireAdmin(tx.Queries, workspaceID); err != nil {
			return err
		}
		w, err := tx.LockWorkspace(workspaceID)
		if err != nil {
			return access.OrNotFound(err, "workspace")
		}
		at, kind, err := decide(w)
		if err != nil {
			return err
		}
		scheduled, err := tx.DeletionTime(workspaceID)
		if err != nil || (at == nil) == (scheduled == nil) {
			return err // the form was sent twice
		}
		if scheduled != nil && !scheduled.After(t.clock().Time) {
			return api.NewProblem(api.CodeConflict, "The workspace is being deleted.")
		}
		if err := tx.SetDeletionTime(workspaceID, at); err != nil {
			return err
		}
		return t.publish(tx, c, workspaceID,
			event{Type: kind, ID: w.ID, Subject: map[string]any{"id": w.ID, "name": w.Name, "deleteAt": at}})
	})
}

// deleteWorkspaces deletes the workspaces whose time has come, in short transactions, for at most maxJobRun. The next
// run goes on.
func (t *Tracker) deleteWorkspaces(ctx context.Context) error {
	end := t.now().Add(maxJobRun)
	due, err := t.access.Read(ctx).DueDeletions(t.clock())
	for _, w := range due {
		if err != nil {
			return err
		}
		err = t.deleteWorkspace(ctx, w, end)
	}
	return err
}

// deleteWorkspace deletes a workspace, unless it was kept since it was listed, or the deletion takes longer than
// until end.
func (t *Tracker) deleteWorkspace(ctx context.Context, w store.Workspace, end time.Time) error {
	due, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (bool, error) {
		return t.closeWorkspace(tx, w.ID)
	})
	if err != nil || !due {
		return err
	}
	if cleared, err := t.clearWorkspace(ctx, w.ID, end); err != nil || !cleared {
		return err
	}
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		return t.deleteCleared(tx, access.System(w.OrganizationID), w)
	})
}

// deleteCleared deletes a workspace without records.
func (t *Tracker) deleteCleared(tx *access.Tx, c access.Caller, w store.Workspace) error {
	if err := tx.DeleteClearedWorkspace(w.ID); err != nil {
		return err
	}
	subject := map[string]any{"id": w.ID, "name": w.Name, "key": w.Key}
	return t.recordAudit(tx, c, event{Type: api.EventWorkspaceRemoved, ID: w.ID, Subject: subject})
}

// DeleteWorkspace closes a workspace that check accepts, and deletes it at once, in short transactions.
func (o OrganizationOperator) DeleteWorkspace(ctx context.Context, workspaceID string,
	check func(*OperatorTx) error) error {
	var w store.Workspace
	err := o.InTransaction(ctx, func(tx *OperatorTx) (err error) {
		if err = check(tx); err != nil {
			return err
		}
		if w, err = tx.Workspace(workspaceID); err != nil {
			return err
		}
		return tx.CloseWorkspace(workspaceID, tx.Now())
	})
	if err != nil {
		return err
	}
	if _, err := o.t.clearWorkspace(ctx, workspaceID, time.Time{}); err != nil {
		return err
	}
	return access.Change(ctx, o.t.access, o.c, "", func(tx *access.Tx, c access.Caller) error {
		return o.t.deleteCleared(tx, c, w)
	})
}

// clearWorkspace deletes the records of a closed workspace, in short transactions, until a time; the zero time is
// never. It reports whether none is left. A deletion that is interrupted continues.
func (t *Tracker) clearWorkspace(ctx context.Context, workspaceID string, until time.Time) (bool, error) {
	deleteBlobsAt := api.At(t.now().Add(unreferencedRetention))
	for more := true; more; {
		if ctx.Err() != nil || !until.IsZero() && t.now().After(until) {
			return false, ctx.Err()
		}
		var err error
		more, err = access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (bool, error) {
			return tx.ClearWorkspace(workspaceID, deleteBlobsAt, purgedAtOnce, recordsAtOnce)
		})
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// closeWorkspace ends all access to a workspace whose time has come. It returns false for another one.
func (t *Tracker) closeWorkspace(tx *access.Tx, workspaceID string) (due bool, err error) {
	now := t.clock()
	if _, err := tx.LockWorkspace(workspaceID); err != nil {
		return false, err
	}
	at, err := tx.DeletionTime(workspaceID)
	if err != nil || at == nil || at.After(now.Time) {
		return false, err
	}
	return true, tx.CloseWorkspace(workspaceID, now)
}
