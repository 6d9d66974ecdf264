package sqldb_test

import (
	"errors"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/store/sqldb"
	"bugslice/internal/store/storetest"
)

// TestConnectionLostAtCommit: when PostgreSQL ends the connection at a commit, the error says that the change may be
// stored; when it ends it before, nothing is stored.
func TestConnectionLostAtCommit(t *testing.T) {
	t.Parallel()
	url, err := storetest.Database()
	must(t, err)
	d := open(t, sqldb.Options{URL: url}, nil)
	for _, text := range []string{
		"CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$",
		"CREATE CONSTRAINT TRIGGER leave AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION leave()"} {
		must(t, d.Read(t.Context()).Exec(text))
	}
	err = d.Write(t.Context(), func(tx *tx) error { return insert(tx, 1) })
	if !errors.Is(err, sqldb.ErrUncertain) || !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("at the commit: %v, want ErrUncertain", err)
	}
	err = d.Write(t.Context(), func(tx *tx) error { return tx.Exec("SELECT pg_terminate_backend(pg_backend_pid())") })
	if errors.Is(err, sqldb.ErrUncertain) || !errors.Is(err, sqldb.ErrUnavailable) {
		t.Errorf("before the commit: %v, want ErrUnavailable alone", err)
	}
}

// TestNodeThatHangs: PostgreSQL ends the transaction of a node that hangs, which may keep locks that others wait for.
// A snapshot may take its time.
func TestNodeThatHangs(t *testing.T) {
	t.Parallel()
	url, err := storetest.Database()
	must(t, err)
	open(t, sqldb.Options{URL: url}, nil)
	for setting, want := range map[string]string{"": "30s", "&idle_in_transaction_session_timeout=200": "200ms"} {
		d, err := sqldb.Open[[]int](sqldb.Options{URL: url + setting}, nil)
		must(t, err)
		defer func() { must(t, d.Close()) }()
		timeout := func(x *sqldb.Executor) string {
			text, err := sqldb.One(x, sqldb.ScanOne[string],
				"SELECT current_setting('idle_in_transaction_session_timeout')")
			must(t, err)
			return text
		}
		must(t, d.Write(t.Context(), func(tx *tx) error {
			assert.Equal(t, "how long a transaction may wait", timeout(tx.Executor), want)
			interval, err := sqldb.One(tx.Executor, sqldb.ScanOne[string],
				"SELECT current_setting('client_connection_check_interval')")
			assert.Equal(t, "how often a statement looks for its node", interval, "10s")
			return err
		}))
		must(t, d.Snapshot(t.Context(), func(x *sqldb.Executor) error {
			assert.Equal(t, "how long a snapshot may wait", timeout(x), "0")
			return nil
		}))
		if want == "30s" {
			continue
		}
		err = d.Write(t.Context(), func(tx *tx) error {
			must(t, insert(tx, 1))
			time.Sleep(500 * time.Millisecond)
			return insert(tx, 2)
		})
		if !errors.Is(err, sqldb.ErrUnavailable) || errors.Is(err, sqldb.ErrUncertain) {
			t.Errorf("a transaction that waited: %v, want ErrUnavailable", err)
		}
		assert.Equal(t, "numbers", numbers(t, d.Read(t.Context())), []int(nil))
	}
}
