package web

import (
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// shownRows is how many rows of the open panel are shown.
const shownRows = `[...document.querySelectorAll(".panel:not([hidden]) [data-rows] li")].filter(e => !e.hidden && ` +
	`!e.parentElement.hidden).length`

// TestBrowserPanels follows a failed request of the broken shop: the filter, the request, the moment, and back. The
// address has the state, and no page is loaded.
func TestBrowserPanels(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	shop := "/" + w.fileShop(t, func(name string) string { return name })
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1440, 900)
	b.Open(shop + "?occurrence=1")
	b.Wait(`document.querySelector(".evidence[data-loaded]")`)
	b.holds(`window.kept = true, window.sought = [], document.addEventListener("evidence:seek", (e) => sought.push(e.detail.time)), true`)
	if !b.holds(`document.querySelectorAll("[data-mark=error]").length > 0 && document.querySelectorAll("[data-mark=failed]").length > 0`) {
		t.Error("the marks of panels that are not open are missing")
	}
	b.ClickOn("[data-tab=network]")
	b.Wait(`location.search.includes("tab=network") && document.querySelector(".panel-network:not([hidden])")`)
	b.ClickOn(".panel-network [data-failed]")
	b.Wait(`location.search.includes("failed=true")`)
	failed := int(browsertest.Eval[float64](b.Tab, `document.querySelectorAll("[data-mark=failed]").length`))
	if n := int(browsertest.Eval[float64](b.Tab, shownRows)); n != failed || n == 0 {
		t.Errorf("%d rows are shown of %d failed requests", n, failed)
	}
	b.ClickOn(".request[data-mark=failed] .request-path")
	b.Wait(`document.querySelector(".request-detail #request-curl") && location.search.includes("request=")`)
	for _, is := range []string{`document.activeElement.matches(".request-detail")`,
		`sought.length == 1 && sought[0] == document.querySelector("[data-current]").dataset.time`,
		`document.querySelector(".panel:not([hidden]) [aria-current=time]") == document.querySelector("[data-current]")`,
		`/[?&]t=-?\d+\.\d(&|$)/.test(location.search)`} {
		if !b.holds(is) {
			t.Errorf("not so: %s at %s", is, b.text(`location.search`))
		}
	}
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector(".request-detail") && !location.search.includes("request=")`)
	b.holds(`history.back(), true`)
	b.Wait(`document.querySelector(".request-detail") && location.search.includes("request=")`)
	b.holds(`history.go(-2), true`)
	b.Wait(`!location.search.includes("tab=network") && document.querySelector(".panel[data-panel=console]:not([hidden])")`)
	if !b.holds(`window.kept === true`) {
		t.Error("a page was loaded")
	}
	b.followsTime(t)
	b.Open(shop + "?occurrence=1&tab=console&level=error&t=2.0")
	b.Wait(`document.querySelector(".evidence[data-loaded]")`)
	if n, all := b.text(shownRows+` + ""`), b.text(`document.querySelectorAll(".line-error").length + ""`); n != all {
		t.Errorf("after a reload %s of %s errors are shown", n, all)
	}
	b.followsHistory()
	b.Open(shop + "?occurrence=1&tab=console&level=error")
	b.Wait(`document.querySelector(".evidence[data-loaded]")`)
	b.ClickOn(".level-error")
	b.Wait(`!location.search.includes("level=") && ` + shownRows + ` > document.querySelectorAll(".line-error").length`)
	b.Quiet()
}

// followsHistory goes to another page without loading it, and back to the panels.
func (b tab) followsHistory() {
	b.T.Helper()
	b.Size(1024, 900) // too narrow for a report beside the list
	b.Open("/reports")
	b.ClickOn(".row-title")
	b.Wait(`document.querySelector(".evidence[data-loaded]")`)
	b.ClickOn("[data-tab=network]")
	b.Wait(`location.search == "?tab=network" || location.search.includes("&tab=network")`)
	b.ClickOn(".nav-link[href^='/reports']")
	b.Wait(`document.querySelector("[data-page=reports]") && location.pathname == "/reports"`)
	b.holds(`history.back(), true`)
	b.Wait(`document.querySelector(".evidence[data-loaded] .panel[data-panel=network]:not([hidden])")`)
	b.holds(`history.back(), true`)
	b.Wait(`document.querySelector(".evidence .panel[data-panel=console]:not([hidden])")`)
	b.holds(`history.back(), true`)
	b.Wait(`document.querySelector("[data-page=reports]")`)
	b.Size(1440, 900)
}

// followsTime moves the time as a player does: the last row at or before the moment is the current one.
func (b tab) followsTime(t *testing.T) {
	t.Helper()
	const at = `((row, by) => { document.querySelector(".evidence").dispatchEvent(new CustomEvent("evidence:time", {bubbles: true, ` +
		`detail: {time: Number(row.dataset.time) + by}}));
		return document.querySelector(".panel:not([hidden]) [aria-current=time]"); })`
	const rows = `[...document.querySelectorAll(".panel:not([hidden]) [data-rows] li")]`
	for _, is := range []string{
		at + `(` + rows + `[3], 0).dataset.time == ` + rows + `[3].dataset.time`,
		at + `(` + rows + `[0], -1) == null`,
		at + `(` + rows + `.at(-1), 100000) == ` + rows + `.at(-1)`,
	} {
		if !b.holds(is) {
			t.Errorf("not so: %s", is)
		}
	}
}

// TestBrowserFlood: all of 10,000 rows and 2,000 requests are there, and can be filtered and followed.
func TestBrowserFlood(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	flood := "/" + w.fileFlood(t)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1440, 900)
	b.Open(flood)
	b.Wait(`document.querySelector(".evidence[data-loaded]")`)
	for _, is := range []string{`document.querySelectorAll(".line").length == 10000`,
		`document.querySelectorAll(".request").length == 2000`,
		`document.querySelectorAll("[data-mark=error]").length == 1000`, `!document.querySelector("[data-more]")`} {
		if !b.holds(is) {
			t.Errorf("not so: %s", is)
		}
	}
	b.Fill("q", "answer 777")
	b.Wait(shownRows + ` == 11`)
	b.Wait(`document.querySelector(".panel:not([hidden]) [data-shown]").textContent == "11 of 10,000"`)
	b.Fill("q", "no such row")
	b.Wait(shownRows + ` == 0 && !document.querySelector(".panel:not([hidden]) [data-none]").hidden`)
	b.ClickOn(".panel:not([hidden]) [data-clear]")
	b.Wait(shownRows + ` == 10000`)
	b.holds(`window.scrolled = scrollY, document.querySelector(".evidence").dispatchEvent(new CustomEvent("evidence:time", {bubbles: true,
		detail: {time: Number(document.querySelectorAll(".line")[5000].dataset.time)}}))`)
	b.Wait(`(() => { const row = document.querySelectorAll(".line")[5000], r = row.getBoundingClientRect(), box = ` +
		`row.closest(".lines").getBoundingClientRect();
		return row.getAttribute("aria-current") == "time" && r.top >= box.top && r.bottom <= box.bottom && scrollY == scrolled; })()`)
	b.Quiet()
}

// capturedVectors are texts of evidence that would run, or connect to an address, in a page that took them for markup.
var capturedVectors = map[string]string{
	"script":     `<script>fetch("%s")</script>`,
	"image":      `<img src="%s/i.png" onerror="alert(1)">`,
	"handler":    `<svg onload="fetch('%s')"></svg>`,
	"frame":      `<iframe src="%s"></iframe>`,
	"sheet":      `<link rel="stylesheet" href="%s/a.css">`,
	"style":      `<style>@import "%s/a.css";</style>`,
	"background": `<p style="background:url(%s/b.png)">x</p>`,
	"object":     `<object data="%s/x"></object>`,
	"video":      `<video src="%s/v.mp4" poster="%[1]s/p.png" autoplay></video>`,
	"attribute":  `"'><img src="%s/a.png"><b title="`,
	"template":   `{{.}}</template></details></li></ol></section><img src="%s/t.png">`,
	"textarea":   `</textarea></pre></svg></style></script><img src="%s/e.png">`,
	"refresh":    `<meta http-equiv="refresh" content="0;url=%s">`,
	"url":        `javascript:fetch("%s")//`,
}

