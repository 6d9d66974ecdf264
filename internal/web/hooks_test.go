package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
	"bugslice/webhook"
)

// receiver is the receiver of every webhook of a world. It answers with a status and a body that a test chooses, 204
// by default.
type receiver struct {
	mu       sync.Mutex
	status   int64
	body     string
	messages []tracker.Message
}

// answer chooses the next answers.
func (r *receiver) answer(status int64, body string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.body = status, body
}

// received returns the messages so far.
func (r *receiver) received() []tracker.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]tracker.Message(nil), r.messages...)
}

// Address refuses addresses without encryption.
func (r *receiver) Address(url string) (string, error) {
	if !strings.HasPrefix(url, "https://") {
		return "", fmt.Errorf("url must begin with https://")
	}
	return url, nil
}

// Send answers a message.
func (r *receiver) Send(_ context.Context, m tracker.Message) tracker.SendResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages = append(r.messages, m)
	sent := tracker.SendResult{Attempt: api.Attempt{At: api.At(m.At), DurationMs: 83,
		Status: new(cmp.Or(r.status, 204))}}
	if r.status >= 300 {
		sent.Error = new(api.AttemptStatus)
	}
	if r.body != "" {
		sent.ResponseBody = &r.body
	}
	return sent
}

// newWebhook creates a webhook of WEB for every event, and files a report that it is to send.
func (w *world) newWebhook(t testing.TB, url string) api.WebhookSecret {
	t.Helper()
	made, err := w.CreateWebhook(t.Context(), w.caller(t, owner),
		valid(t, api.CreateWebhook{Body: api.NewWebhook{WorkspaceID: &w.web,
			WebhookFields: api.WebhookFields{URL: url, EventTypes: []api.Subscription{"slice.created"},
				Enabled: true}}}))
	must(t, err)
	w.file(t, w.caller(t, member), "Sent by a webhook")
	return made
}

// deliveries returns the deliveries of a webhook, the newest first.
func (w *world) deliveries(t testing.TB, webhookID string) []api.Delivery {
	t.Helper()
	listed, err := w.ListDeliveries(t.Context(), w.caller(t, owner),
		valid(t, api.ListDeliveries{WebhookID: webhookID, Paging: api.Paging{Limit: 100}}))
	must(t, err)
	return listed.Data
}

// deliver attempts each delivery that is due.
func (w *world) deliver(t testing.TB) {
	t.Helper()
	w.clock.add(max(0, time.Since(w.clock.now())) +
		time.Second) // it stands still, while ids have the time of their creation
	for {
		leases, err := w.LeaseDeliveries(t.Context())
		must(t, err)
		if len(leases) == 0 {
			return
		}
		for _, l := range leases {
			must(t, w.Deliver(t.Context(), l))
		}
	}
}

// exhaust attempts the deliveries until they have failed.
func (w *world) exhaust(t testing.TB) {
	t.Helper()
	for _, pause := range []time.Duration{0, time.Minute, 10 * time.Minute,
		time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 17 * time.Hour,
		24 * time.Hour, 29 * time.Hour} {
		w.clock.add(pause)
		w.deliver(t)
	}
}

