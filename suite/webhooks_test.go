package suite

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/webhook"
)

// message is what a receiver got.
type message struct {
	ID     string
	Header http.Header
	Body   []byte
	At     time.Time
	Status int // what it was answered

	Request string // its method and its path
}

func (m message) event(t testing.TB) map[string]any {
	t.Helper()
	var e map[string]any
	must(t, json.Unmarshal(m.Body, &e))
	return e
}

// receiver listens on loopback and keeps what it gets. answer, when set, decides; 204 else.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []message
	answer func(w http.ResponseWriter, r *http.Request, nth int) int
}

func newReceiver(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, nth int) int) *receiver {
	rc := &receiver{answer: answer}
	rc.Server = httptest.NewServer(rc)
	t.Cleanup(func() { rc.CloseClientConnections(); rc.Close() })
	return rc
}

func (rc *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	rc.mu.Lock()
	nth := len(rc.got)
	rc.got = append(rc.got, message{ID: r.Header.Get(webhook.HeaderID), Header: r.Header.Clone(), Body: body,
		At: time.Now(), Status: 204, Request: r.Method + " " + r.URL.RequestURI()})
	answer := rc.answer
	rc.mu.Unlock()
	status := 204
	if answer != nil {
		if status = answer(w, r, nth); status == 0 {
			return // answered already
		}
	}
	rc.mu.Lock()
	rc.got[nth].Status = status
	rc.mu.Unlock()
	w.WriteHeader(status)
}

func (rc *receiver) messages() []message {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return slices.Clone(rc.got)
}

// requests returns the methods and paths of the messages.
func (rc *receiver) requests() (all []string) {
	for _, m := range rc.messages() {
		all = append(all, m.Request)
	}
	return all
}

// wait returns the messages once there are n that match.
func (rc *receiver) wait(t *testing.T, n int, match func(message) bool) []message {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		var found []message
		for _, m := range rc.messages() {
			if match == nil || match(m) {
				found = append(found, m)
			}
		}
		if len(found) >= n {
			return found
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d messages in 20 s", len(found), n)
		}
	}
}

func ofType(kind string) func(message) bool {
	return func(m message) bool { return strings.Contains(string(m.Body), `"type":"`+kind+`"`) }
}

// hook makes a webhook and returns its id and secret.
func (o org) hook(t *testing.T, url string, types ...string) (id, secret string) {
	t.Helper()
	body := map[string]any{"workspaceId": o.Workspace, "url": url}
	if len(types) > 0 {
		body["eventTypes"] = types
	}
	a := o.want(t, 201, "POST", "/v1/webhooks", body)
	return a.get(t, "id").(string), a.get(t, "secret").(string)
}

