package store_test

import (
	"errors"
	"testing"
	"time"

	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// TestConnectionLostAtCommit: when PostgreSQL ends the connection at a commit, the error says that the change may be stored; when it ends
// it before, nothing is stored.
func TestConnectionLostAtCommit(t *testing.T) {
	t.Parallel()
	o, err := storetest.Migrated("postgres", "")
	must(t, err)
	s, err := store.Open(o)
	must(t, err)
	defer s.Close()
	for _, text := range []string{"CREATE TABLE probe (n INT)",
		"CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$",
		"CREATE CONSTRAINT TRIGGER leave AFTER INSERT ON probe DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION leave()"} {
		must(t, store.Exec(t.Context(), s, text))
	}
	if err := store.ExecWrite(t.Context(), s, "INSERT INTO probe VALUES (1)"); !errors.Is(err, store.ErrUncertain) || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("at the commit: %v, want ErrUncertain", err)
	}
	if err := store.ExecWrite(t.Context(), s, "SELECT pg_terminate_backend(pg_backend_pid())"); errors.Is(err, store.ErrUncertain) || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("before the commit: %v, want ErrUnavailable alone", err)
	}
}

// TestNodeThatHangs: PostgreSQL ends the transaction of a node that hangs, which may keep locks that others wait for. A snapshot may take
// its time.
func TestNodeThatHangs(t *testing.T) {
	t.Parallel()
	o, err := storetest.Migrated("postgres", "")
	must(t, err)
	for setting, want := range map[string]string{"": "30s", "&idle_in_transaction_session_timeout=200": "200ms"} {
		hasty := o
		hasty.URL += setting
		s, err := store.Open(hasty)
		must(t, err)
		defer s.Close()
		if write, snapshot := store.IdleTimeouts(t.Context(), s); write != want || snapshot != "0" {
			t.Errorf("a transaction may wait for %q, a snapshot for %q; want %q and 0", write, snapshot, want)
		}
		if want == "30s" {
			continue
		}
		must(t, store.Exec(t.Context(), s, "CREATE TABLE probe (n INT)"))
		err = s.Write(t.Context(), func(tx *store.Tx) error {
			must(t, store.ExecIn(tx, "INSERT INTO probe VALUES (1)"))
			time.Sleep(500 * time.Millisecond)
			return store.ExecIn(tx, "INSERT INTO probe VALUES (2)")
		})
		if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUncertain) {
			t.Errorf("a transaction that waited: %v, want ErrUnavailable", err)
		}
		if n, err := store.CountRows(t.Context(), s, "probe"); n != 0 || err != nil {
			t.Errorf("it stored %d rows, %v", n, err)
		}
	}
}
