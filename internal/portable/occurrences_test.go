package portable_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/portable"
	"bugslice/internal/store"
)

// reported files a slice with three occurrences.
func (in *instance) reported(t *testing.T) api.Slice {
	t.Helper()
	print, s := "print", api.FiledSlice{}
	for n := range 3 {
		commit := fmt.Sprint("commit", n+1)
		var err error
		s, err = in.CreateSlice(t.Context(), in.owner, valid(t,
			api.CreateSlice{Body: api.NewSlice{WorkspaceID: &in.workspace, Fingerprint: &print,
				SliceFields: api.SliceFields{Summary: "s", Environment: api.Environment{Commit: &commit}}}}))
		must(t, err)
	}
	return s.Slice
}

// imported imports rows into a new workspace and returns the commits of the occurrences of its slice, newest first.
func (in *instance) imported(t *testing.T, archive string, rows map[string][][]byte) (commits []string, err error) {
	t.Helper()
	im, err := portable.Begin(t.Context(), in.operator.OrganizationOperator,
		portable.ImportOptions{ArchiveID: archive}, rows["workspaces"][0])
	must(t, err)
	for _, table := range store.ExportTables()[1:] {
		if len(rows[table]) == 0 {
			continue
		}
		if err := im.Records(t.Context(), table, rows[table], nil); err != nil {
			return nil, err
		}
	}
	_, err = im.Finish(t.Context())
	must(t, err)
	slices, err := in.ListSlices(t.Context(), in.owner, valid(t,
		api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: im.WorkspaceID()}, Paging: api.Paging{Limit: 10}}))
	must(t, err)
	page, err := in.ListOccurrences(t.Context(), in.owner, valid(t,
		api.ListOccurrences{SliceID: slices.Data[0].ID, Paging: api.Paging{Limit: 10}}))
	must(t, err)
	for _, o := range page.Data {
		commits = append(commits, fmt.Sprint(o.Number, " ", *o.Environment.Commit))
	}
	return commits, nil
}

// TestImportOfOccurrences: an import has the occurrences of the export; of an export from before they were stored, it
// has the first and the newest one. It refuses one beyond the count of its slice, whose number the next report would
// get.
func TestImportOfOccurrences(t *testing.T) {
	engines(t, func(t *testing.T, in *instance) {
		in.reported(t)
		rows := in.export(t)
		if commits, err := in.imported(t, "all", rows); err != nil ||
			strings.Join(commits, ", ") != "3 commit3, 2 commit2, 1 commit1" {
			t.Errorf("%q, %v", commits, err)
		}
		all := rows["occurrences"]
		rows["occurrences"] = nil
		if commits, err := in.imported(t, "older", rows); err != nil ||
			strings.Join(commits, ", ") != "3 commit3, 1 commit1" {
			t.Errorf("an older export: %q, %v", commits, err)
		}
		rows["occurrences"] = [][]byte{bytes.Replace(all[2], []byte(`"number":3`), []byte(`"number":4`), 1)}
		if _, err := in.imported(t, "beyond", rows); err == nil || !strings.Contains(err.Error(), "/number is 4") {
			t.Errorf("an occurrence beyond the count: %v", err)
		}
	})
}