// TestWebhookDelivers: a subscribed event is delivered, signed, as the log has it; other events are not.
func TestWebhookDelivers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "hooks")
		all, some := newReceiver(t, nil), newReceiver(t, nil)
		id, secret := o.hook(t, all.URL)
		o.hook(t, some.URL+"/path?query=1", "slice.status_changed", "space.created")
		made := o.slice(t, o.Workspace, map[string]any{"summary": "Grüße & <b>"})
		path := "/v1/slices/" + made["id"].(string)
		o.want(t, 200, "PATCH", path, map[string]any{"status": "resolved", "assigneeId": o.UserID})
		o.want(t, 204, "DELETE", path, nil)
		o.want(t, 200, "POST", path+"/restore", nil)
		o.want(t, 200, "PATCH", "/v1/workspaces/"+o.Workspace, map[string]any{"name": "renamed"})
		o.want(t, 201, "POST", "/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": "space"})
		_, keyID := o.newKey(t, map[string]any{"name": "ci", "type": "wst", "scopes": []string{"slices:read"},
			"workspaceId": o.Workspace})
		o.want(t, 200, "POST", "/v1/api-keys/"+keyID+"/rotate", nil)
		o.want(t, 204, "DELETE", "/v1/api-keys/"+keyID, nil)
		got := all.wait(t, 11, nil)
		some.wait(t, 2, nil)
		v, err := webhook.NewVerifier(secret)
		must(t, err)
		log := o.want(t, 200, "GET", "/v1/events?limit=100&workspaceId="+o.Workspace, nil).get(t, "data").([]any)
		byID := map[string]any{}
		for _, e := range log {
			byID[e.(map[string]any)["id"].(string)] = e
		}
		for _, m := range got {
			if err := v.Verify(m.Header, m.Body); err != nil {
				t.Error(err)
			}
			e := m.event(t)
			shown, err := json.Marshal(byID[m.ID])
			must(t, err)
			sent, err := json.Marshal(e)
			must(t, err)
			if string(shown) != string(sent) {
				t.Errorf("sent %s\nshown %s", sent, shown)
			}
			conformsToMessage(t, m)
			if ua := m.Header.Get("User-Agent"); !strings.HasPrefix(ua, "Bugslice/") ||
				m.Header.Get("Content-Type") != "application/json" {
				t.Errorf("want User-Agent Bugslice/… and Content-Type application/json: %v", m.Header)
			}
		}
		assert.Equal(t, "events, messages to one receiver and to the other",
			[]int{len(log), len(all.messages()), len(some.messages())}, []int{11, 11, 2})
		// The outcome is stored a moment after it came.
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			rows := o.want(t, 200, "GET", "/v1/webhooks/"+id+"/deliveries?status=delivered&limit=100", nil).
				get(t, "data").([]any)
			if len(rows) == 11 {
				one := o.want(t, 200, "GET", "/v1/deliveries/"+rows[0].(map[string]any)["id"].(string), nil)
				one.has(t, members{"attempts.0.status": 204, "attempts.0.error": nil, "attempts.0.responseBody": nil,
					"attemptCount": 1})
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d delivered", len(rows))
			}
		}
		if n := len(o.want(t, 200, "GET",
			"/v1/webhooks/"+id+"/deliveries?eventType=space.created,slice.created&since=2026-01-01T00:00:00Z",
			nil).get(t, "data").([]any)); n != 2 {
			t.Errorf("%d deliveries of two types", n)
		}
	})
}

// TestChatOnTheWire: a service that names its messages, as Discord does, gets one for a report, which later
// events change, in their order. Another service gets a message for each.
func TestChatOnTheWire(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "chat")
		service := newReceiver(t, func(w http.ResponseWriter, r *http.Request, nth int) int {
			if r.Method == "POST" {
				time.Sleep(200 * time.Millisecond) // a second event that is sent meanwhile would have a message of its own
				fmt.Fprintf(w, `{"id":"m%d","content":""}`, nth)
				return 0
			}
			return 200
		})
		other := newReceiver(t, nil)
		for url, format := range map[string]string{service.URL + "/api/webhooks/1/x": "discord",
			other.URL: "mattermost"} {
			o.want(t, 201, "POST", "/v1/webhooks", map[string]any{"workspaceId": o.Workspace, "url": url,
				"format": format,
				"query":  "label:checkout"})
		}
		o.slice(t, o.Workspace, map[string]any{"summary": "The mail is late"})
		made := o.slice(t, o.Workspace, map[string]any{"summary": "The cart is empty", "labels": []string{"checkout"}})
		path := "/v1/slices/" + made["id"].(string)
		o.want(t, 201, "POST", path+"/comments",
			map[string]any{"body": "Seen [again](https://evil.example), @everyone"})
		o.want(t, 200, "PATCH", path, map[string]any{"status": "resolved"})
		got := service.wait(t, 3, nil)
		for i, want := range []string{"filed ", "commented on ", " to Resolved (fixed)"} {
			if body := string(got[i].Body); !strings.Contains(body, want) || !strings.Contains(body,
				`"allowed_mentions":{"parse":[]}`) ||
				strings.Contains(body, "The mail is late") {
				t.Errorf("message %d: %s, want %q", i, body, want)
			}
		}
		assert.Equal(t, "messages of the other service", len(other.wait(t, 3, nil)), 3)
		assert.Equal(t, "requests", service.requests(), []string{"POST /api/webhooks/1/x?wait=true",
			"PATCH /api/webhooks/1/x/messages/m0", "PATCH /api/webhooks/1/x/messages/m0"})
	})
}

