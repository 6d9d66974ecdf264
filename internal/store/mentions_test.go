package store_test

import (
	"bytes"
	"io"
	"testing"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// TestMentionsAreFound: lists find the slices whose descriptions or comments mention a user, also those of a backup
// that is loaded.
func TestMentionsAreFound(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		const name = "mara@test.example"
		var described, commented store.Slice
		must(t, s.Write(t.Context(), func(tx *store.Tx) (err error) {
			if described, err = insert(tx, workspace, "described"); err != nil {
				return err
			}
			described.Description = new("@" + name)
			if err := tx.UpdateSlice(&described); err != nil {
				return err
			}
			if commented, err = insert(tx, workspace, "commented"); err != nil {
				return err
			}
			if _, err := tx.BumpVersion(commented.ID, store.SliceCounts{Comments: 1}, commented.UpdatedAt); err != nil {
				return err
			}
			return tx.InsertComment(api.Comment{ID: id.New(id.Comment), SliceID: commented.ID,
				CommentFields: api.CommentFields{Body: "hello @" + name}})
		}))
		check := func(what string, s *store.Store, want ...string) {
			t.Helper()
			found, err := s.Read(t.Context()).
				Slices(store.SliceFilter{Workspaces: []string{workspace}, Mentions: []string{name}, Limit: 10})
			must(t, err)
			var got []string
			for _, f := range found {
				got = append(got, f.ID)
			}
			if len(got) != len(want) || len(got) == 2 && (got[0] != want[0] || got[1] != want[1]) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		check("written", s, commented.ID, described.ID)
		tables := map[string]*bytes.Buffer{}
		_, err := s.Dump(t.Context(), func(table string) (io.Writer, error) {
			tables[table] = &bytes.Buffer{}
			return tables[table], nil
		})
		must(t, err)
		to, err := store.Open(another(t, o))
		must(t, err)
		defer to.Close()
		must(t, to.Load(t.Context(), func(table string) (io.ReadCloser, error) {
			return io.NopCloser(tables[table]),
				nil
		}, nil))
		must(t, store.BuildIndex(t.Context(), to))
		check("loaded", to, commented.ID, described.ID)
	})
}
