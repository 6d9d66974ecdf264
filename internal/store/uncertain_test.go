package store_test

import (
	"errors"
	"testing"

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
