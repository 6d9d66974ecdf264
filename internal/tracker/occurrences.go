package tracker

import (
	"bugslice/api"
	"bugslice/internal/store"
)

// maxOccurrencesWithEvidence is of how many occurrences of a slice the evidence is kept.
const maxOccurrencesWithEvidence = 10

// recordOccurrence counts an occurrence of a slice, and opens one again that is resolved or closed.
func (t *Tracker) recordOccurrence(tx *store.Tx, c Caller, f *submission, s store.Slice) (store.Slice, error) {
	was, now := s.Slice, maxTime(t.clock(), s.UpdatedAt)
	previous := map[string]any{"occurrenceCount": was.OccurrenceCount, "lastOccurrence": was.LastOccurrence}
	if isFinished(s.Status) {
		if err := transition(&s, api.Open, now); err != nil {
			return s, err
		}
		previous["status"], previous["resolution"] = was.Status, was.Resolution
		if clearDuplicate(&s, was.SliceFields); !equalStrings(was.DuplicateOfID, s.DuplicateOfID) {
			previous["duplicateOfId"] = was.DuplicateOfID
		}
	}
	s.OccurrenceCount++
	s.UpdatedAt, s.LastSeenAt, s.LastOccurrence = now, maxTime(now, s.LastSeenAt), f.occurrence(c, s, now)
	kept := s.OccurrenceCount <= maxOccurrencesWithEvidence && len(f.sets) > 0
	if kept {
		previous["attachmentCount"] = was.AttachmentCount
		s.AttachmentCount += int64(len(f.sets))
	}
	if err := tx.UpdateSlice(&s); err != nil {
		return s, conflictProblem(err, &s)
	}
	if kept {
		tx.Charge(s.WorkspaceID, f.bytes())
	}
	events := updateEvents(s.ID, t.show(s), previous)
	n, err := t.reserveFiledSequence(tx, c, s.WorkspaceID, 0, events...)
	if err == nil && kept {
		err = t.insertEvidence(tx, f, s.ID, now)
	}
	if err != nil {
		return s, err
	}
	return s, t.publishWithCounters(tx, c, s.WorkspaceID, n, events...)
}

// occurrence is what a filing says of its own, beside what the slice says.
func (f *submission) occurrence(c Caller, s store.Slice, at api.Time) *api.Occurrence {
	o := api.Occurrence{At: at, ReporterName: c.reporter().Name, Environment: f.fields.Environment, ExternalID: f.fields.ExternalID,
		Metadata: map[string]string{}}
	for name, value := range f.fields.Metadata {
		if own, ok := s.Metadata[name]; !ok || own != value {
			o.Metadata[name] = value
		}
	}
	return &o
}
