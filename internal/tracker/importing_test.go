package tracker_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// TestImportBeside: what is filed while an import goes on takes no number of its slices.
func TestImportBeside(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.file(t, "a", "")
		w.file(t, "b", "")
		written := map[string]*bytes.Buffer{}
		_, _, err := w.store.Export(t.Context(), w.workspace, func(name string) (io.Writer, error) {
			written[name] = &bytes.Buffer{}
			return written[name], nil
		})
		must(t, err)
		read := func(name string) (all []store.Record) {
			d := json.NewDecoder(written[name])
			d.UseNumber()
			for d.More() {
				var r store.Record
				must(t, d.Decode(&r))
				all = append(all, r)
			}
			return all
		}
		im, err := w.In(w.owner.Organization).Import(t.Context(), tracker.ImportOptions{ArchiveID: "archive"}, read("workspaces")[0])
		must(t, err)
		must(t, im.Records(t.Context(), "users", read("users"), nil))
		slices := read("slices")
		must(t, im.Records(t.Context(), "slices", slices[:1], nil))
		made, err := w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &im.WorkspaceID, SliceFields: api.SliceFields{Summary: "meanwhile"}}}))
		must(t, err)
		if made.Number != 3 {
			t.Errorf("number %d", made.Number)
		}
		must(t, im.Records(t.Context(), "slices", slices[1:], nil))
	})
}