// secretOf returns the secret that a page shows. Its characters may be escaped.
func secretOf(a answer) string {
	return regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`).FindString(html.UnescapeString(a.content()))
}

// TestChatWebhookPages: the form recognises a chat by its address, which no page but the form shows, and takes
// a search.
func TestChatWebhookPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	const at, address = "/settings/webhooks?workspace=WEB", "https://hooks.slack.com/services/T0/B0/geheim"
	b.get("/settings/webhooks/new?workspace=WEB").wants(200, "Detect from the address", `<option value="teams">`,
		`list="searches"`)
	b.post(at, "choice", "1", "url", address, "format", "", "query", "staus:open", "eventTypes", "*").
		wants(422, "query-fault", `value="staus:open"`, "<span class=\"sentence\">there is no filter “staus”")
	b.post(at, "choice", "1", "url", address, "format", "", "query", "label:checkout", "eventTypes", "*").
		wants(200, "It sends messages to Slack", "Send test").lacks("timingSafeEqual")
	list := b.get(at).wants(200, "hooks.slack.com/…", "Slack", "label:checkout")
	list.lacks("geheim")
	page := regexp.MustCompile(`/settings/webhooks/whk_\w+`).FindString(list.body)
	b.get(page).wants(200, "Only <code>label:checkout</code>").lacks("geheim")
	b.get(page+"/edit").wants(200, address, `<option value="slack" selected>`)
	b.post(page, "choice", "1", "url", address, "format", "mattermost", "query", "", "eventTypes", "*").leadsTo(page)
	b.get(page).wants(200, "Mattermost").lacks("label:checkout")
}

// TestWebhookPages: a webhook is created with the events that its form has, its secret is shown once, and every
// change of its page has its effect.
func TestWebhookPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	b.get("/settings/webhooks?workspace=WEB").wants(200, "No webhooks yet", "New webhook", `href="/settings/keys"`)
	if keys := w.signedIn(t, member).get("/settings/keys").
		wants(200); strings.Contains(keys.body, "/settings/webhooks") {
		t.Error("a page of a member leads to webhooks, which only admins may see")
	}
	w.signedIn(t, member).get("/settings/webhooks/new?workspace=WEB").
		wants(403, "Only admins of the workspace create webhooks.")
	form := b.get("/settings/webhooks/new?workspace=WEB").
		wants(200, `value="*" checked`, `<code>webhooks:manage</code>`).body
	for _, e := range api.PublicEvents() {
		if !strings.Contains(form, `value="`+string(e.Type)+`"`) {
			t.Errorf("the form lacks %s", e.Type)
		}
		text := regexp.MustCompile(`<code>` + regexp.QuoteMeta(string(e.Type)) +
			`</code> <span class="check-text">([^<]*)</span>`).FindStringSubmatch(form)
		if text == nil || strings.TrimSpace(text[1]) == "" || strings.Contains(text[1], "slice") {
			t.Errorf("the form says of %s: %q", e.Type, text)
		}
	}
	const at = "/settings/webhooks?workspace=WEB"
	b.post(at, "choice", "1", "url", "https://hooks.example.com/").wants(422,
		"eventTypes-fault", "Choose at least one.", `value="*" autofocus>`)
	b.post(at, "choice", "1", "url", "http://hooks.example.com/", "eventTypes", "*").wants(422, "url-fault", "https://")
	new := []string{"once", "7", "choice", "1", "url", "https://hooks.example.com/in",
		"description", "Posts to #bugs", "eventTypes", "slice.created", "eventTypes", "space.created"}
	made := b.post(at, new...).wants(200, "Send test", "timingSafeEqual", "hmac.compare_digest", "hmac.Equal")
	secret := secretOf(made)
	if made.header.Get("Cache-Control") != "no-store" || secret == "" {
		t.Fatal(made.body)
	}
	b.post(at, new...).wants(409, "The webhook exists")
	list := b.get(at).wants(200, "https://hooks.example.com/in", "Posts to #bugs", "Enabled", "None yet")
	page := regexp.MustCompile(`/settings/webhooks/whk_\w+`).FindString(list.body)
	shown := b.get(page).wants(200, "Mara Lindqvist", "slice.created", "No deliveries yet")
	if text := html.UnescapeString(shown.body); strings.Contains(text, secret) ||
		!strings.Contains(text, secret[len(secret)-4:]) {
		t.Error("the page shows the secret again, or not its last characters")
	}
	w.receiver.answer(200, "thank you")
	b.post(page+"/test", "once", "8").wants(200, "Answered 200", "thank you")
	b.post(page+"/test", "once", "8").wants(200, "thank you")
	if n := len(w.receiver.received()); n != 1 {
		t.Errorf("%d pings for one form", n)
	}
	b.get(page+"/edit").wants(200, `value="slice.created" checked`, "Posts to #bugs")
	b.post(page, "choice", "1", "url", "https://hooks.example.com/b", "description",
		"", "eventTypes", "*", "eventTypes", "slice.created").leadsTo(page)
	b.get(page).wants(200, "The webhook is saved.", "https://hooks.example.com/b", "Everything")
	b.post(page, "choice", "1", "url", "https://hooks.example.com/b").wants(422, "eventTypes-fault")
	b.post(page, "url", "").wants(422, "url-fault")
	rotated := b.post(page+"/rotate", "once", "9", "gracePeriodSeconds", "0").wants(200, "New secret")
	if next := secretOf(rotated); next == "" || next == secret {
		t.Errorf("the new secret is %q", next)
	}
	b.post(page+"/rotate", "once", "9", "gracePeriodSeconds", "0").wants(409, "rotated once")
	b.post(page + "/disable").leadsTo(page)
	b.get(page).wants(200, "Disabled", "by a person or a key", "Enable webhook")
	b.post(page+"/recover", "since", "2026-01-01T00:00").wants(409, "Enable it first")
	b.post(page + "/enable").leadsTo(page)
	b.post(page+"/recover", "since", "x").wants(422, "since-fault")
	b.post(page + "/delete").leadsTo("/settings/webhooks")
	b.get(page).wants(404)
}

// TestPartlyFailingWebhook: a receiver that has accepted some of the last deliveries is not said to accept nothing.
func TestPartlyFailingWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	w.receiver.answer(204, "")
	page := "/settings/webhooks/" + w.newWebhook(t, "https://hooks.example.com/").ID
	w.deliver(t)
	w.receiver.answer(500, "out of order")
	w.capture(t, api.NewSlice{SliceFields: api.SliceFields{Summary: "Refused"}})
	w.deliver(t)
	b.get(page).wants(200, "1 of the last 2 deliveries", "the next attempt is").lacks("The receiver accepts nothing")
}

// TestDeliveryPages: a failed delivery is listed with its attempts, its answer, its payload and its next attempt, and
// is sent again.
func TestDeliveryPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	w.receiver.answer(500, "out of order")
	hook := w.newWebhook(t, "https://hooks.example.com/")
	page := "/settings/webhooks/" + hook.ID
	one := page + "/deliveries/" + w.deliveries(t, hook.ID)[0].ID
	w.deliver(t)
	b.get(one).wants(200, "Pending", "Answered 500", "out of order", "&#34;summary&#34;: &#34;Sent by a webhook&#34;",
		"in less than a minute")
	b.get(page).wants(200, "Failing", "The receiver accepts nothing")
	b.get("/settings/webhooks?workspace=WEB").wants(200, "Failing", "plot-pending")
	w.exhaust(t)
	b.get(page+"?status=failed").wants(200, one)
	b.get(page+"?status=delivered").wants(200, "No delivered deliveries")
	b.get(page + "?status=lost").wants(400)
	b.get(one).wants(200, "Failed", "none", "<dd>10</dd>", "3 days ago")
	w.clock.add(48 * time.Hour)
	w.file(t, w.caller(t, member), "Another one")
	w.deliver(t)
	b.get(page).wants(200, "Disabled", "no delivery arrived for 5 days")
	b.post(one+"/redeliver").wants(409, "Enable it first")
	b.post(page+"/enable", "password", password).leadsTo(page)
	w.receiver.answer(204, "")
	b.post(one + "/redeliver").leadsTo(one)
	b.get(one).wants(200, "The delivery is queued", "now")
	w.deliver(t)
	b.get(one).wants(200, "Delivered", "Answered 204")
	b.get("/settings/webhooks/whk_01ja8m2c9tf3qb6h0v5r4x7kyz" + strings.TrimPrefix(one, page)).wants(404)
	other := w.newWebhook(t, "https://other.example.com/")
	b.get("/settings/webhooks/" + other.ID + strings.TrimPrefix(one, page)).wants(404)
}

// TestSnippets: the functions of the page accept a message that was signed with the secret, and refuse it with
// another body.
func TestSnippets(t *testing.T) {
	t.Parallel()
	at, secret := time.Now(), webhook.NewSecret()
	signature, err := webhook.Sign("evt_1", at, []byte(`{"a":1}`), webhook.NewSecret(), secret)
	must(t, err)
	w := newWorld(t, table, nil)
	made := w.signedIn(t, owner).post("/settings/webhooks?workspace=WEB", "url", "https://hooks.example.com/").
		wants(200)
	snippet := func(id string) string {
		_, text, _ := strings.Cut(made.body, `<pre id="verify-`+id+`" tabindex="0">`)
		text, _, _ = strings.Cut(text, "</pre>")
		return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&#43;", "+", "&amp;", "&").
			Replace(text)
	}
	headers, err := json.Marshal(map[string]string{"webhook-id": "evt_1",
		"webhook-timestamp": fmt.Sprint(at.Unix()), "webhook-signature": signature})
	must(t, err)
	dir := t.TempDir()
	run := func(name, program string, command ...string) {
		t.Helper()
		file := filepath.Join(dir, name)
		must(t, os.WriteFile(file, []byte(program), 0o600))
		cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], file)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if text := strings.ToLower(strings.TrimSpace(string(out))); err != nil || text != "true false" {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
	run("verify.mjs", snippet("node")+fmt.Sprintf("\nconst h = %s;\nconsole.log(verified(%q, h, '{\"a\":1}') + ' ' + verified(%q, h, "+
		"'{}'));", headers, secret, secret), "node")
	run("verify.py", snippet("python")+fmt.Sprintf("\nh = %s\nprint(verified(%q, h, b'{\"a\":1}'), verified(%q, h, b'{}'))",
		headers, secret, secret), "python3")
	run("verify.go", "package main\nimport (\"crypto/hmac\";\"crypto/sha256\";\"encoding/base64\";\"fmt\";\"net/http\";\"slices\";"+
		"\"strconv\";\"strings\";\"time\")\n"+snippet("go")+
		fmt.Sprintf("\nfunc main() {\n\th := http.Header{}\n\tfor n, v := range map[string]string%s {\n\t\th.Set(n, "+
			"v)\n\t}\n\tfmt.Println(verified(%q, h, []byte(`{\"a\":1}`)), verified(%q, h, []byte(`{}`)))\n}\n",
			headers, secret, secret), "go", "run")
}

