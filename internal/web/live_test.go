package web

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// work does the background work of a world until the test ends.
func (w *world) work(t testing.TB) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { w.Run(ctx); close(done) }()
	t.Cleanup(func() { stop(); <-done })
}

// streams waits until a number of live streams are open.
func (w *world) streams(t testing.TB, n int) {
	t.Helper()
	for range 6000 {
		if w.LiveStreams() == n {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%d live streams are open, not %d", w.LiveStreams(), n)
}

// change changes a report as a user.
func (w *world) change(t testing.TB, who, reference string, patch api.SlicePatch) {
	t.Helper()
	r, err := w.Report(t.Context(), w.caller(t, who), reference)
	must(t, err)
	_, err = w.UpdateSlice(t.Context(), w.caller(t, who), valid(t, api.UpdateSlice{SliceID: r.ID, Patch: patch}))
	must(t, err)
}

// followed opens the list of a text as somebody, and waits until it is followed.
func (w *world) followed(t *testing.T, who, text string) tab {
	t.Helper()
	n := w.LiveStreams()
	b := w.list(t, who, text)
	w.streams(t, n+1)
	b.Wait(`document.querySelector("[data-followed]")`)
	return b
}

// TestLive: the stream of a session is not compressed, has what changes after a position, and ends with its session,
// which the last event says. Without a session it is refused, so that a script can tell.
func TestLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	b := w.signedIn(t, owner)
	page := b.get("/reports").wants(200)
	position := regexp.MustCompile(`data-position="([A-Z0-9.,]+)"`).FindStringSubmatch(page.body)[1]
	w.change(t, member, "WEB-160", api.SlicePatch{"priority": "high"})
	r, err := http.NewRequest("GET", w.url+"/live", nil)
	must(t, err)
	for name, value := range map[string]string{"Accept": "text/event-stream", "Accept-Encoding": "gzip",
		"Last-Event-ID": position} {
		r.Header.Set(name, value)
	}
	resp, err := b.Do(r)
	must(t, err)
	defer resp.Body.Close()
	if resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("Content-Encoding") != "" ||
		resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the headers are %v", resp.Header)
	}
	lines, got := bufio.NewScanner(resp.Body), ""
	until := func(text string) {
		for !strings.Contains(got, text) && lines.Scan() {
			got += lines.Text() + "\n"
		}
	}
	until("WEB-160")
	w.change(t, member, "WEB-161", api.SlicePatch{"priority": "high"})
	until("WEB-161")
	w.endSessions(t)
	until("nothing, up to the end")
	for _, text := range []string{"event: ready\ndata: {\"user\":\"" + w.users[owner] + "\"}\n\n",
		`{"reference":"WEB-160","version":2,"kind":"changed"}`,
		`{"reference":"WEB-161","version":2,"kind":"changed"}`, "event: problem\ndata: {\"code\":\"unauthorized\"}\n"} {
		if !strings.Contains(got, text) {
			t.Errorf("no %s in %s", text, got)
		}
	}
	b.header.Set("Accept", "text/event-stream")
	b.get("/live").wants(401)
	b.header.Set("Accept", "text/html")
	b.header.Set("HX-Request-Type", "full")
	for _, a := range []answer{b.get("/reports"), b.post("/reports", "items", "WEB-160 1", "status", "closed")} {
		if a.wants(401, "You are not signed in"); len(a.header.Values("Set-Cookie")) > 0 {
			t.Errorf("%s sets a cookie", a.path)
		}
	}
}

const priorityOf = `document.getElementById(%q).dataset.priority == %q`

