package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"bugslice/internal/store/sqldb"
)

// dumpedTables are the tables of a dump, after the tables that they refer to. A dump has no index of terms and no
// statistics, which Load or the server derives, and nothing that belongs to the instance: jobs, idempotency keys,
// sessions, shares, invitations, the links of the setup and of passwords, the counts of refused calls, the binding to
// the storage of files and the reservations there.
var dumpedTables = []string{"organizations", "users", "user_pictures", "authenticators", "passkeys",
	"recovery_codes", "erasures", "workspaces", "workspace_keys", "memberships",
	"former_assignees",
	"spaces", "views", "slices", "occurrences", "comments", "reactions", "attachments", "text_files", "api_keys", "key_tokens",
	"events",
	"webhooks", "webhook_secrets", "webhook_messages", "deliveries", "delivery_attempts", "tests", "test_days", "test_runs",
	"watches", "view_matches", "notices", "inboxes", "notice_positions", "providers", "identities", "mail_settings",
	"stopped_addresses", "sources", "source_secrets", "source_days", "submissions", "submission_files"}

// exportedTables are the tables of an export, after the tables that they refer to, with their queries. An export has
// no deleted slices and no addresses of clients.
var exportedTables = []struct{ table, query string }{
	{"workspaces", `SELECT id, key, name, description, time_zone, metadata_keys, redaction, report_templates, label_colors, mail_content,
			keep_file_metadata, version, last_number,
			created_at, updated_at
		FROM workspaces WHERE id = $1`},
	{"users", `SELECT u.id, u.name, u.email FROM users u WHERE u.id IN (SELECT user_id FROM memberships WHERE workspace_id = $1)
		OR u.id IN (SELECT assignee_id FROM slices WHERE workspace_id = $1)
		OR u.id IN (SELECT reporter_id FROM slices WHERE workspace_id = $1)
		OR u.id IN (SELECT user_id FROM reactions WHERE slice_id IN ` + exportedSlices + ") ORDER BY u.id"},
	{"spaces", "SELECT " + spaceColumns + " FROM spaces WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY id"},
	{"views", "SELECT id, workspace_id, name, query, version, created_at, updated_at FROM views WHERE workspace_id = $1 ORDER BY id"},
	{"slices", "SELECT * FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY id"},
	{"occurrences", "SELECT * FROM occurrences WHERE slice_id IN " + exportedSlices + " ORDER BY slice_id, number"},
	{"comments", "SELECT * FROM comments WHERE slice_id IN " + exportedSlices + " ORDER BY id"},
	{"reactions", "SELECT * FROM reactions WHERE slice_id IN " + exportedSlices + " ORDER BY slice_id, comment_id, kind, user_id"},
	{"attachments", "SELECT a.*, CASE WHEN " + ofNoComment +
		" THEN 0 ELSE 1 END AS only_in_texts FROM attachments a WHERE a.slice_id IN " +
		exportedSlices + " ORDER BY a.id"},
	{"events", `SELECT id, org_id, workspace_id, sequence, type, actor_type, actor_id, actor_key_id, subject_kind,
			subject_id, data, created_at
		FROM events WHERE workspace_id = $1 AND subject_kind IN ('slice', 'comment', 'attachment')
		AND subject_id IN ` + exportedSlices + " ORDER BY id"},
}

const exportedSlices = "(SELECT id FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL)"

// ExportTables returns the names of the tables of an export, in order.
func ExportTables() []string {
	names := make([]string, len(exportedTables))
	for i, e := range exportedTables {
		names[i] = e.table
	}
	return names
}

// Dump writes every record as of one instant: for each table a stream of JSON objects, one a line. It does not
// block writers, and either database can load the dump. It returns the keys of the blobs that the records refer to.
func (s *Store) Dump(ctx context.Context, entry func(table string) (io.Writer, error)) (blobs []string, err error) {
	d := dumper{entry: entry, counts: map[string]int{}}
	err = s.snapshot(ctx, func(q Queries) error {
		for _, table := range dumpedTables {
			if err := d.dump(q, table, "SELECT * FROM "+table); err != nil {
				return fmt.Errorf("dump %s: %w", table, err)
			}
		}
		return nil
	})
	return d.blobs, err
}

// ExportProgress counts the slices and the files that an export has written, of those that it has.
type ExportProgress struct{ Slices, AllSlices, Files, AllFiles int64 }

// exportSize counts the slices and the files of an export.
const exportSize = `SELECT (SELECT count(*) FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL),
	(SELECT count(blob) + count(thumbnail) FROM attachments WHERE slice_id IN ` + exportedSlices + ")"

// Export writes the records of a workspace like Dump, and calls progress at the beginning and after each slice. It
// returns the number of records of each table, and the keys of the blobs that the records refer to.
func (s *Store) Export(
	ctx context.Context, workspaceID string, entry func(table string) (io.Writer, error), progress func(ExportProgress),
) (counts map[string]int, blobs []string, err error) {
	d := dumper{entry: entry, counts: map[string]int{}}
	err = s.snapshot(ctx, func(q Queries) error {
		written, err := sqldb.One(q.db, func(r sqldb.Row) (p ExportProgress, err error) {
			return p,
				r.Scan(&p.AllSlices, &p.AllFiles)
		},
			exportSize, workspaceID)
		if err != nil {
			return err
		}
		progress(written)
		d.wroteSlice = func() {
			written.Slices++
			progress(written)
		}
		deleted, err := sqldb.List(q.db, sqldb.ScanOne[string],
			"SELECT id FROM spaces WHERE workspace_id = $1 AND deleted_at IS NOT NULL", workspaceID)
		if err != nil {
			return err
		}
		d.deletedSpaces = deleted
		for _, e := range exportedTables {
			if err := d.dump(q, e.table, e.query, workspaceID); err != nil {
				return fmt.Errorf("export %s: %w", e.table, err)
			}
		}
		return nil
	})
	return d.counts, d.blobs, err
}