// TestBrowserHostileEvidence shows evidence in which each text is an attack: nothing runs, and nothing connects.
// Shown as markup, the same texts do connect.
func TestBrowserHostileEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	var texts []string
	reached := map[string]*atomic.Int64{}
	for name, text := range capturedVectors {
		address, n := countConnections(t)
		reached[name] = n
		texts = append(texts, fmt.Sprintf(text, address))
	}
	// The browser of the tests does not connect ahead, so there is no control of this one: it must not become an
	// element.
	texts = append(texts, `<link rel="preconnect" href="http://127.0.0.1:1">`)
	report := "/" + w.fileAttacks(t, texts)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1440, 900)
	shared, _ := w.share(t, w.caller(t, owner), strings.TrimPrefix(report, "/"), api.ShareConsole, api.ShareNetwork)
	for _, path := range []string{report, shared} {
		b.showsTexts(t, path, len(texts))
	}
	b.Quiet()
	for name, n := range reached {
		if n.Load() != 0 {
			t.Errorf("%s connects", name)
		}
	}
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if text := r.URL.Query().Get("text"); text != "" {
			_, _ = fmt.Fprint(w, "<!doctype html><body>"+text) //nolint:gosec // it is what the test is about
			return
		}
		for _, text := range texts {
			switch {
			case strings.HasPrefix(text, "javascript:"):
				_, _ = fmt.Fprintf(w, `<iframe src="%s"></iframe>`, html.EscapeString(text))
			default:
				_, _ = fmt.Fprintf(w, `<iframe src="/?text=%s"></iframe>`, url.QueryEscape(text))
			}
		}
	}))
	defer control.Close()
	browsertest.Open(t, control.URL).Open("/")
	for name, n := range reached {
		for range 200 {
			if n.Load() > 0 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if n.Load() == 0 {
			t.Errorf("the control of %s does not connect", name)
		}
	}
}

