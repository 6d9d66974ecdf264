package tracker

import (
	"bugslice/api"
	"bugslice/internal/store"
)

// maxOccurrencesWithEvidence is the number of occurrences of a slice whose evidence is stored.
const maxOccurrencesWithEvidence = 10

// recordOccurrence adds a submission to a slice as an occurrence. A resolved or closed slice is opened again.
func (t *Tracker) recordOccurrence(tx *store.Tx, c Caller, sub *submission, s store.Slice) (store.Slice, error) {
	before, now := s.Slice, maxTime(t.clock(), s.UpdatedAt)
	previous := map[string]any{"occurrenceCount": before.OccurrenceCount, "lastOccurrence": before.LastOccurrence}
	if isFinished(s.Status) {
		if err := reopen(&s, now, previous); err != nil {
			return s, err
		}
	}
	s.OccurrenceCount++
	s.UpdatedAt, s.LastSeenAt, s.LastOccurrence = now, maxTime(now, s.LastSeenAt), sub.occurrence(c, s, now)
	withEvidence := s.OccurrenceCount <= maxOccurrencesWithEvidence && len(sub.sets) > 0
	if withEvidence {
		previous["attachmentCount"] = before.AttachmentCount
		s.AttachmentCount += int64(len(sub.sets))
	}
	if err := tx.UpdateSlice(&s); err != nil {
		return s, conflictProblem(err, &s)
	}
	if withEvidence {
		tx.Charge(s.WorkspaceID, sub.bytes())
	}
	events := updateEvents(s.ID, t.show(s), previous)
	counters, err := t.reserveFiledSequence(tx, c, s.WorkspaceID, 0, events...)
	if err == nil && withEvidence {
		err = t.insertEvidence(tx, sub, s.ID, now)
	}
	if err != nil {
		return s, err
	}
	return s, t.publishWithCounters(tx, c, s.WorkspaceID, counters, events...)
}

// reopen opens a resolved or closed slice and adds the former values of the members that change.
func reopen(s *store.Slice, at api.Time, previous map[string]any) error {
	before := s.Slice
	if err := setStatus(s, api.Open, at); err != nil {
		return err
	}
	previous["status"], previous["resolution"] = before.Status, before.Resolution
	if clearDuplicate(s, before.SliceFields); !equalStrings(before.DuplicateOfID, s.DuplicateOfID) {
		previous["duplicateOfId"] = before.DuplicateOfID
	}
	return nil
}

// occurrence returns the data of a submission that the slice does not have.
func (sub *submission) occurrence(c Caller, s store.Slice, at api.Time) *api.Occurrence {
	o := api.Occurrence{At: at, ReporterName: c.reporter().Name, Environment: sub.fields.Environment, ExternalID: sub.fields.ExternalID,
		Metadata: map[string]string{}}
	for name, value := range sub.fields.Metadata {
		if known, ok := s.Metadata[name]; !ok || known != value {
			o.Metadata[name] = value
		}
	}
	return &o
}
