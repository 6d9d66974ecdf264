package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

var postgresEngine = Engine{
	Name: "postgres",

	LockRow:    " FOR NO KEY UPDATE",
	LockShare:  " FOR SHARE",
	LockParent: "FOR NO KEY UPDATE OF w SKIP LOCKED",
	SkipLocked: "FOR UPDATE SKIP LOCKED",

	DropsAtOnce: true,
	Size:        "pg_database_size(current_database())",

	ForEach: forEachLateral,
	Merged: func(values []string, text func(string) string, first string) string {
		return "SELECT * FROM (" + forEachLateral(values, func(v string) string { return text(v) + first }) + ") AS m"
	},
	// The planner would join the rows, of which it knows nothing, with the whole table: OFFSET makes it read each row
	// by its number.
	Joined: func(rows, table, columns, where string) string {
		return "WITH m AS MATERIALIZED (" + rows + ") SELECT " + columns +
			" FROM m CROSS JOIN LATERAL (SELECT * FROM " + table + " s WHERE s.row = m.row OFFSET 0) AS s WHERE " +
			where
	},
	Numbers: "CAST(json_agg(row) AS TEXT)",
	lower:   `lower(%s COLLATE "C")`,
	numbers: "SELECT CAST(value AS BIGINT) AS row FROM json_array_elements_text(CAST(%s AS JSON)) AS d (value)",

	rowsTable: jsonTable,
	rowsChunk: jsonChunk,

	classify: classifyPostgres,

	migrated: "to_regclass('goose_db_version') IS NOT NULL",
	analyze:  "ANALYZE",
	lockKeys: "SELECT 1 FROM (SELECT pg_advisory_xact_lock(k::bigint) " +
		"FROM json_array_elements_text(($1)::text::json) AS k OFFSET 0) AS l",

	snapshot: "SET LOCAL " + idleTimeout + " = 0",
	clock:    "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
}

// forEachLateral returns the rows of a SELECT for each value. It is planned once, and a UNION once for each of them.
// The planner takes an array of one value for an order by values, and not for a constant, so that it needs an index
// that begins with the value.
func forEachLateral(values []string, text func(value string) string) string {
	return "SELECT r.* FROM (VALUES (" + strings.Join(values, "), (") + ")) AS w (id) CROSS JOIN LATERAL (" +
		text("ANY (ARRAY[w.id])") + ") AS r"
}

// openPostgres opens a pool of connections. The driver caches prepared statements.
func openPostgres[P any](url string, last func(*Tx[P]) error) (*DB[P], error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL is not valid: %w", redactURL(err, url))
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(setUpConnection))
	db.SetMaxOpenConns(32)
	db.SetMaxIdleConns(32)
	db.SetConnMaxLifetime(30 * time.Minute)
	snapshot := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	p := &pool{db: db, engine: &postgresEngine, snapshot: snapshot}
	d := &DB[P]{engine: p.engine, db: p, close: p.close, queued: func() int { return 0 }}
	d.write = func(ctx context.Context, fn func(*Tx[P]) error) error { return d.writePostgres(ctx, fn, last) }
	d.origin = func(ctx context.Context) (string, error) { return One(p.executor(ctx), ScanOne[string], clusterOrigin) }
	d.compact = func(ctx context.Context, tables []string) error {
		return p.run(ctx, "VACUUM "+strings.Join(tables, ", "))
	}
	return d, nil
}

const idleTimeout = "idle_in_transaction_session_timeout"

// setUpConnection turns the compilation of queries off, which takes 100 ms and more for each, and their parallel
// execution, which starts processes for 10 ms and more: it is not for queries that run that long. PostgreSQL ends the
// transaction of a node that hangs or is gone after 30 s, or as long as the URL says, because others wait for its
// locks. Where the server can, it ends a statement whose node is gone: the statement would go on, and fill the disk.
func setUpConnection(ctx context.Context, c *pgx.Conn) error {
	settings := "SET jit = off; SET max_parallel_workers_per_gather = 0"
	if c.Config().RuntimeParams[idleTimeout] == "" {
		settings += "; SET " + idleTimeout + " = '30s'"
	}
	if _, err := c.Exec(ctx, settings); err != nil {
		return err
	}
	var refused *pgconn.PgError
	if _, err := c.Exec(ctx, "SET client_connection_check_interval = '10s'"); !errors.As(err, &refused) {
		return err
	}
	return nil // a platform without such checks
}

// clusterOrigin selects the cluster, which is not part of a dump; the timeline, which changes when a server is
// promoted or restored from an archive; and the database in the cluster.
const clusterOrigin = `SELECT c.system_identifier::text || '/' || t.timeline_id::text || '/' || d.oid::text
	FROM pg_control_system() c, pg_control_checkpoint() t, pg_database d WHERE d.datname = current_database()`

// redactURL removes a password from an error.
func redactURL(err error, url string) error {
	if strings.Contains(err.Error(), url) {
		return errors.New("cannot be parsed; expected postgres://user:password@host:port/database")
	}
	return err
}

// writePostgres runs fn and last at READ COMMITTED. A deadlock or a serialization failure is an ErrConflict.
func (d *DB[P]) writePostgres(ctx context.Context, fn, last func(*Tx[P]) error) error {
	var tx *Tx[P]
	err := d.db.transaction(ctx, nil, func(x *Executor) error {
		tx = &Tx[P]{Executor: x}
		if err := recovered(func() error { return fn(tx) }); err != nil {
			return err
		}
		return last(tx)
	})
	if err != nil {
		return err
	}
	if tx.notify {
		d.commits.raise()
	}
	return nil
}

// classifyPostgres returns this package's error for one of PostgreSQL or of the connection to it, nil if it has none.
func classifyPostgres(err error) error {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return classifyCode(pe)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if isConnectionError(err) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// classifyCode returns this package's error for an error code of PostgreSQL, nil if it has none.
func classifyCode(err *pgconn.PgError) error {
	switch class := err.Code[:min(2, len(err.Code))]; {
	case err.Code == "23505": // unique_violation
		return &UniqueViolationError{Index: err.ConstraintName}
	case err.Code == "40001", err.Code == "40P01": // serialization_failure, deadlock_detected
		return fmt.Errorf("%w: %w", ErrConflict, err)
	case class == "08", class == "53", class == "58", // connection exception, insufficient resources, system error
		strings.HasPrefix(err.Code, "57P"), // shutdown
		err.Code == "25006",                // read_only_sql_transaction, on a standby
		err.Code == "25P03":                // idle_in_transaction_session_timeout
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// isConnectionError reports whether the connection failed. The driver has no type for some of these errors.
func isConnectionError(err error) bool {
	var netError net.Error
	var connectError *pgconn.ConnectError
	if errors.As(err, &netError) || errors.As(err, &connectError) || errors.Is(err, sql.ErrConnDone) ||
		pgconn.SafeToRetry(err) {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "unexpected EOF") || strings.Contains(text, "conn closed") ||
		strings.Contains(text, "bad connection")
}
