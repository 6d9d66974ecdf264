package web

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/internal/browsertest"
	"bugslice/internal/store/identities"
)

// TestRawRefusesScripts: a script that asks for a page gets no byte of an answer that is none, and no answer that is
// none has the mark of a page. Browsers, and scripts that ask for the file, get it.
func TestRawRefusesScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	reference, links := w.hostileReport(t, "/settings/people")
	file := links[0]
	shared, _ := w.share(t, w.caller(t, owner), reference, "console", "network", "comments")
	paths := map[string]string{"/{reference}/markdown": "/" + reference + "/markdown",
		"/{reference}/network.har":   "/" + reference + "/network.har",
		"/slices/{reference}/replay": "/slices/" + reference + "/replay", "/replay-frame": "/replay-frame",
		"/files/{attachmentId}":           file,
		"/files/{attachmentId}/thumbnail": "", "/s/{token}/files/{attachmentId}": "",
		"/s/{token}/files/{attachmentId}/thumbnail": "",
		"/s/{token}/replay":                         shared + "/replay", "/s/{token}/network.har": shared +
			"/network.har",
		"/settings/audit/events.ndjson":         "/settings/audit/events.ndjson",
		"/reports/export":                       "/reports/export?format=csv",
		"/pictures/{picture}":                   w.portrait(t, owner),
		"/login/{organizationId}/front-channel": "/login/" + w.org.ID + "/front-channel?iss=https://127.0.0.1&sid=of-a-session"}
	w.setProvider(t, identities.Provider{OrgID: w.org.ID, Name: "Acme", Issuer: "https://127.0.0.1"})
	b, s := w.signedIn(t, owner), w.browser(t)
	s.Jar = b.Jar
	for _, at := range table {
		if !at.raw || at.get == nil {
			continue
		}
		path, known := paths[at.path]
		if !known {
			t.Errorf("%s is raw, and is not tested here", at.path)
		}
		if path == "" {
			path = strings.NewReplacer("{token}", strings.TrimPrefix(shared, "/s/"),
				"{attachmentId}", strings.TrimPrefix(file, "/files/")).Replace(at.path)
		} else if a := b.get(path).wants(200); a.header.Get(pageMark) != "" {
			t.Errorf("%s has the mark of a page", path)
		}
		for _, header := range [][2]string{{"HX-Request", "true"}, {"HX-Request-Type", "full"},
			{"HX-Request-Type", "partial"}} {
			s.header = http.Header{"Accept": {"text/html"}, header[0]: {header[1]}}
			if a := s.get(path).wants(http.StatusNotAcceptable); a.body != "" || a.header.Get(pageMark) != "" {
				t.Errorf("%s answers a script with %v by %q", path, header, a.body)
			}
		}
	}
	s.header = http.Header{"Accept": {"*/*"}}
	s.get(file).wants(200, "hx-post")
}

// TestSinksOfScripts: one module makes elements of texts, and requires the mark of a page. Another one lets htmx make
// them with its policy.
func TestSinksOfScripts(t *testing.T) {
	t.Parallel()
	sink := regexp.MustCompile(`(inner|outer)HTML\s*\+?=[^=]|insertAdjacentHTML|DOMParser|createContextualFragment|HTMLUnsafe|` +
		`\bsetHTML\b|document\.write|` +
		`srcdoc\s*=|insertHTML|createPolicy|initSecurity|htmx\.swap|\beval\(|new Function`)
	if found := sink.FindAllString(`a.innerHTML = b; new DOMParser(); a.outerHTML !== b; a.setHTMLUnsafe(b)`,
		-1); len(found) != 3 {
		t.Errorf("the pattern finds %q", found)
	}
	gates := 0
	must(t, filepath.WalkDir("static/js", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".js" {
			return err
		}
		text, err := os.ReadFile(path)
		found := sink.FindAllString(string(text), -1)
		if path == filepath.FromSlash("static/js/page.js") || path == filepath.FromSlash("static/js/gate.js") {
			gates += len(found)
		} else if len(found) > 0 {
			t.Errorf("%s has %q", path, found)
		}
		return err
	}))
	if gates != 4 {
		t.Errorf("the modules that make elements of texts do so %d times", gates)
	}
}

