package suite

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"bugslice/api"
	"bugslice/internal/assert"
)

// slowly sends a request whose answer is not read yet, over a connection that holds little.
func (c client) slowly(t *testing.T, path string, headers string) net.Conn {
	t.Helper()
	conn := dial(t, c.server)
	must(t, conn.SetReadBuffer(128<<10))
	_, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer %s\r\n%s\r\n",
		path, c.token, headers)
	must(t, err)
	_, err = io.ReadFull(conn, make([]byte, 1000))
	must(t, err)
	return conn
}

// TestSlowAnswersEndWithTheirRights: a slow client gets no more of a response than the bytes that were sent before
// its key was revoked.
func TestSlowAnswersEndWithTheirRights(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "slowly")
		for range 60 {
			o.slice(t, o.Workspace, map[string]any{"description": strings.Repeat("words ", 8000)})
		}
		for name, remove := range map[string]bool{"revoked": false, "removed": true} {
			admin, userID := o.newUser(t, "reader", o.Workspace)
			c, keyID := admin.newKey(t, map[string]any{"name": "reader", "type": "pat",
				"scopes": []string{"slices:read"}})
			open := map[string]net.Conn{
				"stream": c.slowly(t, "/v1/events?workspaceId="+o.Workspace, "Accept: text/event-stream\r\n"),
				"list":   c.slowly(t, "/v1/slices?limit=100&workspaceId="+o.Workspace, ""),
				"events": c.slowly(t, "/v1/events?limit=100&workspaceId="+o.Workspace, ""),
			}
			time.Sleep(200 * time.Millisecond)
			if remove {
				o.cli(t, "admin", "workspace", "remove-member", "--workspace", o.Workspace, "--user", userID)
			} else {
				admin.want(t, 204, "DELETE", "/v1/api-keys/"+keyID, nil)
			}
			time.Sleep(time.Second)
			for what, conn := range open {
				must(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
				if n, err := io.Copy(io.Discard, conn); n > 1<<20 || err != nil &&
					strings.Contains(err.Error(), "timeout") {
					t.Errorf("%s, %s: %d KiB came afterwards, and then %v", name, what, n>>10, err)
				}
			}
		}
	})
}

// TestUnaskedBodiesAreNotAwaited: a request with an unexpected body is answered at once, so that nobody can hold it
// open until its caller has lost the right.
func TestUnaskedBodiesAreNotAwaited(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "unasked")
		slice := o.slice(t, o.Workspace, nil)["id"].(string)
		for _, framing := range []string{"Content-Length: 10\r\n\r\nhalf",
			"Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"} {
			conn := dial(t, s)
			_, err := fmt.Fprintf(conn, "GET /v1/slices/%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s",
				slice, o.token, framing)
			must(t, err)
			must(t, conn.SetReadDeadline(time.Now().Add(2*time.Second)))
			if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, " 200 ") {
				t.Errorf("%q is answered %q, %v", framing, line, err)
			}
		}
	})
}

// TestRolesAreLowered: when a role is lowered during requests and a stream, operations for admins are refused, and
// the stream continues without the events of keys and webhooks.
func TestRolesAreLowered(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "lowered")
		h := newHolder(t, o, nil)
		h.requests = slices.DeleteFunc(h.requests, func(r heldKind) bool {
			isPatch := r.method == "PATCH" && strings.Contains(r.path, "workspaces")
			return !isPatch && !strings.Contains(r.path, "webhooks") && !strings.Contains(r.path, "api-keys")
		})
		events, cancel := h.stream(t, "/v1/events?after=latest&workspaceId="+o.Workspace)
		defer cancel()
		filtered, cancelled := h.stream(t, "/v1/events?after=latest&type=api_key.created&workspaceId="+o.Workspace)
		defer cancelled()
		h.hold(t)
		time.Sleep(200 * time.Millisecond)
		o.cli(t, "admin", "workspace", "add-member", "--workspace", o.Workspace, "--user", h.userID, "--role", "member")
		o.newKey(t, map[string]any{"name": "secret", "type": "wst", "scopes": []string{"slices:read"},
			"workspaceId": o.Workspace})
		o.want(t, 201, "POST", "/v1/webhooks", map[string]any{"workspaceId": o.Workspace,
			"url": "https://example.com/secret", "enabled": false})
		before := o.everything(t, h.slice)
		for i, one := range h.open {
			if a := one.finish(); a.Status != 403 && a.Status != 404 {
				t.Errorf("%s %s: %d %s", h.requests[i].method, h.requests[i].path, a.Status, a.Body)
			}
		}
		if len(h.open) < 5 || o.everything(t, h.slice) != before {
			t.Errorf("something was stored by %d requests", len(h.open))
		}
		o.slice(t, o.Workspace, nil)
		for e := next(t, events); e.Event != "slice.created"; e = next(t, events) {
			if strings.HasPrefix(e.Event, "api_key.") || strings.HasPrefix(e.Event, "webhook.") {
				t.Errorf("a member is shown %s", e.Data)
			}
		}
		select {
		case e := <-filtered:
			if e.Event != "heartbeat" {
				t.Errorf("a member is shown %s", e.Data)
			}
		default:
		}
	})
}