// TestWebhookRetries: a receiver that fails is asked again, with the same id and a new timestamp.
func TestWebhookRetries(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "retries")
		rc := newReceiver(t, func(_ http.ResponseWriter, _ *http.Request, nth int) int {
			return []int{500,
				204}[min(nth, 1)]
		})
		id, _ := o.hook(t, rc.URL, "slice.created")
		o.slice(t, o.Workspace, nil)
		got := rc.wait(t, 2, nil)
		if got[0].ID != got[1].ID || string(got[0].Body) != string(got[1].Body) {
			t.Error("the second try is another message")
		}
		if d := got[1].At.Sub(got[0].At); d < 4*time.Second || d > 9*time.Second {
			t.Errorf("tried again after %v, want about 5 s", d)
		}
		if got[0].Header.Get(webhook.HeaderTimestamp) == got[1].Header.Get(webhook.HeaderTimestamp) {
			t.Error("the timestamp is that of the first try")
		}
		d := o.settled(t, id)
		wantMembers(t, "d", d, members{"status": "delivered", "attemptCount": 2})
		first := o.want(t, 200, "GET", "/v1/deliveries/"+d["id"].(string), nil).get(t, "attempts").([]any)[0].(map[string]any)
		wantMembers(t, "first", first, members{"status": 500, "error": "status"})
		o.want(t, 200, "POST", "/v1/deliveries/"+d["id"].(string)+"/redeliver", nil)
		if again := rc.wait(t, 3, nil)[2]; again.ID != got[0].ID {
			t.Error("sent again under another id")
		}
	})
}

// settled waits until the newest delivery of a webhook is not pending.
func (o org) settled(t *testing.T, webhookID string) map[string]any {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		rows := o.want(t, 200, "GET", "/v1/webhooks/"+webhookID+"/deliveries?limit=1", nil).get(t, "data").([]any)
		if len(rows) == 1 && rows[0].(map[string]any)["status"] != "pending" {
			return rows[0].(map[string]any)
		}
		if time.Now().After(deadline) {
			t.Fatalf("not settled: %v", rows)
		}
	}
}

// attempted waits for the first attempt of the newest delivery of a webhook.
func (o org) attempted(t *testing.T, webhookID string) (delivery, attempt map[string]any) {
	t.Helper()
	for deadline := time.Now().Add(25 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		rows := o.want(t, 200, "GET", "/v1/webhooks/"+webhookID+"/deliveries?limit=1", nil).get(t, "data").([]any)
		if len(rows) == 1 {
			d := o.want(t, 200, "GET", "/v1/deliveries/"+rows[0].(map[string]any)["id"].(string), nil)
			if all := d.get(t, "attempts").([]any); len(all) > 0 {
				return d.JSON(t), all[0].(map[string]any)
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("no attempt")
		}
	}
}

// TestWebhookFailures: what each way to fail is called, and what follows.
func TestWebhookFailures(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "failures")
		elsewhere := newReceiver(t, nil)
		cases := map[string]struct {
			answer func(w http.ResponseWriter, r *http.Request, nth int) int
			class  string
		}{
			"redirect": {func(w http.ResponseWriter, r *http.Request, _ int) int {
				http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
				return 0
			}, "redirect"},
			"status": {func(http.ResponseWriter, *http.Request, int) int { return 418 }, "status"},
			"reset": {func(w http.ResponseWriter, _ *http.Request, _ int) int {
				c, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					_ = c.Close()
				}
				return 0
			}, "connection"},
			"garbage": {func(w http.ResponseWriter, _ *http.Request, _ int) int {
				c, b, err := http.NewResponseController(w).Hijack()
				if err == nil {
					fmt.Fprint(b, "this is not HTTP\r\n\r\n")
					_ = b.Flush()
					_ = c.Close()
				}
				return 0
			}, "protocol"},
			"endless": {func(w http.ResponseWriter, r *http.Request, _ int) int {
				w.WriteHeader(500)
				for r.Context().Err() == nil {
					if _, err := w.Write(make([]byte, 1<<16)); err != nil {
						break
					}
				}
				return 0
			}, "status"},
		}
		ids := map[string]string{}
		for name, c := range cases {
			ids[name], _ = o.hook(t, newReceiver(t, c.answer).URL, "slice.created")
		}
		ids["nobody"], _ = o.hook(t, nowhere, "slice.created")
		o.slice(t, o.Workspace, nil)
		for name, id := range ids {
			want := cases[name].class
			if name == "nobody" {
				want = "connection"
			}
			d, attempt := o.attempted(t, id)
			wantMembers(t, name+": the attempt", attempt, members{"error": want})
			wantMembers(t, name+": the delivery", d, members{"status": "pending"})
			if d["nextAttemptAt"] == nil {
				t.Errorf("%s: no next attempt: %v", name, d)
			}
		}
		if n := len(elsewhere.messages()); n != 0 {
			t.Errorf("a redirect was followed %d times", n)
		}
	})
}