// dumper writes records to an entry for each table.
type dumper struct {
	entry  func(table string) (io.Writer, error)
	counts map[string]int
	blobs  []string
	// deletedSpaces are the spaces that slices are written without.
	deletedSpaces []string
	wroteSlice    func() // nil for a dump
}

// dump writes the records of a query to the entry of a table. It counts them, and collects the keys of their blobs.
func (d *dumper) dump(q Queries, table, query string, args ...any) error {
	w, err := d.entry(table)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(w)
	return q.db.Records(func(r map[string]any) error {
		delete(r, "row") // whose values differ between databases
		d.counts[table]++
		if hasBlobs(table) {
			d.addBlobs(r)
		}
		if id, ok := r["space_id"].(string); ok && slices.Contains(d.deletedSpaces, id) {
			r["space_id"] = nil
		}
		if err := lines.Encode(r); err != nil {
			return err
		}
		if table == "slices" && d.wroteSlice != nil {
			d.wroteSlice()
		}
		return nil
	}, query, args...)
}

// hasBlobs reports whether the records of a table name blobs.
func hasBlobs(table string) bool { return table == "attachments" || table == "submission_files" }

func (d *dumper) addBlobs(attachment map[string]any) {
	for _, column := range []string{"blob", "thumbnail"} {
		if key, ok := attachment[column].(string); ok { // a thumbnail may be null
			d.blobs = append(d.blobs, key)
		}
	}
}

// Load loads a dump into an empty database: all of it, or nothing. It skips attachments and thumbnails whose blobs
// are lost.
func (s *Store) Load(ctx context.Context, entry func(table string) (io.ReadCloser, error), lost map[string]bool) error {
	if err := s.load(ctx, entry, lost); err != nil {
		return err
	}
	s.analyze(ctx)
	return nil
}

func (s *Store) load(ctx context.Context, entry func(table string) (io.ReadCloser, error), lost map[string]bool) error {
	return s.Write(ctx, func(tx *Tx) error {
		all, err := tx.Organizations()
		if err != nil {
			return err
		}
		if len(all) > 0 {
			return ErrNotEmpty
		}
		l := loader{tx: tx, lost: lost}
		for _, table := range dumpedTables {
			r, err := entry(table)
			if errors.Is(err, fs.ErrNotExist) { // a backup from before the table existed
				continue
			}
			if err != nil {
				return err
			}
			err = l.load(table, r)
			if err = errors.Join(err, r.Close()); err != nil {
				return fmt.Errorf("load %s: %w", table, err)
			}
		}
		if err := tx.listAllRecurring(); err != nil {
			return err
		}
		if err := tx.recountAll(); err != nil { // of lost files, and of a backup from before evidence was counted
			return err
		}
		if err := tx.assignMissingKeys(); err != nil { // of a backup from before workspaces had keys
			return err
		}
		if err := tx.addAllMissingOccurrences(); err != nil { // of a backup from before occurrences were stored
			return err
		}
		if err := errors.Join(tx.rebuildStatistics(), tx.addAllTextFiles(), tx.BeginIndex(),
			tx.Notices().SkipAll(), tx.Sources().ReserveAgain()); err != nil {
			return err
		}
		return tx.RecountStored() // the dump has no idempotency keys
	})
}

// loader loads the tables of a dump.
type loader struct {
	tx   *Tx
	lost map[string]bool
}

// load inserts the records of a table, one a line. The first record names the columns of all of them. It refuses
// columns that the table does not have, and skips lost attachments.
func (l *loader) load(table string, r io.Reader) error {
	d := json.NewDecoder(bufio.NewReaderSize(r, 1<<16))
	d.UseNumber()
	var columns []string
	for {
		var record map[string]any
		if err := d.Decode(&record); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if columns == nil {
			var err error
			if columns, err = l.tx.columnsOf(table, record); err != nil {
				return err
			}
		}
		if hasBlobs(table) && l.isLost(record) {
			continue
		}
		if err := l.tx.insertRecord(table, columns, record); err != nil {
			return err
		}
	}
}

// isLost reports whether the blob of an attachment is lost. It removes a lost thumbnail from the record.
func (l *loader) isLost(attachment map[string]any) bool {
	if key, ok := attachment["thumbnail"].(string); ok && l.lost[key] {
		attachment["thumbnail"] = nil
	}
	key, _ := attachment["blob"].(string)
	return l.lost[key]
}

// columnsOf returns the columns of a record, each of which must be a column of the table.
func (tx *Tx) columnsOf(table string, r map[string]any) ([]string, error) {
	all, err := tx.db.Columns(table)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range all {
		if _, ok := r[name]; ok {
			names = append(names, name)
		}
	}
	if len(names) != len(r) {
		return nil, errors.New("there are columns that this program does not know: it was written by a newer version")
	}
	return names, nil
}

// insertRecord stores the columns of a record. It refuses a number that is not whole.
func (tx *Tx) insertRecord(table string, columns []string, r map[string]any) error {
	var p sqldb.Params
	values := make([]any, len(columns))
	for i, name := range columns {
		values[i] = r[name]
		if n, ok := r[name].(json.Number); ok {
			whole, err := n.Int64()
			if err != nil {
				return fmt.Errorf("/%s must be a whole number, not %s", name, n)
			}
			values[i] = whole
		}
	}
	return tx.db.Exec("INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES "+sqldb.In(&p, values), p.Args...)
}
