package cli

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugslice/internal/operator"
	"bugslice/internal/portable"
)

// FuzzImport: every export is imported or refused, and no batch is imported in part.
func FuzzImport(f *testing.F) {
	const slc, wsp = "slc_01ja8m2c9tf3qb6h0v5r4x7kyz", "wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"
	slice := `{"id":"` + slc + `","workspace_id":"` + wsp +
		`","number":1,"summary":"s","status":"open","labels":"","reporter_type":"user","reporter_name":"n","environment":"",` +
		`"metadata":"","attachment_count":0,"comment_count":0,"version":1,"created_at":1,"updated_at":1,"occurrence_count":1,` +
		`"last_seen_at":1,"symptoms":"","redaction":""}`
	f.Add(slice, `{"id":"cmt_01ja8m2c9tf3qb6h0v5r4x7kyz","slice_id":"`+slc+
		`","body":"b","author_type":"user","author_name":"n",`+
		`"created_at":1,"updated_at":1}`, `{"id":"usr_01ja8m2c9tf3qb6h0v5r4x7kyz","email":"a@b.example"}`,
		`{"id":"`+wsp+`","name":"w","created_at":1}`,
		`{"id":"evt_01ja8m2c9tf3qb6h0v5r4x7kyz","org_id":"","workspace_id":"`+wsp+`","type":"slice.comment.updated",`+
			`"actor_type":"system","subject_kind":"comment","subject_id":"`+slc+
			`","data":"{\"comment\":{\"id\":\"c\",\"body\":\"b\"},`+
			`\"previous\":{\"body\":\"a\"}}","created_at":1}`)
	f.Add(`{"id":null}`, `{"id":1e3,"x":[]}`, `[]`, `{}`, `{"data":"[]"}`)
	dir := f.TempDir()
	p := instanceFlags{data: dir}
	in, err := p.open(f.Context(), environment{}, "", nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = in.store.Close() })
	if _, err := in.operator.Bootstrap(f.Context(), operator.Bootstrap{Organization: "Fuzz",
		Workspace: "One", Owner: operator.NewUser{Email: "a@b.example"}, First: true}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, slices, comments, users, workspace, events string) {
		file := filepath.Join(t.TempDir(), "x.zip")
		out, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(out)
		m := portable.Manifest{Format: 1, ID: "fuzz", Records: map[string]int{}}
		entries := map[string]string{}
		for table, text := range map[string]string{"workspaces": workspace,
			"users": users, "slices": slices, "comments": comments, "events": events} {
			entries["records/"+table+".ndjson"] = text
			for line := range strings.Lines(text) {
				if strings.TrimSpace(line) != "" {
					m.Records[table]++
				}
			}
		}
		description, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		entries["export.json"] = string(description)
		for name, text := range entries {
			w, err := z.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(w, text)
		}
		_, _ = z.Close(), out.Close()
		o := importFlags{}
		_ = o.importArchive(t.Context(), in, file, Streams{Out: io.Discard, Err: io.Discard}) // refused, or imported
	})
}