// TestWebhookGone: 410 disables a webhook, with a reason and an event. The delivery has failed, and a recovery sends
// it with the events since then.
func TestWebhookGone(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "gone")
		watcher := newReceiver(t, nil)
		rc := newReceiver(t, func(_ http.ResponseWriter, _ *http.Request, nth int) int {
			return []int{410,
				204}[min(nth, 1)]
		})
		o.hook(t, watcher.URL, "webhook.disabled")
		id, _ := o.hook(t, rc.URL, "slice.created")
		first := o.slice(t, o.Workspace, nil)
		e := watcher.wait(t, 1, nil)[0].event(t)
		wantMembers(t, "the event", e, members{"data.webhook.id": id, "data.webhook.disabledReason": "gone",
			"actor.type": "system"})
		shown := o.want(t, 200, "GET", "/v1/webhooks/"+id, nil)
		if shown.get(t, "enabled") != false || shown.get(t, "disabledAt") == nil {
			t.Errorf("want a webhook that was disabled: %s", shown.Body)
		}
		while := o.slice(t, o.Workspace, nil) // while it is disabled
		rows := o.want(t, 200, "GET", "/v1/webhooks/"+id+"/deliveries", nil).get(t, "data").([]any)
		if len(rows) != 1 {
			t.Fatalf("%d deliveries", len(rows))
		}
		wantMembers(t, "the delivery", rows[0].(map[string]any), members{"status": "failed", "nextAttemptAt": nil})
		o.want(t, 409, "POST", "/v1/deliveries/"+rows[0].(map[string]any)["id"].(string)+"/redeliver", nil)
		o.want(t, 409, "POST", "/v1/webhooks/"+id+"/recover", map[string]any{"since": "2026-01-01T00:00:00Z"})
		o.want(t, 200, "POST", "/v1/webhooks/"+id+"/enable", nil)
		r := o.want(t, 200, "POST", "/v1/webhooks/"+id+"/recover", map[string]any{"since": "2026-01-01T00:00:00Z"})
		r.has(t, members{"missed": 1, "failed": 1})
		rc.wait(t, 1, func(m message) bool { return strings.Contains(string(m.Body), while["id"].(string)) })
		// The first of them was answered 410.
		rc.wait(t, 2, func(m message) bool { return strings.Contains(string(m.Body), first["id"].(string)) })
		if r := o.want(t, 200, "POST", "/v1/webhooks/"+id+"/recover",
			map[string]any{"since": "2026-01-01T00:00:00Z"}); r.get(t, "missed") != float64(0) {
			t.Errorf("recovered twice: %s", r.Body)
		}
	})
}

// TestWebhookSlowsDown: a receiver that asks for peace gets it, and others are not delayed.
func TestWebhookSlowsDown(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "busy")
		quick := newReceiver(t, nil)
		busy := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, nth int) int {
			if nth == 0 {
				w.Header().Set("Retry-After", "3")
				return 429
			}
			return 204
		})
		o.hook(t, busy.URL, "slice.created")
		o.hook(t, quick.URL, "slice.created")
		o.slice(t, o.Workspace, nil)
		first := busy.wait(t, 1, nil)[0]
		time.Sleep(300 * time.Millisecond)
		for range 5 {
			o.slice(t, o.Workspace, nil)
		}
		quick.wait(t, 6, nil)
		if n := len(busy.messages()); n != 1 {
			t.Errorf("%d messages while it asked for peace", n)
		}
		second := busy.wait(t, 2, nil)[1]
		if d := second.At.Sub(first.At); d < 2500*time.Millisecond {
			t.Errorf("asked again after %v, it had asked for 3 s", d)
		}
		busy.wait(t, 7, nil)
	})
}

