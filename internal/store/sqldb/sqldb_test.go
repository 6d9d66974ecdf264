package sqldb_test

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/store/sqldb"
	"bugslice/internal/store/storetest"
)

// engines runs a test on an empty database of each engine.
func engines(t *testing.T, test func(t *testing.T, o sqldb.Options)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, sqldb.Options{Path: filepath.Join(t.TempDir(), "test.db")})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		url, err := storetest.Database()
		must(t, err)
		test(t, sqldb.Options{URL: url})
	})
}

// tx is a transaction with the numbers that its writes leave to the end.
type tx = sqldb.Tx[[]int]

// open opens a database with a table t of numbers n, each of which may be there once.
func open(t *testing.T, o sqldb.Options, last func(*tx) error) *sqldb.DB[[]int] {
	t.Helper()
	d, err := sqldb.Open(o, last)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	must(t, d.Write(t.Context(), func(tx *tx) error { return tx.Exec("CREATE TABLE t (n BIGINT UNIQUE)") }))
	return d
}

func insert(tx *tx, n int) error { return tx.Exec("INSERT INTO t (n) VALUES ($1)", n) }

func numbers(t *testing.T, x *sqldb.Executor) []int {
	t.Helper()
	all, err := sqldb.List(x, sqldb.ScanOne[int], "SELECT n FROM t ORDER BY n")
	must(t, err)
	return all
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPendingIsWrittenLast: the function of Open gets what the writes of a transaction have left to it, and nothing
// of those that failed, whether they had written or not.
func TestPendingIsWrittenLast(t *testing.T) {
	engines(t, func(t *testing.T, o sqldb.Options) {
		d := open(t, o, func(tx *tx) error {
			for _, n := range tx.Pending {
				if err := insert(tx, n); err != nil {
					return err
				}
			}
			return nil
		})
		errOops := errors.New("oops")
		var want []int
		var work sync.WaitGroup
		for i := range 60 {
			if i%3 == 0 {
				want = append(want, i, 100+i)
			}
			work.Go(func() {
				err := d.Write(t.Context(), func(tx *tx) error {
					tx.Pending = append(tx.Pending, 100+i)
					if i%3 == 1 {
						return errOops
					}
					if err := insert(tx, i); err != nil {
						return err
					}
					if i%3 == 2 {
						panic("after a write")
					}
					return nil
				})
				if (err == nil) != (i%3 == 0) || i%3 == 1 && !errors.Is(err, errOops) {
					t.Errorf("write %d: %v", i, err)
				}
			})
		}
		work.Wait()
		slices.Sort(want)
		assert.Equal(t, "numbers", numbers(t, d.Read(t.Context())), want)
	})
}

// TestFailureAtTheEnd: when the function of Open fails, nothing is written.
func TestFailureAtTheEnd(t *testing.T) {
	engines(t, func(t *testing.T, o sqldb.Options) {
		errLast := errors.New("last")
		d := open(t, o, func(tx *tx) error {
			if len(tx.Pending) > 0 {
				return errLast
			}
			return nil
		})
		err := d.Write(t.Context(), func(tx *tx) error {
			tx.Pending = []int{1}
			return insert(tx, 1)
		})
		if !errors.Is(err, errLast) {
			t.Errorf("%v, want the error of the last function", err)
		}
		assert.Equal(t, "numbers", numbers(t, d.Read(t.Context())), []int(nil))
	})
}

// TestPartsOfTransactions: an Attempt and a Savepoint that fail take back what they have left to the end, and a
// Savepoint what it has written.
func TestPartsOfTransactions(t *testing.T) {
	engines(t, func(t *testing.T, o sqldb.Options) {
		var pending []int
		d := open(t, o, func(tx *tx) error {
			pending = tx.Pending
			return nil
		})
		errOops := errors.New("oops")
		must(t, d.Write(t.Context(), func(tx *tx) error {
			leave := func(n int, write bool, err error) func() error {
				return func() error {
					tx.Pending = append(tx.Pending, n)
					if write {
						must(t, insert(tx, n))
					}
					return err
				}
			}
			must(t, insert(tx, 0))
			if wrote, err := tx.Attempt(leave(1, false, errOops)); wrote || !errors.Is(err, errOops) {
				t.Errorf("an attempt that has not written: %t, %v", wrote, err)
			}
			if wrote, err := tx.Attempt(leave(2, true, nil)); !wrote || err != nil {
				t.Errorf("an attempt that has written: %t, %v", wrote, err)
			}
			if failed, err := tx.Savepoint(leave(3, true, errOops)); !errors.Is(failed, errOops) || err != nil {
				t.Errorf("a savepoint that fails: %v, %v", failed, err)
			}
			if failed, err := tx.Savepoint(leave(4, true, nil)); failed != nil || err != nil {
				t.Errorf("a savepoint: %v, %v", failed, err)
			}
			return nil
		}))
		assert.Equal(t, "left to the end", pending, []int{2, 4})
		assert.Equal(t, "numbers", numbers(t, d.Read(t.Context())), []int{0, 2, 4})
	})
}

// TestConflictRunsAgain: a closure that returns ErrConflict runs again, and what it has written before is undone.
func TestConflictRunsAgain(t *testing.T) {
	engines(t, func(t *testing.T, o sqldb.Options) {
		d := open(t, o, nil)
		runs := 0
		must(t, d.Write(t.Context(), func(tx *tx) error {
			if runs++; runs < 3 {
				return errors.Join(insert(tx, 1), sqldb.ErrConflict)
			}
			return insert(tx, 2)
		}))
		assert.Equal(t, "runs", runs, 3)
		assert.Equal(t, "numbers", numbers(t, d.Read(t.Context())), []int{2})
	})
}

// TestWriterWaitsForAnother: a process whose database another one keeps locked for seconds waits and writes.
func TestWriterWaitsForAnother(t *testing.T) {
	t.Parallel()
	file := sqldb.Options{Path: filepath.Join(t.TempDir(), "bugslice.db")}
	server := open(t, file, nil)
	command, err := sqldb.Open[[]int](file, nil)
	must(t, err)
	t.Cleanup(func() { must(t, command.Close()) })
	locked, done := make(chan struct{}), make(chan error)
	go func() {
		done <- server.Write(t.Context(), func(tx *tx) error {
			close(locked)
			time.Sleep(7 * time.Second)
			return insert(tx, 1)
		})
	}()
	<-locked
	must(t, command.Write(t.Context(), func(tx *tx) error { return insert(tx, 2) }))
	must(t, <-done)
	assert.Equal(t, "numbers", numbers(t, server.Read(t.Context())), []int{1, 2})
}

// TestSnapshot: statements of a snapshot do not see later commits, and those of Read do.
func TestSnapshot(t *testing.T) {
	engines(t, func(t *testing.T, o sqldb.Options) {
		d := open(t, o, nil)
		must(t, d.Snapshot(t.Context(), func(x *sqldb.Executor) error {
			before := numbers(t, x)
			must(t, d.Write(t.Context(), func(tx *tx) error { return insert(tx, 1) }))
			assert.Equal(t, "as of one instant", numbers(t, x), before)
			return nil
		}))
		assert.Equal(t, "afterwards", numbers(t, d.Read(t.Context())), []int{1})
	})
}

// TestErrors: errors of both databases have the same types.
func TestErrors(t *testing.T) {
	engines(t, func(t *testing.T, o sqldb.Options) {
		o.Indexes = map[string]string{"t.n": "t_n_key"}
		d := open(t, o, nil)
		var taken *sqldb.UniqueViolationError
		err := d.Write(t.Context(), func(tx *tx) error { return errors.Join(insert(tx, 1), insert(tx, 1)) })
		if !errors.As(err, &taken) || taken.Index != "t_n_key" {
			t.Errorf("%v, want a unique violation of t_n_key", err)
		}
		if _, err := sqldb.One(d.Read(t.Context()), sqldb.ScanOne[int], "SELECT n FROM t"); !errors.Is(err,
			sqldb.ErrNotFound) {
			t.Errorf("%v, want ErrNotFound", err)
		}
		isOver, err := d.Read(t.Context()).Within(10*time.Millisecond, func(x *sqldb.Executor) error {
			_, err := sqldb.One(x, sqldb.ScanOne[int], `WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000000000)
				SELECT max(n) FROM c`)
			return err
		})
		if !isOver || err == nil {
			t.Errorf("a query that takes long: %t, %v", isOver, err)
		}
		o.ReadOnly = true
		reader, err := sqldb.Open[[]int](o, nil)
		must(t, err)
		defer func() { must(t, reader.Close()) }()
		if err := reader.Write(t.Context(), func(*tx) error { return nil }); !errors.Is(err, sqldb.ErrReadOnly) {
			t.Errorf("%v, want ErrReadOnly", err)
		}
	})
}

// TestNotifyOnCommit: a commit wakes who waits for it when its transaction says so.
func TestNotifyOnCommit(t *testing.T) {
	engines(t, func(t *testing.T, o sqldb.Options) {
		d := open(t, o, nil)
		commits := d.Commits()
		must(t, d.Write(t.Context(), func(tx *tx) error { return insert(tx, 1) }))
		select {
		case <-commits:
			t.Error("a commit is broadcast that should not be")
		default:
		}
		must(t, d.Write(t.Context(), func(tx *tx) error {
			tx.NotifyOnCommit()
			return insert(tx, 2)
		}))
		select {
		case <-commits:
		case <-time.After(10 * time.Second):
			t.Error("a commit is not broadcast")
		}
	})
}

// TestSchema: a database is migrated step by step, with the words of its engine.
func TestSchema(t *testing.T) {
	engines(t, func(t *testing.T, o sqldb.Options) {
		files := fstest.MapFS{
			"migrations/00001_a.sql": {Data: []byte("-- +goose Up\nCREATE TABLE a (n {{number}});")},
			"migrations/00002_b.sql": {Data: []byte("-- +goose Up\nCREATE TABLE b (n {{number}});")},
		}
		schema := sqldb.Schema{Files: files,
			Words: map[string]map[string]string{"sqlite": {"number": "INTEGER"}, "postgres": {"number": "BIGINT"}}}
		newest, err := schema.Newest()
		must(t, err)
		assert.Equal(t, "newest", newest, int64(2))
		version := func() int64 {
			d, err := sqldb.Open[[]int](o, nil)
			must(t, err)
			defer func() { must(t, d.Close()) }()
			v, err := d.Read(t.Context()).Version()
			must(t, err)
			return v
		}
		exists, err := sqldb.Exists(t.Context(), o)
		must(t, err)
		assert.Equal(t, "exists", exists, false)
		for _, step := range []struct{ to, applied, version int64 }{{1, 1, 1}, {2, 1, 2}, {2, 0, 2}, {1, 0, 2}} {
			m, err := schema.Migrator(o)
			must(t, err)
			applied, err := m.Migrate(t.Context(), step.to)
			m.Close()
			must(t, err)
			assert.Equal(t, "applied", int64(applied), step.applied)
			assert.Equal(t, "version", version(), step.version)
		}
		exists, err = sqldb.Exists(t.Context(), o)
		must(t, err)
		assert.Equal(t, "exists", exists, true)
	})
}
