package store_test

import (
	"context"
	"errors"
	"testing"

	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// TestGrantedRole: a role with the printed grants reads and writes records, and can change neither the schema nor the
// record of migrations.
func TestGrantedRole(t *testing.T) {
	t.Parallel()
	database, err := storetest.Database()
	must(t, err)
	as, err := storetest.AsRole(database, "bugslice_app")
	must(t, err)
	s, err := store.Open(store.Options{URL: as})
	must(t, err)
	defer s.Close()
	must(t, s.Migrated(t.Context()))
	org, workspace := seed(t, s)
	all, err := s.Read(t.Context()).WorkspacesIn(org)
	must(t, err)
	if len(all) != 1 || all[0].ID != workspace {
		t.Errorf("the role reads %v", all)
	}
	for _, text := range []string{"CREATE TABLE more (n INT)", "ALTER TABLE users ADD COLUMN more INT",
		"DROP TABLE users",
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)", "TRUNCATE users"} {
		if err := store.Exec(t.Context(), s, text); !store.IsDenied(err) {
			t.Errorf("%s: %v, want a refusal", text, err)
		}
	}
}

// TestReadOnlyStore: a store that was opened read-only reads, and refuses each write without running it.
func TestReadOnlyStore(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		org, _ := seed(t, s)
		o.ReadOnly = true
		r, err := store.Open(o)
		must(t, err)
		defer r.Close()
		all, err := r.Read(t.Context()).WorkspacesIn(org)
		must(t, err)
		err = r.Write(context.Background(), func(*store.Tx) error { t.Error("the write ran"); return nil })
		if len(all) != 1 || !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("read %v, write %v", all, err)
		}
	})
}

// TestBacklog counts waiting and failed deliveries of all webhooks, and knows when the oldest waiting one was queued.
func TestBacklog(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		b, err := s.Read(t.Context()).Backlog()
		must(t, err)
		if b != (store.Backlog{}) {
			t.Errorf("an empty database: %+v", b)
		}
		jobs, err := s.Read(t.Context()).Jobs()
		must(t, err)
		sizes, err := s.Read(t.Context()).Sizes()
		must(t, err)
		if len(jobs) != 0 || sizes.DatabaseBytes == 0 || sizes.Organizations != 0 {
			t.Errorf("jobs %v, sizes %+v", jobs, sizes)
		}
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.LeaseJob("purge", api.FromMillis(1000), api.FromMillis(2000), api.FromMillis(9000))
			return err
		}))
		jobs, err = s.Read(t.Context()).Jobs()
		must(t, err)
		if len(jobs) != 1 || jobs[0].Name != "purge" || jobs[0].LeasedUntil == nil || jobs[0].LastRunAt != nil {
			t.Errorf("the leased job: %+v", jobs)
		}
	})
}