// TestWebhookSecrets: shown once, both sign during the grace, and none is anywhere else.
func TestWebhookSecrets(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "secrets")
		rc := newReceiver(t, nil)
		id, old := o.hook(t, rc.URL, "slice.created")
		a := o.want(t, 200, "POST", "/v1/webhooks/"+id+"/rotate-secret", nil)
		renewed := a.get(t, "secret").(string)
		if a.Header.Get("Cache-Control") != "no-store" ||
			!strings.HasSuffix(renewed, a.get(t, "secretLast4").(string)) {
			t.Errorf("%s", a.Body)
		}
		o.slice(t, o.Workspace, nil)
		m := rc.wait(t, 1, nil)[0]
		for _, secret := range []string{old, renewed} {
			v, err := webhook.NewVerifier(secret)
			must(t, err)
			if err := v.Verify(m.Header, m.Body); err != nil {
				t.Error(err)
			}
		}
		last := o.want(t, 200, "POST", "/v1/webhooks/"+id+"/rotate-secret",
			map[string]any{"gracePeriodSeconds": 0}).get(t, "secret").(string)
		o.slice(t, o.Workspace, nil)
		m = rc.wait(t, 2, nil)[1]
		for secret, want := range map[string]bool{old: true, renewed: false,
			last: true} { // the first one's day is not over
			v, err := webhook.NewVerifier(secret)
			must(t, err)
			if got := v.Verify(m.Header, m.Body) == nil; got != want {
				t.Errorf("signed by %s…: %v", secret[:10], got)
			}
		}
		for _, path := range []string{"/v1/webhooks", "/v1/webhooks/" + id, "/v1/events?limit=100&workspaceId=" +
			o.Workspace} {
			if body := string(o.want(t, 200, "GET", path, nil).Body); strings.Contains(body, "whsec_") {
				t.Errorf("%s shows a secret", path)
			}
		}
		if leak := regexp.MustCompile(`whsec_[A-Za-z0-9+/]{8}`).FindString(s.logged()); leak != "" {
			t.Errorf("a secret is in the log: %s…", leak)
		}
		k := map[string]any{"workspaceId": o.Workspace, "url": rc.URL}
		o.want(t, 201, "POST", "/v1/webhooks", k, "Idempotency-Key", "again")
		o.want(t, 409, "POST", "/v1/webhooks", k, "Idempotency-Key", "again").
			has(t, members{"code": "idempotent_secret_gone"})
	})
}

// TestWebhookTest: a ping is sent, also to a disabled webhook, and its result is returned.
func TestWebhookTest(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "ping")
		rc := newReceiver(t, func(_ http.ResponseWriter, _ *http.Request, nth int) int {
			return []int{200,
				503}[min(nth, 1)]
		})
		id, secret := o.hook(t, rc.URL, "slice.created")
		o.want(t, 200, "PATCH", "/v1/webhooks/"+id, map[string]any{"enabled": false})
		a := o.want(t, 200, "POST", "/v1/webhooks/"+id+"/test", nil)
		m := rc.wait(t, 1, ofType("ping"))[0]
		v, err := webhook.NewVerifier(secret)
		must(t, err)
		must(t, v.Verify(m.Header, m.Body))
		a.has(t, members{"delivered": true, "eventId": m.ID, "attempt.status": 200})
		conformsToMessage(t, m)
		a = o.want(t, 200, "POST", "/v1/webhooks/"+id+"/test", nil)
		a.has(t, members{"delivered": false, "attempt.error": "status"})
	})
}

