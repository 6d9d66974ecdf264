package suite

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"bugslice/api"
)

// heldRequest is a request whose headers and half of whose body have been sent.
type heldRequest struct {
	t       *testing.T
	rest    string
	body    *io.PipeWriter
	outcome chan answer
}

// hold sends the headers and the first half of a body, so that the server has let the caller in. The body
// is chunked unless the headers have Content-Length, whatever it says.
func (c client) hold(t *testing.T, method, path, body string, headers ...string) *heldRequest {
	t.Helper()
	r, w := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), method, c.URL+path, r)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	if req.Header.Get("Content-Length") != "" {
		req.ContentLength = int64(len(body))
	}
	h := &heldRequest{t, body[len(body)/2:], w, make(chan answer, 1)}
	go func() {
		res, err := (&http.Transport{}).RoundTrip(req)
		if err != nil {
			h.outcome <- answer{}
			return
		}
		defer res.Body.Close()
		a := answer{Status: res.StatusCode, Header: res.Header}
		a.Body, _ = io.ReadAll(res.Body)
		h.outcome <- a
	}()
	_, err = io.WriteString(w, body[:len(body)/2])
	must(t, err)
	return h
}

// finish sends the rest and returns the answer.
func (h *heldRequest) finish() answer {
	h.t.Helper()
	go func() { _, _ = io.WriteString(h.body, h.rest); _ = h.body.Close() }() // a refused body is not read
	select {
	case a := <-h.outcome:
		return a
	case <-time.After(20 * time.Second):
		h.t.Fatal("no answer in 20 s")
		return answer{}
	}
}

// heldKind is a request with a body.
type heldKind struct {
	method, path, body, contentType string
	headers                         []string
}

// heldRequests are requests with a body, one for each kind of effect.
func heldRequests(workspace, slice, comment, attachment, webhook string) []heldKind {
	const j = "application/json"
	form := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"held open.txt\"\r\n\r\n" +
		strings.Repeat("held open ", 1000) + "\r\n--x--\r\n"
	return []heldKind{
		{"POST", "/v1/slices", `{"workspaceId":"` + workspace + `","summary":"held open"}`, j,
			[]string{"Expect", "100-continue"}},
		{"POST", "/v1/slices", `{"workspaceId":"` + workspace +
			`","summary":"held open","evidence":{"console":[{"level":"error","message":"held ` +
			`open","timestamp":"2026-01-01T00:00:00Z"}]}}`, j, nil},
		{"PATCH", "/v1/slices/" + slice, `{"summary":"held open"}`, j, nil},
		{"POST", "/v1/slices/" + slice + "/comments", `{"body":"held open"}`, j, nil},
		{"PATCH", "/v1/comments/" + comment, `{"body":"held open"}`, j, nil},
		{"POST", "/v1/slices/" + slice + "/attachments", strings.Repeat("held open ", 1000), "text/plain", nil},
		{"POST", "/v1/slices/" + slice + "/attachments", form, "multipart/form-data; boundary=x", nil},
		{"PATCH", "/v1/attachments/" + attachment, `{"name":"held open"}`, j, nil},
		{"POST", "/v1/workspaces/" + workspace + "/redaction/dry-run", `{"text":"held open"}`, j, nil},
		{"POST", "/v1/workspaces/" + workspace + "/spaces", `{"name":"held open"}`, j, nil},
		{"PATCH", "/v1/workspaces/" + workspace, `{"description":"held open"}`, j, nil},
		{"POST", "/v1/webhooks", `{"workspaceId":"` + workspace + `","url":"https://example.com/held-open"}`, j, nil},
		{"PATCH", "/v1/webhooks/" + webhook, `{"description":"held open"}`, j, nil},
		{"POST", "/v1/webhooks/" + webhook + "/rotate-secret", `{"gracePeriodSeconds":1}`, j, nil},
		{"POST", "/v1/api-keys", `{"type":"wst","name":"held open","scopes":["slices:read"],"workspaceId":"` +
			workspace + `"}`, j, nil},
	}
}

// ending is a way in which a key loses its rights, and how what it held open is answered then.
type ending struct {
	name   string
	key    map[string]any
	status int
	end    func(t *testing.T, h *holder)
}

