package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
	"bugslice/internal/web/static"
)

// hostileMarkup sends a request by itself once htmx, or a page without a policy, makes elements of it: each by
// another sink. Attributes have no quotes, so that the markup acts in JSON, too.
var hostileMarkup = []string{
	`<div hx-post=%s hx-vals=role:owner hx-trigger=load></div>`,
	`<div data-hx-post=%s data-hx-vals=role:owner data-hx-trigger=load></div>`,
	`<div hx-get=%s hx-trigger=load></div>`,
	`<div hx-put=%s hx-trigger=load></div>`,
	`<div hx-action=%s hx-method=post hx-vals=role:owner hx-trigger=load></div>`,
	`<div hx-post=%s hx-vals=role:owner hx-trigger=revealed>a</div>`,
	`<div hx-post=%s hx-vals=role:owner hx-trigger=intersect>a</div>`,
	`<div hx-post=%s hx-vals=role:owner hx-trigger="every 20ms"></div>`,
	`<form action=%s method=post hx-boost=true hx-trigger=load><input name=role value=owner></form>`,
	`<form hx-post=%s hx-trigger=load><input name=role value=owner></form>`,
	`<div hx-swap-oob=beforeend:body><div hx-post=%s hx-vals=role:owner hx-trigger=load></div></div>`,
	`<hx-partial hx-target=body hx-swap=beforeend><div hx-post=%s hx-vals=role:owner hx-trigger=load></div></hx-partial>`,
	`<template hx type=partial hx-target=body hx-swap=beforeend><div hx-post=%s hx-trigger=load></div></template>`,
	`<div hx-post=%s hx-trigger=load[Object]></div>`,
	`<div hx-post=%s hx-vals=js:{role:Object} hx-trigger=load></div>`,
	`<div hx-get=javascript:fetch("%s") hx-trigger=load></div>`,
	`<img src=data:, hx-on:error=fetch("%s")>`,
	`<img src=data:, onerror=fetch("%s")>`,
	`<script>fetch("%s")</script>`,
	`<iframe srcdoc="<script>parent.fetch('%s')</script>"></iframe>`,
}

// requests are the requests for pages that a server gets.
type requests struct {
	mu   sync.Mutex
	made []string
}

func (r *requests) add(q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made = append(r.made, q.Method+" "+q.URL.Path)
}

// since returns the requests after the first n.
func (r *requests) since(n int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.made[n:])
}

// record records the requests that a server gets from now on.
func (r *requests) record(server *httptest.Server) {
	inner := server.Config.Handler
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/live" && !strings.HasPrefix(q.URL.Path, "/static/") {
			r.add(q)
		}
		inner.ServeHTTP(w, q)
	})
}

// hostileReport files a report of a stranger, whose files, archive, console and texts have the markup, and returns
// the links to them.
func (w *world) hostileReport(t *testing.T, target string) (reference string, links []string) {
	t.Helper()
	var markup strings.Builder
	for _, m := range hostileMarkup {
		fmt.Fprintf(&markup, m, target)
	}
	console := []api.ConsoleEntry{{Level: "error", Timestamp: api.At(w.clock.now()), Message: markup.String()}}
	text, err := json.Marshal(markup.String())
	must(t, err)
	entry := harEntry(w.clock.now(), http.MethodGet, "https://shop.example/", http.StatusInternalServerError)
	if response, ok := entry["response"].(map[string]any); ok {
		response["content"] = map[string]any{"size": markup.Len(), "mimeType": "text/html",
			"text": "<main id=main>" + markup.String() + "</main>"}
	}
	replay := []json.RawMessage{json.RawMessage(`{"type":4,"timestamp":1795000000000,"data":{"href":"https://shop.example/"}}`),
		json.RawMessage(`{"type":5,"timestamp":1795000000001,"data":{"tag":"x","payload":` + string(text) + `}}`)}
	reference = w.capture(t, api.NewSlice{SliceFields: api.SliceFields{Summary: "Checkout hangs"},
		Evidence: &api.Evidence{
			Console: console, Network: har(t, entry), Replay: replay}})
	for name, content := range map[string]string{"a.txt": "<main id=main>" + markup.String() + "</main>", "b.txt": "x" +
		markup.String(),
		"c.html": "<!doctype html><html><head><title>c</title></head><body><main id=main>" + markup.String() +
			"</main></body></html>",
		"d.json": `{"a":` + string(text) + `}`} {
		links = append(links, "/files/"+w.attach(t, reference, name, content).ID)
	}
	links = append(links, "/"+reference+"/network.har", "/"+reference+"/markdown",
		"/slices/"+reference+"/replay", "/"+reference+"?edit=description")
	description := markup.String() + "\n"
	for i, link := range links {
		description += fmt.Sprintf("\n[link %d](%s)\n", i, link)
	}
	s, err := w.GetSlice(t.Context(), w.caller(t, owner), valid(t, api.GetSlice{SliceID: reference}))
	must(t, err)
	_, err = w.UpdateSlice(t.Context(), w.caller(t, member), valid(t,
		api.UpdateSlice{SliceID: s.ID, Patch: api.SlicePatch{"description": description}}))
	must(t, err)
	_, err = w.CreateComment(t.Context(), w.caller(t, member), valid(t,
		api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: description}}))
	must(t, err)
	return reference, links
}

