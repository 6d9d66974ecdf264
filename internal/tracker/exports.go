package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/access"
)

// BeginExport records the export of a workspace, which the caller downloads. The caller must be an admin of the workspace. The id, which
// the caller chooses, names the download for ExportProgress and CancelExport; without one it has no progress. The context that it returns
// ends when the export is cancelled.
func (t *Tracker) BeginExport(ctx context.Context, s Session, workspaceID, id string) (context.Context, *ExportDownload, error) {
	if err := s.Caller.Allow(api.OpExportWorkspace); err != nil {
		return nil, nil, err
	}
	err := access.Change(ctx, t.access, s.Caller, api.OpExportWorkspace, func(tx *access.Tx, c access.Caller) error {
		if err := c.RequireAdmin(tx.Queries, workspaceID); err != nil {
			return err
		}
		w, err := tx.Workspace(workspaceID)
		if err != nil {
			return err
		}
		return t.publish(tx, c, workspaceID, event{api.EventWorkspaceExported, w.ID, map[string]any{"id": w.ID, "name": w.Name}, nil})
	})
	if err != nil {
		return nil, nil, err
	}
	g := t.access.NewGuard(ctx, s.Caller, api.OpExportWorkspace, func(q access.Queries, c access.Caller) error {
		return c.RequireAdmin(q, workspaceID)
	})
	ctx, cancel := context.WithCancel(ctx)
	d := &ExportDownload{Check: g.Allow, progress: ExportProgress{State: ExportRunning}, cancel: cancel, done: ctx.Done()}
	t.exports.add(exportKey{s.Caller.ID, workspaceID, id}, d)
	return ctx, d, nil
}

// ExportProgress returns the progress of an export that the caller downloads from this node.
func (t *Tracker) ExportProgress(s Session, workspaceID, id string) (ExportProgress, error) {
	if err := s.Caller.Allow(api.OpExportWorkspace); err != nil {
		return ExportProgress{}, err
	}
	d := t.exports.find(exportKey{s.Caller.ID, workspaceID, id})
	if d == nil {
		return ExportProgress{}, api.NotFound("export")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.progress, nil
}

// CancelExport ends an export that the caller downloads from this node.
func (t *Tracker) CancelExport(s Session, workspaceID, id string) error {
	if err := s.Caller.Allow(api.OpExportWorkspace); err != nil {
		return err
	}
	d := t.exports.find(exportKey{s.Caller.ID, workspaceID, id})
	if d == nil {
		return api.NotFound("export")
	}
	d.cancel()
	return nil
}