// TestWebhookRights: a webhook sends what whom it acts for may read, and no longer.
func TestWebhookRights(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "rights")
		watcher := newReceiver(t, nil)
		o.hook(t, watcher.URL, "webhook.disabled")
		narrow, _ := o.newKey(t, map[string]any{"name": "narrow", "type": "pat",
			"scopes": []string{"webhooks:manage", "spaces:read"}})
		body := func(types ...string) map[string]any {
			return map[string]any{"workspaceId": o.Workspace, "url": nowhere, "eventTypes": types}
		}
		a := narrow.want(t, 403, "POST", "/v1/webhooks", body("space.created", "slice.created"))
		assert.Contains(t, "detail", a.get(t, "detail").(string), "slices:read")
		narrow.want(t, 403, "PATCH", "/v1/webhooks/"+narrow.want(t, 201,
			"POST", "/v1/webhooks", body("space.created")).get(t, "id").(string),
			map[string]any{"eventTypes": []string{"slice.created"}})
		rc := newReceiver(t, nil)
		narrow.want(t, 201, "POST", "/v1/webhooks", map[string]any{"workspaceId": o.Workspace, "url": rc.URL})
		o.slice(t, o.Workspace, nil)
		o.want(t, 201, "POST", "/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": "seen"})
		rc.wait(t, 1, ofType("space.created"))
		if n := len(rc.messages()); n != 1 {
			t.Errorf("%d messages, one is within the key's scopes", n)
		}

		// Each way to lose the right disables, with the reason and an event.
		for _, lose := range []string{"revoked key", "no admin any more", "left", "disabled", "service revoked"} {
			c, userID := o.newUser(t, "temp", o.Workspace)
			o.cli(t, "admin", "workspace", "add-member", "--workspace", o.Workspace, "--user", userID, "--role",
				"admin")
			k, keyID := c.newKey(t, map[string]any{"name": "hooks", "type": "pat",
				"scopes": []string{"webhooks:manage", "spaces:read"}})
			if lose == "service revoked" {
				k, keyID = o.newKey(t, map[string]any{"name": "hooks",
					"type": "wst", "scopes": []string{"webhooks:manage", "spaces:read"}, "workspaceId": o.Workspace})
			}
			rc := newReceiver(t, nil)
			id := k.want(t, 201, "POST", "/v1/webhooks", map[string]any{"workspaceId": o.Workspace, "url": rc.URL}).
				get(t, "id").(string)
			switch lose {
			case "revoked key":
				c.want(t, 204, "DELETE", "/v1/api-keys/"+keyID, nil)
			case "service revoked":
				o.want(t, 204, "DELETE", "/v1/api-keys/"+keyID, nil)
			case "no admin any more":
				o.cli(t, "admin", "workspace", "add-member", "--workspace", o.Workspace, "--user", userID, "--role",
					"member")
			case "left":
				o.cli(t, "admin", "workspace", "remove-member", "--workspace", o.Workspace, "--user", userID)
			case "disabled":
				o.cli(t, "admin", "user", "disable", "--user", userID)
			}
			o.want(t, 201, "POST", "/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": "not for them"})
			watcher.wait(t, 1, func(m message) bool { return strings.Contains(string(m.Body), id) })
			shown := o.want(t, 200, "GET", "/v1/webhooks/"+id, nil)
			if shown.get(t, "disabledReason") != "rights_lost" || len(rc.messages()) != 0 {
				t.Errorf("%s: %s, %d messages", lose, shown.Body, len(rc.messages()))
			}
			o.want(t, 200, "POST", "/v1/webhooks/"+id+"/enable", nil) // now it acts for the owner
			rc.wait(t, 1, ofType("space.created"))
			o.want(t, 204, "DELETE", "/v1/webhooks/"+id, nil)
		}
	})
}

