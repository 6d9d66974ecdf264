package web

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
)

// panel asks for a panel as the script of the page does.
func (b *browser) panel(address string) answer {
	b.t.Helper()
	r, err := http.NewRequest("GET", b.w.url+address, nil)
	if err == nil {
		r.Header.Set("HX-Request-Type", "partial")
		r.Header.Set("HX-Target", "panel")
	}
	return b.do(r, err)
}

// TestEvidence: without script each tab, request and occurrence is a page, and each value that redaction has removed
// says so.
func TestEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	shop := "/" + w.fileShop(t, func(name string) string { return name })
	b := w.signedIn(t, owner)
	first := b.get(shop).wants(200, `data-occurrence="2"`, "Occurrence 2 of 3", `data-panel="console"`,
		`data-mark="error"`, `data-zero="`)
	if strings.Contains(first.body, `data-panel="network"`) {
		t.Error("the page has a panel that is not open")
	}
	b.get(shop+"?occurrence=3").wants(200, `data-first="environment"`, `data-panel="environment"`, "2026.11.3")
	b.get(shop+"?occurrence=3&tab=console").wants(200, "Occurrence 3 of 3", "no console, requests or replay",
		`data-panel="environment"`).lacks(`data-tab="console"`)
	b.get(shop + "?occurrence=4").wants(400)
	b.get(shop+"?occurrence=1&tab=environment").
		wants(200, "Occurrence 1 of 3", "Browser", "User agent", "plan", "2 mugs")
	b.get(shop+"?occurrence=1&tab=actions").wants(200, `data-panel="actions"`, "click")
	network := b.get(shop+"?occurrence=1&tab=network").wants(200, `data-mark="failed"`, "waterfall")
	number := regexp.MustCompile(`data-request="(\d+)" data-mark="failed"`).FindStringSubmatch(network.body)[1]
	open := b.get(shop+"?occurrence=1&tab=network&request="+number).wants(200,
		"Copy as cURL", "Copy as fetch", "Response headers", "curl --globoff")
	for _, value := range []string{`class="redacted"`, "&lt;redacted:"} {
		if !strings.Contains(open.body, value) {
			t.Errorf("%s is not on the page of a request", value)
		}
	}
	panel, _, _ := strings.Cut(open.body, `class="report-body"`)
	if shown := regexp.MustCompile(`.{0,80}>[^<]*\[redacted:`).FindString(panel); shown != "" {
		t.Errorf("a removed value looks like data: %s", shown)
	}
	if a := b.get(shop+"?occurrence=1&tab=network&request=999").wants(200,
		`data-panel="network"`); strings.Contains(a.body, "Response headers") {
		t.Error("an unknown request is shown")
	}
	failed := b.get(shop + "?occurrence=1&tab=network&failed=true").wants(200)
	if strings.Count(failed.body, "data-request=") != strings.Count(failed.body, `data-mark="failed"`) {
		t.Error("a request that did not fail is shown")
	}
	b.get(shop+"?occurrence=1&q=zzzz").wants(200, "No row matches", "Show all")
	part := b.panel(shop+"?occurrence=1&tab=actions").wants(200, `<section class="panel"`)
	if strings.Contains(part.body, "<title>") {
		t.Error("a panel is a page")
	}
	for _, who := range []string{"", stranger} {
		other := w.browser(t)
		status := 401
		if who != "" {
			other, status = w.signedIn(t, who), 404
		}
		other.panel(shop).wants(status)
	}
}

