package store_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// TestDerivedTextFiles: the files that comments contain are derived by a start from comments of before they were
// stored. That a comment has contained one stays in a backup.
func TestDerivedTextFiles(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		file, comment := store.Attachment{Blob: id.New(id.Blob), WorkspaceID: workspace},
			api.Comment{ID: id.New(id.Comment)}
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			of, err := insert(tx, workspace, "commented")
			if err != nil {
				return err
			}
			file.ID, file.SliceID, comment.SliceID = id.New(id.Attachment), of.ID, of.ID
			comment.Body = "see /files/" + file.ID
			return errors.Join(tx.ReserveBlobs([]string{file.Blob}, api.Time{}), tx.InsertAttachment(file),
				tx.InsertComment(comment))
		}))
		check := func(what string, s *store.Store, comments int, only bool) {
			t.Helper()
			got, err := s.Read(t.Context()).TextsWithFile(file.ID)
			must(t, err)
			if len(got.Comments) != comments || got.Only != only {
				t.Errorf("%s: %+v", what, got)
			}
		}
		check("written", s, 1, true)
		db, _ := rawDatabase(t, o)
		for _, text := range []string{"DELETE FROM text_files",
			"INSERT INTO pending_backfills (name) VALUES ('text files')"} {
			_, err := db.Exec(text)
			must(t, err)
		}
		check("of before", s, 0, false)
		_, err := store.Migrate(t.Context(), o)
		must(t, err)
		check("backfilled", s, 1, true)
		must(t, s.Write(t.Context(), func(tx *store.Tx) error { return tx.DeleteComment(comment) }))
		check("deleted", s, 0, true)
		tables := map[string]*bytes.Buffer{}
		_, err = s.Dump(t.Context(), func(table string) (io.Writer, error) {
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
		check("loaded", to, 0, true)
	})
}
