package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// inSight returns which elements of selectors are not completely in the window. A selector without an element is not.
const inSight = `((...selectors) => selectors.filter((selector) => {
	const found = document.querySelector(selector);
	if (!found) return true;
	const { top, left, bottom, right, width } = found.getBoundingClientRect();
	return !width || top < 0 || left < 0 || bottom > innerHeight || right > innerWidth;
}).join(", "))`

// triaged are what is in sight of a report at the width of a laptop: its fields, the replay with its controls, and the
// panels with the row of the moment.
const triaged = `"#field-status", "#field-assignee", "#field-priority", "replay-player .player-screen",
	"replay-player .player-bar", ".panel-tabs", ".panel:not([hidden]) [data-rows] li[aria-current]"`

// withLateSheets serves style sheets of a name after everything else of a page.
func withLateSheets(name string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/static/"+name) && strings.HasSuffix(r.URL.Path, ".css") {
			time.Sleep(400 * time.Millisecond)
		}
		h.ServeHTTP(w, r)
	})
}

// TestBrowserReportAtALaptop: at 1440x900 a report shows its fields, its replay with controls, and its console without
// scrolling, on its page and beside the list. The order of the tabulator is that in which they are seen, and nothing
// moves while the page is loaded, also when its style sheet is late.
func TestBrowserReportAtALaptop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.server.Config.Handler = withLateSheets("report", w.server.Config.Handler)
	shop := w.fileShop(t, func(name string) string { return name })
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1440, 900)
	for _, path := range []string{"/reports?workspace=WEB&open=" + shop, "/" + shop} {
		b.Open(path)
		b.Wait(`document.querySelector(".evidence[data-loaded]") && ` + player + `?.isPoster`)
		if hidden := b.text(inSight + `(` + triaged + `)`); hidden != "" {
			t.Errorf("%s: out of sight at 1440x900: %s", path, hidden)
		}
		if shifts := b.Shifts(); len(shifts) > 0 {
			t.Errorf("%s: the layout shifts: %q", path, shifts)
		}
		if inBar := b.holds(`Boolean(document.querySelector(".pane-bar #field-status"))`); inBar != strings.Contains(path, "open=") {
			t.Errorf("%s: the bar beside the list has the field of the status: %t", path, inBar)
		}
		b.axe(1440, "dark")
		b.Theme("light")
	}
	b.Wait(`document.querySelector(".evidence[data-loaded]")`)
	const regions = `[...document.querySelectorAll("#main :is(a, button, select, input, textarea, [tabindex='0'])")]
		.filter((e) => e.tabIndex >= 0 && e.checkVisibility())
		.map((e) => e.closest(".report-head, .report-aside, .report-evidence, .report-body")?.className)
		.filter((name, i, all) => name && name !== all[i - 1]).join(" ")`
	if got := b.text(regions); got != "report-head report-aside report-evidence report-body" {
		t.Errorf("the tabulator visits %s", got)
	}
	b.Size(390, 844)
	b.Open("/" + shop)
	b.Wait(`document.querySelector(".evidence[data-loaded]")`)
	const phone = `(() => { const top = document.querySelector(".evidence-stage").getBoundingClientRect().top;
		const bar = document.querySelector(".crumbs [aria-current]");
		return JSON.stringify([document.documentElement.scrollWidth <= 390, top < 360,
			bar.checkVisibility() && bar.textContent]); })()`
	if got := b.text(phone); got != `[true,true,"`+shop+`"]` {
		t.Errorf("on a phone: no sideways scrolling, the replay near the top, the reference in the bar: %s", got)
	}
	b.Quiet()
}

// divided returns the place of a divider, in hundredths of its room.
func (b tab) divided(name string) int {
	b.T.Helper()
	return int(browsertest.Eval[float64](b.Tab, fmt.Sprintf(`(() => {
		const divider = document.querySelector("[data-divider=%s]"), own = divider.getBoundingClientRect();
		const room = divider.closest("[data-divided], .split").getBoundingClientRect();
		return Math.round(100 * (own.left + own.width / 2 - room.left) / room.width);
	})()`, name)))
}

// TestBrowserDividers: the dividers between the replay and the panels, and between the list and the report, are moved
// by mouse, touch and keyboard, within bounds. The browser remembers their places, and a double click forgets one.
func TestBrowserDividers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	shop := w.fileShop(t, func(name string) string { return name })
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1440, 900)
	at := func(name string) (x, y float64) {
		place := browsertest.Eval[[]float64](b.Tab,
			fmt.Sprintf(`(() => { const r = document.querySelector("[data-divider=%s]")
			.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`, name))
		return place[0], place[1]
	}
	for name, path := range map[string]string{"stage": "/" + shop, "list": "/reports?workspace=WEB&open=" + shop} {
		open := func() {
			b.Open(path)
			b.Wait(`document.querySelector(".evidence[data-loaded]") &&
				document.querySelector("[data-divider=` + name + `]").checkVisibility()`)
		}
		open()
		first := b.divided(name)
		x, y := at(name)
		b.Drag(x, y, x+100, y)
		dragged := b.divided(name)
		if dragged <= first {
			t.Errorf("%s: the mouse moved the divider from %d to %d", name, first, dragged)
		}
		b.Press(kb.ArrowLeft, kb.ArrowLeft)
		moved := b.divided(name)
		if moved != dragged-4 {
			t.Errorf("%s: two arrows moved the divider from %d to %d", name, dragged, moved)
		}
		if said := b.text(`document.activeElement.ariaValueNow`); said != fmt.Sprint(moved) {
			t.Errorf("%s: the divider is at %d and says %s", name, moved, said)
		}
		open()
		if got := b.divided(name); got != moved {
			t.Errorf("%s: the divider was left at %d, and is at %d", name, moved, got)
		}
		if shifts := b.Shifts(); len(shifts) > 0 {
			t.Errorf("%s: the layout shifts: %q", name, shifts)
		}
		x, y = at(name)
		for _, touch := range []struct {
			kind input.DispatchTouchEventType
			x    float64
		}{{input.DispatchTouchEventTypeTouchStart, x}, {input.DispatchTouchEventTypeTouchMove, x + 3},
			{input.DispatchTouchEventTypeTouchMove, 1430}, {input.DispatchTouchEventTypeTouchEnd, 0}} {
			points := []*input.TouchPoint{{X: touch.x, Y: y}}
			if touch.x == 0 {
				points = nil
			}
			browsertest.Call(b.Tab, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: touch.kind,
				TouchPoints: points})
		}
		most := b.text(`document.querySelector("[data-divider=` + name + `]").ariaValueMax`)
		if got := b.divided(name); fmt.Sprint(got) != most {
			t.Errorf("%s: the finger left the divider at %d, and its bound is %s", name, got, most)
		}
		b.holds(`document.querySelector("[data-divider=` + name + `]").dispatchEvent(new MouseEvent("dblclick", {bubbles: true}))`)
		if got := b.divided(name); got != first {
			t.Errorf("%s: a double click moved the divider to %d, not to %d", name, got, first)
		}
	}
	b.Quiet()
}