// TestEvidencePages: links lead through all rows once, without script by pages and with it by pieces. Equal lines are
// one line.
func TestEvidencePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	flood := "/" + w.fileFlood(t)
	b := w.signedIn(t, owner)
	if n := len(b.get(flood).wants(200).body); n > 120_000 {
		t.Errorf("the page with the first rows has %d bytes", n)
	}
	row := regexp.MustCompile(`stock: answer (\d+)<`)
	more := regexp.MustCompile(`href="([^"]+)" data-more`)
	for name, c := range map[string]struct {
		get  func(string) answer
		size int
	}{"pages": {b.get, 100}, "pieces": {b.panel, 250}} {
		seen := 0
		for at := flood + "?tab=console"; at != ""; {
			a := c.get(at).wants(200)
			rows := row.FindAllStringSubmatch(a.body, -1)
			if len(rows) != c.size {
				t.Fatalf("%s: %d rows at %s", name, len(rows), at)
			}
			for _, r := range rows {
				if r[1] != fmt.Sprint(seen) {
					t.Fatalf("%s: row %s follows %d", name, r[1], seen-1)
				}
				seen++
			}
			at = ""
			if next := more.FindStringSubmatch(a.body); next != nil && (name == "pieces" || seen < 500) {
				at = html.UnescapeString(next[1])
			}
		}
		if want := map[string]int{"pages": 500, "pieces": 10_000}[name]; seen != want {
			t.Errorf("%s: %d rows", name, seen)
		}
	}
	b.get(flood+"?tab=console&level=error&q=answer+99").wants(200, "stock: answer 99<", `aria-pressed="true"`, "1,000")
	at := api.At(w.clock.now())
	var lines []api.ConsoleEntry
	for i := range 30 {
		lines = append(lines, api.ConsoleEntry{Level: "warn", Timestamp: at,
			Message: "again", Args: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"n":%d}`, i/25))}})
	}
	repeated := "/" + w.capture(t, api.NewSlice{SliceFields: api.SliceFields{Summary: "Repeated"},
		Evidence: &api.Evidence{Console: lines}})
	if a := b.get(repeated).wants(200, "×25", "×5"); strings.Count(a.body, `class="line line-warn"`) != 2 {
		t.Error("equal lines are not folded")
	}
}

// TestTimeLine: zero is the first event of the replay, else the earliest row. Rows outside the replay say so, and so
// does a panel of another clock.
func TestTimeLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	at := w.clock.now().Add(-time.Hour).Truncate(time.Millisecond)
	line := func(after time.Duration) api.ConsoleEntry {
		return api.ConsoleEntry{Level: "info", Timestamp: api.At(at.Add(after)), Message: after.String()}
	}
	event := func(after time.Duration) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"type":4,"timestamp":%d,"data":{"href":"https://shop.example/"}}`,
			at.Add(after).UnixMilli()))
	}
	file := func(e api.Evidence) string {
		return "/" + w.capture(t, api.NewSlice{SliceFields: api.SliceFields{Summary: "Times"}, Evidence: &e})
	}
	zero := func(after time.Duration) string { return fmt.Sprintf(`data-zero="%d"`, at.Add(after).UnixMilli()) }
	b.get(file(api.Evidence{Console: []api.ConsoleEntry{line(-time.Second), line(0), line(90 * time.Second)},
		Replay: []json.RawMessage{event(0), event(time.Minute)}})).
		wants(200, zero(0), ">−0:01.000<", ">0:00.000<", ">1:30.000<", `data-outside="before"`, `data-outside="after"`)
	b.get(file(api.Evidence{Console: []api.ConsoleEntry{line(time.Second)},
		Network: har(t, harEntry(at, "GET", "https://shop.example/", 200))})).wants(200, zero(0), ">0:01.000<")
	differs := b.get(file(api.Evidence{Console: []api.ConsoleEntry{line(0)},
		Replay: []json.RawMessage{event(time.Hour), event(61 * time.Minute)}})).
		wants(200, zero(time.Hour), "None of these rows is near the replay")
	if strings.Contains(differs.body, "data-outside") {
		t.Error("a row of another clock is before the replay")
	}
	b.get(file(api.Evidence{Console: []api.ConsoleEntry{line(0)}, Replay: []json.RawMessage{event(time.Second), event(time.Minute)}})).
		wants(200, `data-outside="before"`).lacks("None of these rows is near")
}

// TestWeightOfFaults: a failing server weighs most, and a missing picture least. A user who scrolls on has one row for it.
func TestWeightOfFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	at := w.clock.now().Add(-time.Hour).Truncate(time.Millisecond)
	failed := func(message string, stack *string) api.ConsoleEntry {
		return api.ConsoleEntry{Level: "error", Timestamp: api.At(at), Message: message, Stack: stack}
	}
	acted := func(kind, selector string) api.ActionEntry {
		return api.ActionEntry{Type: kind, Timestamp: api.At(at), Selector: &selector}
	}
	of := "/" + w.capture(t, api.NewSlice{SliceFields: api.SliceFields{Summary: "Weights"}, Evidence: &api.Evidence{
		Console: []api.ConsoleEntry{failed("Failed to load resource: the server responded with a status of 404", nil),
			failed("no total", nil), failed("Uncaught TypeError: x", nil), failed("TypeError: y", new("at z")),
			failed("Failed to load resource: the server responded with a status of 500", nil)},
		Network: har(t, harEntry(at, "GET", "https://shop.example/a.PNG?v=1", 404), harEntry(at, "GET", "https://shop.example/api", 404),
			harEntry(at, "POST", "https://shop.example/orders", 500)),
		Actions: []api.ActionEntry{acted("click", "#a"), acted("click", "#a"), acted("scroll", "#a"), acted("scroll", "#a"),
			acted("scroll", "#a"), acted("scroll", "#b")}}})
	weights := func(path string) string {
		var found []string
		for _, m := range regexp.MustCompile(`data-weight="(\d)"`).FindAllStringSubmatch(b.panel(path).body, -1) {
			found = append(found, m[1])
		}
		return strings.Join(found, " ")
	}
	assert.Equal(t, "of the console", weights(of+"?tab=console"), "0 2 3 3 4")
	assert.Equal(t, "of the requests", weights(of+"?tab=network"), "0 1 4")
	actions := b.panel(of + "?tab=actions").body
	assert.Equal(t, "actions", strings.Count(actions, `class="line action"`), 4)
	assert.Equal(t, "those that are repeated", strings.Count(actions, "×3</span>"), 1)
}