// TestBrowserLive: what somebody else changes is shown and marked, but for a row that the reader is using, which
// changes later. What the reader changes is not marked.
func TestBrowserLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(3, api.SliceFields{})...) // WEB-162 to WEB-164
	w.work(t)
	b := w.followed(t, owner, "")
	b.holds(`window.kept = true`)
	b.Press("j", "e", "e") // WEB-164
	b.waitAt("WEB-164", "WEB-164: resolved as Fixed.")
	priority := func(reference, value string) {
		w.change(t, member, reference, api.SlicePatch{"priority": value})
	}
	priority("WEB-163", "high")
	b.Wait(fmt.Sprintf(priorityOf, "WEB-163", "high") + ` && document.getElementById("WEB-163").dataset.marked == ""`)
	if marked := b.text(`[...document.querySelectorAll("[data-marked]")].map((e) => e.id).join()`); marked != "WEB-163" {
		t.Errorf("marked are %s", marked)
	}
	b.Point("#WEB-162 .row-reference")
	b.ClickOn("#WEB-161 [name=items]")
	b.Point("#WEB-162 .row-reference")
	for _, reference := range []string{"WEB-161", "WEB-162", "WEB-160"} {
		priority(reference, "low")
	}
	b.Wait(fmt.Sprintf(priorityOf, "WEB-160", "low"))
	if !b.holds(fmt.Sprintf(priorityOf+" && "+priorityOf, "WEB-161", "", "WEB-162", "")) {
		t.Error("a row has changed that is selected, or under the pointer")
	}
	b.Point("")
	b.Wait(fmt.Sprintf(priorityOf, "WEB-162", "low"))
	if !b.holds(fmt.Sprintf(priorityOf, "WEB-161", "")) {
		t.Error("a selected row has changed")
	}
	b.ClickOn("#WEB-161 [name=items]")
	b.Point("")
	b.Wait(fmt.Sprintf(priorityOf, "WEB-161", "low"))
	b.holds(`document.querySelector("#WEB-163 .row-title").focus(), true`)
	priority("WEB-163", "urgent")
	b.Wait(fmt.Sprintf(priorityOf, "WEB-163", "urgent"))
	b.waitAt("WEB-163", "")
	if !b.holds(`window.kept === true && !document.documentElement.outerHTML.includes(" style=")`) {
		t.Error("a page was loaded, or a style was written")
	}
	b.Quiet()
}

// TestBrowserLiveOffers: new reports are offered, and a report that no longer matches stays in its place; nothing
// moves. My reports are kept up to date, too.
func TestBrowserLiveOffers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1280, 900)
	b.Open(reportsAt("status:open"))
	w.streams(t, 1)
	w.file(t, w.caller(t, member), "Third")
	w.file(t, w.caller(t, member), "Fourth")
	w.change(t, member, "WEB-161", api.SlicePatch{"status": "closed"})
	b.Wait(`document.querySelector("[data-live-offer]").textContent.trim() == "2 new" && document.querySelector("#WEB-161[data-left] ` +
		`.row-left")`)
	if rows := b.text(`[...document.querySelectorAll(".row")].map((e) => e.id).join(" ")`); rows != "WEB-161 WEB-160" {
		t.Errorf("the rows are %s", rows)
	}
	if total := b.text(`document.querySelector(".total").textContent`); total != "3 reports" {
		t.Errorf("the list has %s", total)
	}
	if shifts := b.Shifts(); len(shifts) > 0 {
		t.Errorf("the layout shifts: %q", shifts)
	}
	b.accessible("the offer")
	b.photograph("live", 1280, "light", false)
	b.ClickOn("[data-live-offer] a")
	b.Wait(`[...document.querySelectorAll(".row")].map((e) => e.id).join(" ") == "WEB-163 WEB-162 WEB-160"`)
	b.Wait(`document.activeElement.closest(".row")?.id == "WEB-163" && document.querySelectorAll(".row[data-marked]").length == 2`)
	if b.holds(`document.querySelector("[data-live-offer][data-open]") != null`) {
		t.Error("the offer stays")
	}
	w.change(t, member, "WEB-161", api.SlicePatch{"status": "open"})
	b.Wait(`document.querySelector("[data-live-offer]").textContent.trim() == "1 new"`)

	b.Open("/my")
	w.streams(t, 1)
	w.change(t, member, "WEB-160", api.SlicePatch{"assigneeId": w.users[owner]})
	b.Wait(`document.querySelector("[data-live-offer]").textContent.trim() == "1 new"`)
	b.ClickOn("[data-live-offer] a")
	b.Wait(`document.querySelector("[data-live-list=assigned] [data-report=WEB-160][data-marked]")`)
	w.change(t, member, "WEB-160", api.SlicePatch{"summary": "Another title"})
	b.Wait(`document.querySelector("[data-report=WEB-160]").textContent.includes("Another title")`)
	b.Quiet()
}

// TestBrowserLiveBurst: many changes make few requests.
func TestBrowserLiveBurst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(120, api.SliceFields{})...)
	w.work(t)
	b := w.followed(t, owner, "")
	listed, err := w.ListSlices(t.Context(), w.caller(t, member),
		valid(t, api.ListSlices{Paging: api.Paging{Limit: 100}}))
	must(t, err)
	for _, value := range []string{"low", "high", "urgent"} {
		in := api.BatchUpdateSlices{}
		for _, s := range listed.Data {
			in.Body.Items = append(in.Body.Items,
				api.BatchUpdateItem{ID: s.ID, Patch: api.SlicePatch{"priority": value}})
		}
		_, err := w.BatchUpdateSlices(t.Context(), w.caller(t, member), valid(t, in))
		must(t, err)
	}
	b.Wait(`document.querySelectorAll(".row[data-priority=urgent]").length == 50`)
	if n := browsertest.Eval[int](b.Tab,
		`performance.getEntriesByType("resource").filter((e) => e.name.includes("only=")).length`); n > 4 {
		t.Errorf("300 changes made %d requests", n)
	}
	b.Quiet()
}

