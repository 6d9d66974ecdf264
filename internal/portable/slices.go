package portable

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/redact"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// Lengths that the API allows. Marks of redaction of early versions may have made texts longer.
const (
	maxBody    = 65536
	maxAddress = 2048
)

type sliceRecord struct {
	store.Slice
	exported            string
	truncated, redacted int
}

// readSlice reads a row of the table slices.
func readSlice(line []byte) (record, error) {
	row, err := readRow[sliceRow](line)
	if err != nil {
		return nil, err
	}
	values := columnsOf(row)
	for _, column := range store.SliceDocuments {
		if err := checkValues(column, values[column].(string)); err != nil {
			return nil, err
		}
	}
	s, err := store.SliceOf(values)
	if refused, ok := errors.AsType[*store.MemberError](err); ok {
		return nil, columnError(refused.Column, refused.Err)
	}
	return &sliceRecord{exported: row.ID, Slice: s}, err
}

func (r *sliceRecord) exportedID() string { return r.exported }

// prepare redacts a slice and replaces its ids. It refuses a space that the export does not have.
func (r *sliceRecord) prepare(_ context.Context, b *batch) error {
	if r.SpaceID != nil {
		if err := b.checkExported("space_id", "space", *r.SpaceID); err != nil {
			return err
		}
	}
	r.truncated += limitAddress(&r.SourceURL) + limitAddress(&r.Environment.BuildURL)
	r.Removed = nil // they are hashed under the key of another instance
	if b.redactor != nil {
		r.redact(b.redactor)
	}
	r.ID, r.WorkspaceID = b.ids.remap(r.ID), b.workspaceID
	r.SpaceID, r.DuplicateOfID = b.ids.remapped(r.SpaceID), b.ids.remapped(r.DuplicateOfID)
	r.Reporter.ID = b.ids.person(r.Reporter.ID)
	r.AssigneeID, r.Via, r.Visitor = b.ids.remapped(r.AssigneeID), viaElsewhere(r.Via), visitorElsewhere(r.Visitor)
	return b.checkRedaction()
}

// limitAddress truncates an address, or removes it when it would run a script. It returns the number of changed
// addresses.
func limitAddress(address **string) (changed int) {
	if *address == nil {
		return 0
	}
	if tracker.IsUnsafeAddress(**address) {
		*address = nil
		return 1
	}
	short := truncate(**address, maxAddress)
	if len(short) < len(**address) {
		changed = 1
	}
	*address = &short
	return changed
}

// redact removes the secrets of a slice, and adds them to its summary of what was removed.
func (r *sliceRecord) redact(d *tracker.Redactor) {
	c := redact.Counts{}
	tracker.RedactFields(d, &r.SliceFields, c)
	if r.Fingerprint != nil {
		r.Fingerprint = new(d.StoredForm(*r.Fingerprint, c))
	}
	r.Symptoms = d.Text(r.Symptoms, c)
	redactOccurrence(d, r.LastOccurrence, c)
	for i := range r.Releases {
		f := api.SliceFields{Environment: api.Environment{Release: &r.Releases[i].Name}}
		tracker.RedactFields(d, &f, c)
		r.Releases[i].Name = *f.Environment.Release
	}
	r.Redaction = d.Summarize(r.Redaction, c)
	r.redacted = c.Total()
}

// redactOccurrence removes the secrets of an occurrence.
func redactOccurrence(d *tracker.Redactor, o *api.Occurrence, c redact.Counts) {
	if o == nil {
		return
	}
	f := api.SliceFields{Environment: o.Environment, Metadata: o.Metadata, ExternalID: o.ExternalID}
	tracker.RedactFields(d, &f, c)
	o.Environment, o.Metadata, o.ExternalID = f.Environment, f.Metadata, f.ExternalID
}

// insert stores a slice, unless it was imported before. It omits an assignee who is no member of the workspace, an
// externalId that another slice has, and the fingerprint of an open slice when another open slice has it.
func (r *sliceRecord) insert(tx *tracker.OperatorTx, d *destination, report *ImportReport) error {
	s := r.Slice
	if here, err := tx.Slice(s.ID); err == nil {
		report.AlreadyThere++
		return assignImported(tx, d, &s, here, report)
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err := setDuplicate(tx, d, &s); err != nil {
		return err
	}
	if err := setAssignee(tx, d, &s, report); err != nil {
		return err
	}
	if err := setNumber(tx, d, &s); err != nil {
		return err
	}
	inUse, open, err := tx.IdentifiersInUse(d.workspaceID, s.ExternalID, s.Fingerprint)
	if err != nil {
		return err
	}
	if inUse {
		s.ExternalID = nil
		report.ExternalIDsOmitted++
	}
	if open && (s.Status == api.Open || s.Status == api.InProgress) {
		s.Fingerprint = nil
		report.FingerprintsOmitted++
	}
	if err := tx.ImportSlice(s); err != nil {
		return err
	}
	report.Slices++
	report.Truncated += r.truncated
	report.Redacted += r.redacted
	return nil
}

// setDuplicate removes the reference to a deleted original, which is in no export. It removes the reference to a
// later original, too: Finish restores it with the next version of the slice.
func setDuplicate(tx *tracker.OperatorTx, d *destination, s *store.Slice) error {
	if later, ok := d.duplicates[s.ID]; ok {
		s.DuplicateOfID, s.Version = nil, later.version-1
		return nil
	}
	if s.DuplicateOfID == nil {
		return nil
	}
	_, err := tx.Slice(*s.DuplicateOfID)
	if errors.Is(err, store.ErrNotFound) {
		s.DuplicateOfID, err = nil, nil
	}
	return err
}

// setAssignee removes an assignee who has no user here, and one who is no member, unless such users become members. A
// disabled user becomes none.
func setAssignee(tx *tracker.OperatorTx, d *destination, s *store.Slice, report *ImportReport) error {
	if s.AssigneeID == nil {
		return nil
	}
	if !d.ids.local[*s.AssigneeID] {
		s.AssigneeID = nil
		report.Strangers++
		return nil
	}
	_, err := tx.Role(d.workspaceID, *s.AssigneeID)
	if errors.Is(err, store.ErrNotFound) {
		switch {
		case d.ids.disabled[*s.AssigneeID]:
			s.AssigneeID = nil
			report.Disabled++
			return nil
		case !d.addMembers:
			s.AssigneeID = nil
			report.Unassigned++
			return nil
		}
		err = tx.AddMember(d.workspaceID, *s.AssigneeID, api.RoleMember)
		report.MembersAdded++
	}
	report.Assigned++
	return err
}

// assignImported assigns a slice that was imported before its assignee became a member, if it was not changed since.
func assignImported(tx *tracker.OperatorTx, d *destination, s *store.Slice, here store.Slice,
	report *ImportReport) error {
	if !d.addMembers || s.AssigneeID == nil || !d.ids.local[*s.AssigneeID] || here.AssigneeID != nil ||
		here.Version != s.Version {
		return nil
	}
	here, err := tx.LockSlice(here.ID)
	if err != nil || here.AssigneeID != nil || here.Version != s.Version {
		return err
	}
	if err := setAssignee(tx, d, s, report); err != nil || s.AssigneeID == nil {
		return err
	}
	here.AssigneeID = s.AssigneeID
	return tx.UpdateSlice(&here)
}

func setNumber(tx *tracker.OperatorTx, d *destination, s *store.Slice) error {
	if !d.existing {
		return tx.ReserveNumber(d.workspaceID, s.Number)
	}
	n, err := tx.NextSequence(d.workspaceID, 1, 0)
	s.Number = n.Number
	return err
}
