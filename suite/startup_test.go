package suite

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/webhook"
)

// TestOneServer serves an SQLite data directory: a second one is refused with the first one's process
// id, and a killed one leaves the directory free. Other commands work beside it.
func TestOneServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newServer(t, "sqlite", dir)
	s.start(t)
	defer func() { s.kill() }()
	newOrg(t, s, "beside")
	code, said := s.exit("serve", "--listen", "127.0.0.1:0")
	assert.Equal(t, "exit code", code, 1)
	assert.Contains(t, "the refusal", said, fmt.Sprintf("process %d", s.cmd.Process.Pid), "--data")
	s.kill()
	s.start(t)
}

// TestKilledServer was delivering: the next one on its SQLite database delivers at once, and does its
// jobs at once.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--webhook-allow", "127.0.0.1")
	s.start(t)
	defer func() { s.kill() }()
	o := newOrg(t, s, "killed")
	rc := newReceiver(t, func(_ http.ResponseWriter, r *http.Request, nth int) int {
		if nth == 0 {
			<-r.Context().Done()
		}
		return 204
	})
	o.hook(t, rc.URL, "slice.created")
	o.slice(t, o.Workspace, nil)
	first := rc.wait(t, 1, nil)[0]
	s.kill()
	begun := time.Now()
	s.start(t)
	again := rc.wait(t, 2, nil)[1]
	if took := again.At.Sub(begun); again.ID != first.ID || took > 10*time.Second {
		t.Errorf("%s arrived %s after the start, want %s within 10 s", again.ID, took, first.ID)
	}
}

// TestLostSecret beside webhooks: no command makes another key. What names the way out leads there.
func TestLostSecret(t *testing.T) {
	ownServers(t, []string{"--webhook-allow", "127.0.0.1"}, func(t *testing.T, s *server) {
		o := newOrg(t, s, "lost")
		rc := newReceiver(t, nil)
		hook, former := o.hook(t, rc.URL, "slice.created")
		s.kill()
		key := filepath.Join(s.dir, "secret.key")
		saved, err := os.ReadFile(key)
		must(t, err)
		refused := func(what string, want ...string) {
			t.Helper()
			for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"},
				{"admin", "org", "add", "--name", "x", "--email", "x@y.example"}} {
				code, said := s.exit(command...)
				for _, w := range append(want, key, "BUGSLICE_SECRET_KEY", "secret reset") {
					if code != 1 || !strings.Contains(said, w) {
						t.Errorf("%s: %s ends with %d, want 1 and %q: %s", what, command[0], code, w, said)
					}
				}
			}
		}
		must(t, os.Remove(key))
		refused("a missing key", "backup")
		if _, err := os.Stat(key); err == nil {
			t.Fatal("a new key was made")
		}
		other := []byte(strings.Repeat("ab", 32) + "\n")
		must(t, os.WriteFile(key, other, 0o600))
		refused("another key")
		must(t, os.WriteFile(key, append([]byte(strings.Repeat("ab", 32)+","), saved...), 0o600))
		s.start(t) // both: the secret was rotated
		s.kill()

		must(t, os.Remove(key))
		if out := s.cli(t, "admin", "secret", "reset"); !strings.Contains(out, "1 webhook") ||
			!strings.Contains(out, hook) {
			t.Errorf("reset says %q", out)
		}
		s.start(t)
		o.slice(t, o.Workspace, nil)
		if m := rc.wait(t, 1, nil)[0]; verifies(former, m) {
			t.Error("the lost secret still signs")
		}
		secret := o.want(t, 200, "POST", "/v1/webhooks/"+hook+"/rotate-secret", nil).get(t, "secret").(string)
		o.slice(t, o.Workspace, nil)
		if m := rc.wait(t, 2, nil)[1]; !verifies(secret, m) {
			t.Error("the rotated secret does not sign")
		}
		if s.engine == "sqlite" {
			if code, said := s.exit("admin", "secret", "reset"); code != 1 || !strings.Contains(said, "process") {
				t.Errorf("reset beside a server: %d %s", code, said)
			}
		}
		s.kill()
		if out := s.cli(t, "admin", "secret", "reset"); !strings.Contains(out, "nothing was changed") {
			t.Errorf("reset of what is not lost says %q", out)
		}
	})
}

