package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"bugslice/api"
)

// tables are what a dump holds, in the order that references ask for. The search index is
// made anew; jobs and idempotency keys belong to the instance that wrote them, as do its tie to the
// storage of files and what it recorded as unreferenced there.
var tables = []string{"organizations", "users", "workspaces", "memberships", "spaces", "slices", "slice_labels", "comments", "attachments", "api_keys", "key_tokens", "events",
	"webhooks", "webhook_secrets", "deliveries", "delivery_attempts"}

// Dump writes every record as of one instant: for each table a stream of JSON objects, a
// line each. It runs beside writers, and what it writes loads into either database. It returns the keys
// of the blobs that the records name.
func (s *Store) Dump(ctx context.Context, entry func(table string) (io.Writer, error)) (blobs []string, err error) {
	err = s.snapshot(ctx, func(q Queries) error {
		for _, table := range tables {
			w, err := entry(table)
			if err != nil {
				return err
			}
			enc := json.NewEncoder(w)
			err = q.db.records("SELECT * FROM "+table, func(r Record) error {
				if table == "attachments" {
					blobs = append(blobs, r.blobs()...)
				}
				return enc.Encode(r)
			})
			if err != nil {
				return fmt.Errorf("dump %s: %w", table, err)
			}
		}
		return nil
	})
	return blobs, err
}

// blobs returns the keys that the record of an attachment names.
func (r Record) blobs() (keys []string) {
	for _, column := range []string{"blob", "thumbnail"} {
		if key, ok := r[column].(string); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// ErrNotEmpty says that a database holds an organisation already.
var ErrNotEmpty = errors.New("the database is not empty")

// Load reads a dump into an empty database: all of it, or nothing. Attachments and thumbnails whose blobs
// are lost are left out, and not counted.
func (s *Store) Load(ctx context.Context, entry func(table string) (io.ReadCloser, error), lost map[string]bool) error {
	return s.Write(ctx, func(tx *Tx) error {
		all, err := tx.Organizations()
		if err != nil {
			return err
		}
		if len(all) > 0 {
			return ErrNotEmpty
		}
		l := loader{tx: tx, lost: lost, lessened: map[string]bool{}}
		for _, table := range tables {
			r, err := entry(table)
			if errors.Is(err, fs.ErrNotExist) { // a backup of before there was this table
				continue
			}
			if err != nil {
				return err
			}
			err = l.table(table, r)
			if err = errors.Join(err, r.Close()); err != nil {
				return fmt.Errorf("load %s: %w", table, err)
			}
		}
		if err := l.recount(); err != nil {
			return err
		}
		return tx.RecountStored() // what the backup has not, as Idempotency-Keys, does not count
	})
}

// loader loads the tables of a dump.
type loader struct {
	tx       *Tx
	lost     map[string]bool
	lessened map[string]bool // workspaces from which attachments were left out
}

// leftOut says whether a record of an attachment is left out, and lets go of a thumbnail that is lost.
func (l *loader) leftOut(record Record) bool {
	if key, ok := record["thumbnail"].(string); ok && l.lost[key] {
		record["thumbnail"] = nil
	}
	key, _ := record["blob"].(string)
	if !l.lost[key] {
		return false
	}
	workspaceID, _ := record["workspace_id"].(string)
	l.lessened[workspaceID] = true
	return true
}

// recount counts the attachments of slices anew in the workspaces from which some were left out.
func (l *loader) recount() error {
	for workspaceID := range l.lessened {
		if err := l.tx.Recount(workspaceID); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) table(table string, r io.Reader) error {
	d := json.NewDecoder(bufio.NewReaderSize(r, 1<<16))
	d.UseNumber()
	var names []string
	for {
		var record map[string]any
		if err := d.Decode(&record); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if names == nil {
			var err error
			if names, err = columnsOf(l.tx, table, record); err != nil {
				return err
			}
		}
		if table == "attachments" && l.leftOut(record) {
			continue
		}
		if err := loadRecord(l.tx, table, names, record); err != nil {
			return err
		}
	}
}

// columnsOf returns the columns of a record, which must all be columns of the table.
func columnsOf(tx *Tx, table string, record map[string]any) ([]string, error) {
	all, err := tx.db.columns(table)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range all {
		if _, ok := record[name]; ok {
			names = append(names, name)
		}
	}
	if len(names) != len(record) {
		return nil, fmt.Errorf("there are columns that this program does not know: it was written by a newer version")
	}
	return names, nil
}

func loadRecord(tx *Tx, table string, names []string, record map[string]any) error {
	var p params
	for _, name := range names {
		v := record[name]
		if n, ok := v.(json.Number); ok {
			i, err := n.Int64()
			if err != nil {
				return fmt.Errorf("/%s must be a whole number, not %s", name, n)
			}
			v = i
		}
		p.add(v)
	}
	marks := make([]string, len(names))
	for i := range marks {
		marks[i] = fmt.Sprintf("$%d", i+1)
	}
	text := "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
	if table != "slices" {
		_, err := tx.db.exec(text, p.args...)
		return err
	}
	row, err := one(tx.db, scanOne[int64], text+" RETURNING row", p.args...)
	if err != nil {
		return err
	}
	f := api.SliceFields{}
	f.Summary, _ = record["summary"].(string)
	symptoms, _ := record["symptoms"].(string)
	if d, ok := record["description"].(string); ok {
		f.Description = &d
	}
	return tx.index(row, Terms(f, symptoms))
}
