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

// hold sends the headers and the first half of a body, so that the server has let the caller in.
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
	_, _ = io.WriteString(h.body, h.rest)
	_ = h.body.Close()
	select {
	case a := <-h.outcome:
		return a
	case <-time.After(20 * time.Second):
		h.t.Fatal("no answer in 20 s")
		return answer{}
	}
}

// heldRequests are requests with a body, one for each kind of effect.
func heldRequests(workspace, slice, comment, attachment, webhook string) []struct{ method, path, body, contentType string } {
	const j = "application/json"
	return []struct{ method, path, body, contentType string }{
		{"POST", "/v1/slices", `{"workspaceId":"` + workspace + `","summary":"held open"}`, j},
		{"POST", "/v1/slices", `{"workspaceId":"` + workspace + `","summary":"held open","evidence":{"console":[{"level":"error","message":"held open","timestamp":"2026-01-01T00:00:00Z"}]}}`, j},
		{"PATCH", "/v1/slices/" + slice, `{"summary":"held open"}`, j},
		{"POST", "/v1/slices/" + slice + "/comments", `{"body":"held open"}`, j},
		{"PATCH", "/v1/comments/" + comment, `{"body":"held open"}`, j},
		{"POST", "/v1/slices/" + slice + "/attachments", strings.Repeat("held open ", 1000), "text/plain"},
		{"PATCH", "/v1/attachments/" + attachment, `{"name":"held open"}`, j},
		{"POST", "/v1/workspaces/" + workspace + "/redaction/dry-run", `{"text":"held open"}`, j},
		{"POST", "/v1/workspaces/" + workspace + "/spaces", `{"name":"held open"}`, j},
		{"PATCH", "/v1/workspaces/" + workspace, `{"description":"held open"}`, j},
		{"POST", "/v1/webhooks", `{"workspaceId":"` + workspace + `","url":"https://example.com/held"}`, j},
		{"PATCH", "/v1/webhooks/" + webhook, `{"description":"held open"}`, j},
		{"POST", "/v1/webhooks/" + webhook + "/rotate-secret", `{"gracePeriodSeconds":1}`, j},
		{"POST", "/v1/api-keys", `{"type":"wst","name":"held open","scopes":["slices:read"],"workspaceId":"` + workspace + `"}`, j},
	}
}

