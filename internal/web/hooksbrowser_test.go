package web

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// TestBrowserWebhook: an admin creates a webhook, tests it, sees it fail, repairs the receiver, and sends again what
// failed; first one delivery, then all others.
func TestBrowserWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Open("/settings/webhooks?workspace=WEB")
	b.ClickOn(".empty .button-primary")
	b.Wait(`document.querySelector("[data-page=newwebhook]") && document.activeElement.name == "url" && document.readyState == ` +
		`"complete" && window.htmx`)
	b.Press("https://hooks.example.com/bugs")
	b.ClickOn(`.events > .check input`)
	b.ClickOn(`[name=eventTypes][value="slice.created"]`)
	b.ClickOn("#webhook-form .form-actions button")
	b.Wait(`document.getElementById("secret")?.textContent.startsWith("whsec_")`)
	w.receiver.answer(200, "welcome")
	b.ClickOn("#test button")
	b.Wait(`document.querySelector("#test .code-answer")?.textContent == "welcome"`)
	if !b.holds(`document.getElementById("secret") !== null`) {
		t.Error("the test has removed the secret from the page")
	}
	b.ClickOn(".form-actions .button-primary")
	b.Wait(`document.querySelector("[data-page=webhook]")`)
	page := b.text("location.pathname")

	w.receiver.answer(503, "closed for repairs")
	for n := range 3 {
		w.file(t, w.caller(t, member), fmt.Sprint("Missed ", n+1))
	}
	w.exhaust(t)
	b.setSession(w)
	b.Open(page + "?status=failed")
	b.Wait(`document.querySelectorAll(".deliveries tbody tr").length == 3 && document.querySelector("h1 .badge-bad")`)
	b.ClickOn(".deliveries tbody .row-link")
	b.Wait(`document.querySelector("[data-page=delivery] .code-answer")?.textContent == "closed for repairs"`)
	w.receiver.answer(204, "")
	b.ClickOn(`.bar-action button`)
	b.Wait(`document.querySelector("main .notice-good") && document.querySelector("h1 .badge-warning")`)
	w.deliver(t)
	b.Open(page + "?status=failed")
	b.Wait(`document.querySelectorAll(".deliveries tbody tr").length == 2 && document.querySelector("h1 .badge-good")`)
	b.ClickOn("[commandfor=recover]")
	b.Wait(`document.querySelector("#recover[open] [name=since]")`)
	browsertest.Eval[bool](b.Tab, `(document.querySelector("#recover [name=since]").value = "2026-01-01T00:00", true)`)
	b.ClickOn("#recover .button-primary")
	b.Wait(`document.querySelector("main .notice-good")?.textContent.includes("2 failed and 0 missed")`)
	w.deliver(t)
	b.Open(page)
	b.Wait(`document.querySelectorAll(".plot-delivered").length == 3 && !document.querySelector(".plot-failed")`)
	b.Quiet()
}

// setSession signs the owner in again, whose session has ended when the clock was moved.
func (b tab) setSession(w *world) { b.Cookie("bugslice", w.session(b.T, owner, tracker.Client{})) }

// TestBrowserHostileAnswers: what a receiver answers runs nothing, connects nowhere and covers nothing, on the page
// of a delivery and as the result of a test. The same texts connect from a page without protection
// (TestBrowserHostileTexts).
func TestBrowserHostileAnswers(t *testing.T) {
	t.Parallel()
	corpus, traps := setTraps(t)
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	hook := w.newWebhook(t, "https://hooks.example.com/")
	page := "/settings/webhooks/" + hook.ID
	for i, text := range append(corpus, strings.Join(corpus, "\n"), "</pre></main>"+attacks[0], attacks[1], attacks[2],
		marks) {
		w.receiver.answer(200, text)
		if i > 0 {
			w.file(t, w.caller(t, member), "Another")
		}
		w.deliver(t)
		b.Open(page + "/deliveries/" + w.deliveries(t, hook.ID)[0].ID)
		b.wantInert(".code-answer", text)
	}
	w.receiver.answer(200, strings.Join(corpus, "\n"))
	b.Open(page)
	b.Wait(`window.htmx && document.readyState == "complete"`)
	b.ClickOn("#test button")
	b.Wait(`document.querySelector("#test .code-answer")`)
	b.wantInert("#test .code-answer", strings.Join(corpus, "\n"))
	for i, trap := range traps {
		if n := trap.connections.Load(); n > 0 {
			t.Errorf("%s: %d connections", hostileTexts[i], n)
		}
	}
	b.Quiet()
}

// wantInert fails the test unless an element is on the page, within it, and has a text and no element.
func (b tab) wantInert(selector, text string) {
	b.T.Helper()
	b.Wait(fmt.Sprintf(`document.querySelector(%q)`, selector))
	found := b.text(fmt.Sprintf(`(() => {
		const e = document.querySelector(%q), box = document.querySelector("main").getBoundingClientRect(), r = e.getBoundingClientRect();
		if (e.children.length || r.left < box.left - 1 || r.right > box.right + 1) return "it covers the page or has elements";
		return e.textContent;
	})()`, selector))
	if found != text {
		b.T.Errorf("the answer %q is shown as %q", text, found)
	}
}

