package suite

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rewritten copies an export, with entries as change makes them; nil leaves one out.
func rewritten(t *testing.T, file string, change func(name string, content []byte) []byte) string {
	t.Helper()
	in, err := zip.OpenReader(file)
	must(t, err)
	defer in.Close()
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, f := range in.File {
		r, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		if content = change(f.Name, content); content == nil {
			continue
		}
		w, err := out.Create(f.Name)
		must(t, err)
		_, err = w.Write(content)
		must(t, err)
	}
	must(t, out.Close())
	copied := filepath.Join(t.TempDir(), "changed.zip")
	must(t, os.WriteFile(copied, b.Bytes(), 0o600))
	return copied
}

// member changes a member of the first record of a table.
func member(table, column string, value any) func(string, []byte) []byte {
	return func(name string, content []byte) []byte {
		if name != "records/"+table+".ndjson" {
			return content
		}
		first, rest, _ := bytes.Cut(content, []byte("\n"))
		d := json.NewDecoder(bytes.NewReader(first))
		d.UseNumber()
		var r map[string]any
		if d.Decode(&r) != nil {
			return content
		}
		r[column] = value
		first, _ = json.Marshal(r)
		return append(append(first, '\n'), rest...)
	}
}

var workspaceID = regexp.MustCompile(`wsp_[0-9a-z]{26}`)

// TestImportRefuses: an export with a value that the API would not answer is refused, with the
// record and the member, and nothing that is answered afterwards is outside of the document.
func TestImportRefuses(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "refuses")
		id := o.slice(t, o.Workspace, map[string]any{"evidence": captured()})["id"].(string)
		o.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": "hello"})
		file := filepath.Join(t.TempDir(), "w.zip")
		s.cli(t, "export", "--workspace", o.Workspace, "--output", file)
		for i, c := range []struct {
			table, column string
			value         any
			says          string
		}{
			{"workspaces", "name", "", "/name"},
			{"workspaces", "redaction", `{"fields":[],"patterns":[{"pattern":"("}],"allow":[]}`, "redaction"},
			{"slices", "summary", strings.Repeat("x", 201), "/summary"},
			{"slices", "summary", nil, "summary"},
			{"slices", "status", "melting", "/status"},
			{"slices", "reporter_type", "ghost", "/reporter/type"},
			{"slices", "labels", `["a",7]`, "slices slc_"},
			{"slices", "environment", "{", "slices slc_"},
			{"slices", "created_at", json.Number("1e300"), "1e300"},
			{"slices", "created_at", json.Number("9000000000000000"), "slices slc_"},
			{"slices", "number", json.Number("0"), "/number"},
			{"slices", "surprise", "x", "newer version"},
			{"slices", "id", "slc_1", "/id"},
			{"comments", "body", "", "/body"},
			{"comments", "slice_id", "slc_01ja8m2c9tf3qb6h0v5r4x7kyz", "comments"},
			{"attachments", "blob", "../../secret", "no key of a file"},
			{"attachments", "size", json.Number("-1"), "/size"},
			{"attachments", "kind", "rumour", "/kind"},
			{"events", "data", "[]", "events evt_"},
			{"events", "type", "rumour", "/type"},
		} {
			t.Run(c.table+" "+c.column, func(t *testing.T) {
				change := member(c.table, c.column, c.value)
				code, said := s.exit("import", "--org", o.ID, rewritten(t, file, func(name string, content []byte) []byte {
					if name == "export.json" { // a workspace of its own
						content = bytes.Replace(content, []byte(`"id":"`), []byte(fmt.Sprintf(`"id":"%d`, i)), 1)
					}
					return change(name, content)
				}))
				if code != 1 || !strings.Contains(said, c.says) || strings.Contains(said, "panic") {
					t.Errorf("%d %s", code, said)
				}
			})
		}
		for _, row := range o.all(t, "/v1/workspaces?") { // each walk is held against the document
			w := row.(map[string]any)["id"].(string)
			for _, slice := range o.all(t, "/v1/slices?workspaceId="+w) {
				for _, part := range []string{"/comments?", "/attachments?", "/activity?", "/console?"} {
					o.all(t, "/v1/slices/"+slice.(map[string]any)["id"].(string)+part)
				}
			}
		}
	})
}

// TestImportFits: what an export names and does not hold is let go of.
func TestImportFits(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "fits")
		lost := o.slice(t, o.Workspace, nil)["id"].(string)
		early := o.slice(t, o.Workspace, map[string]any{"externalId": "early", "duplicateOfId": lost})["id"].(string)
		late := o.slice(t, o.Workspace, map[string]any{"externalId": "late", "duplicateOfId": lost})["id"].(string)
		o.want(t, 200, "PATCH", "/v1/slices/"+early, map[string]any{"duplicateOfId": late})
		o.want(t, 204, "DELETE", "/v1/slices/"+lost, nil)
		o.upload(t, 201, early, "stays.txt", "text/plain", "stays")
		gone := o.upload(t, 201, early, "gone.txt", "text/plain", "gone").get(t, "sha256")
		o.want(t, 201, "POST", "/v1/slices/"+early+"/comments", map[string]any{"body": "@" + o.UserID + " see " + late})
		file := filepath.Join(t.TempDir(), "w.zip")
		s.cli(t, "export", "--workspace", o.Workspace, "--output", file)
		file = rewritten(t, file, func(name string, content []byte) []byte {
			if strings.HasPrefix(name, "blobs/") && string(content) == "gone" {
				return nil
			}
			return content
		})
		said := s.cli(t, "import", file, "--org", o.ID)
		if !strings.Contains(said, "2 slices, 1 comments and 1 files are new") || !strings.Contains(said, "1 files had been deleted") {
			t.Fatalf("%s", said)
		}
		w := workspaceID.FindString(said)
		find := func(externalID string) map[string]any {
			return o.want(t, 200, "GET", "/v1/slices?externalId="+externalID+"&workspaceId="+w, nil).get(t, "data").([]any)[0].(map[string]any)
		}
		a, b := find("early"), find("late")
		if a["duplicateOfId"] != b["id"] || b["duplicateOfId"] != nil || a["attachmentCount"] != float64(1) {
			t.Errorf("%v\n%v", a, b)
		}
		if files := o.want(t, 200, "GET", "/v1/slices/"+a["id"].(string)+"/attachments", nil).Body; strings.Contains(string(files), gone.(string)) {
			t.Errorf("%s", files)
		}
		mentions := o.want(t, 200, "GET", "/v1/slices/"+a["id"].(string)+"/comments", nil).get(t, "data").([]any)[0].(map[string]any)["mentions"].([]any)
		if len(mentions) != 1 {
			t.Errorf("%v", mentions)
		}
		// What was changed since is not changed back.
		o.want(t, 200, "PATCH", "/v1/slices/"+a["id"].(string), map[string]any{"duplicateOfId": nil})
		s.cli(t, "import", file, "--org", o.ID)
		if again := find("early"); again["duplicateOfId"] != nil || again["attachmentCount"] != float64(1) {
			t.Errorf("%v", again)
		}
	})
}