func endings() []ending {
	self := func(t *testing.T, h *holder) { h.want(t, 204, "DELETE", "/v1/api-keys/self", nil) }
	return []ending{
		{"revoked", nil, 401, self},
		{"rotated", nil, 401, func(t *testing.T, h *holder) {
			h.want(t, 200, "POST", "/v1/api-keys/"+h.keyID+"/rotate",
				nil)
		}},
		{"rotated by another key", nil, 401, func(t *testing.T, h *holder) {
			h.admin.want(t, 200, "POST", "/v1/api-keys/"+h.keyID+"/rotate", nil)
		}},
		{"rotated three times", nil, 401, func(t *testing.T, h *holder) {
			for range 3 {
				h.admin.want(t, 200, "POST", "/v1/api-keys/"+h.keyID+"/rotate",
					map[string]any{"gracePeriodSeconds": 600})
			}
		}},
		{"expired", map[string]any{"expiresAt": "soon"}, 401, func(_ *testing.T, h *holder) {
			time.Sleep(time.Until(h.expires.Add(100 * time.Millisecond)))
		}},
		{"disabled", nil, 401, func(t *testing.T, h *holder) {
			h.cli(t, "admin", "user", "disable", "--user",
				h.userID)
		}},
		{"removed", nil, 404, func(t *testing.T, h *holder) {
			h.cli(t, "admin", "workspace", "remove-member", "--workspace", h.org.Workspace, "--user", h.userID)
		}},
		{"service revoked", map[string]any{"type": "wst"}, 401, func(t *testing.T, h *holder) {
			h.org.want(t, 204, "DELETE", "/v1/api-keys/"+h.keyID, nil)
		}},
		{"service revokes itself", map[string]any{"type": "wst"}, 401, self},
	}
}

// holder is a key of an admin of a workspace, with one of each that it may change.
type holder struct {
	client
	org           org
	admin         client // the same user's first key
	userID, keyID string
	slice         string
	expires       time.Time // of a key that expires
	requests      []heldKind
	open          []*heldRequest
}

// newHolder makes a key, with what fields say beside the usual.
func newHolder(t *testing.T, o org, more map[string]any) *holder {
	t.Helper()
	h := &holder{org: o}
	h.admin, h.userID = o.newUser(t, "holder", o.Workspace)
	o.cli(t, "admin", "workspace", "add-member", "--workspace", o.Workspace, "--user", h.userID, "--role", "admin")
	fields := map[string]any{"name": "holder", "type": "pat", "scopes": api.AllScopes()}
	for name, v := range more {
		fields[name] = v
	}
	if fields["type"] == "wst" {
		fields["workspaceId"] = o.Workspace
	}
	if fields["expiresAt"] != nil {
		h.expires = time.Now().Add(2500 * time.Millisecond)
		fields["expiresAt"] = api.At(h.expires)
	}
	h.slice = o.slice(t, o.Workspace, nil)["id"].(string)
	attachment := o.want(t, 201, "POST", "/v1/slices/"+h.slice+"/attachments", "a text", "Content-Type", "text/plain").
		get(t, "id").(string)
	hook := map[string]any{"workspaceId": o.Workspace, "url": "https://example.com/hook", "enabled": false}
	webhook := o.want(t, 201, "POST", "/v1/webhooks", hook).get(t, "id").(string)
	h.client, h.keyID = h.admin.newKey(t, fields)
	comment := h.want(t, 201, "POST", "/v1/slices/"+h.slice+"/comments", map[string]any{"body": "mine"}).get(t, "id").(string)
	h.requests = heldRequests(o.Workspace, h.slice, comment, attachment, webhook)
	return h
}

// hold opens every kind of request, half of them with a length, and lets the server read what was sent.
func (h *holder) hold(t *testing.T) {
	t.Helper()
	for i, r := range h.requests {
		headers := append([]string{"Content-Type", r.contentType}, r.headers...)
		if i%2 == 0 {
			headers = append(headers, "Content-Length", "known")
		}
		h.open = append(h.open, h.client.hold(t, r.method, r.path, r.body, headers...))
	}
}

// finish ends what was held open, and fails when it is not refused.
func (h *holder) finish(t *testing.T, what string, status int) {
	t.Helper()
	for i, one := range h.open {
		a := one.finish()
		if a.Status != status {
			t.Errorf("%s: %s %s: %d, want %d: %s", what, h.requests[i].method, h.requests[i].path, a.Status, status,
				a.Body)
		}
		if a.Status == 401 && a.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %s: no WWW-Authenticate", what, h.requests[i].path)
		}
	}
}

// TestHeldRequestsEndWithTheirRights: a request that is under way when its caller loses a right is
// answered as a new one would be, and stores nothing.
func TestHeldRequestsEndWithTheirRights(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		for _, e := range endings() {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				o := newOrg(t, s, "held")
				h := newHolder(t, o, e.key)
				replayed := map[string]any{"workspaceId": o.Workspace, "summary": "once"}
				h.want(t, 201, "POST", "/v1/slices", replayed, "Idempotency-Key", "again")
				raw, err := json.Marshal(replayed)
				must(t, err)
				again := []string{"Idempotency-Key", "again"}
				h.requests = append(h.requests, heldKind{"POST", "/v1/slices", string(raw), "application/json", again})
				h.hold(t)
				time.Sleep(600 * time.Millisecond)
				e.end(t, h)
				before := o.everything(t, h.slice)
				h.finish(t, e.name, e.status)
				if after := o.everything(t, h.slice); after != before {
					t.Errorf("something was stored:\n%s\nbefore:\n%s", after, before)
				}
			})
		}
	})
}