// TestRemovedSecrets: the page of a report names the rules that removed something, with a form that says it was no
// secret. Settings counts that, and an admin switches the rule off there. The audit log names the rules.
func TestRemovedSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	admin, reader := w.signedIn(t, owner), w.signedIn(t, member)
	reference := "/" + w.fileMany(t, api.SliceFields{Summary: "Sign-in fails",
		Description: new("saw ghp_9kQ2mW4xR8tL1vN6pB3cD5hJ7gS0fA2dK4Zz, password: Tr0ub4dor9x")})[0].Reference
	reader.get(reference).wants(200, "2 values were removed", `href="#removed-token"`, `<code>github</code>`,
		"of the shape “random”", "This was no secret")
	mark := []string{"kind", "token", "rule", "github", "shape", "random", "mistake", "true"}
	reader.post(reference+"/redaction", mark...).leadsTo(reference + "#removed")
	reader.get(reference).wants(200, "Somebody said that it was no secret", "It was a secret",
		"said that <code>github</code> removed")
	reader.post(reference+"/redaction", "kind", "token", "rule", "<b>", "shape", "random", "mistake", "true").wants(422)
	const at = "/settings/redaction?workspace=WEB"
	if strings.Contains(reader.get(at).wants(200, "What the rules removed", "<code>github</code>").body, "switch-off") {
		t.Error("a member is offered to switch a rule off")
	}
	reader.post(at, "switch-off", "github").wants(403)
	admin.get(at).wants(200, `aria-label="Switch off the rule github"`)
	admin.get("/settings/audit").wants(200, "Removed by redaction: password ×1, github ×1", "github ×1 (no secret)")
	admin.post(at, "switch-off", "github").leadsTo(at)
	admin.get(at).wants(200, "github</textarea>", `>Off</span>`)
}

