package web

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
	"bugslice/internal/web/pages/search"
)

// TestRecordingBySource: the page that says how to record an application has one main action, a source with a name and the
// address of its pages. The way by a key is folded until there is one.
func TestRecordingBySource(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	shown := b.get("/settings/record?workspace=WEB").wants(200, "Make a source", "Make a key", "--cors-origin").body
	_, shown, _ = strings.Cut(shown, "<main")
	folded := strings.Index(shown, "<details><summary>With a key")
	if n := strings.Count(shown[:max(folded, 0)], "button-primary"); n != 1 {
		t.Errorf("%d primary buttons before the folded part", n)
	}
	for _, text := range []string{"Make a key", "--cors-origin", "YOUR_KEY"} {
		if at := strings.Index(shown, text); folded < 0 || at < folded {
			t.Errorf("%q is not in the folded part", text)
		}
	}
	if at := strings.Index(shown, "Make a source"); at > folded {
		t.Error("the source is in the folded part")
	}
	b.post("/settings/record?workspace=WEB", "once", "k").wants(200, "<details open><summary>With a key")
	member := w.signedIn(t, newcomer).get("/settings/record?workspace=WEB").wants(200, "An administrator of the workspace makes a source")
	if strings.Contains(member.body, "Make a source") {
		t.Error("a member is offered a source")
	}
}

// TestBrowserFirstReport: one click leads from the form to the lines to paste. The page of the source waits for its first report,
// and leads to it and counts it without a reload.
func TestBrowserFirstReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Open("/settings/record?workspace=WEB")
	b.Fill("name", "Shop")
	b.Fill("origins", "https://shop.example.com")
	b.Click("Make a source")
	b.Wait(`document.getElementById("tag")?.textContent.includes("svc_pub_")`)
	b.Wait(`document.getElementById("button").textContent.includes("report")`)
	b.Wait(`document.getElementById("newest").textContent.includes("Waiting for the first")`)
	b.Wait(`document.querySelector("[data-followed]")`)
	browsertest.Eval[bool](b.Tab, `window.same = true`)
	at, err := url.Parse(browsertest.Eval[string](b.Tab, `location.href`))
	must(t, err)
	s, err := w.GetSource(t.Context(), w.caller(t, owner), valid(t, api.GetSource{SourceID: at.Path[strings.LastIndex(at.Path, "/")+1:]}))
	must(t, err)
	w.visit(t, s, "The cart is empty", "Ada")
	b.Wait(`document.querySelector("#newest .notice-good a")?.textContent === "The cart is empty"`)
	b.Wait(`document.querySelector("#newest").textContent.includes("1 accepted")`)
	if !browsertest.Eval[bool](b.Tab, `window.same === true`) {
		t.Error("the page was loaded again")
	}
	b.ClickOn("#newest .notice-good a")
	b.Wait(`document.querySelector("main[data-page=report]")`)
}

// TestStepsOfASource: somebody who records an application by a source has done the steps that a key or the demo report does.
// When the team is invited, too, the steps are no longer shown.
func TestStepsOfASource(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	key := w.caller(t, owner)
	workspaces, err := w.MyWorkspaces(t.Context(), key)
	must(t, err)
	app := workspaces[slices.IndexFunc(workspaces, func(m tracker.MyWorkspace) bool { return m.Key == "APP" })].ID
	s := w.newSourceIn(t, "Shop", app, false)
	b.get("/overview?workspace=APP").wants(200, "0 of 3 steps are done")
	w.visit(t, s, "In words", "Ada")
	b.get("/overview?workspace=APP").wants(200, "1 of 3 steps are done", "Done: </span><span>Record your application")
	w.visitWith(t, s, "With a replay", "Ada", &api.Evidence{Replay: []json.RawMessage{json.RawMessage(
		`{"type":4,"timestamp":1795000000000,"data":{"href":"https://shop.example.com","width":9,"height":9}}`)}})
	b.get("/overview?workspace=APP").wants(200, "2 of 3 steps are done", "Done: </span><span>See a report with a replay")
	b.post("/settings/people", "email", "ada@northwind.example", "workspaceIds", app).wants(200, "/invitations/")
	b.get("/overview?workspace=APP")
	if a := b.get("/my").wants(200); strings.Contains(a.body, "Get started") {
		t.Error("all steps are done, and they are shown")
	}
}

