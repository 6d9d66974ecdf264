package tracker

import (
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// detachedAtOnce is the number of slices that a transaction detaches. Other writes of the workspace wait for it, and
// on SQLite all.
const detachedAtOnce = 20

// goneReference is a reference of slices to a record that is gone.
type goneReference struct {
	member string                   // of the slices
	id     string                   // of the record
	clear  func(*store.Slice) error // stores a slice without the reference
}

// detachSlices removes a reference from locked slices of a workspace, and publishes that. It returns jobBatch, or 0
// for no slices.
func (t *Tracker) detachSlices(tx *access.Tx, batch []store.Slice, from goneReference) (int, error) {
	if len(batch) == 0 {
		return 0, nil
	}
	events, err := t.clearReference(batch, from)
	if err != nil {
		return 0, err
	}
	return jobBatch, t.publishAsSystem(tx, batch[0].WorkspaceID, events)
}

// clearReference removes a reference from locked slices, and returns the events to publish. A deleted slice has none.
func (t *Tracker) clearReference(batch []store.Slice, from goneReference) (events []event, err error) {
	for _, s := range batch {
		s.UpdatedAt = maxTime(t.clock(), s.UpdatedAt)
		if err := from.clear(&s); err != nil {
			return nil, err
		}
		if s.DeletedAt == nil {
			events = append(events, updateEvents(s.ID, t.show(s), map[string]any{from.member: from.id})...)
		}
	}
	return events, nil
}

// publishAsSystem publishes what the service has done in a workspace, if anything.
func (t *Tracker) publishAsSystem(tx *access.Tx, workspaceID string, events []event) error {
	if len(events) == 0 {
		return nil
	}
	w, err := tx.Workspace(workspaceID)
	if err != nil {
		return err
	}
	return t.publish(tx, access.System(w.OrganizationID), workspaceID, events...)
}