// TestGraceBeginsWhileRequestsAreHeld: a token that was superseded meanwhile writes content and makes no lasting
// change, replays included. Its stream continues until the grace period ends.
func TestGraceBeginsWhileRequestsAreHeld(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "grace")
		h := newHolder(t, o, nil)
		hook := map[string]any{"workspaceId": o.Workspace, "url": "https://example.com/mine", "enabled": false}
		h.want(t, 201, "POST", "/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": "mine"},
			"Idempotency-Key", "space")
		mine := h.want(t, 201, "POST", "/v1/webhooks", hook, "Idempotency-Key", "hook").get(t, "id").(string)
		events, cancel := h.stream(t, "/v1/events?after=latest&workspaceId="+o.Workspace)
		defer cancel()
		h.hold(t)
		time.Sleep(200 * time.Millisecond)
		grace := map[string]any{"gracePeriodSeconds": 3}
		newest := client{s, h.admin.want(t, 200, "POST", "/v1/api-keys/"+h.keyID+"/rotate", grace).get(t, "token").(string)}
		rotated := time.Now()
		for i, one := range h.open {
			r := h.requests[i]
			lasting := strings.HasPrefix(r.path, "/v1/webhooks") || strings.HasPrefix(r.path, "/v1/api-keys") ||
				strings.HasSuffix(r.path, "/spaces") || r.method == "PATCH" &&
				strings.HasPrefix(r.path, "/v1/workspaces")
			a := one.finish()
			if lasting {
				assert.Equal(t, r.method+" "+r.path+": status", a.Status, 403)
				a.has(t, members{"code": "token_superseded"})
			} else if a.Status >= 403 {
				t.Errorf("%s %s: %d, want it to be served: %s", r.method, r.path, a.Status, a.Body)
			}
		}
		h.want(t, 403, "POST", "/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": "mine"},
			"Idempotency-Key", "space")
		h.want(t, 403, "POST", "/v1/webhooks", hook, "Idempotency-Key", "hook")
		newest.want(t, 201, "POST", "/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": "mine"},
			"Idempotency-Key", "space")
		newest.want(t, 200, "GET", "/v1/webhooks/"+mine, nil)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for range events {
			}
		}()
		select {
		case <-ended:
		case <-time.After(6 * time.Second):
			t.Fatal("the stream of a superseded token goes on")
		}
		if took := time.Since(rotated); took < 2*time.Second {
			t.Errorf("the stream ended %v after the rotation, before the grace did", took)
		}
		h.want(t, 401, "GET", "/v1/me", nil)
	})
}

// TestKeysExpireBehindTheWriter: writes that wait for a database that somebody else writes to are refused when
// their key expires meanwhile, and leave nothing.
func TestKeysExpireBehindTheWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newServer(t, "sqlite", dir, "--rate-limit", "off")
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "behind")
	ends := time.Now().Add(2 * time.Second)
	c, _ := o.newKey(t, map[string]any{"name": "k", "type": "pat", "scopes": api.AllScopes(),
		"expiresAt": api.At(ends)})
	db := openBeside(t, dir)
	conn, err := db.Conn(t.Context())
	must(t, err)
	defer func() { _ = conn.Close() }()
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	must(t, err)
	before := o.want(t, 200, "GET", "/v1/events?limit=100&workspaceId="+o.Workspace, nil)
	answers := make(chan answer, 2)
	go func() {
		answers <- c.do(t, "POST", "/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": "late"})
	}()
	go func() { answers <- c.do(t, "POST", "/v1/slices", report(o, 2<<10)) }()
	time.Sleep(time.Until(ends.Add(500 * time.Millisecond)))
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	must(t, err)
	for range 2 {
		if a := <-answers; a.Status != 401 {
			t.Errorf("a write that waited beyond its key: %d %s", a.Status, a.Body)
		}
	}
	after := o.want(t, 200, "GET", "/v1/events?limit=100&workspaceId="+o.Workspace, nil)
	if string(after.Body) != string(before.Body) {
		t.Errorf("something was stored: %s", after.Body)
	}
	noFilesLeft(t, s)
}
