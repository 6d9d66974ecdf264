package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// beforeTerms is the last schema without the index of terms.
const beforeTerms = 66

// olderDatabase makes a database of the schema before the index of terms, with a workspace of slices, comments and
// files.
func olderDatabase(t *testing.T, engine string, n int) (o store.Options, workspace string) {
	t.Helper()
	var err error
	if engine == "postgres" {
		o.URL, err = storetest.Database()
		must(t, err)
	} else {
		o.Path = filepath.Join(t.TempDir(), "older.db")
	}
	must(t, store.MigrateTo(t.Context(), o, beforeTerms))
	db, _ := rawDatabase(t, o)
	org := id.New(id.Organization)
	workspace = id.New(id.Workspace)
	execRaw(t, db, "INSERT INTO organizations (id, name, created_at) VALUES ($1, 'o', 1)", org)
	execRaw(t, db, `INSERT INTO workspaces (id, org_id, key, name, time_zone, metadata_keys, redaction, version, created_at, updated_at)
		VALUES ($1, $2, '', 'w', '', '', '', 1, 1, 1)`, workspace, org)
	for i := range n {
		at := time.Date(2026, 3, 1, i, 0, 0, 0, time.UTC)
		sliceID, ms := id.At(id.Slice, at), at.UnixMilli()
		execRaw(t, db, `INSERT INTO slices (id, workspace_id, number, summary, description, status, priority, labels, reporter_type, reporter_name,
				environment, metadata, comment_count, attachment_count, created_at, updated_at, last_seen_at, deleted_at)
			VALUES ($1, $2, $3, $4, 'Ask @ada', 'open', 'high', '["old"]', 'guest', 'G', '{"release":"1.0"}', '', 1, 1, $5, $5, $5, $6)`,
			sliceID, workspace, i+1, fmt.Sprint("older ", i), ms, sql.NullInt64{Int64: ms, Valid: i%10 == 9})
		execRaw(t, db, `INSERT INTO comments (id, slice_id, body, author_type, author_name, created_at, updated_at)
			VALUES ($1, $2, 'a remark', 'guest', 'G', $3, $3)`, id.New(id.Comment), sliceID, ms)
		execRaw(t, db, `INSERT INTO attachments (id, slice_id, workspace_id, kind, name, content_type, size, sha256, blob, stored, creator_type,
				creator_name, created_at, occurrence) VALUES ($1, $2, $3, 'file', 'trace.txt', 'text/plain', 1, '', $1, 1, 'guest', 'G', $4, 1)`,
			id.New(id.Attachment), sliceID, workspace, ms)
		execRaw(t, db, "INSERT INTO slice_labels (slice_id, label) VALUES ($1, 'old')", sliceID)
		execRaw(t, db, "INSERT INTO live_labels (workspace_id, label, slice_id) VALUES ($1, 'old', $2)", workspace,
			sliceID)
	}
	return o, workspace
}

func execRaw(t *testing.T, db *sql.DB, text string, args ...any) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), text, args...)
	must(t, err)
}

// schema returns the names of the tables and indexes of a database.
func schema(t *testing.T, o store.Options) (names []string) {
	t.Helper()
	db, driver := rawDatabase(t, o)
	rows, err := db.QueryContext(t.Context(), map[string]string{
		"sqlite": "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1",
		"pgx":    "SELECT relkind::text || ' ' || relname || ' ' || coalesce(reloptions::text, '') FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
	}[driver])
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		must(t, rows.Scan(&name))
		names = append(names, name)
	}
	must(t, rows.Err())
	return names
}

// TestUpgradeToTheIndex: a database of the schema before the index is migrated, and serves reads and writes while the
// index is built, also by nodes that are killed after any of its transactions. In the end the index and the schema
// are those of a new database.
func TestUpgradeToTheIndex(t *testing.T) {
	engines(t, func(t *testing.T, current *store.Store, currentOptions store.Options) {
		o, workspace := olderDatabase(t, current.Engine(), 50)
		_, err := store.Migrate(t.Context(), o)
		must(t, err)
		transactions, all := 0, store.SliceFilter{Workspaces: []string{workspace}, Limit: 1000}
		for building := true; building; transactions++ {
			s, err := store.Open(o)
			must(t, err)
			must(t, s.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.AdvanceIndex(10); return err }))
			_, err = s.Read(t.Context()).IndexBuild()
			building = !errors.Is(err, store.ErrNotFound)
			fileFor(t, s, workspace, int64(100+transactions), time.Now(), "new")
			listed, err := s.Read(t.Context()).Slices(all)
			must(t, err)
			assert.Equal(t, "slices", len(listed), 45+transactions+1)
			changeSlice(t, s, listed[len(listed)-1-transactions%40].ID,
				func(s *store.Slice) { s.Summary, s.Status = "changed", api.Closed })
			if !building {
				storetest.CheckIndex(t, s)
			}
			must(t, s.Close())
		}
		least := 5
		if current.Engine() == "sqlite" {
			least += 30
		}
		if transactions < least {
			t.Errorf("%d transactions, want at least %d", transactions, least)
		}
		assert.Equal(t, "schema", schema(t, o), schema(t, currentOptions))
	})
}