// TestHeldRequestsEndWithTheirRights: a request that is under way when its caller loses a right is
// answered as a new one would be, and stores nothing.
func TestHeldRequestsEndWithTheirRights(t *testing.T) {
	type ending struct {
		name   string
		key    map[string]any
		status int
		end    func(t *testing.T, o org, c client, keyID, userID string)
	}
	endings := []ending{
		{"revoked", nil, 401, func(t *testing.T, _ org, c client, _, _ string) { c.want(t, 204, "DELETE", "/v1/api-keys/self", nil) }},
		{"rotated", nil, 401, func(t *testing.T, _ org, c client, keyID, _ string) {
			c.want(t, 200, "POST", "/v1/api-keys/"+keyID+"/rotate", nil)
		}},
		{"expired", map[string]any{"expiresAt": "soon"}, 401, func(*testing.T, org, client, string, string) { time.Sleep(3 * time.Second) }},
		{"disabled", nil, 401, func(t *testing.T, o org, _ client, _, userID string) { o.cli(t, "user", "disable", "--user", userID) }},
		{"removed", nil, 404, func(t *testing.T, o org, _ client, _, userID string) {
			o.cli(t, "workspace", "remove-member", "--workspace", o.Workspace, "--user", userID)
		}},
		{"service revoked", map[string]any{"type": "wst"}, 401, func(t *testing.T, o org, _ client, keyID, _ string) {
			o.want(t, 204, "DELETE", "/v1/api-keys/"+keyID, nil)
		}},
	}
	engines(t, func(t *testing.T, s *server) {
		for _, e := range endings {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				o := newOrg(t, s, "held")
				admin, userID := o.newUser(t, "holder", o.Workspace)
				o.cli(t, "workspace", "add-member", "--workspace", o.Workspace, "--user", userID, "--role", "admin")
				fields := map[string]any{"name": "held", "type": "pat", "scopes": api.AllScopes()}
				for name, v := range e.key {
					fields[name] = v
				}
				if fields["type"] == "wst" {
					fields["workspaceId"] = o.Workspace
				}
				if fields["expiresAt"] != nil {
					fields["expiresAt"] = api.At(time.Now().Add(2500 * time.Millisecond))
				}
				slice := o.slice(t, o.Workspace, nil)["id"].(string)
				attachment := o.want(t, 201, "POST", "/v1/slices/"+slice+"/attachments", "a text", "Content-Type", "text/plain").get(t, "id").(string)
				webhook := o.want(t, 201, "POST", "/v1/webhooks", map[string]any{"workspaceId": o.Workspace, "url": "https://example.com/hook"}).get(t, "id").(string)
				c, keyID := admin.newKey(t, fields)
				comment := c.want(t, 201, "POST", "/v1/slices/"+slice+"/comments", map[string]any{"body": "mine"}).get(t, "id").(string)
				replayed := map[string]any{"workspaceId": o.Workspace, "summary": "once"}
				c.want(t, 201, "POST", "/v1/slices", replayed, "Idempotency-Key", "again")
				raw, err := json.Marshal(replayed)
				must(t, err)
				requests := heldRequests(o.Workspace, slice, comment, attachment, webhook)
				open := []*heldRequest{c.hold(t, "POST", "/v1/slices", string(raw), "Idempotency-Key", "again")}
				for _, r := range requests {
					open = append(open, c.hold(t, r.method, r.path, r.body, "Content-Type", r.contentType))
				}
				time.Sleep(600 * time.Millisecond)
				e.end(t, o, c, keyID, userID)
				before := o.everything(t, slice)
				for i, h := range open {
					what := "replay"
					if i > 0 {
						what = requests[i-1].method + " " + requests[i-1].path
					}
					a := h.finish()
					if a.Status != e.status {
						t.Errorf("%s: %d, want %d: %s", what, a.Status, e.status, a.Body)
					}
					if a.Status == 401 && a.Header.Get("WWW-Authenticate") == "" {
						t.Errorf("%s: no WWW-Authenticate", what)
					}
				}
				if after := o.everything(t, slice); after != before {
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
	for _, path := range []string{"/v1/events?limit=100&workspaceId=" + o.Workspace, "/v1/slices?limit=100&workspaceId=" + o.Workspace,
		"/v1/slices/" + slice + "/attachments", "/v1/slices/" + slice + "/comments", "/v1/webhooks?limit=100", "/v1/api-keys?limit=100",
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
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "superseded")
		old, keyID := o.newKey(t, map[string]any{"name": "k", "type": "pat", "scopes": api.AllScopes()})
		webhook := o.want(t, 201, "POST", "/v1/webhooks", map[string]any{"workspaceId": o.Workspace, "url": "https://example.com/hook"}).get(t, "id").(string)
		newest := client{s, old.want(t, 200, "POST", "/v1/api-keys/"+keyID+"/rotate", map[string]any{"gracePeriodSeconds": 600}).get(t, "token").(string)}
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
			for name, value := range map[string]string{"{workspaceId}": o.Workspace, "{keyId}": keyID, "{webhookId}": webhook, "{deliveryId}": "dlv_00000000000000000000000000"} {
				path = strings.ReplaceAll(path, name, value)
			}
			a := old.want(t, 403, op.Method, path, nil)
			if a.get(t, "code") != api.CodeSuperseded {
				t.Errorf("%s: %s", op.ID, a.Body)
			}
			refused++
		}
		if refused < 14 {
			t.Errorf("only %d operations are refused", refused)
		}
		newest.newKey(t, map[string]any{"name": "minted", "type": "pat", "scopes": []string{"user:read"}})
		old.want(t, 204, "DELETE", "/v1/api-keys/self", nil) // a key may always revoke itself
		newest.want(t, 401, "GET", "/v1/me", nil)
	})
}

// TestLongReadsEndWithTheirRights: a stream, a download and a replay that are under way end within a
// second of the revocation of their key.
func TestLongReadsEndWithTheirRights(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "longreads")
		slice := o.slice(t, o.Workspace, nil)["id"].(string)
		big := o.want(t, 201, "POST", "/v1/slices/"+slice+"/attachments", strings.Repeat("\x00\x01 no text", 3<<20), "Content-Type", "application/octet-stream").get(t, "id").(string)
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
				o.cli(t, "workspace", "remove-member", "--workspace", o.Workspace, "--user", userID)
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
	})
}
