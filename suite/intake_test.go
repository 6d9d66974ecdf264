package suite

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"bugslice/internal/assert"
	"bugslice/internal/browsertest"
)

// visitedPage is a page of a site with the script. Its shadow roots are kept, so that a test can read the dialog.
const visitedPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><script>
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (options) { return window.root = attach.call(this, options); };
</script><script src="%s/capture/v1.js" data-key="%s" %s></script></head><body>
<h1>Shop</h1><button onclick="Bugslice.report()">Report a problem</button></body></html>`

// visitedSite serves a page with the script of a server, whose address the first function returns, with a key and
// attributes.
func visitedSite(t *testing.T, server, key func() string, attributes string) *httptest.Server {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, visitedPage, server(), key(), attributes)
	}))
	t.Cleanup(site.Close)
	return site
}

// newSource makes a source of the organisation's workspace, for the pages of an origin.
func (o org) newSource(t *testing.T, origin string, more map[string]any) (id, key string) {
	t.Helper()
	body := map[string]any{"workspaceId": o.Workspace, "name": "Shop", "origins": []string{origin},
		"limits": map[string]any{"perMinute": 10_000, "perHour": 100_000, "perDay": 1_000_000,
			"perAddressHour": 100_000}}
	for name, v := range more {
		body[name] = v
	}
	a := o.want(t, 201, "POST", "/v1/sources", body)
	return a.get(t, "id").(string), a.get(t, "key").(string)
}

// slices returns the slices of the organisation.
func (o org) slices(t *testing.T) (all []map[string]any) {
	t.Helper()
	cursor := ""
	for {
		a := o.want(t, 200, "GET", "/v1/slices?limit=100&workspaceId="+o.Workspace+cursor, nil)
		for _, s := range a.get(t, "data").([]any) {
			all = append(all, s.(map[string]any))
		}
		next, _ := a.get(t, "pagination").(map[string]any)["nextCursor"].(string)
		if next == "" {
			return all
		}
		cursor = "&cursor=" + next
	}
}

// TestVisitorReports: somebody without an account reports a problem from a page by the keyboard alone. The dialog
// says when the report is there, which has the picture, what happened, and the mark of the visitor; nothing of it can
// be read by the key.
func TestVisitorReports(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "visited")
	var key string
	site := visitedSite(t, func() string { return s.URL }, func() string { return key }, "")
	_, key = o.newSource(t, site.URL, nil)
	b := browsertest.Open(t, site.URL)
	b.Open("/")
	b.Wait(`window.Bugslice && "capture" in window.Bugslice`)
	browsertest.Eval[bool](b,
		`(Bugslice.identify({ id: "c7", name: "Ada" }), console.error("the basket is empty"), true)`)
	b.TabTo("Report a problem")
	b.Press(kb.Enter)
	b.Wait(`window.root?.activeElement?.name === "summary"`)
	b.Press("Basket")
	b.Press(kb.Tab)
	b.Press("empty")
	b.Press(kb.Enter) // a line of the description
	b.Press(kb.Tab)
	b.Press("a@b.example")
	b.Wait(`window.root.querySelector("canvas")`)
	for range 30 {
		if browsertest.Eval[string](b, `window.root.activeElement.className`) == "main" {
			break
		}
		if browsertest.Eval[string](b, `window.root.activeElement.name ?? ""`) == "website" {
			t.Error("the field for programs is reached by the keyboard")
		}
		b.Press(kb.Tab)
	}
	b.Press(kb.Enter)
	b.Wait(`window.root.querySelector("[role=status]").textContent === "Your report has arrived"`)
	all := o.slices(t)
	if len(all) != 1 {
		t.Fatalf("%d reports", len(all))
	}
	filed := all[0]
	assert.Equal(t, "the summary", filed["summary"], any("Basket"))
	visitor, _ := filed["visitor"].(map[string]any)
	for name, want := range map[string]any{"sourceName": "Shop", "origin": site.URL, "verified": false,
		"userId": "c7", "name": "Ada",
		"email": "a@b.example"} {
		if visitor[name] != want {
			t.Errorf("the visitor has the %s %v", name, visitor[name])
		}
	}
	evidence := filed["evidence"].(map[string]any)
	for name, least := range map[string]float64{"consoleErrors": 1, "actions": 1, "replays": 1, "screenshots": 1} {
		if got, _ := evidence[name].(float64); got < least {
			t.Errorf("%s: %v, want %v", name, evidence[name], least)
		}
	}
	public := client{s, key}
	public.want(t, 401, "GET", "/v1/slices", nil)
	public.want(t, 401, "POST", "/v1/slices", map[string]any{"summary": "x"})
	if text := browsertest.Eval[string](b, `window.root.textContent`); strings.Contains(text,
		filed["reference"].(string)) {
		t.Error("the visitor learns the number of the report")
	}
	b.Press(kb.Enter)
	b.Wait(`!document.querySelector("[data-bugslice-dialog]")`)
}

// TestVisitorOffline: a report that is written while the instance is away waits over a reload, and is there once when
// it is back.
func TestVisitorOffline(t *testing.T) {
	s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "off")
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "offline")
	var key string
	site := visitedSite(t, func() string { return s.URL }, func() string { return key }, `data-replay="off"`)
	_, key = o.newSource(t, site.URL, nil)
	b := browsertest.Open(t, site.URL)
	b.Open("/")
	b.Wait(`window.Bugslice && "capture" in window.Bugslice`)
	s.kill()
	browsertest.Eval[bool](b, `(Bugslice.file("While it was away"), true)`)
	time.Sleep(500 * time.Millisecond)
	s.start(t)
	b.Reload()
	eventually(t, "the report is there", func() bool { return len(o.slices(t)) == 1 })
	b.Reload()
	time.Sleep(3 * time.Second)
	assert.Equal(t, "reports", len(o.slices(t)), 1)
}