// TestProse: texts that somebody has written become HTML in one function, whose element htmx ignores, and no template
// or other function makes HTML of Markdown.
func TestProse(t *testing.T) {
	t.Parallel()
	uses := regexp.MustCompile(`markdown\.HTML\b|markdown\.Context\{[^}]*\}\.HTML\(|\bc\.HTML\(`)
	prose := regexp.MustCompile(`class="[^"]*\bprose\b[^"]*"[^>]*>\{\{`)
	seen := []string{}
	must(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		switch filepath.Ext(path) {
		case ".go":
			if uses.Match(text) {
				seen = append(seen, path)
			}
		case ".html", ".templ":
			if found := prose.Find(text); found != nil {
				t.Errorf("%s shows a text by itself: %s", path, found)
			}
		}
		return err
	}))
	if !slices.Equal(seen, []string{filepath.Join("ui", "prose.go")}) {
		t.Errorf("Markdown becomes HTML in %v", seen)
	}
	w := newWorld(t, table, nil)
	reference, _ := w.hostileReport(t, "/settings/people")
	shared, _ := w.share(t, w.caller(t, owner), reference, "comments")
	b := w.signedIn(t, owner)
	for _, a := range []answer{b.get("/" + reference), b.get(shared),
		b.post("/new/draft", "description", "[a](/files/x)")} {
		a.wants(200)
		if n, ignored := strings.Count(a.body, `class="prose"`),
			strings.Count(a.body, `<div class="prose" dir="auto" hx-ignore>`); n == 0 || n != ignored {
			t.Errorf("%s: htmx ignores %d of %d texts", a.path, ignored, n)
		}
	}
}

// TestBrowserGate: when htmx follows a link to what is no page, wherever the link stands, the browser opens it and
// nothing else is sent. Scripts of the page make no elements of it, and the browser refuses other texts and other
// scripts.
func TestBrowserGate(t *testing.T) {
	t.Parallel()
	var seen requests
	w := newWorld(t, table, nil)
	seen.record(w.server)
	reference, links := w.hostileReport(t, "/settings/people/"+w.users[member]+"/role")
	links = slices.DeleteFunc(links, func(link string) bool { return strings.Contains(link, "?") })
	b := w.report(t, owner, "/reports?workspace=WEB")
	for _, link := range links {
		for _, attributes := range []string{`[]`,
			`[["hx-target", "#main"], ["hx-select", "#main"], ["hx-swap", "outerMorph"]]`} {
			b.Open("/settings/profile")
			b.app()
			b.Wait(`document.querySelector("a[href].nav-link").dataset.htmxPowered`)
			before := len(seen.since(0))
			b.holds(fmt.Sprintf(`(() => { const p = document.createElement("p"), a = document.createElement("a"); a.href = %q;
				for (const [name, value] of %s) a.setAttribute(name, value);
				document.querySelector("main").append(p); p.append(a); htmx.process(a); a.click(); return true; })()`, link, attributes))
			opened := func() bool {
				return len(slices.DeleteFunc(seen.since(before), func(r string) bool { return r != "GET "+link })) > 1
			}
			for end := time.Now().Add(10 * time.Second); !opened() && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(50 * time.Millisecond) // in which the markup would act
			if other := slices.DeleteFunc(seen.since(before), func(r string) bool {
				return r == "GET "+link
			}); !opened() || len(other) > 0 {
				t.Errorf("%s%s is opened: %t, and sent %v", link, attributes, opened(), other)
			}
		}
	}
	b.Open("/" + reference)
	b.app()
	b.Quiet()
	for _, link := range links {
		if answered := b.text(fmt.Sprintf(`fetch(%q).then(app.pageOf).then(() => "a page", (e) => e.name)`,
			link)); answered != "TypeError" {
			t.Errorf("%s becomes elements: %s", link, answered)
		}
	}
	if answered := b.text(`fetch("/my").then(app.pageOf).then((page) => page.querySelector("main").dataset.page)`); answered != "my" {
		t.Errorf("a page is %q", answered)
	}
	for _, attempt := range []string{`document.body.innerHTML = "<b>a"`,
		`document.body.insertAdjacentHTML("beforeend", "<b>a")`, `new DOMParser().parseFromString("<b>a", "text/html")`,
		`Document.parseHTMLUnsafe("<b>a")`, `document.body.setHTMLUnsafe("<b>a")`,
		`document.createRange().createContextualFragment("<b>a")`,
		`document.createElement("iframe").srcdoc = "<b>a"`, `document.write("<b>a")`,
		`document.createElement("script").src = "/files/a.js"`,
		`document.createElement("script").src = "https://x.example/static/a.js"`,
		`document.createElement("script").textContent = "a"`,
		`trustedTypes.createPolicy("other", {})`, `trustedTypes.createPolicy("bugslice", {})`,
		`new Worker("/files/a.js")`,
		`document.body.setAttribute("onclick", "1")`} {
		if !browsertest.Eval[bool](b.Tab, `(() => { try { `+attempt+`; return false; } catch { return true; } })()`) {
			t.Errorf("the browser carries out %s", attempt)
		}
	}
}
