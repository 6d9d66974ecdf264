package portable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// Import imports the records of an export into a workspace, table by table. An import that was interrupted continues
// when the same export is imported into the same workspace again. After a complete one, that changes nothing.
type Import struct {
	d         *destination
	originals map[string]string // of which slice a slice of the export is a duplicate
	report    ImportReport
}

// ImportOptions say what is imported, and how.
type ImportOptions struct {
	ArchiveID string // of the export
	Into      string // an existing workspace; empty for a new one
	AsIs      bool   // keep the secrets of texts and files
	// AddMembers makes members of the users here to whom slices are assigned, and who are none.
	AddMembers bool
}

// Begin begins to import an export into an existing workspace, or into a new one, which is created from its row of
// the table workspaces. The owners of the organisation become the admins of a new workspace. Secrets are removed by
// the rules of the target workspace.
func Begin(ctx context.Context, o tracker.OrganizationOperator, options ImportOptions, workspace []byte) (
	*Import, error,
) {
	d := &destination{operator: o, workspaceID: options.Into, existing: options.Into != "",
		addMembers: options.AddMembers,
		exported:   map[string]bool{}, duplicates: map[string]duplicate{}, fileKeys: map[string]bool{}}
	if d.existing {
		check := func(tx *tracker.OperatorTx) error { return tx.CheckWorkspace(d.workspaceID) }
		if err := o.InTransaction(ctx, check); err != nil {
			return nil, err
		}
	} else if err := d.makeWorkspace(ctx, options.ArchiveID, workspace); err != nil {
		return nil, wrapRecord("workspaces", rowID(workspace), err)
	}
	d.ids = newIDMap(d.workspaceID)
	im := &Import{d: d, originals: map[string]string{}, report: ImportReport{WorkspaceID: d.workspaceID}}
	if options.AsIs {
		return im, nil
	}
	var err error
	d.redactor, err = o.Redactor(ctx, d.workspaceID)
	return im, err
}

// makeWorkspace makes the new workspace, unless an interrupted import of the same export has made it.
func (d *destination) makeWorkspace(ctx context.Context, archiveID string, line []byte) error {
	row, err := readRow[workspaceRow](line)
	if err != nil {
		return err
	}
	d.workspaceID = id.Derive(id.Workspace, row.ID, archiveID+"\n"+d.operator.Caller().Organization.ID)
	if _, err := d.operator.Read(ctx).Workspace(d.workspaceID); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	w := store.Workspace{Workspace: api.Workspace{ID: d.workspaceID,
		WorkspaceFields: api.WorkspaceFields{Key: row.Key, Name: row.Name, Description: row.Description,
			TimeZone: row.TimeZone, MailContent: api.MailContent(row.MailContent),
			KeepFileMetadata: row.KeepMetadata == 1},
		Version: row.Version, CreatedAt: api.FromMillis(row.CreatedAt), UpdatedAt: api.FromMillis(row.UpdatedAt)}}
	if err := errors.Join(decodeColumn("metadata_keys", row.MetadataKeys, &w.MetadataKeys),
		decodeColumn("redaction", row.Redaction, &w.Redaction),
		decodeColumn("report_templates", row.Templates, &w.ReportTemplates),
		decodeColumn("label_colors", row.LabelColors, &w.LabelColors)); err != nil {
		return err
	}
	return d.operator.InTransaction(ctx,
		func(tx *tracker.OperatorTx) error { return tx.ImportWorkspace(w, row.LastNumber) })
}

// WorkspaceID returns the workspace that is imported into.
func (im *Import) WorkspaceID() string { return im.d.workspaceID }

// readers read a row of each table of an export after the first two, workspaces and users.
var readers = map[string]func(line []byte) (record, error){
	"spaces": readSpace, "views": readView, "slices": readSlice, "occurrences": readOccurrence,
	"comments": readComment, "reactions": readReaction, "attachments": readAttachment, "events": readEvent,
}