// everything returns what an owner reads of a workspace: its log, and what has none.
func (o org) everything(t *testing.T, slice string) string {
	t.Helper()
	var b strings.Builder
	for _, path := range []string{"/v1/events?limit=100&workspaceId=" + o.Workspace,
		"/v1/slices?limit=100&workspaceId=" + o.Workspace,
		"/v1/slices/" + slice + "/attachments", "/v1/slices/" + slice + "/comments", "/v1/webhooks?limit=100",
		"/v1/api-keys?limit=100",
		"/v1/workspaces/" + o.Workspace, "/v1/workspaces/" + o.Workspace + "/spaces"} {
		var v any
		must(t, json.Unmarshal(o.want(t, 200, "GET", path, nil).Body, &v))
		dropLastUse(v)
		raw, err := json.Marshal(v)
		must(t, err)
		fmt.Fprintf(&b, "%s\n", raw)
	}
	return b.String()
}

// dropLastUse removes the times when keys were used.
func dropLastUse(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "lastUsedAt")
		for _, m := range v {
			dropLastUse(m)
		}
	case []any:
		for _, m := range v {
			dropLastUse(m)
		}
	}
}

// TestSupersededTokens: a token in its grace period reads and writes content, and does nothing that
// outlives it.
func TestSupersededTokens(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "superseded")
	old, keyID := o.newKey(t, map[string]any{"name": "k", "type": "pat", "scopes": api.AllScopes()})
	webhook := o.want(t, 201, "POST", "/v1/webhooks", map[string]any{"workspaceId": o.Workspace,
		"url": "https://example.com/hook"}).get(t, "id").(string)
	newest := client{s, old.want(t, 200, "POST", "/v1/api-keys/"+keyID+"/rotate",
		map[string]any{"gracePeriodSeconds": 600}).get(t, "token").(string)}
	slice := old.slice(t, o.Workspace, nil)["id"].(string)
	old.want(t, 200, "PATCH", "/v1/slices/"+slice, map[string]any{"summary": "still mine"})
	old.want(t, 201, "POST", "/v1/slices/"+slice+"/comments", map[string]any{"body": "still here"})
	old.want(t, 201, "POST", "/v1/slices/"+slice+"/attachments", "a text", "Content-Type", "text/plain")
	old.want(t, 200, "GET", "/v1/api-keys", nil)
	refused := 0
	for _, op := range api.Operations {
		if op.Effect != api.Lasting {
			continue
		}
		path := op.Path
		for name, value := range map[string]string{"{workspaceId}": o.Workspace,
			"{keyId}": keyID, "{webhookId}": webhook, "{deliveryId}": "dlv_00000000000000000000000000"} {
			path = strings.ReplaceAll(path, name, value)
		}
		a := old.want(t, 403, op.Method, path, nil)
		a.has(t, members{"code": api.CodeSuperseded})
		refused++
	}
	if refused < 14 {
		t.Errorf("only %d operations are refused", refused)
	}
	newest.newKey(t, map[string]any{"name": "minted", "type": "pat", "scopes": []string{"user:read"}})
	old.want(t, 204, "DELETE", "/v1/api-keys/self", nil) // a key may always revoke itself
	newest.want(t, 401, "GET", "/v1/me", nil)
}

// TestLongReadsEndWithTheirRights: a stream, a download and a replay that are under way end within a
// second of the revocation of their key.
func TestLongReadsEndWithTheirRights(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "longreads")
	slice := o.slice(t, o.Workspace, nil)["id"].(string)
	big := o.want(t, 201, "POST", "/v1/slices/"+slice+"/attachments", strings.Repeat("\x00\x01 no text", 3<<20),
		"Content-Type", "application/octet-stream").get(t, "id").(string)
	for name, remove := range map[string]bool{"revoked": false, "removed": true} {
		admin, userID := o.newUser(t, "reader", o.Workspace)
		c, keyID := admin.newKey(t, map[string]any{"name": "reader", "type": "pat", "scopes": []string{"slices:read"}})
		events, cancel := c.stream(t, "/v1/events?after=latest&workspaceId="+o.Workspace)
		defer cancel()
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/v1/attachments/"+big, nil)
		must(t, err)
		req.Header.Set("Authorization", "Bearer "+c.token)
		res, err := (&http.Transport{ReadBufferSize: 4 << 10}).RoundTrip(req)
		must(t, err)
		defer res.Body.Close()
		_, err = io.CopyN(io.Discard, res.Body, 1000)
		must(t, err)
		if remove {
			o.cli(t, "admin", "workspace", "remove-member", "--workspace", o.Workspace, "--user", userID)
		} else {
			admin.want(t, 204, "DELETE", "/v1/api-keys/"+keyID, nil)
		}
		end := time.Now()
		o.slice(t, o.Workspace, nil) // the stream must not tell of it
		for e := range events {
			if e.Event == "slice.created" {
				t.Errorf("%s: an event after the end of the right", name)
			}
		}
		if took := time.Since(end); took > 1500*time.Millisecond {
			t.Errorf("%s: the stream went on for %s", name, took)
		}
		time.Sleep(time.Until(end.Add(time.Second)))
		n, err := io.Copy(io.Discard, res.Body)
		if err == nil || n > 16<<20 { // what the sockets hold is on its way already
			t.Errorf("%s: %d further bytes were sent, and then %v", name, n, err)
		}
	}
}