// TestWebhookRules: what a webhook must be.
func TestWebhookRules(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "rules")
		for _, url := range []string{"http://example.com/", "https://10.0.0.1/",
			"https://localhost/", "https://user:pw@example.com/", "ftp://example.com/", "https://example.com:22/",
			"https://169.254.169.254/latest/meta-data", "https://[::1]/",
			"https://2130706433/", "example.com", "https://", "https://metadata.google.internal/"} {
			a := o.do(t, "POST", "/v1/webhooks", map[string]any{"workspaceId": o.Workspace, "url": url})
			assert.Equal(t, fmt.Sprint(url, ": status"), a.Status, 422)
			assert.Equal(t, fmt.Sprint(url, ": pointer"), a.get(t, "errors").([]any)[0].(map[string]any)["pointer"],
				"/url")
		}
		for _, body := range []map[string]any{{"url": nowhere, "eventTypes": []string{"*", "slice.created"}},
			{"url": nowhere, "eventTypes": []string{"ping"}}, {"url": nowhere, "eventTypes": []string{}},
			{"url": nowhere, "secret": "whsec_x"}, {}, {"url": nowhere, "enabled": "yes"}} {
			body["workspaceId"] = o.Workspace
			o.want(t, 422, "POST", "/v1/webhooks", body)
		}
		o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "Second"})
		o.want(t, 422, "POST", "/v1/webhooks", map[string]any{"url": nowhere})
		made := o.want(t, 201, "POST", "/v1/webhooks",
			map[string]any{"url": nowhere, "workspaceId": o.Workspace, "enabled": false})
		made.has(t, members{"disabledReason": "paused", "creator.userId": o.UserID})
		assert.Equal(t, "eventTypes", fmt.Sprint(made.get(t, "eventTypes")), "[*]")
		path := "/v1/webhooks/" + made.get(t, "id").(string)
		o.want(t, 200, "PATCH", path, map[string]any{"enabled": true, "description": "d"}).has(t,
			members{"enabled": true, "disabledReason": nil})
		o.want(t, 200, "PATCH", path, map[string]any{"eventTypes": nil})
		o.want(t, 422, "PATCH", path, map[string]any{"url": "https://127.0.0.2/"})
		for range 24 {
			o.want(t, 201, "POST", "/v1/webhooks",
				map[string]any{"url": nowhere, "workspaceId": o.Workspace, "enabled": false})
		}
		o.want(t, 409, "POST", "/v1/webhooks", map[string]any{"url": nowhere, "workspaceId": o.Workspace}).has(t,
			members{"code": "too_many_webhooks"})
		if n := len(o.want(t, 200, "GET", "/v1/webhooks?limit=100", nil).get(t, "data").([]any)); n != 25 {
			t.Errorf("%d webhooks", n)
		}
	})
}

// TestWebhookPayloadIsBounded: a message has at most 20 kB and names the truncated members.
func TestWebhookPayloadIsBounded(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "large")
		rc := newReceiver(t, nil)
		o.hook(t, rc.URL)
		metadata := map[string]string{}
		for i := range 50 {
			metadata[fmt.Sprint("name", i)] = strings.Repeat("ü", 500)
		}
		made := o.slice(t, o.Workspace, map[string]any{"description": strings.Repeat("ä<", 32_000)})
		path := "/v1/slices/" + made["id"].(string)
		o.want(t, 200, "PATCH", path, map[string]any{"metadata": metadata, "description": strings.Repeat("x", 60_000)})
		o.want(t, 200, "PATCH", path, map[string]any{"metadata": nil, "description": nil, "labels": []string{"a"}})
		o.want(t, 201, "POST", path+"/comments", map[string]any{"body": strings.Repeat("<", 65_536)})
		patterns := make([]any, 50)
		for i := range patterns {
			patterns[i] = map[string]any{"pattern": fmt.Sprint("<", i), "mask": strings.Repeat("<", 100)}
		}
		o.want(t, 200, "PATCH", "/v1/workspaces/"+o.Workspace,
			map[string]any{"redaction": map[string]any{"patterns": patterns}})
		want := [][]string{{"slice.description"}, {"previous.description", "slice.description", "slice.metadata"},
			{"previous.description", "previous.metadata"},
			{"comment.body"}, {"workspace.redaction.patterns"}}
		for i, m := range rc.wait(t, 5, nil)[:5] {
			if len(m.Body) > 20_000 {
				t.Errorf("%d bytes", len(m.Body))
			}
			cut, _ := json.Marshal(m.event(t)["data"].(map[string]any)["cut"])
			found := false
			for _, w := range want {
				text, _ := json.Marshal(w)
				found = found || string(text) == string(cut)
			}
			if !found {
				t.Errorf("message %d says it cut %s", i, cut)
			}
			conformsToMessage(t, m)
		}
	})
}
