package web

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// TestEndedKey: those who saw a key see what it did after it was revoked, in the list of ended keys and on its page,
// without an action. Nobody else sees it.
func TestEndedKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for _, kind := range []api.KeyType{api.PAT, api.WST} {
		k := w.newKey(t, api.KeyFields{Name: "Former " + string(kind), Type: kind,
			Scopes: []api.Scope{api.SlicesRead, api.SlicesWrite}})
		c := w.use(t, k, "203.0.113.7", "curl/8.14.1")
		made, err := w.CreateSlice(t.Context(), c, valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
			SliceFields: api.SliceFields{Summary: "Filed by " + string(kind)}}}))
		must(t, err)
		w.NoteRefusal(k.ID, api.CodeScope, api.OpDeleteSlice)
		w.flush()
		path := "/settings/keys/" + k.ID
		w.signedIn(t, owner).post(path + "/revoke").leadsTo("/settings/keys")
		for who, status := range map[string]int{"": 303, stranger: 404, member: 404, owner: 200} {
			b := w.browser(t)
			if who != "" {
				b = w.signedIn(t, who)
			}
			b.get(path).wants(status)
			b.get(path + "?tab=refusals").wants(status)
			if list := b.get("/settings/keys/ended"); strings.Contains(list.body, k.ID) != (who == owner) {
				t.Errorf("the list of %q: %s", who, list.content())
			}
			if status == 200 {
				b.post(path + "/revoke").leadsTo("/settings/keys") // it is revoked, as the form wants
				b.post(path + "/rotate").wants(404)
			}
		}
		b := w.signedIn(t, owner)
		b.get("/settings/keys/ended").wants(200, k.Name, "Revoked", "by <bdi>Mara Lindqvist</bdi>", "203.0.113.7")
		b.get(path+"?tab=refusals").wants(200, api.CodeScope, "DELETE /v1/slices/{sliceId}")
		shown := b.get(path).wants(200, "Revoked", "by <bdi>Mara Lindqvist</bdi>", made.Reference+" Filed by "+
			string(kind))
		if strings.Contains(shown.body, "Rotate key") || strings.Contains(shown.body, "Revoke key") {
			t.Errorf("a revoked key has actions: %s", shown.content())
		}
	}
	w.clock.add(31 * 24 * time.Hour)
	w.signedIn(t, owner).get("/settings/keys/ended").wants(200, "No revoked or expired keys")
}

// TestFolders: each folder in pages belongs to a row, or is shown by every row.
func TestFolders(t *testing.T) {
	t.Parallel()
	used := []string{"confirm", "problem"}
	for _, r := range table {
		for _, h := range []page.Handler{r.get, r.post} {
			if h == nil {
				continue
			}
			name := runtime.FuncForPC(reflect.ValueOf(h).Pointer()).Name()
			if _, in, ok := strings.Cut(name, "/pages/"); ok {
				folder, _, _ := strings.Cut(in, ".")
				used = append(used, folder)
			}
		}
	}
	folders, err := os.ReadDir("pages")
	must(t, err)
	for _, f := range folders {
		if !slices.Contains(used, f.Name()) {
			t.Errorf("the folder pages/%s has no row in the table", f.Name())
		}
	}
}

// TestTemplates: nothing in a template needs what the content security policy forbids.
func TestTemplates(t *testing.T) {
	t.Parallel()
	forbidden := map[string]*regexp.Regexp{
		"a style":             regexp.MustCompile(`\sstyle=|<style`),
		"inline script":       regexp.MustCompile(`\son[a-z]+=|<script>|javascript:`),
		"hx-on":               regexp.MustCompile(`hx-on`),
		"a trigger filter":    regexp.MustCompile(`hx-trigger="[^"]*\[`),
		"a value of a script": regexp.MustCompile(`["'\s](js|javascript):`),
	}
	seen := map[string]int{}
	must(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".html" && filepath.Ext(path) != ".templ" {
			return err
		}
		seen[filepath.Ext(path)]++
		text, err := os.ReadFile(path)
		for what, found := range forbidden {
			if s := found.Find(text); s != nil {
				t.Errorf("%s has %s: %s", path, what, s)
			}
		}
		return err
	}))
	if seen[".html"] < 10 || seen[".templ"] < 3 {
		t.Errorf("only these templates seen: %v", seen)
	}
	if !forbidden["hx-on"].MatchString(`<a hx-on:click="x">`) ||
		!forbidden["a trigger filter"].MatchString(`hx-trigger="keyup[key=='x']"`) {
		t.Error("the patterns find nothing")
	}
}

