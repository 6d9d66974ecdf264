package portable_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/portable"
)

// TestExportWithTableOfLabels: an export from before there was one index has a table of labels, which is counted and
// not imported: the labels are those of the slices.
func TestExportWithTableOfLabels(t *testing.T) {
	engines(t, func(t *testing.T, in *instance) {
		s := in.file(t, api.SliceFields{Summary: "s", Labels: []string{"a", "b"}})
		rows := in.export(t)
		for _, label := range s.Labels {
			rows["slice_labels"] = append(rows["slice_labels"],
				fmt.Appendf(nil, `{"slice_id":%q,"label":%q}`, s.ID, label))
		}
		m := portable.Manifest{Format: 1, ID: "earlier", WorkspaceID: in.workspace, Records: map[string]int{}}
		var file bytes.Buffer
		z := zip.NewWriter(&file)
		add := func(name string, content []byte) {
			w, err := z.Create(name)
			must(t, err)
			_, err = w.Write(content)
			must(t, err)
		}
		for table, lines := range rows {
			m.Records[table] = len(lines)
			add("records/"+table+".ndjson", bytes.Join(lines, []byte("\n")))
		}
		manifest, err := json.Marshal(m)
		must(t, err)
		add("export.json", manifest)
		must(t, z.Close())
		name := filepath.Join(t.TempDir(), "earlier.zip")
		must(t, os.WriteFile(name, file.Bytes(), 0o600))
		a, err := portable.OpenArchive(name)
		must(t, err)
		defer func() { must(t, a.Close()) }()
		im, err := a.Begin(t.Context(), in.operator.OrganizationOperator, portable.ImportOptions{})
		must(t, err)
		_, err = a.ImportAll(t.Context(), im, func(int) {})
		must(t, err)
		found, err := in.ListSlices(t.Context(), in.owner, valid(t,
			api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: im.WorkspaceID(), Label: []string{"b"}}}))
		must(t, err)
		if len(found.Data) != 1 {
			t.Fatalf("%d reports have the label", len(found.Data))
		}
		assert.Equal(t, "labels", found.Data[0].Labels, s.Labels)
	})
}
