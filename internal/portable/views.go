package portable

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

type viewRecord struct {
	store.View
	exported string
}

// readView reads a row of the table views.
func readView(line []byte) (record, error) {
	row, err := readRow[viewRow](line)
	if err != nil {
		return nil, err
	}
	r := &viewRecord{exported: row.ID}
	r.View.View = api.View{ID: row.ID, ViewFields: api.ViewFields{Name: row.Name, Query: row.Query},
		Version:   row.Version,
		CreatedAt: api.FromMillis(row.CreatedAt), UpdatedAt: api.FromMillis(row.UpdatedAt)}
	return r, nil
}

func (r *viewRecord) exportedID() string { return r.exported }

// prepare replaces the ids of a view and those in its query.
func (r *viewRecord) prepare(_ context.Context, b *batch) error {
	r.ID, r.WorkspaceID, r.Query = b.ids.remap(r.ID), &b.workspaceID, b.ids.remap(r.Query)
	return nil
}

// insert stores a view, unless it was imported before.
func (r *viewRecord) insert(tx *tracker.OperatorTx, _ *destination, report *ImportReport) error {
	if _, err := tx.View(r.ID); err == nil {
		report.AlreadyThere++
		return nil
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return tx.ImportView(r.View)
}