// TestBrowserLiveTabs: eight tabs of a browser share one stream over HTTP/1.1, and all of them can be used. A hidden
// page releases the stream, and continues when it is seen again.
func TestBrowserLiveTabs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	first := w.followed(t, owner, "")
	all := []tab{first}
	for range 7 {
		b := tab{first.Another(), w}
		b.Open(reportsAt(""))
		all = append(all, b)
	}
	for i, b := range all {
		value := []string{"low", "high"}[i%2]
		w.change(t, member, "WEB-160", api.SlicePatch{"priority": value})
		b.Wait(fmt.Sprintf(priorityOf, "WEB-160", value))
		if status := browsertest.Eval[int](b.Tab, `fetch("/my").then((r) => r.status)`); status != 200 {
			t.Errorf("tab %d: a request is answered with %d", i, status)
		}
	}
	w.streams(t, 1)
	see := func(b tab, state string) {
		b.holds(fmt.Sprintf(`Object.defineProperty(document, "visibilityState", {value: %q, configurable: true}),
			document.dispatchEvent(new Event("visibilitychange"))`, state))
	}
	for _, b := range all {
		see(b, "hidden")
	}
	w.streams(t, 0)
	w.change(t, member, "WEB-161", api.SlicePatch{"priority": "urgent"})
	see(all[3], "visible")
	w.streams(t, 1)
	all[3].Wait(fmt.Sprintf(priorityOf, "WEB-161", "urgent"))
	see(first, "visible")
	first.Wait(fmt.Sprintf(priorityOf, "WEB-161", "urgent"))
	w.streams(t, 1)
	first.Quiet()
}

// TestBrowserLiveRestart: while the server is away the page says so, and afterwards it has what has changed meanwhile.
func TestBrowserLiveRestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	b := w.followed(t, owner, "")
	b.holds(`window.kept = true`)
	address := w.server.Listener.Addr().String()
	w.server.CloseClientConnections()
	w.server.Close()
	b.Wait(`document.querySelector("[data-connection]:not([hidden])")`)
	w.change(t, member, "WEB-160", api.SlicePatch{"priority": "urgent"})
	listener, err := net.Listen("tcp", address)
	must(t, err)
	server := httptest.NewUnstartedServer(nil)
	must(t, server.Listener.Close())
	server.Listener = listener
	w.serveAt(t, server, table, nil)
	b.Wait(fmt.Sprintf(priorityOf, "WEB-160", "urgent") + ` && document.querySelector("[data-connection][hidden]")`)
	if !b.holds(`window.kept === true`) {
		t.Error("the page was loaded")
	}
}

// TestBrowserSessionDialog: when the session ends, the page asks for the password, loses nothing, and goes on.
func TestBrowserSessionDialog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1280, 900)
	b.Open(reportsAt(""))
	w.streams(t, 1)
	b.ClickOn("#WEB-160 [name=items]")
	w.endSessions(t)
	b.Wait(`document.querySelector("#session[open]") && document.activeElement.id == "session-password"`)
	b.accessible("the dialog")
	b.photograph("session", 1280, "light", false)
	b.Press("wrong password", kb.Enter)
	b.Wait(`document.querySelector("#session [data-fault]:not([hidden])")?.textContent.includes("wrong")`)
	b.Press(password, kb.Enter)
	b.Wait(`!document.querySelector("#session[open]") && document.querySelector("#WEB-160 :checked")`)
	w.streams(t, 1)
	w.change(t, member, "WEB-161", api.SlicePatch{"priority": "urgent"})
	b.Wait(fmt.Sprintf(priorityOf, "WEB-161", "urgent"))

	b.Open("/new?workspace=WEB")
	b.Fill("summary", "Typed before the session ended")
	w.endSessions(t)
	b.Click("File report")
	b.Wait(`document.querySelector("#session[open]") && document.activeElement.id == "session-password"`)
	if text := b.text(`document.querySelector("#summary").value`); text != "Typed before the session ended" {
		t.Errorf("the title is %q", text)
	}
	b.Press(password, kb.Enter)
	b.Wait(`location.pathname == "/WEB-162" && document.querySelector("h1").textContent == "Typed before the session ended"`)
	if notice := b.text(`document.querySelector(".notice")?.textContent ?? ""`); strings.Contains(notice, "session") {
		t.Errorf("the page says %s", notice)
	}
	b.Quiet()
}

// endSessions ends every session of the owner.
func (w *world) endSessions(t testing.TB) {
	t.Helper()
	other := w.browser(t)
	other.post("/login", "email", owner, "password", password).wants(303)
	other.post("/settings/security/sessions/end").wants(303)
}
