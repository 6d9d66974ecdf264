package tracker

import (
	"bugslice/api"
	"bugslice/internal/store"
)

// detachedAtOnce is the number of slices that a transaction detaches. Other writes of the workspace wait for it, and on SQLite all.
const detachedAtOnce = 20

// removed is a record to which slices refer, that is gone.
type removed struct {
	member string // of the slices
	id     string
	detach func(*store.Slice) error // stores a slice without it
}

// detachSlices detaches locked slices of a workspace from a record that is gone, and publishes that. It returns jobBatch, or 0 for no
// slices.
func (t *Tracker) detachSlices(tx *store.Tx, batch []store.Slice, from removed) (int, error) {
	if len(batch) == 0 {
		return 0, nil
	}
	events, err := t.detached(batch, from)
	if err != nil {
		return 0, err
	}
	return jobBatch, t.publishAsSystem(tx, batch[0].WorkspaceID, events)
}

// detached detaches locked slices from a record that is gone, and returns the events to publish: none of a deleted slice.
func (t *Tracker) detached(batch []store.Slice, from removed) (events []event, err error) {
	for _, s := range batch {
		s.UpdatedAt = maxTime(t.clock(), s.UpdatedAt)
		if err := from.detach(&s); err != nil {
			return nil, err
		}
		if s.DeletedAt == nil {
			events = append(events, updateEvents(s.ID, t.show(s), map[string]any{from.member: from.id})...)
		}
	}
	return events, nil
}

// publishAsSystem publishes what the service has done in a workspace, if anything.
func (t *Tracker) publishAsSystem(tx *store.Tx, workspaceID string, events []event) error {
	if len(events) == 0 {
		return nil
	}
	w, err := tx.Workspace(workspaceID)
	if err != nil {
		return err
	}
	return t.publish(tx, system(w.OrganizationID), workspaceID, events...)
}

// purgeSlices deletes for good some slices whose retention has ended, after it has detached their duplicates from them. It returns
// jobBatch while there may be others.
func (t *Tracker) purgeSlices(tx *store.Tx) (int, error) {
	before := api.At(t.now().Add(-deletedRetention))
	originalID, duplicates, err := tx.LockDuplicatesOfPurgeable(before, jobBatch, detachedAtOnce)
	switch {
	case err != nil:
		return 0, err
	case originalID != "":
		return t.detachSlices(tx, duplicates, removed{"duplicateOfId", originalID, func(s *store.Slice) error {
			s.DuplicateOfID = nil
			return tx.UpdateSlice(s)
		}})
	}
	return tx.PurgeSlices(before, api.At(t.now().Add(unreferencedRetention)), jobBatch)
}
