package sqldb

import (
	"cmp"
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
)

var sqliteEngine = Engine{
	Name:       "sqlite",
	IsEmbedded: true,
	ForEach: func(values []string, text func(string) string) string {
		scans := make([]string, len(values))
		for i, v := range values {
			scans[i] = fmt.Sprintf("SELECT * FROM (%s) AS w%d", text(v), i)
		}
		return strings.Join(scans, " UNION ALL ")
	},
	Merged: func(values []string, text func(string) string, _ string) string { // reads the rows while it merges them
		scans := make([]string, len(values))
		for i, v := range values {
			scans[i] = text(v)
		}
		return strings.Join(scans, " UNION ALL ")
	},
	Joined: func(rows, table, columns, where string) string {
		return "SELECT " + columns + " FROM (" + rows + ") AS m CROSS JOIN " + table + " s WHERE s.row = m.row AND " +
			where
	},
	Numbers:   "json_group_array(row)",
	numbers:   "SELECT value AS row FROM json_each(%s)",
	lower:     "lower(%s)",
	rowsTable: valuesTable,
	rowsChunk: valuesChunk,

	migrated: "EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'goose_db_version')",
	Size:     "(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)",
}

// lockWait is the time for which a connection waits for a lock that another one has. It is as long as PostgreSQL lets a
// transaction idle: a command beside a busy server gets its turn by chance between two of its commits.
const lockWait = 30 * time.Second

// openSQLite opens the file with a pool of readers and one writer. With synchronous=FULL and a write-ahead log, a
// commit is on disk when it returns.
func openSQLite[P any](o Options, last func(*Tx[P]) error) (*DB[P], error) {
	db, err := sql.Open("sqlite", sqliteDSN(o.Path, lockWait, "query_only(1)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	wdb, err := sql.Open("sqlite", sqliteDSN(o.Path, lockWait, "foreign_keys(1)",
		fmt.Sprintf("wal_autocheckpoint(%d)", maxLogPages)))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	wdb.SetMaxOpenConns(1)
	ldb, err := sql.Open("sqlite", sqliteDSN(o.Path, checkpointWait, "query_only(1)"))
	if err != nil {
		return nil, errors.Join(err, db.Close(), wdb.Close())
	}
	engine := sqliteEngine
	engine.classify = func(err error) error { return classifySQLite(err, o.Indexes) }
	d := &DB[P]{engine: &engine, db: newCachingPool(db, &engine)}
	log := newCheckpointer(newCachingPool(ldb, &engine))
	w := &writer[P]{db: newCachingPool(wdb, &engine), last: last, notify: d.commits.raise,
		committed: func() { log.committed(pagesWritten(wdb)) }}
	w.start()
	d.write, d.queued = w.write, func() int { return len(w.requests) }
	d.compact = func(ctx context.Context, _ []string) error {
		if err := w.db.run(ctx, "VACUUM"); err != nil {
			return err
		}
		return log.truncate(ctx)
	}
	d.origin = func(context.Context) (string, error) { return fileIdentity(o.Path) }
	d.close = func() error {
		w.stop()
		return errors.Join(log.close(), d.db.close(), w.db.close())
	}
	return d, nil
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

// sqliteDSN returns the data source name of a file. Its connections wait for a lock for at most wait, and run pragmas
// last. cache_size is in KiB when negative; mmap_size is the greatest that SQLite allows; journal_size_limit is 64
// MiB.
func sqliteDSN(path string, wait time.Duration, pragmas ...string) string {
	timeout := fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())
	q := url.Values{"_pragma": append([]string{timeout, "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-32000)",
		"mmap_size(2147418112)", "temp_store(MEMORY)", "journal_size_limit(67108864)"}, pragmas...)}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

var uniqueColumns = regexp.MustCompile(`UNIQUE constraint failed: ([a-z_.]+(?:, [a-z_.]+)*)`)

// classifySQLite returns this package's error for one of SQLite, nil if it has none. indexes are the names of indexes
// by their columns.
func classifySQLite(err error, indexes map[string]string) error {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return nil
	}
	switch se.Code() & 0xff {
	case lib.SQLITE_CONSTRAINT:
		if m := uniqueColumns.FindStringSubmatch(se.Error()); m != nil {
			return &UniqueViolationError{Index: cmp.Or(indexes[m[1]], m[1])}
		}
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_BUSY, lib.SQLITE_LOCKED,
		lib.SQLITE_READONLY, lib.SQLITE_NOMEM:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}