// TestRulesAreTriedBeforeTheyAreSaved: rules that would have removed something from stored reports are saved once an
// admin has seen what it looks like.
func TestRulesAreTriedBeforeTheyAreSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	w.fileMany(t, api.SliceFields{Summary: "Order QUX-471142 fails"})
	const at = "/settings/redaction?workspace=WEB"
	rules := []string{"pattern", "QUX-[0-9]{6}", "mask", ""}
	shown := b.post(at, rules...).wants(200, "Before you save", "Save these rules", "<code>AAA-999999</code>", "QUX-[0-9]{6}")
	if strings.Contains(shown.body, "471142") {
		t.Error("the page has the value")
	}
	tried := regexp.MustCompile(`name="tried" value="([^"]+)"`).FindStringSubmatch(shown.body)[1]
	b.post(at, append(rules, "tried", "another")...).wants(200, "Before you save")
	b.post(at, append(rules, "tried", tried)...).leadsTo(at)
	b.post(at, append(rules, "fields", "iban")...).leadsTo(at) // the pattern is stored, and the field removes nothing
	b.post("/settings/redaction/try?workspace=WEB", append(rules, "fields", "", "text", "x")...).
		wants(200, "On the newest reports", "AAA-999999")
}

// TestRedactionPage: the rules are saved by admins, tried by every member, and a pasted text is in no row, no file
// and no log.
func TestRedactionPage(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newWorld(t, table, nil)
	w.server.Config.ErrorLog = slog.NewLogLogger(slog.NewTextHandler(&log, nil), slog.LevelInfo)
	admin, reader := w.signedIn(t, owner), w.signedIn(t, member)
	const at, marker = "/settings/redaction?workspace=WEB", "4f1c2marker9e7"
	version := regexp.MustCompile(`name="version" value="([^"]+)"`).
		FindStringSubmatch(admin.get(at).wants(200, "Save rules").body)[1]
	rules := []string{"fields", "customerNumber\r\niban*\r\n", "allow",
		"sessionId", "pattern", "CUST-[0-9]{6}", "mask", "CUST-******", "pattern", "", "mask", ""}
	admin.post(at, append(rules, "version", version)...).leadsTo(at)
	admin.get(at).wants(200, "The rules are saved.", "customerNumber\niban*",
		`value="CUST-[0-9]{6}"`, `value="CUST-******"`, "sessionId</textarea>")
	admin.post(at, "fields", "theirs", "version", version).
		wants(412, "Somebody else has changed the rules", "theirs</textarea>")
	admin.post(at, "fields", "iban\r\n\r\n!\r\nin*side", "allow", "x",
		"pattern", "CUST-[0-9]{6}", "mask", "", "pattern", "", "mask", "kept",
		"pattern", "(", "mask", "", "pattern", "a?", "mask", "").wants(422,
		"Line 3: &#34;!&#34; has fewer than two letters", "Line 4: &#34;in*side&#34; has a *",
		"Line 1: &#34;x&#34; has fewer", `id="pattern-2-fault"`, "missing closing )", `id="pattern-3-fault"`,
		"matches the empty string")
	admin.post(at, "pattern", "[a-z]{1,900}{1,900}", "mask", "").wants(422, "pattern-0-fault")
	admin.post(at, "pattern", "[a-z]{1,900}", "mask", "").wants(422, "patterns-fault")
	if strings.Contains(reader.get(at).wants(200, "customerNumber").body, "Save rules") {
		t.Error("a member can save rules")
	}
	reader.post(at, rules...).wants(403)
	text := "password=" + marker + " CUST-123456\ncustomerNumber: 88123\n<b>kept</b>"
	tried := reader.post("/settings/redaction/try?workspace=WEB", "text", text).wants(200,
		`<del>`+marker+`</del> <b>password</b>`, `<del>CUST-123456</del> <b>CUST-[0-9]{6}</b>`,
		`<del>88123</del> <b>customerNumber</b>`, "&lt;b&gt;kept&lt;/b&gt;")
	if tried.header.Get("Cache-Control") != "no-store" {
		t.Error("the answer may be stored")
	}
	reader.post("/settings/redaction/try?workspace=WEB", "text", "nothing "+"here").wants(200, "Nothing is removed")
	reader.post("/settings/redaction/try?workspace=WEB", "text", "order 4711",
		"fields", "", "pattern", `order (?P<secret>\d+)`, "mask", "").wants(200,
		`<del>4711</del>`)
	admin.post(at, "off", "notion\r\nnonsense", "added", "token acme acme_").wants(422,
		"Line 2: no built-in rule is &#34;nonsense&#34;", "has no example or no counterexample", "notion")
	reader.post("/settings/redaction/try?workspace=WEB", "text", "ghp_9kQ2mW4xR8tL1vN6pB3cD5hJ7gS0fA2dK4Zz acme_9kQ2",
		"fields", "", "off", "github", "added", "token acme acme_\r\nthen alnum 4\r\nexample acme_9kQ2\r\nnot acme_x").
		wants(200, "ghp_9kQ2mW4xR8tL1vN6pB3cD5hJ7gS0fA2dK4Zz <mark", "<del>acme_9kQ2</del> <b>acme</b>")
	long := strings.Repeat("x", 262_144-len(marker)-10) + " token=" + marker
	reader.post("/settings/redaction/try?workspace=WEB", "text", long).wants(200, "<del>"+marker)
	reader.post("/settings/redaction/try?workspace=WEB", "text", long+long).wants(422, "text-fault")
	w.flush()
	must(t, w.store.Close())
	files := []string{w.files}
	must(t, filepath.WalkDir(filepath.Dir(w.files), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	for _, f := range files[1:] {
		content, err := os.ReadFile(f)
		must(t, err)
		if bytes.Contains(content, []byte(marker)) {
			t.Errorf("%s has the pasted text", f)
		}
	}
	if len(files) < 2 || strings.Contains(log.String(), marker) {
		t.Errorf("%d files; the log is %s", len(files), log.String())
	}
}
