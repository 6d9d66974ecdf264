package suite

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"bugslice/internal/assert"
)

// loggedEvent is a row of the audit log.
type loggedEvent struct {
	Type          string  `json:"type"`
	ActorType     string  `json:"actor_type"`
	KeyID         *string `json:"actor_key_id"`
	RequestID     *string `json:"request_id"`
	ClientAddress *string `json:"client_address"`
}

// backupRows reads the rows of a table out of a backup.
func backupRows[T any](t *testing.T, name, table string) (rows []T) {
	t.Helper()
	z, err := zip.OpenReader(name)
	must(t, err)
	defer z.Close()
	r, err := z.Open("tables/" + table + ".ndjson")
	must(t, err)
	defer r.Close()
	for d := json.NewDecoder(r); ; {
		var row T
		if err := d.Decode(&row); errors.Is(err, io.EOF) {
			return rows
		} else if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
}

// TestAuditLog: what a request changes is logged with its id and the address of its client, which no answer and no
// export shows, and which no import brings in.
func TestAuditLog(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--trusted-proxies", "127.0.0.1")
	s.start(t)
	defer s.kill()
	o, address := newOrg(t, s, "audited"), "203.0.113.7"
	filing := map[string]any{"workspaceId": o.Workspace, "summary": "seen"}
	a := o.want(t, http.StatusCreated, "POST", "/v1/slices", filing, "X-Forwarded-For", address)
	requestID := a.Header.Get("X-Request-Id")
	events := o.want(t, http.StatusOK, "GET", "/v1/events?workspaceId="+o.Workspace, nil)
	activity := o.want(t, http.StatusOK, "GET", "/v1/slices/"+a.get(t, "id").(string)+"/activity", nil)
	for _, shown := range []answer{a, events, activity} {
		if bytes.Contains(shown.Body, []byte(address)) || bytes.Contains(shown.Body, []byte(requestID)) {
			t.Errorf("an answer shows the request: %s", shown.Body)
		}
	}
	backup := filepath.Join(t.TempDir(), "backup.zip")
	s.cli(t, "backup", "--output", backup)
	filed := 0
	for _, e := range backupRows[loggedEvent](t, backup, "events") {
		switch {
		case e.ActorType == "operator" && (e.RequestID != nil || e.ClientAddress != nil || e.KeyID != nil):
			t.Errorf("the operator's %s has a request: %+v", e.Type, e)
		case e.Type == "slice.created":
			filed++
			assert.Equal(t, "the request of the audit event", e.RequestID, &requestID)
			assert.Equal(t, "its client address", e.ClientAddress, &address)
			if e.KeyID == nil {
				t.Error("the audit event names no key")
			}
		}
	}
	if filed != 1 {
		t.Errorf("%d slices were filed, want 1", filed)
	}
	export := filepath.Join(t.TempDir(), "export.zip")
	s.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", export)
	rewritten(t, export, func(name string, content []byte) []byte {
		if bytes.Contains(content, []byte(address)) || bytes.Contains(content, []byte(requestID)) {
			t.Errorf("%s of an export shows the request", name)
		}
		return content
	})
	s.cli(t, "admin", "import", rewritten(t, export, member("events", "client_address", "203.0.113.9")))
	s.cli(t, "backup", "--output", backup+"2")
	for _, e := range backupRows[loggedEvent](t, backup+"2", "events") {
		if e.ClientAddress != nil && *e.ClientAddress == "203.0.113.9" {
			t.Errorf("an import brought in the address of a client: %+v", e)
		}
	}
}