// showsTexts opens every panel and every request of a page with evidence, and finds no element that a text has made.
func (b tab) showsTexts(t *testing.T, path string, requests int) {
	t.Helper()
	for _, tab := range []string{"console", "network", "actions", "environment"} {
		b.Open(path + "?tab=" + tab)
		b.Wait(`document.querySelector(".evidence[data-loaded]")`)
		b.holds(`document.querySelectorAll(".panel details").forEach((d) => { d.open = true; }), true`)
	}
	for i := range requests {
		b.Open(fmt.Sprint(path, "?tab=network&request=", i+1))
		b.Wait(`document.querySelector(".request-detail")`)
		b.holds(`document.querySelectorAll("details").forEach((d) => { d.open = true; }), true`)
		if found := b.text(`[...document.querySelectorAll(".evidence :is(img, script:not([src^='/static/']), iframe, style, ` +
			`link, object, video, meta, [onload], [onerror]), .evidence a[href^=javascript]")].map((e) => ` +
			`e.outerHTML).join()`); found != "" {
			t.Errorf("a text is markup: %s", found)
		}
	}
}

// countConnections returns the address of a listener, and the number of its connections.
func countConnections(t *testing.T) (string, *atomic.Int64) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	n := &atomic.Int64{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n.Add(1)
			_ = c.Close()
		}
	}()
	return "http://" + l.Addr().String(), n
}

// fileAttacks files a report in whose evidence every text is one of these.
func (w *world) fileAttacks(t *testing.T, texts []string) string {
	t.Helper()
	at := api.At(w.clock.now().Add(-time.Minute))
	e := &api.Evidence{}
	var entries []any
	metadata := map[string]string{}
	for _, text := range texts {
		value, err := json.Marshal(map[string]string{text: text})
		must(t, err)
		e.Console = append(e.Console, api.ConsoleEntry{Level: "error",
			Timestamp: at, Message: text + "\n" + text, Stack: &text, Args: []json.RawMessage{value}})
		e.Actions = append(e.Actions, api.ActionEntry{Type: truncated(text, 50),
			Timestamp: at, Selector: &text, Text: &text, Value: &text, URL: &text})
		pair := []any{map[string]any{"name": text, "value": text}}
		entry := harEntry(at.Time, text, "https://shop.example/"+text, 500)
		request, response := entry["request"].(map[string]any), entry["response"].(map[string]any)
		request["headers"], request["queryString"], response["headers"] = pair, pair, pair
		request["httpVersion"], response["redirectURL"], response["statusText"],
			entry["serverIPAddress"], entry["_error"] = text, text, text, text, text
		request["postData"] = map[string]any{"mimeType": text, "text": text, "params": pair}
		response["content"] = map[string]any{"mimeType": text, "text": text}
		entries = append(entries, entry)
		metadata[truncated(text, 100)] = text
	}
	e.Network = har(t, entries...)
	return w.capture(t, api.NewSlice{Evidence: e, SliceFields: api.SliceFields{Summary: "Attacks", Metadata: metadata,
		Environment: api.Environment{Browser: &texts[0], OS: &texts[1],
			Device: &texts[2], Release: &texts[3], Commit: &texts[4], Branch: &texts[5]}}})
}