// TestBrowserReplayIsReady: a small replay is there without a click, at the moment of its weightiest error, an order
// at which the server fails. Play begins five seconds before it, and another button at the start. It is not loaded by who saves data.
func TestBrowserReplayIsReady(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	shop := w.fileShop(t, func(name string) string { return name })
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1440, 900)
	open := func() {
		t.Helper()
		b.Open("/" + shop + "?occurrence=1")
		b.Wait(`document.querySelector(".evidence[data-loaded]") && ` + player + `?.isPoster`)
	}
	open()
	const fault = `(Number([...document.querySelectorAll("[data-mark]")].sort((a, b) =>
		b.dataset.weight - a.dataset.weight || a.dataset.time - b.dataset.time)[0].dataset.time) - ` + player + `.start)`
	b.Wait(fmt.Sprintf(`Math.abs(%s.time - %s) < 1`, player, fault)) // what the picture shows
	b.Wait(`document.querySelector("[data-moment]").textContent.startsWith("Failed request 0:4")`)
	if now := b.text(`document.querySelector("[data-now]").textContent`); !strings.HasSuffix(b.text(
		`document.querySelector("[data-moment]").textContent`), " "+now) {
		t.Errorf("the time is %s, which the poster does not name", now)
	}
	if strings.Contains(b.text(`location.search`), "t=") {
		t.Error("the address has a time that nobody has chosen")
	}
	if text := b.text(`document.querySelector("[data-play]").innerText`); !strings.Contains(text, "Play from 0:3") {
		t.Errorf("the button says %q", text)
	}
	if shifts := b.Shifts(); len(shifts) > 0 {
		t.Errorf("the layout shifts: %q", shifts)
	}
	b.ClickOn("[data-play]")
	b.waitState("playing")
	b.holds(`window.begun = ` + player + `.time, true`)
	if !b.holds(fmt.Sprintf(`begun >= %s - 5001 && begun < %[1]s - 2000`, fault)) {
		t.Errorf("it begins at %s", b.text(`String(begun)`))
	}
	open()
	b.Click("From the start")
	b.waitState("playing")
	if !b.holds(player + `.time < 2000`) {
		t.Errorf("from the start it begins at %s", b.text(`String(`+player+`.time)`))
	}
	for _, connection := range []string{`{saveData: true}`, `{type: "cellular"}`} {
		b := w.tab(t, w.session(t, owner, tracker.Client{}))
		b.Preload(`Object.defineProperty(navigator, "connection", {value: ` + connection + `})`)
		b.Size(1440, 900)
		b.Open("/" + shop + "?occurrence=1")
		b.Wait(`document.querySelector(".evidence[data-loaded]") && document.querySelector("replay-player:defined")`)
		b.holds(`new Promise((idle) => requestIdleCallback(() => setTimeout(() => idle(true), 100)))`)
		if !b.holds(player + `.state == "ready" && document.querySelectorAll("iframe").length == 0`) {
			t.Errorf("with %s the replay is loaded before anybody plays it", connection)
		}
		b.ClickOn("[data-play]")
		b.waitState("playing")
		b.Quiet()
	}
	b.Quiet()
}

// TestBrowserDropZone: a file that is dropped on a report without evidence is added, and shown at once.
func TestBrowserDropZone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1440, 900)
	b.Open("/WEB-161")
	b.Wait(`document.querySelector("file-form:defined") && document.querySelector(".drop-target").offsetHeight == 56`)
	b.accessible("a report without evidence")
	b.holds(`new Promise((done) => new OffscreenCanvas(40, 30).getContext("2d").canvas.convertToBlob().then((blob) => {
			const dropped = new DataTransfer();
			dropped.items.add(new File([blob], "cart.png", {type: "image/png"}));
			document.querySelector(".drop-zone").dispatchEvent(new DragEvent("drop",
				{dataTransfer: dropped, bubbles: true, cancelable: true}));
			done(true);
		}))`)
	b.Wait(`document.querySelector("report-stage picture-viewer img[alt='cart.png']") && !document.querySelector(".drop-zone")`)
	if b.holds(`document.querySelector(".panels") !== null`) {
		t.Error("a report with a picture alone has panels")
	}
	b.Quiet()
}
