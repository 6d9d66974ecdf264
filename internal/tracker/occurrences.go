package tracker

import (
	"context"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// maxOccurrencesWithEvidence is the number of occurrences of a slice whose evidence is stored.
const maxOccurrencesWithEvidence = 10

// recordOccurrence adds a submission to a slice as an occurrence. A resolved or closed slice is opened again.
func (t *Tracker) recordOccurrence(tx *access.Tx, c access.Caller, sub *submission, s store.Slice,
) (store.Slice, error) {
	before, now := s.Slice, maxTime(t.clock(), s.UpdatedAt)
	previous := map[string]any{"occurrenceCount": before.OccurrenceCount, "lastOccurrence": before.LastOccurrence}
	if isFinished(s.Status) {
		if err := reopen(&s, now, previous); err != nil {
			return s, err
		}
	}
	s.OccurrenceCount++
	s.UpdatedAt, s.LastSeenAt, s.LastOccurrence = now, maxTime(now, s.LastSeenAt), sub.occurrence(c, s, now)
	s.Removed = sub.redactor.removedSums(s.ID, s.Removed)
	s.SeeRelease(sub.fields.Environment.Release, now)
	withEvidence := s.OccurrenceCount <= maxOccurrencesWithEvidence && len(sub.sets) > 0
	if withEvidence {
		previous["attachmentCount"], previous["evidence"] = before.AttachmentCount, before.Evidence
		s.AddCounts(sub.evidenceCounts())
	}
	if err := tx.UpdateSlice(&s); err != nil {
		return s, conflictProblem(err, &s)
	}
	if err := addOccurrence(tx, c, sub, s); err != nil {
		return s, err
	}
	if withEvidence {
		tx.Charge(s.WorkspaceID, sub.bytes())
	}
	events := updateEvents(s.ID, t.show(s), previous)
	counters, err := t.reserveFiledSequence(tx, c, s.WorkspaceID, 0, events...)
	if err == nil && withEvidence {
		err = t.insertEvidence(tx, sub, s, now)
	}
	if err != nil {
		return s, err
	}
	return s, t.publishWithCounters(tx, c, counters, events...)
}

// addOccurrence stores the newest occurrence of a slice, which was updated for it, and charges its bytes.
func addOccurrence(tx *access.Tx, c access.Caller, sub *submission, s store.Slice) error {
	o := store.Occurrence{SliceID: s.ID,
		SliceOccurrence: api.SliceOccurrence{Number: s.OccurrenceCount, Reporter: reporter(c), Via: c.Via(),
			Environment: sub.fields.Environment, ExternalID: sub.fields.ExternalID, Metadata: sub.fields.Metadata,
			CreatedAt: s.UpdatedAt}}
	bytes, err := store.OccurrenceBytes(&o)
	if err != nil {
		return err
	}
	tx.Charge(s.WorkspaceID, bytes)
	return tx.InsertOccurrence(o)
}

// firstOccurrence returns the report that creates a slice.
func firstOccurrence(s *store.Slice) store.Occurrence {
	return store.Occurrence{SliceID: s.ID, SliceOccurrence: api.SliceOccurrence{Number: 1, Reporter: s.Reporter, Via: s.Via,
		Environment: s.Environment, ExternalID: s.ExternalID, Metadata: s.Metadata, CreatedAt: s.CreatedAt}}
}

// ListOccurrences lists the reports of the bug of a slice the caller sees, newest first.
func (t *Tracker) ListOccurrences(ctx context.Context, c access.Caller, v input.Valid[api.ListOccurrences]) (
	api.Page[api.SliceOccurrence], error,
) {
	in, err := v.Value(c.Allow(api.OpListOccurrences))
	if err != nil {
		return api.Page[api.SliceOccurrence]{}, err
	}
	return listPage(t, c, listing[api.SliceOccurrence]{operation: api.OpListOccurrences, parameters: in,
		paging:        in.Paging,
		positionParts: 1,
		read: func(after []string, limit int) ([]api.SliceOccurrence, error) {
			q := t.access.Read(ctx)
			s, err := c.Slice(q, in.SliceID)
			if err != nil {
				return nil, err
			}
			before := s.OccurrenceCount + 1
			if after[0] != "" {
				if before, err = strconv.ParseInt(after[0], 10, 64); err != nil {
					return nil, err
				}
			}
			rows, err := q.Occurrences(s.ID, before, limit)
			return convert(rows, func(o store.Occurrence) api.SliceOccurrence { return o.SliceOccurrence }), err
		},
		position: func(o api.SliceOccurrence) []string { return []string{strconv.FormatInt(o.Number, 10)} },
	})
}

// reopen opens a resolved or closed slice and adds the former values of the members that change.
func reopen(s *store.Slice, at api.Time, previous map[string]any) error {
	before := s.Slice
	if err := setStatus(s, api.Open, at); err != nil {
		return err
	}
	previous["status"], previous["resolution"] = before.Status, before.Resolution
	if before.FixedInRelease != nil {
		previous["fixedInRelease"] = before.FixedInRelease
	}
	if clearDuplicate(s, before.SliceFields); !equalStrings(before.DuplicateOfID, s.DuplicateOfID) {
		previous["duplicateOfId"] = before.DuplicateOfID
	}
	return nil
}

// occurrence returns the data of a submission that the slice does not have.
func (sub *submission) occurrence(c access.Caller, s store.Slice, at api.Time) *api.Occurrence {
	o := api.Occurrence{At: at, ReporterName: reporter(c).Name, Environment: sub.fields.Environment,
		ExternalID: sub.fields.ExternalID,
		Metadata:   map[string]string{}}
	for name, value := range sub.fields.Metadata {
		if known, ok := s.Metadata[name]; !ok || known != value {
			o.Metadata[name] = value
		}
	}
	return &o
}
