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

// detachSlices detaches locked slices of a workspace from a record that is gone, and publishes that; a deleted slice without an event. It
// returns jobBatch, or 0 for no slices.
func (t *Tracker) detachSlices(tx *store.Tx, batch []store.Slice, from removed) (int, error) {
	if len(batch) == 0 {
		return 0, nil
	}
	w, err := tx.Workspace(batch[0].WorkspaceID)
	if err != nil {
		return 0, err
	}
	var events []event
	for _, s := range batch {
		s.UpdatedAt = maxTime(t.clock(), s.UpdatedAt)
		if err := from.detach(&s); err != nil {
			return 0, err
		}
		if s.DeletedAt == nil {
			events = append(events, updateEvents(s.ID, t.show(s), map[string]any{from.member: from.id})...)
		}
	}
	if len(events) > 0 {
		err = t.publish(tx, system(w.OrganizationID), w.ID, events...)
	}
	return jobBatch, err
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
