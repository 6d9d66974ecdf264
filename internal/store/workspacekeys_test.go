package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// TestMigrateAssignsKeys to workspaces from before workspaces had keys, once, also when several nodes start at once.
func TestMigrateAssignsKeys(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		org, first := seed(t, s) // is called w
		other, second := seed(t, s)
		want := map[string]string{first: "W1", second: "W1"}
		for _, w := range []struct{ org, name, key string }{
			{org, "Web shop", "WEB"}, {org, "web", "WEB2"}, {org, "WEBSITE", "WEB3"}, {org, "IT", "IT"},
			{org, "Ünïcode", "UNI"}, {org, "商店", "W2"},
			{org, "", "W3"}, {org, "2026 plans", "PLA"}, {org, "4ever q4", "Q4"}, {org, "a b c", "W4"},
			{org, "K9 (dogs)", "K9"}, {org, "Сайт", "W5"},
			{org, "<script>", "SCR"}, {org, "e2é", "E2E"}, {other, "Web shop", "WEB"},
		} {
			row := store.Workspace{Workspace: api.Workspace{ID: id.New(id.Workspace), OrganizationID: w.org,
				WorkspaceFields: api.WorkspaceFields{Name: w.name}}}
			row.CreatedAt, row.UpdatedAt = api.At(time.Now()), api.At(time.Now())
			must(t, s.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertWorkspace(&row) }))
			want[row.ID] = w.key
		}
		var work sync.WaitGroup
		for range 4 {
			work.Go(func() {
				if _, err := store.Migrate(context.Background(), o); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
		for workspace, key := range want {
			w, err := s.Read(t.Context()).Workspace(workspace)
			must(t, err)
			if w.Key != key {
				t.Errorf("%s has the key %s, not %s", w.Name, w.Key, key)
			}
		}
	})
}