// verifies reports whether a message is signed with a secret.
func verifies(secret string, m message) bool {
	v, err := webhook.NewVerifier(secret)
	return err == nil && v.Verify(m.Header, m.Body) == nil
}

// TestLowDisk: with a nearly full disk operations that store are refused with 507, while reading, deleting and
// revoking continue. The node is ready, and says so.
func TestLowDisk(t *testing.T) {
	ownServers(t, nil, func(t *testing.T, s *server) {
		o := newOrg(t, s, "disk")
		one := "/v1/slices/" + o.slice(t, o.Workspace, nil)["id"].(string)
		comment := o.want(t, 201, "POST", one+"/comments", map[string]any{"body": "b"}).get(t, "id").(string)
		_, key := o.newKey(t, map[string]any{"name": "ci", "type": "wst", "scopes": []string{"slices:read"},
			"workspaceId": o.Workspace})
		s.kill()
		metrics := freePort(t)
		s.args = []string{"--min-free-disk", "1000000000", "--metrics-listen", metrics}
		s.start(t)
		for _, r := range [][2]string{{"POST", "/v1/slices"}, {"PATCH", one},
			{"POST", one + "/comments"}, {"POST", one + "/attachments"}, {"POST", "/v1/api-keys"}} {
			o.want(t, 507, r[0], r[1], map[string]any{}).has(t, members{"code": "insufficient_storage"})
		}
		o.want(t, 200, "GET", one, nil)
		o.want(t, 200, "POST", "/v1/workspaces/"+o.Workspace+"/redaction/dry-run", map[string]any{"text": "password=x"})
		o.want(t, 204, "DELETE", "/v1/comments/"+comment, nil)
		o.want(t, 204, "DELETE", one, nil)
		o.want(t, 204, "DELETE", "/v1/api-keys/"+key, nil)
		for address, want := range map[string]string{s.URL + "/readyz": "ready\nthe disk is nearly full",
			"http://" + metrics + "/metrics": "\nbugslice_disk_free_bytes "} {
			res, err := http.Get(address)
			must(t, err)
			text, err := io.ReadAll(res.Body)
			must(t, err)
			must(t, res.Body.Close())
			if res.StatusCode != 200 || !strings.Contains(string(text), want) {
				t.Errorf("%s: %d, want 200 with %q", address, res.StatusCode, want)
			}
		}
		o.want(t, 204, "DELETE", "/v1/api-keys/self", nil)
	})
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}

// TestDailyLimit is a 429 with the time until the next day.
func TestDailyLimit(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--daily-slices", "1")
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "daily")
	var last answer
	for range 3 { // a day may end meanwhile
		if last = o.do(t, "POST", "/v1/slices",
			map[string]any{"workspaceId": o.Workspace, "summary": "s"}); last.Status != 201 {
			break
		}
	}
	assert.Equal(t, "status", last.Status, 429)
	last.has(t, members{"code": "daily_limit"})
	if wait, err := strconv.Atoi(last.Header.Get("Retry-After")); err != nil || wait < 1 || wait > 86400 {
		t.Errorf("Retry-After is %q, want 1 to 86400 seconds", last.Header.Get("Retry-After"))
	}
}

// TestStaleNode: a node that was not restarted after secret rotate and reseal cannot sign, and says so in its log. No
// delivery is lost: it is made once the node has the new key.
func TestStaleNode(t *testing.T) {
	t.Parallel()
	s := newServer(t, "postgres", t.TempDir(), "--webhook-allow", "127.0.0.1")
	s.start(t)
	defer func() { s.kill() }()
	o := newOrg(t, s, "stale")
	rc := newReceiver(t, nil)
	id, key := o.hook(t, rc.URL, "slice.created")
	s.cli(t, "admin", "secret", "rotate")
	s.cli(t, "admin", "secret", "reseal")
	o.slice(t, o.Workspace, nil)
	eventually(t, "the node says that it cannot sign",
		func() bool { return strings.Contains(s.logged(), "cannot be decrypted") })
	o.attempted(t, id)
	s.kill()
	s.start(t)
	// The delivery does not wait for its next attempt.
	o.want(t, 200, "POST", "/v1/webhooks/"+id+"/recover", map[string]any{"since": "2026-01-01T00:00:00Z"})
	if m := rc.wait(t, 1, nil)[0]; !verifies(key, m) {
		t.Error("the delivery is not signed with the secret of the webhook")
	}
}
