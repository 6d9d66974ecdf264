package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
)

// BeginExport records the export of a workspace, which the caller downloads. The caller must be an admin of the
// workspace. The id, which the caller chooses, names the download for GetExportProgress and CancelExport; without one
// it has no progress. The context that it returns ends when the export is cancelled.
func (t *Tracker) BeginExport(ctx context.Context, c access.Caller, v input.Valid[api.ExportWorkspace]) (
	context.Context, *ExportDownload, error,
) {
	in, err := v.Value(c.Allow(api.OpExportWorkspace))
	if err != nil {
		return nil, nil, err
	}
	workspaceID := in.WorkspaceID
	err = access.Change(ctx, t.access, c, api.OpExportWorkspace, func(tx *access.Tx, c access.Caller) error {
		if err := c.RequireAdmin(tx.Queries, workspaceID); err != nil {
			return err
		}
		w, err := tx.Workspace(workspaceID)
		if err != nil {
			return err
		}
		return t.publish(tx, c, workspaceID,
			event{Type: api.EventWorkspaceExported, ID: w.ID, Subject: map[string]any{"id": w.ID, "name": w.Name}})
	})
	if err != nil {
		return nil, nil, err
	}
	g := t.access.NewGuard(ctx, c, api.OpExportWorkspace,
		func(q access.Queries, c access.Caller) error { return c.RequireAdmin(q, workspaceID) })
	ctx, cancel := context.WithCancel(ctx)
	d := &ExportDownload{Check: g.Allow, progress: api.ExportProgress{State: api.ExportRunning}, cancel: cancel,
		done: ctx.Done()}
	t.exports.add(exportKey{userID: c.ID, workspaceID: workspaceID, id: in.ExportID}, d)
	return ctx, d, nil
}

// GetExportProgress returns the progress of an export that the caller downloads from this node.
func (t *Tracker) GetExportProgress(_ context.Context, c access.Caller, v input.Valid[api.GetExportProgress]) (
	api.ExportProgress, error,
) {
	in, err := v.Value(c.Allow(api.OpGetExportProgress))
	if err != nil {
		return api.ExportProgress{}, err
	}
	d := t.exports.find(exportKey{userID: c.ID, workspaceID: in.WorkspaceID, id: in.ExportID})
	if d == nil {
		return api.ExportProgress{}, api.NotFound("export")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.progress, nil
}

// CancelExport ends an export that the caller downloads from this node.
func (t *Tracker) CancelExport(_ context.Context, c access.Caller, v input.Valid[api.CancelExport]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpCancelExport))
	if err != nil {
		return none, err
	}
	d := t.exports.find(exportKey{userID: c.ID, workspaceID: in.WorkspaceID, id: in.ExportID})
	if d == nil {
		return none, api.NotFound("export")
	}
	d.cancel()
	return none, nil
}