// TestCrossOrigin: a page of another origin changes nothing. The base URL is our origin, whatever the host.
func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, func(o *Options) { o.BaseURL = "http://bugs.example.com" })
	for _, c := range []struct {
		origin, site string
		status       int
	}{
		{"https://evil.example", "cross-site", 403}, {"https://evil.example", "", 403},
		{"null", "", 403}, {"http://other.example.com", "same-site", 403},
		{"http://bugs.example.com", "", 303}, {"http://bugs.example.com", "cross-site", 303}, {"", "same-origin", 303},
		{"", "", 303},
	} {
		b := w.browser(t)
		b.header = http.Header{"Accept": {"text/html"}}
		if c.origin != "" {
			b.header.Set("Origin", c.origin)
		}
		if c.site != "" {
			b.header.Set("Sec-Fetch-Site", c.site)
		}
		if a := b.post("/login", "email", owner, "password", password); a.status != c.status {
			t.Errorf("from %+v: %d", c, a.status)
		}
	}
}

// TestOriginWithoutTLS: behind an address of https, a page of the same host without encryption changes nothing.
func TestOriginWithoutTLS(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, func(o *Options) { o.BaseURL = "https://bugs.example.com" })
	for _, c := range []struct {
		scheme, site string
		status       int
	}{{"http", "", 403}, {"http", "same-site", 403}, {"https", "", 303}, {"https", "same-origin", 303}} {
		b := w.browser(t)
		host := strings.TrimPrefix(w.server.URL, "http://")
		b.header = http.Header{"Accept": {"text/html"}, "Origin": {c.scheme + "://" + host}}
		if c.site != "" {
			b.header.Set("Sec-Fetch-Site", c.site)
		}
		if a := b.post("/login", "email", owner, "password", password); a.status != c.status {
			t.Errorf("from %+v: %d", c, a.status)
		}
	}
}

// TestProblems are pages for browsers and documents for other clients.
func TestProblems(t *testing.T) {
	t.Parallel()
	rows := append(slices.Clone(table), row{path: "/panic",
		get: func(*page.Request) (page.Result, error) { panic("x") }},
		row{path: "/refused/{code}", access: user, get: refused})
	w := newWorld(t, rows, nil)
	b := w.signedIn(t, owner)
	long := strings.Repeat("x", maxForm)
	for _, c := range []struct {
		answer answer
		status int
		text   string
	}{
		{b.get("/nowhere/at/all"), 404, "This page does not exist"},
		{b.get("/nowhere"), 404, "This page does not exist"},
		{b.get("/login/"), 404, "This page does not exist"},
		{b.get("/static/none.css"), 404, "This page does not exist"},
		{b.post("/settings"), 405, "This does not work here"}, {b.get("/logout"), 405, "This does not work here"},
		{b.post("/settings/profile", "name", long), 413, "That is too large"},
		{b.get("/panic"), 500, "Something went wrong"},
		{b.get("/refused/unavailable"), 503, "Bugslice cannot answer right now"},
		{b.get("/refused/unavailable"), 503, "A sentence about it."}, // such as that the node is read-only
	} {
		c.answer.wants(c.status, c.text, "req_")
		checkHeaders(t, c.answer, nil)
		checkTitle(t, c.answer)
	}
	b.header.Set("Accept", "application/json")
	for path, code := range map[string]string{"/nowhere": api.CodeNotFound,
		"/logout": api.CodeMethod, "/panic": api.CodeInternal, "/refused/unavailable": api.CodeUnavailable} {
		a := b.get(path)
		var p api.Problem
		if err := json.Unmarshal([]byte(a.body), &p); err != nil || p.Code != code ||
			p.Status != a.status || p.RequestID == "" || !strings.HasSuffix(p.Type, "/docs#"+code) {
			t.Errorf("%s: %s (%v)", path, a.body, err)
		}
		checkHeaders(t, a, nil)
	}
	signedIn := w.signedIn(t, owner) // who keeps the navigation, and may search
	signedIn.get("/nowhere/WEB-16").wants(404, "This page does not exist", `aria-label="Main"`, `href="/search?q=WEB-16"`)
	signedIn.get("/s/nowhere").wants(404).lacks(`aria-label="Main"`, "/search?q=")
	w.browser(t).get("/nowhere").wants(404).lacks(`aria-label="Main"`, "/search?q=")
	w.browser(t).get("/settings/keys").wants(303)
	stranger := w.browser(t)
	stranger.header.Set("Accept", "*/*")
	stranger.get("/settings/keys").wants(401, `"code":"unauthorized"`)
	stranger.header.Set("Authorization", "Bearer "+w.tokens[owner])
	stranger.get("/settings/keys").wants(401)
}

// TestFailingStore: a page says that the service has failed, and nothing about how.
func TestFailingStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	must(t, w.store.Close())
	a := b.get("/settings/keys").wants(500, "Something went wrong", "req_")
	if strings.Contains(a.body, "database") || strings.Contains(a.body, "sql") {
		t.Errorf("the page tells the cause: %s", a.body)
	}
	checkHeaders(t, a, nil)
}

