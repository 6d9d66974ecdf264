package store_test

import (
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/store"
)

// TestListsByEvidenceUseAnIndex: both planners read a list of the slices with a kind of evidence from its partial index, in order.
func TestListsByEvidenceUseAnIndex(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		db, driver := rawDatabase(t, o)
		if driver == "pgx" { // a small table is read as a whole otherwise
			db.SetMaxOpenConns(1)
			_, err := db.Exec("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off")
			must(t, err)
		}
		for kind, index := range map[api.EvidenceFilter]string{"replay": "slices_with_replays", "screenshot": "slices_with_screenshots",
			"console_error": "slices_with_errors", "failed_request": "slices_with_failures"} {
			f := store.SliceFilter{Workspaces: []string{workspace}, Has: []api.EvidenceFilter{kind}, Limit: 50}
			text, args := s.Statement(f)
			found := plan(t, db, driver, text, args...)
			if !strings.Contains(found, index+" ") || strings.Contains(found, "TEMP B-TREE") || strings.Contains(found, "Sort ") {
				t.Errorf("has=%s: the plan is\n%s", kind, found)
			}
		}
	})
}