// TestBrowserHostileLinks: a click on a link of a report, in its text or in a comment, on its page, beside the list
// and on the page of its share, opens the address of the link and sends nothing else, wherever on this origin it
// leads. Without the protection each markup sends a request.
func TestBrowserHostileLinks(t *testing.T) {
	t.Parallel()
	var seen requests
	w := newWorld(t, table, nil)
	seen.record(w.server)
	target := "/settings/people/" + w.users[member] + "/role"
	reference, links := w.hostileReport(t, target)
	shared, _ := w.share(t, w.caller(t, owner), reference, api.ShareComments)
	b := w.report(t, owner, "/"+reference)
	b.Size(1440, 900)
	texts := map[string][2]string{"/" + reference: {".report-description .prose", ".comment .prose"},
		"/reports?workspace=WEB&open=" + reference: {".comment .prose", ".report-description .prose"},
		shared: {"section > .prose", ".shared-comment .prose"}}
	for from, within := range texts {
		for i, link := range links {
			b.Open(from)
			b.Wait(`window.htmx && document.querySelector("` + within[i%2] + `")`)
			before := len(seen.since(0))
			path, _, _ := strings.Cut(link, "?")
			b.ClickOn(fmt.Sprintf(`%s a[href=%q]`, within[i%2], link))
			for end := time.Now().Add(10 * time.Second); !slices.Contains(seen.since(before), "GET "+path) &&
				time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(100 * time.Millisecond) // in which the markup would act
			made := slices.DeleteFunc(seen.since(before), func(r string) bool {
				return r == "GET "+path || r == "GET /"+reference || r == "GET "+shared ||
					strings.HasSuffix(r, "/replay") || r == "GET /replay-frame"
			})
			if len(made) > 0 {
				t.Errorf("%s in %s of %s sent %v", link, within[i%2], from, made)
			}
		}
	}
	session, err := w.Session(t.Context(), tracker.Client{}, w.session(t, owner, tracker.Client{}))
	must(t, err)
	people, err := w.ListPeople(t.Context(), session.Caller, valid(t, api.ListPeople{Limit: 50}))
	must(t, err)
	for _, p := range people.People {
		if p.ID == w.users[member] && p.Role != api.RoleMember {
			t.Errorf("the member became %s", p.Role)
		}
	}
	actsWithoutProtection(t)
}

// actsWithoutProtection fails the test unless each markup sends a request when a page whose links htmx boosts leads
// to it.
func actsWithoutProtection(t *testing.T) {
	t.Helper()
	var mu sync.Mutex
	acted := map[string]bool{}
	script := httptest.NewRequest(http.MethodGet, static.URL("htmx.min.js"), nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, isMarkup := strings.CutPrefix(r.URL.Path, "/markup/")
		i, _ := strconv.Atoi(n)
		switch {
		case r.URL.Path == script.URL.Path:
			static.Serve(w, r)
		case isMarkup:
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintf(w, "<p>a</p>"+hostileMarkup[i], "/acted/"+n)
		case strings.HasPrefix(r.URL.Path, "/acted/"):
			mu.Lock()
			acted[strings.TrimPrefix(r.URL.Path, "/acted/")] = true
			mu.Unlock()
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, `<!doctype html><body hx-boost:inherited=true><script src="`+script.URL.Path+
				`"></script>`)
			for i := range hostileMarkup {
				fmt.Fprintf(w, `<p><a href="/markup/%d">link %d</a></p>`, i, i)
			}
		}
	}))
	t.Cleanup(server.Close)
	b := browsertest.Open(t, server.URL)
	for i, markup := range hostileMarkup {
		b.Open("/")
		b.Wait(`window.htmx && document.querySelector("a").dataset.htmxPowered`)
		b.ClickOn(fmt.Sprintf(`a[href="/markup/%d"]`, i))
		has := func() bool { mu.Lock(); defer mu.Unlock(); return acted[strconv.Itoa(i)] }
		for end := time.Now().Add(5 * time.Second); !has() && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		if !has() {
			t.Errorf("without protection %s sends nothing", markup)
		}
	}
}
