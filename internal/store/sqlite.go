package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"bugslice/internal/store/termindex"
)

func sqliteFact(name string) string { return "json_extract(NULLIF(environment, ''), '$." + name + "')" }

var sqliteEngine = engine{
	name: "sqlite",
	types: map[string]string{
		"release":  sqliteFact("release"),
		"browser":  sqliteFact("browser"),
		"os":       sqliteFact("os"),
		"viewport": sqliteFact("viewport"),
		"members":  "row, id, workspace_id, status, priority",
		"include":  "", // an index has the row
		"key":      "TEXT",
		"cluster":  " WITHOUT ROWID", // stores the rows in the order of the primary key
		"row":      "INTEGER PRIMARY KEY AUTOINCREMENT",
		"rowid":    "INTEGER",
		"terms":    termindex.SQLite.Definition,
		"drop":     "",
		"listed":   ", version, space_id", // what a list reads of a slice that is cached
		"search": "CREATE VIRTUAL TABLE slice_search USING fts5 " +
			"(words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'none');",
	},
	lower: "lower(%s)",
	terms: termindex.SQLite,
	joined: func(rows, columns, where string) string {
		return "SELECT " + columns + " FROM (" + rows + ") AS m CROSS JOIN slices s WHERE s.row = m.row AND " + where
	},
	forEach: func(workspaces []string, text func(string) string) string {
		scans := make([]string, len(workspaces))
		for i, w := range workspaces {
			scans[i] = fmt.Sprintf("SELECT * FROM (%s) AS w%d", text(w), i)
		}
		return strings.Join(scans, " UNION ALL ")
	},
	rowsTo:    "json_group_array(row)",
	rowsOf:    "SELECT value AS row FROM json_each(%s)",
	rowsTable: valuesTable,
	rowsChunk: valuesChunk,

	migrated: "EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'goose_db_version')",
	size:     "(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)",
	classify: classifySQLite,
	compact:  []string{"VACUUM"},
}

// lockWait is the time for which a connection waits for a lock that another one has.
const lockWait = 5 * time.Second

// openSQLite opens the file with a pool of readers and one writer. With synchronous=FULL and a write-ahead log, a
// commit is on disk when it returns.
func openSQLite(path string) (*Store, error) {
	db, err := sql.Open("sqlite", sqliteDSN(path, lockWait, "query_only(1)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	wdb, err := sql.Open("sqlite", sqliteDSN(path, lockWait, "foreign_keys(1)", fmt.Sprintf("wal_autocheckpoint(%d)", maxLogPages)))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	wdb.SetMaxOpenConns(1)
	ldb, err := sql.Open("sqlite", sqliteDSN(path, checkpointWait, "query_only(1)"))
	if err != nil {
		return nil, errors.Join(err, db.Close(), wdb.Close())
	}
	s := &Store{engine: &sqliteEngine, db: newCachingPool(db, &sqliteEngine)}
	log := newCheckpointer(newCachingPool(ldb, &sqliteEngine))
	w := newWriter(newCachingPool(wdb, &sqliteEngine), s.commits.raise, func() { log.committed(pagesWritten(wdb)) })
	s.write, s.queued = w.write, func() int { return len(w.requests) }
	s.compact = func(ctx context.Context, statements []string) error {
		if err := w.db.runEach(ctx, statements); err != nil {
			return err
		}
		return log.truncate(ctx)
	}
	s.origin = func(context.Context) (string, error) { return fileIdentity(path) }
	s.close = func() error {
		w.stop()
		return errors.Join(log.close(), s.db.close(), w.db.close())
	}
	return s, nil
}

// pagesWritten returns the number of pages that the one connection of a database has written since the last call.
func pagesWritten(db *sql.DB) (pages int) {
	conn, err := db.Conn(context.Background())
	if err != nil {
		return 0
	}
	defer func() { _ = conn.Close() }()
	_ = conn.Raw(func(c any) (err error) {
		pages, _, err = c.(sqlite.DBStatus).Status(sqlite.DBStatusCacheWrite, true)
		return err
	})
	return pages
}

// sqliteDSN returns the name of connections to a file that wait for a lock for at most some time.
func sqliteDSN(path string, wait time.Duration, pragmas ...string) string {
	timeout := fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())
	q := url.Values{"_pragma": append([]string{timeout, "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-32000)",
		"mmap_size(2147418112)", "temp_store(MEMORY)", "journal_size_limit(67108864)"}, pragmas...)}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

var uniqueColumns = regexp.MustCompile(`UNIQUE constraint failed: ([a-z_.]+(?:, [a-z_.]+)*)`)

// sqliteIndexes are the unique indexes that callers branch on, by the columns that SQLite reports.
var sqliteIndexes = map[string]string{
	"slices.workspace_id, slices.external_id": IndexExternalID,
	"slices.workspace_id, slices.fingerprint": IndexFingerprint,
	"users.email": IndexEmail,
}

// classifySQLite returns this package's error for one of SQLite, nil if it has none.
func classifySQLite(err error) error {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return nil
	}
	switch se.Code() & 0xff {
	case lib.SQLITE_CONSTRAINT:
		if m := uniqueColumns.FindStringSubmatch(se.Error()); m != nil {
			if name, ok := sqliteIndexes[m[1]]; ok {
				return &UniqueViolationError{Index: name}
			}
			return &UniqueViolationError{Index: m[1]}
		}
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_READONLY, lib.SQLITE_NOMEM:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}