// TestSettingsMenu: each page of the settings is one entry of their menu.
func TestSettingsMenu(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	pages := 0
	for _, r := range table {
		if r.get == nil || r.raw || !strings.HasPrefix(r.path, "/settings/") || strings.Contains(r.path, "{") {
			continue
		}
		shown := b.get(r.path + "?workspace=WEB")
		_, menu, isPage := strings.Cut(shown.body, `<div class="nav-settings">`)
		if shown.status != 200 || !isPage {
			continue
		}
		menu, _, _ = strings.Cut(menu, "</div>")
		pages++
		if n := strings.Count(menu, "aria-current="); n != 1 {
			t.Errorf("%s is %d entries of the menu", r.path, n)
		}
	}
	if pages < 20 {
		t.Errorf("%d pages of settings were looked at", pages)
	}
}

// TestPagesAreFound: the search finds each page by its title and by other words, and only those that the reader may open.
func TestPagesAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, m := w.signedIn(t, owner), w.signedIn(t, newcomer)
	pagesOf := func(b *browser, text string) string {
		_, found, _ := strings.Cut(b.get("/search?q="+url.QueryEscape(text)).wants(200).body, `<section data-group="Pages">`)
		found, _, _ = strings.Cut(found, "</section>")
		return found
	}
	for text, path := range map[string]string{"sso": "/settings/sign-in", "smtp": "/settings/mail", "2fa": "/settings/security",
		"policies": "/settings/policies", "webhook": "/settings/webhooks", "capture": "/settings/capture", "mail": "/settings/mail",
		"record": "/settings/record", "sign-in": "/settings/sign-in", "Sign in": "/settings/sign-in", "security": "/settings/security",
		"audit log": "/settings/audit", "redaction": "/settings/redaction", "people": "/settings/people", "keys": "/settings/keys",
		"tests": "/tests", "mcp": "/settings/agents", "slack": "/settings/webhooks", "api ref": "/docs"} {
		if found := pagesOf(b, text); !strings.Contains(found, `href="`+path+`"`) {
			t.Errorf("%q finds %s", text, found)
		}
	}
	for _, text := range []string{"sso", "smtp", "policies", "webhooks", "capture sources"} {
		if found := pagesOf(m, text); strings.Contains(found, "/settings/sign-in") || strings.Contains(found, "/settings/mail") ||
			strings.Contains(found, "/settings/policies") || strings.Contains(found, "/settings/webhooks") ||
			strings.Contains(found, "/settings/capture") {
			t.Errorf("a member finds by %q what only others may open: %s", text, found)
		}
	}
	if found := pagesOf(b, "s"); found != "" {
		t.Errorf("a letter finds %s", found)
	}
	for _, p := range search.Places() {
		if p.Path == "/docs" {
			continue
		}
		title := regexp.MustCompile(`<title>([^<]*?) · `).FindStringSubmatch(b.get(p.Path + "?workspace=WEB").wants(200).body)
		if len(title) < 2 || html.UnescapeString(title[1]) != p.Name && !strings.HasPrefix(p.Name, "New ") {
			t.Errorf("%s is named %q, and its title is %q", p.Path, p.Name, title)
		}
	}
}

// TestPaletteLeadsToPages: the palette finds a page by another word, lists a page of the menu once, and has the keys of commands.
func TestPaletteLeadsToPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	s := w.file(t, w.caller(t, owner), "The zebra is grey")
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Open("/" + s.Reference)
	b.Wait(`document.querySelector("[data-page=report]")`)
	open := func() {
		b.Do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		b.Wait(`document.querySelector("#palette:popover-open") && document.querySelector("#palette [role=option]")`)
	}
	open()
	for name, key := range map[string]string{"Change the status": "s", "Assign": "a", "Set the priority": "p", "Change the labels": "l",
		"Resolve": "e", "Inbox": "gi", "New report": "c"} {
		b.Wait(`[...document.querySelectorAll("#palette [role=option]")].some((o) => o.querySelector(".menu-text").textContent === "` +
			name +
			`" && [...o.querySelectorAll("kbd")].map((k) => k.textContent).join("") === "` + key + `")`)
	}
	b.Press("re")
	b.Wait(`(paths => paths.includes("/settings/record") && paths.filter((p) => p === "/settings/redaction").length === 1)(` +
		`[...document.querySelectorAll("#palette [role=option]")].map((o) => o.pathname))`)
	b.Press(kb.Escape)
	open()
	b.Press("2fa", kb.Enter)
	b.Wait(`location.pathname === "/settings/security" && document.querySelector("[data-page=security]")`)
	b.Quiet()
}