// Records imports rows of a table in one transaction. The bytes of files are stored before the records that name them.
func (im *Import) Records(ctx context.Context, table string, lines [][]byte, open Opener) error {
	if table == "users" {
		return im.mapUsers(ctx, lines)
	}
	read := readers[table]
	if read == nil {
		return fmt.Errorf("an export has no table %q", Printable(table))
	}
	records := make([]record, len(lines))
	for i, line := range lines {
		var err error
		if records[i], err = read(line); err != nil {
			return wrapRecord(table, rowID(line), err)
		}
	}
	for _, r := range records {
		if err := im.add(r); err != nil {
			return wrapRecord(table, r.exportedID(), err)
		}
	}
	return im.insert(ctx, table, records, open)
}

// mapUsers maps users of the export to users of the organisation with the same e-mail address.
func (im *Import) mapUsers(ctx context.Context, lines [][]byte) error {
	tx := im.d.operator.Read(ctx)
	for _, line := range lines {
		row, err := readRow[userRow](line)
		if err != nil {
			return wrapRecord("users", rowID(line), err)
		}
		here, err := tx.UserByEmail(row.Email)
		switch {
		case err == nil && here.OrgID == im.d.operator.Caller().Organization.ID:
			im.d.ids.addUser(row.ID, here.ID)
			im.d.ids.disabled[here.ID] = here.DisabledAt != nil
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return err
		}
	}
	return nil
}

// add records the id of a space or a slice, to which later records may refer, and the duplicates among slices. It
// refuses an id that two records have, and a cycle of duplicates.
func (im *Import) add(r record) error {
	s, isSlice := r.(*sliceRecord)
	if _, isSpace := r.(*spaceRecord); !isSlice && !isSpace {
		return nil
	}
	if im.d.exported[r.exportedID()] {
		return errors.New("/id is that of another record, too")
	}
	im.d.exported[r.exportedID()] = true
	if !isSlice || s.DuplicateOfID == nil {
		return nil
	}
	original := *s.DuplicateOfID
	if original > s.exported { // it is imported later: rows are in the order of ids
		im.d.duplicates[im.d.ids.remap(s.exported)] = duplicate{im.d.ids.remap(original), s.Version}
	}
	return im.checkDuplicateCycle(s.exported, original)
}

// checkDuplicateCycle refuses slices that are duplicates of each other in a circle.
func (im *Import) checkDuplicateCycle(sliceID, of string) error {
	im.originals[sliceID] = of
	for ; of != ""; of = im.originals[of] {
		if of == sliceID {
			return errors.New("/duplicate_of_id: the slices would be duplicates of each other in a circle")
		}
	}
	return nil
}

// insert prepares records and stores them in one transaction.
func (im *Import) insert(ctx context.Context, table string, records []record, open Opener) error {
	b := &batch{im.d, open, im.d.operator.NewFileBatch()}
	var prepared []record
	for _, r := range records {
		err := r.prepare(ctx, b)
		if errors.Is(err, fs.ErrNotExist) {
			im.report.FilesMissing++
			continue
		}
		if err != nil {
			return wrapRecord(table, r.exportedID(), err)
		}
		prepared = append(prepared, r)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var report ImportReport
	err := im.d.operator.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		report = im.report
		for _, r := range prepared {
			if err := r.insert(tx, im.d, &report); err != nil {
				return wrapRecord(table, r.exportedID(), err)
			}
		}
		return nil
	})
	if err == nil {
		im.report = report
	}
	return err
}

// Finish links the duplicates of later slices, when all slices are there, adds the occurrences that have no record,
// and counts the records of each slice.
func (im *Import) Finish(ctx context.Context) (ImportReport, error) {
	err := im.d.operator.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		for sliceID, d := range im.d.duplicates {
			if err := tx.ImportDuplicate(im.d.workspaceID, sliceID, d.of, d.version); err != nil {
				return err
			}
		}
		if err := tx.AddMissingOccurrences(im.d.workspaceID); err != nil { // of an export from before occurrences were stored
			return err
		}
		return tx.Recount(im.d.workspaceID)
	})
	return im.report, err
}
