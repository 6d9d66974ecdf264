package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"
)

// secretive files something with a number under a name in everything that holds text. Without a rule
// for the name nothing is removed.
func (o org) secretive(t *testing.T, number string) {
	t.Helper()
	text := "customerNumber=" + number
	fields := map[string]any{"workspaceId": o.Workspace, "summary": text,
		"description": text, "sourceUrl": "https://a.example/?customerNumber=" + number, "fingerprint": "f",
		"environment": map[string]any{"browser": text, "buildUrl": "https://a.example/?customerNumber=" + number},
		"metadata":    map[string]any{"customerNumber": number, "k": text}}
	fields["evidence"] = map[string]any{
		"console": []any{map[string]any{"level": "error", "timestamp": "2026-11-20T10:00:00Z",
			"message": text, "args": []any{map[string]any{"customerNumber": number}}}},
		"actions": []any{map[string]any{"type": "click", "timestamp": "2026-11-20T10:00:00Z", "text": text}},
		"replay":  []any{map[string]any{"type": 5, "timestamp": 1, "data": map[string]any{"customerNumber": number}}},
		"network": map[string]any{"log": map[string]any{"version": "1.2",
			"creator": map[string]any{"name": "x", "version": "1"},
			"entries": []any{entry("GET", "https://a.example/?customerNumber="+number, 500)}}},
	}
	fields["labels"], fields["externalId"] = []string{"customerNumber=" + number, "plain"}, "customerNumber: "+number
	id := o.want(t, 201, "POST", "/v1/slices", fields).get(t, "id").(string)
	for range 2 { // the former occurrence is in the log
		fields["metadata"] = map[string]any{"customerNumber": number + "0"}
		o.want(t, 200, "POST", "/v1/slices", fields)
	}
	o.want(t, 200, "PATCH", "/v1/slices/"+id,
		map[string]any{"description": text + " still", "summary": text + " still"})
	comment := o.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": text}).get(t, "id").(string)
	o.want(t, 200, "PATCH", "/v1/comments/"+comment, map[string]any{"body": text + " still"})
	file := o.upload(t, 201, id, "a.txt", "text/plain", "a line\n"+text+"\n").get(t, "id").(string)
	o.want(t, 200, "PATCH", "/v1/attachments/"+file, map[string]any{"name": text + ".txt"})
	o.upload(t, 201, id, "b.json", "application/json", `{"customerNumber":"`+number+`"}`)
	o.upload(t, 201, id, "plain.txt", "text/plain", "nothing to hide")
}

// told returns everything that a reader is told of the slices of a workspace.
func (o org) told(t *testing.T, workspace string) string {
	t.Helper()
	var all strings.Builder
	for _, row := range o.all(t, "/v1/slices?workspaceId="+workspace) {
		path := "/v1/slices/" + row.(map[string]any)["id"].(string)
		for _, part := range []string{"", "/comments?limit=100", "/attachments?limit=100",
			"/activity?limit=100", "/console?limit=100", "/network?limit=100", "/network.har", "/actions?limit=100",
			"/replay"} {
			all.Write(o.want(t, 200, "GET", path+part, nil).Body)
		}
		for _, file := range o.all(t, path+"/attachments?") {
			f := file.(map[string]any)
			body := o.want(t, 200, "GET", "/v1/attachments/"+f["id"].(string), nil).Body
			if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != f["sha256"] ||
				float64(len(body)) != f["size"] {
				t.Errorf("%v is not what its record says", f["name"])
			}
			all.Write(body)
		}
	}
	return all.String()
}

// TestImportRemovesSecrets: an import removes the secrets that filing would remove by the rules of the workspace,
// also from former values and files, and reports their number; --as-is keeps them.
func TestImportRemovesSecrets(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "secretive")
		const number = "4711471147"
		o.secretive(t, number)
		if n := strings.Count(o.told(t, o.Workspace), number); n < 30 {
			t.Fatalf("the number is told %d times, want it everywhere", n)
		}
		file := filepath.Join(t.TempDir(), "w.zip")
		s.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", file)
		strict := rewritten(t, file, member("workspaces", "redaction",
			`{"fields":["customerNumber"],"patterns":[],"allow":[]}`))
		into := o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "strict",
			"redaction": map[string]any{"fields": []string{"customerNumber"}}}).get(t, "id").(string)
		for what, args := range map[string][]string{"a new workspace": {"--org", o.ID, strict},
			"one that is there": {"--into", into, file}} {
			said := s.cli(t, append([]string{"admin", "import"}, args...)...)
			copied := workspaceID.FindString(said)
			if left := o.told(t, copied); strings.Contains(left, number) || !strings.Contains(left, "nothing to hide") {
				t.Errorf("%s: the number is told at %q", what, left[max(0, strings.Index(left, number)-200):][:300])
			}
			if !strings.Contains(said, "Secrets removed") {
				t.Errorf("%s: what was removed is not said: %s", what, said)
			}
			for _, query := range []string{number, number + "0"} {
				if n := len(o.all(t, "/v1/slices?workspaceId="+copied+"&q="+query)); n != 0 {
					t.Errorf("%s: it is found by the number", what)
				}
			}
			redaction := o.all(t, "/v1/slices?workspaceId="+copied)[0].(map[string]any)["redaction"]
			if redaction == nil || redaction.(map[string]any)["counts"] == nil {
				t.Errorf("%s: the slice says nothing of what was removed from it: %v", what, redaction)
			}
			if again := s.cli(t, append([]string{"admin", "import"}, args...)...); !strings.Contains(again,
				"New: 0 slices, 0 comments, 0 files.") || strings.Contains(again, "Secrets") {
				t.Errorf("%s: a second import changes something: %s", what, again)
			}
		}
		said := s.cli(t, "admin", "import", "--as-is", "--org", o.ID,
			rewritten(t, strict, func(name string, b []byte) []byte {
				if name == "export.json" { // a workspace of its own
					b = []byte(strings.Replace(string(b), `"id":"`, `"id":"as-is`, 1))
				}
				return b
			}))
		if want, got := strings.Count(o.told(t, o.Workspace), number),
			strings.Count(o.told(t, workspaceID.FindString(said)), number); got != want ||
			strings.Contains(said, "secrets") {
			t.Errorf("as it is: the number is told %d times, want %d: %s", got, want, said)
		}
	})
}
