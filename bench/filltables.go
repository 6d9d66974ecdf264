package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

// filler writes to the database of an instance that is not served, past the server.
type filler interface {
	exec(statement string) error
	query(statement string) ([]string, error)           // the values of one column
	table(name string, columns ...string) (rows, error) // several may be open at once
	indexes() string                                    // queries the name of each index that no constraint needs, and its DDL, in one line
	restart() error                                     // commits
	close() error
}

// rows are the rows of a table that are written.
type rows interface {
	add(values ...any) error
	close() error
}

func (in instance) filler(ctx context.Context, o options) (filler, error) {
	if in.database != "" {
		return postgresFiller{ctx, in.database}, nil
	}
	file := filepath.Join(o.dir, "data-"+in.name, "bugslice.db")
	db, err := sql.Open("sqlite", "file:"+file+
		"?_pragma=journal_mode(MEMORY)&_pragma=synchronous(OFF)&_pragma=cache_size(-500000)"+
		"&_pragma=temp_store(MEMORY)&_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	f := sqliteFiller{ctx, db}
	return f, f.exec("BEGIN")
}

type sqliteFiller struct {
	ctx context.Context
	db  *sql.DB // with one connection, which is in a transaction
}

func (f sqliteFiller) exec(statement string) error {
	_, err := f.db.ExecContext(f.ctx, statement)
	return err
}

func (f sqliteFiller) query(statement string) (all []string, err error) {
	rows, err := f.db.QueryContext(f.ctx, statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

func (f sqliteFiller) table(name string, columns ...string) (rows, error) {
	s, err := f.db.PrepareContext(f.ctx,
		fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)", name, strings.Join(columns, ", "),
			strings.Repeat(", ?", len(columns)-1)))
	return sqliteRows{f.ctx, s}, err
}

func (f sqliteFiller) indexes() string {
	return "SELECT name || ' ' || replace(sql, char(10), ' ') FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = "
}

func (f sqliteFiller) restart() error { return errors.Join(f.exec("COMMIT"), f.exec("BEGIN")) }

func (f sqliteFiller) close() error {
	return errors.Join(f.exec("COMMIT"), f.exec("PRAGMA journal_mode = DELETE"), f.db.Close())
}

type sqliteRows struct {
	ctx context.Context
	*sql.Stmt
}

func (r sqliteRows) add(values ...any) error {
	_, err := r.ExecContext(r.ctx, values...)
	return err
}

func (r sqliteRows) close() error { return r.Close() }

type postgresFiller struct {
	ctx      context.Context
	database string
}

// psql returns a command that runs statements of a session that checks no foreign key.
func (f postgresFiller) psql(args ...string) *exec.Cmd {
	session := []string{f.database, "-XqAt", "-v", "ON_ERROR_STOP=1",
		"-c", "SET session_replication_role = replica; SET synchronous_commit = off; SET maintenance_work_mem = '512MB'"}
	return exec.CommandContext(f.ctx, "psql", append(session, args...)...)
}

func (f postgresFiller) exec(statement string) error {
	_, err := f.query(statement)
	return err
}

func (f postgresFiller) query(statement string) ([]string, error) {
	out, err := f.psql("-c", statement).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", statement, err, out)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), nil
}

func (f postgresFiller) table(name string, columns ...string) (rows, error) {
	r := &postgresRows{cmd: f.psql("-c", fmt.Sprintf("COPY %s (%s) FROM STDIN", name, strings.Join(columns, ", ")))}
	r.cmd.Stderr = &r.errors
	var err error
	if r.input, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return r, r.cmd.Start()
}

func (f postgresFiller) indexes() string {
	return `SELECT i.indexname || ' ' || replace(i.indexdef, chr(10), ' ') FROM pg_indexes i
		WHERE NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conname = i.indexname) AND i.tablename = `
}

func (f postgresFiller) restart() error { return nil }

func (f postgresFiller) close() error { return nil }

// postgresRows are rows in the text format of COPY.
type postgresRows struct {
	cmd    *exec.Cmd
	input  io.WriteCloser
	errors bytes.Buffer
	buffer []byte
}

var escapeCopy = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`)

func (r *postgresRows) add(values ...any) error {
	for i, v := range values {
		if i > 0 {
			r.buffer = append(r.buffer, '\t')
		}
		switch v := v.(type) {
		case nil:
			r.buffer = append(r.buffer, `\N`...)
		case string:
			r.buffer = append(r.buffer, escapeCopy.Replace(v)...)
		case int64:
			r.buffer = strconv.AppendInt(r.buffer, v, 10)
		case int:
			r.buffer = strconv.AppendInt(r.buffer, int64(v), 10)
		default:
			return fmt.Errorf("a value of the type %T", v)
		}
	}
	r.buffer = append(r.buffer, '\n')
	if len(r.buffer) < 1<<16 {
		return nil
	}
	return r.flush()
}

func (r *postgresRows) flush() error {
	_, err := r.input.Write(r.buffer)
	r.buffer = r.buffer[:0]
	return err
}

func (r *postgresRows) close() error {
	err := errors.Join(r.flush(), r.input.Close(), r.cmd.Wait())
	if err != nil {
		err = fmt.Errorf("%w: %s", err, r.errors.String())
	}
	return err
}