// TestLostEvidence: a panel whose file cannot be read says so.
func TestLostEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	report := w.capture(t, api.NewSlice{SliceFields: api.SliceFields{Summary: "Lost"}, Evidence: &api.Evidence{
		Console: []api.ConsoleEntry{{Level: "info", Timestamp: api.At(w.clock.now()), Message: "x"}},
		Network: har(t, harEntry(w.clock.now(), "GET", "https://shop.example/", 200))}})
	w.loseFiles(t)
	b := w.signedIn(t, owner)
	b.get("/"+report).wants(200, "The file is lost", "Lost")
	b.get("/"+report+"?tab=network").wants(200, "The file is lost")
	b.get("/"+report+"?tab=network&request=1").wants(200, "The file is lost")
	b.get("/" + report + "?tab=environment").wants(200)
}

// TestStorageOutOfReach: while the storage of files cannot be reached, the page of a report and that of its share
// show the rest, and the panels say why they are empty. They have their rows again when it answers.
func TestStorageOutOfReach(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	at := w.clock.now()
	report := w.capture(t, api.NewSlice{SliceFields: api.SliceFields{Summary: "The cart is gone",
		Environment: api.Environment{OS: new("Debian 13")}},
		Evidence: &api.Evidence{Console: []api.ConsoleEntry{{Level: "error", Timestamp: api.At(at),
			Message: "no cart"}},
			Network: har(t, harEntry(at, "GET", "https://shop.example/", 200)),
			Actions: []api.ActionEntry{{Type: "click", Timestamp: api.At(at)}},
			Replay: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"type":4,"timestamp":%d,"data":{}}`,
				at.UnixMilli()))}}})
	share, _ := w.share(t, w.caller(t, owner), report, api.ShareConsole, api.ShareNetwork)
	b, visitor := w.signedIn(t, owner), w.browser(t)
	w.storage.absent.Store(true)
	const away = "The files cannot be reached"
	for _, tab := range []string{"", "?tab=console", "?tab=network", "?tab=network&request=1", "?tab=actions"} {
		b.get("/"+report+tab).wants(200, "The cart is gone", away)
	}
	b.get("/"+report+"?tab=environment").wants(200, "The cart is gone", "Debian 13")
	visitor.get(share).wants(200, "The cart is gone", away)
	w.storage.absent.Store(false)
	if shown := b.get("/"+report).wants(200, "no cart"); strings.Contains(shown.body, away) {
		t.Error("the panel says that the files cannot be reached, and they can")
	}
}

// TestNoEvidence: a report of which nothing was captured and whose system is unknown has a place to drop files, the
// command of a tool with its address, and no panel. One that has metadata alone opens on the environment. A share says
// that it has none.
func TestNoEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, api.SliceFields{Summary: "Described", Metadata: map[string]string{"cart": "cart-77"}}) // WEB-162
	b := w.signedIn(t, owner)
	for _, path := range []string{"/WEB-161", "/WEB-161?tab=network"} {
		none := b.get(path).wants(200, "Drop screenshots, HAR, logs", "kind=network", w.url+"/v1/slices/slc_",
			`action="/new/WEB-161/files"`, `href="/new/WEB-161/files"`)
		for _, part := range []string{`class="panel`, "data-rows", "/static/evidence.", "No console captured"} {
			if strings.Contains(none.body, part) {
				t.Errorf("%s has %s", path, part)
			}
		}
	}
	b.get("/WEB-162").wants(200, `data-panel="environment"`, "cart-77", "Drop screenshots, HAR, logs")
	link, _ := w.share(t, w.caller(t, owner), "WEB-161")
	w.browser(t).get(link).wants(200, "No evidence is shared.").lacks("Drop screenshots")
}