// hookStates lists the pages of webhooks, redaction and the audit log in each of their states.
func hookStates(r hookRecords) []state {
	return []state{
		{name: "webhooks", who: owner, path: "/settings/webhooks?workspace=WEB"},
		{name: "webhooks-empty", who: owner, path: "/settings/webhooks?workspace=APP"},
		{name: "newwebhook", who: owner, path: "/settings/webhooks/new?workspace=WEB&eventTypes=slice.created"},
		{name: "newwebhook-faults", who: owner, path: "/settings/webhooks?workspace=WEB",
			post: []string{"choice", "1", "url", "ftp://x"}},
		{name: "newwebhook-created", who: owner, path: "/settings/webhooks?workspace=WEB",
			post: []string{"url", "https://new.example.com/", "once", "20"}},
		{name: "webhook-failing", who: owner, path: r.failing},
		{name: "webhook-disabled", who: owner, path: r.disabled},
		{name: "webhook-recover", who: owner, path: r.failing, click: []string{"[commandfor=recover]"}},
		{name: "webhook-stale", who: owner, path: r.failing, post: []string{"version",
			"former", "choice", "1", "url", "https://hooks.example.com/mine", "eventTypes", "*"}},
		{name: "webhook-tested", who: owner, path: r.failing + "/test", post: []string{"once", "21"}},
		{name: "delivery", who: owner, path: r.delivery},
		{name: "redaction", who: owner, path: "/settings/redaction?workspace=WEB"},
		{name: "redaction-member", who: member, path: "/settings/redaction?workspace=WEB"},
		{name: "redaction-faults", who: owner, path: "/settings/redaction?workspace=WEB",
			post: []string{"fields", "*a*b*", "pattern", "("}},
		{name: "redaction-tried", who: owner, path: "/settings/redaction/try?workspace=WEB",
			post: []string{"fields", "customerNumber", "pattern", "CUST-[0-9]{6}", "mask", "", "text",
				redactionSample}},
		{name: "audit", who: owner, path: "/settings/audit"},
		{name: "audit-changes", who: owner, path: "/settings/audit?type=workspace.updated"},
		{name: "audit-nothing", who: owner, path: "/settings/audit?address=192.0.2.1"},
		{name: "audit-faults", who: owner, path: "/settings/audit?since=yesterday"},
		{name: "audit-forbidden", who: member, path: "/settings/audit"},
	}
}

// redactionSample is a text with secrets of several kinds.
const redactionSample = "POST https://shop.example/pay?access_token=abcdef123456\nAuthorization: Bearer abcdefgh12345678\n" +
	"customerNumber: 88123\nThe order of CUST-123456 was paid with 4111 1111 1111 1111.\n"

// hookRecords are the paths of what fillHooks has made.
type hookRecords struct{ failing, disabled, delivery string }

// fillHooks adds webhooks with deliveries in every state, rules and their change. name may change each name.
func (w *world) fillHooks(t testing.TB, name func(string) string) (r hookRecords) {
	t.Helper()
	c := w.caller(t, owner)
	address := func(text string) string { return "https://hooks.example.com/" + truncated(text, 1000) }
	w.receiver.answer(200, name("ok"))
	disabled := w.newWebhook(t, address(name("builds")))
	w.deliver(t)
	_, err := w.UpdateWebhook(t.Context(), c, valid(t, api.UpdateWebhook{WebhookID: disabled.ID,
		Patch: api.WebhookPatch{"enabled": false,
			"description": truncated(name("Starts a build"), 500)}}))
	must(t, err)
	failing := w.newWebhook(t, address(name("chat")))
	w.deliver(t)
	w.receiver.answer(500, name("<h1>Out of order</h1>"))
	for range 5 {
		w.file(t, c, name("Sent in vain"))
	}
	w.deliver(t)
	_, err = w.UpdateWorkspace(t.Context(), c,
		valid(t, api.UpdateWorkspace{WorkspaceID: w.web, Patch: api.WorkspacePatch{
			"redaction": map[string]any{"fields": []any{"customerNumber"},
				"patterns": []any{map[string]any{"pattern": "CUST-[0-9]{6}"}}}}}))
	must(t, err)
	page := "/settings/webhooks/" + failing.ID
	return hookRecords{page, "/settings/webhooks/" + disabled.ID, page + "/deliveries/" +
		w.deliveries(t, failing.ID)[0].ID}
}

// TestBrowserHookStates opens these pages as TestBrowserStates opens the others.
func TestBrowserHookStates(t *testing.T) {
	t.Parallel()
	axe := axe(t)
	for _, g := range allHookStates(t) {
		g.look(t, axe)
	}
}
