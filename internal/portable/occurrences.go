package portable

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/redact"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

type occurrenceRecord struct {
	store.Occurrence
	exported            string // the id of its slice
	truncated, redacted int
}

// readOccurrence reads a row of the table occurrences.
func readOccurrence(line []byte) (record, error) {
	row, err := readRow[occurrenceRow](line)
	if err != nil {
		return nil, err
	}
	r := &occurrenceRecord{exported: row.SliceID,
		Occurrence: store.Occurrence{SliceID: row.SliceID, SliceOccurrence: api.SliceOccurrence{
			Number: row.Number, ExternalID: row.ExternalID, Metadata: map[string]string{},
			CreatedAt: api.FromMillis(row.CreatedAt),
			Reporter:  api.Reporter{Type: row.ReporterType, ID: row.ReporterID, Name: row.ReporterName},
		}}}
	return r, errors.Join(decodeColumn("via", row.Via, &r.Via), decodeColumn("environment", row.Environment, &r.Environment),
		decodeColumn("metadata", row.Metadata, &r.Metadata))
}

func (r *occurrenceRecord) exportedID() string { return r.exported }

// prepare truncates and redacts an occurrence and replaces its ids. It refuses an occurrence of a slice that the
// export does not have.
func (r *occurrenceRecord) prepare(_ context.Context, b *batch) error {
	if err := b.checkSlice("slice_id", r.SliceID); err != nil {
		return err
	}
	r.truncated = limitAddress(&r.Environment.BuildURL)
	if b.redactor != nil {
		c := redact.Counts{}
		f := api.SliceFields{Environment: r.Environment, Metadata: r.Metadata, ExternalID: r.ExternalID}
		tracker.RedactFields(b.redactor, &f, c)
		r.Environment, r.Metadata, r.ExternalID = f.Environment, f.Metadata, f.ExternalID
		r.redacted = c.Total()
	}
	r.SliceID, r.Reporter.ID = b.ids.remap(r.SliceID), b.ids.person(r.Reporter.ID)
	r.Via = viaElsewhere(r.Via)
	return b.checkRedaction()
}

// insert stores an occurrence, unless it was imported before.
func (r *occurrenceRecord) insert(tx *tracker.OperatorTx, d *destination, report *ImportReport) error {
	if _, err := tx.Occurrence(r.SliceID, r.Number); err == nil {
		report.AlreadyThere++
		return nil
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err := tx.ImportOccurrence(d.workspaceID, r.Occurrence); err != nil {
		return err
	}
	report.Truncated += r.truncated
	report.Redacted += r.redacted
	return nil
}