// TestWorkspaceOfPage: a page of a workspace names it in its address.
func TestWorkspaceOfPage(t *testing.T) {
	t.Parallel()
	show := func(q *page.Request) (page.Result, error) { return page.Redirect("/shown/"+q.Workspace.Name, "") }
	w := newWorld(t, append(slices.Clone(table),
		row{path: "/of-workspace", access: user, scope: oneWorkspace, get: show}), nil)
	b := w.signedIn(t, owner)
	b.get("/of-workspace").leadsTo("/of-workspace?workspace=APP")
	b.get("/of-workspace?workspace=WEB").leadsTo("/shown/Web shop")
	b.get("/of-workspace?q=x").leadsTo("/of-workspace?q=x&workspace=WEB")
	b.get("/of-workspace?workspace=NONE").wants(404)
}

// TestPathIsText: no operation receives a name that PostgreSQL does not accept as text.
func TestPathIsText(t *testing.T) {
	t.Parallel()
	show := func(*page.Request) (page.Result, error) { return page.Redirect("/shown", "") }
	w := newWorld(t, append(slices.Clone(table), row{path: "/path/{id}", access: anyone, get: show}), nil)
	b := w.browser(t)
	b.get("/path/%C3%A9").leadsTo("/shown")
	for _, path := range []string{"/path/%00", "/path/a%00b", "/path/%FF", "/path/%C3"} {
		b.get(path).wants(404, "This page does not exist")
	}
}

// TestSignInEndsFormerSession: whoever signs in again in a browser leaves no session open that no cookie names.
func TestSignInEndsFormerSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	former := b.cookie()
	b.post("/login", "email", owner, "password", "wrong password").wants(422)
	b.get("/settings/security").wants(200)
	b.post("/login", "email", owner, "password", password).wants(303)
	b.get("/settings/security").wants(200)
	stolen := w.browser(t)
	stolen.header.Set("Cookie", "bugslice="+former)
	stolen.get("/settings/security").leadsTo("/login?next=%2Fsettings%2Fsecurity")
}

// TestPartOfAPage: a script that puts an answer into an element of its page gets the title, the action of the header
// and the content alone. Caches tell the two apart.
func TestPartOfAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	whole := b.get("/reports?workspace=WEB")
	whole.wants(200, "<!doctype html>", `id="sidebar"`, `<title>Reports · Bugslice</title>`, `<main id="main"`)
	if vary := whole.header.Get("Vary"); !strings.Contains(vary, "HX-Request-Type") ||
		!strings.Contains(vary, "HX-Target") {
		t.Errorf("the answer varies by %s", vary)
	}
	main := func(a answer) string { return a.body[strings.Index(a.body, "<main"):strings.Index(a.body, "</main>")] }
	for _, header := range [][2]string{{"HX-Request-Type", "partial"}, {"HX-Target", "div#results"}} {
		s := w.browser(t)
		s.Jar = b.Jar
		s.header.Set(header[0], header[1])
		part := s.get("/reports?workspace=WEB")
		part.wants(200, `<title>Reports · Bugslice</title>`,
			`<div class="bar-action"><a class="button button-primary" href="/new?workspace=WEB">`)
		for _, text := range []string{"<html", `id="sidebar"`, "<dialog id=\"palette\"", "<script src"} {
			if strings.Contains(part.body, text) {
				t.Errorf("with %v the answer has %s", header, text)
			}
		}
		if main(part) != main(whole) {
			t.Errorf("with %v the answer has another content", header)
		}
		s.get("/WEB-999").wants(404, "<main id=\"main\"")
	}
	b.header.Set("HX-Target", "body")
	b.get("/reports?workspace=WEB").wants(200, "<!doctype html>", `id="sidebar"`)
}

// TestNoticeWaits: a notice is on the next whole page that succeeds. A page about a problem, a form with faults and a
// fragment neither show it nor use it up.
func TestNoticeWaits(t *testing.T) {
	t.Parallel()
	const notice = "Your profile is saved."
	w := newWorld(t, table, nil)
	b, fragment := w.signedIn(t, owner), w.browser(t)
	b.post("/settings/profile", "version", "1", "name", "Mara", "theme", "system", "timeZone", "UTC").
		leadsTo("/settings/profile")
	fragment.Jar = b.Jar
	fragment.header.Set("HX-Request-Type", "partial")
	for _, a := range []answer{b.get("/nowhere"), b.get("/WEB-9"), b.post("/settings/profile", "version", "2"),
		fragment.get("/settings/profile")} {
		if strings.Contains(a.body, notice) || len(a.header.Values("Set-Cookie")) > 0 {
			t.Errorf("%s (%d) shows the notice or uses it up", a.path, a.status)
		}
	}
	b.get("/settings/profile").wants(200, notice)
	if again := b.get("/settings/profile"); strings.Contains(again.body, notice) {
		t.Error("the notice is shown twice")
	}
}
