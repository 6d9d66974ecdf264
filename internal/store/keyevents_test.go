package store_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/internal/id"
	"bugslice/internal/store"
)

// fillEvents inserts events of a busy key and of one that has caused a few of them.
var fillEvents = map[string]string{
	"sqlite": `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2) ` + insertEvents +
		` FROM n`,
	"pgx": insertEvents + ` FROM generate_series(1, CAST($2 AS BIGINT)) AS n (i)`,
}

const insertEvents = `INSERT INTO events (id, org_id, type, actor_type, actor_key_id, subject_kind, subject_id, data, created_at)
	SELECT CAST($1 AS TEXT) || CAST(1000000000 + i AS TEXT), 'org', 'slice.created', 'user',
		CASE WHEN i % 2000 = 0 THEN 'key_quiet' ELSE 'key_busy' END, 'slice', 'slc_none', '{}', 0`

// rawDatabase opens the database of a store for statements of a test.
func rawDatabase(t *testing.T, o store.Options) (db *sql.DB, driver string) {
	t.Helper()
	driver, source := "sqlite", o.Path
	if o.URL != "" {
		driver, source = "pgx", o.URL
	}
	db, err := sql.Open(driver, source)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db, driver
}

// plan returns the plan of a statement.
func plan(t *testing.T, db *sql.DB, driver, text string, args ...any) string {
	t.Helper()
	explain := map[string]string{"sqlite": "EXPLAIN QUERY PLAN ", "pgx": "EXPLAIN "}[driver]
	rows, err := db.Query(explain+text, args...)
	must(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(t, err)
	var all strings.Builder
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		must(t, rows.Scan(values...))
		fmt.Fprintln(&all, *values[len(values)-1].(*any))
	}
	must(t, rows.Err())
	return all.String()
}

// TestKeyEventsAreIndexed: the newest events of a key are read by an index in the order of their ids, whether the key
// has caused most events or few. Their number is that of the limit, not that of the table.
func TestKeyEventsAreIndexed(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		db, driver := rawDatabase(t, o)
		_, err := db.Exec(fillEvents[driver], string(id.Event)+"_", 20_000)
		must(t, err)
		_, err = db.Exec("ANALYZE")
		must(t, err)
		for key, want := range map[string]int{"key_busy": 50, "key_quiet": 10, "key_none": 0} {
			got := plan(t, db, driver, store.KeyEventsQuery, key, "~", 50)
			if !strings.Contains(got, "events_by_key") || strings.Contains(got, "Seq Scan on events") ||
				strings.Contains(got, "SCAN events") {
				t.Errorf("%s: %s", key, got)
			}
			started := time.Now()
			events, err := s.Read(t.Context()).KeyEvents(key, "~", 50)
			must(t, err)
			if took := time.Since(started); len(events) != want || took > time.Second {
				t.Errorf("%s: %d events, want %d, after %s", key, len(events), want, took)
			}
			for i := 1; i < len(events); i++ {
				if events[i].ID >= events[i-1].ID {
					t.Errorf("%s: %s is not before %s", key, events[i].ID, events[i-1].ID)
				}
			}
		}
	})
}
