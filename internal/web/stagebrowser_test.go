package web

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/demo"
	"bugslice/internal/web/page"
)

// player is the element of the player in a page.
const player = `document.querySelector("replay-player")`

// uncovered says whether nothing covers the recording.
const uncovered = `!document.querySelector(".player-poster").checkVisibility()`

func (b tab) waitState(state string) {
	b.T.Helper()
	b.Wait(fmt.Sprintf(player+`.dataset.state == %q`, state))
}

// waitAtRest waits until nobody has played the replay, which is prepared or not.
func (b tab) waitAtRest() {
	b.T.Helper()
	b.Wait(player + `?.matches("[data-state=ready], [data-poster]")`)
}

// waitTime waits until the frame is at a time, and the player shows it.
func (b tab) waitTime(ms float64) {
	b.T.Helper()
	b.Wait(fmt.Sprintf(`window.framed.seeks == `+player+`.seeks && Math.abs(framed.time - %f) < 0.001 && `+player+
		`.time == framed.time`,
		ms))
}

// follow records the times that the frame reports.
func (b tab) follow() {
	b.T.Helper()
	browsertest.Eval[bool](b.Tab, `(() => {
		const p = `+player+`, answered = p.answered;
		window.framed = {};
		p.answered = (data) => { answered.call(p, data); if (data.type == "time") window.framed = data; };
		return true;
	})()`)
}

// rows adds rows to the evidence, as panels have them.
func (b tab) rows(rows ...string) {
	b.T.Helper()
	browsertest.Eval[bool](b.Tab, fmt.Sprintf(`(() => {
		const evidence = document.querySelector(".evidence");
		for (const [time, mark, title] of %s) {
			const row = document.createElement("p");
			Object.assign(row.dataset, {time, mark, title});
			evidence.append(row);
		}
		return evidence.dispatchEvent(new CustomEvent("evidence:rows"));
	})()`, "["+strings.Join(rows, ",")+"]"))
}

// TestBrowserReplay: a replay plays, pauses, seeks exactly, goes from mark to
// mark, and its time and the panels follow each other. Its frame cannot be reached.
func TestBrowserReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	capture, err := demo.ReadCapture("discount-code")
	must(t, err)
	s := w.fileShown(t, "Discount code", api.Evidence{Replay: capture.Replay})
	var first struct{ Timestamp int64 }
	must(t, json.Unmarshal(capture.Replay[0], &first))
	b := w.tab(t, w.session(t, owner, client("203.0.113.9", "")))
	b.Size(1440, 1000)
	b.Open("/" + s.Reference)
	b.Wait(`customElements.get("replay-player")`)
	b.rows(fmt.Sprintf(`[%d, "failed", "POST /api/discount 500"]`, first.Timestamp+2000),
		fmt.Sprintf(`[%d, "error", "TypeError <b>"]`, first.Timestamp+3500),
		fmt.Sprintf(`[%d, "error", "before"]`, first.Timestamp-5000))
	b.follow()
	b.Press(" ")
	b.waitState("playing")
	b.Wait(player + `.time > 500`)
	b.Wait(uncovered)
	b.Press(" ")
	b.waitState("paused")
	b.Wait(`/[?&]t=\d+\.\d/.test(location.search)`)
	if got := browsertest.Eval[string](b.Tab,
		`document.querySelector(".evidence").dataset.zero`); got != fmt.Sprint(first.Timestamp) {
		t.Errorf("zero is %s, the first event at %d", got, first.Timestamp)
	}
	if !browsertest.Eval[bool](b.Tab, `(() => { const inner = document.querySelector("iframe").contentDocument.querySelector("iframe");
		return inner.contentDocument === null && inner.src.startsWith("data:"); })()`) {
		t.Error("the document of the replay can be reached")
	}

	if n := browsertest.Eval[int](b.Tab, `document.querySelectorAll(".timeline-marks span").length`); n != 2 {
		t.Errorf("%d marks", n)
	}
	seek := func(ms float64) {
		t.Helper()
		browsertest.Eval[bool](b.Tab,
			fmt.Sprintf(`document.querySelector(".evidence").dispatchEvent(new CustomEvent("evidence:seek", {detail: {time: %f}}))`,
				float64(first.Timestamp)+ms))
	}
	seek(1000)
	b.waitTime(1000)
	b.Press(".")
	b.waitTime(2000)
	b.Wait(player + `.querySelector("[data-note]").textContent == "Failed request 0:02 POST /api/discount 500"`)
	b.Press(".") // a dialog of the recording is opened
	b.waitTime(3500)
	if at := browsertest.Eval[string](b.Tab, `document.activeElement.tagName`); at != "BODY" {
		t.Errorf("the focus is in %s", at)
	}
	b.Wait(player + `.querySelector("[data-note]").textContent == "Error 0:03 TypeError <b>"`)
	b.Press(",")
	b.waitTime(2000)
	b.ClickOn(`.timeline-marks [data-kind=error]`)
	b.waitTime(3500)
	seek(-5000)
	b.Wait(player + `.querySelector("[data-note]").textContent == "This was recorded before the replay begins."`)
	seek(86_400_000)
	b.Wait(player + `.querySelector("[data-note]").textContent == "This was recorded after the replay ends."`)
	b.waitTime(3500)

	browsertest.Eval[bool](b.Tab, `document.querySelector(".timeline-seek").focus(), true`)
	b.Press(kb.ArrowLeft)
	b.waitTime(2500)
	b.Press(" ") // a control has the focus
	b.Press(kb.Home)
	b.waitTime(0)
	if got := browsertest.Eval[string](b.Tab,
		`document.querySelector(".timeline-seek").ariaValueText`); !strings.HasPrefix(got,
		"0:00 / 0:") {
		t.Errorf("the slider says %q", got)
	}
	b.waitState("paused")
	browsertest.Eval[bool](b.Tab, `(() => { const s = document.querySelector("[data-speed]"); s.value = 8; return `+
		`s.dispatchEvent(new Event("change")); })()`)
	// Chromium finds the frame of another process where it was before the page scrolled, until it draws again.
	browsertest.Eval[bool](b.Tab, `new Promise((drawn) => {
		document.querySelector("replay-player [data-toggle]").scrollIntoView({block: "center", behavior: "instant"});
		requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => drawn(true), 200)));
	})`)
	b.ClickOn("replay-player [data-toggle]")
	b.Wait(player + `.time == ` + player + `.duration && ` + player + `.dataset.state == "paused"`)
	b.Open("/" + s.Reference + "?t=2.5")
	b.follow()
	b.waitState("paused")
	b.waitTime(2500)
	b.Quiet()
}

// TestBrowserReplaySwap: a replay goes on while the rest of the page is replaced, and has one time line with the new
// panels. Another report has its own.
func TestBrowserReplaySwap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	s, other := w.fileCapture(t, "slow-search", "Slow search"), w.fileCapture(t, "rounding", "Rounding")
	b := w.tab(t, w.session(t, owner, client("203.0.113.9", "")))
	b.Size(1440, 1000)
	b.Open("/my")
	visit := func(path string) {
		t.Helper()
		browsertest.Eval[bool](b.Tab,
			fmt.Sprintf(`(() => { const a = document.createElement("a"); a.href = %q; document.querySelector("main").append(a); `+
				`htmx.process(a); a.click(); return true; })()`, path))
	}
	visit("/" + s.Reference)
	b.Wait(`document.querySelector("replay-player:defined")`)
	b.ClickOn("[data-play]")
	b.Wait(player + `.time > 300`)
	browsertest.Eval[bool](b.Tab, `window.former = `+player+`, true`)
	visit("/" + s.Reference + "?tab=network")
	b.Wait(`location.search == "?tab=network"`)
	if !browsertest.Eval[bool](b.Tab, `former == `+player) {
		t.Fatal("the player was replaced")
	}
	at := browsertest.Eval[float64](b.Tab, player+`.time`)
	b.Wait(fmt.Sprintf(player+`.time > %f && `+player+`.dataset.state == "playing"`, at))
	b.Wait(`document.querySelector(".evidence[data-loaded] .panel-network:not([hidden]) li[data-time]")`)
	b.Wait(`document.querySelector(".panel-network li[aria-current=time]:not([data-outside])")`) // the row of the moment, while it plays
	b.holds(`[...document.querySelectorAll(".panel-network li[data-time]:not([data-outside])")].at(-1).id = "last", true`)
	b.ClickOn("#last .moment")
	b.Wait(player + `.start + ` + player + `.time >= Number(document.getElementById("last").dataset.time)`)
	b.holds(player + `.seek(1000), true`)
	b.Wait(`document.querySelector(".panel-network [aria-current=time]") && !document.getElementById("last").hasAttribute("aria-current")`)
	visit("/" + other.Reference)
	b.Wait(player + `.dataset.events.includes("` + other.ID + `")`)
	b.waitAtRest()
	b.Quiet()
}

// TestBrowserReplayFails: when the frame does not play within fifteen seconds, or a recording cannot be played, the
// actions stand in its place. Without script they do from the beginning.
func TestBrowserReplayFails(t *testing.T) {
	t.Parallel()
	dead := row{path: "/replay-frame", access: anyone, raw: true, get: func(*page.Request) (page.Result, error) {
		return page.Result{Write: func(w http.ResponseWriter, _ *http.Request) error { return nil }}, nil
	}, headers: setFrameHeaders}
	rows := append(slices.DeleteFunc(slices.Clone(table), func(r row) bool { return r.path == dead.path }), dead)
	for name, rows := range map[string][]row{"no frame": rows, "no snapshot": table} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, rows, nil)
			capture, err := demo.ReadCapture("discount-code")
			must(t, err)
			if name == "no snapshot" {
				capture.Replay = capture.Replay[len(capture.Replay)-3:]
			}
			s := w.fileShown(t, "Broken", capture.Evidence)
			b := w.tab(t, w.session(t, owner, client("203.0.113.9", "")))
			b.Preload(axe(t))
			b.Open("/" + s.Reference)
			b.ClickOn("[data-play]")
			b.waitState("failed")
			b.Wait(`document.querySelector("[data-fault=play]").checkVisibility() && document.querySelector(".player-actions ` +
				`li").checkVisibility()`)
			if n := browsertest.Eval[int](b.Tab,
				`document.querySelectorAll("iframe").length + 1000 * document.querySelectorAll(".player-bar:not([hidden])").`+
					`length`); n%1000 != 0 {
				t.Error("the frame is left behind")
			}
			b.accessible("failed")
			b.Script(false)
			b.Open("/" + s.Reference)
			text := browsertest.Eval[string](b.Tab, `document.querySelector(".stage").innerText`)
			for _, part := range []string{"A replay is played by script", "Download the replay",
				capture.Actions[0].Type} {
				if !strings.Contains(text, part) {
					t.Errorf("without script, %q is missing in %q", part, text)
				}
			}
			if strings.Contains(text, "Play the replay") || strings.Contains(text, "Skip idle") {
				t.Errorf("without script there are controls: %q", text)
			}
			b.Quiet()
		})
	}
}

// TestBrowserPictures: pictures are chosen from a strip, zoom and move by wheel, keys and buttons. A marked one
// replaces the stored bytes and their thumbnail; the original comes back by Undo, or is kept when that was asked for.
func TestBrowserPictures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	original := screenshot(t, 900, 600)
	first := w.attach(t, "WEB-161", "cart.png", original)
	w.attach(t, "WEB-161", "second.png", screenshot(t, 300, 900))
	b := w.tab(t, w.session(t, owner, client("203.0.113.9", "")))
	b.Size(1200, 900)
	b.Open("/WEB-161")
	b.ClickOn(`.strip a[title="second.png"]`)
	b.Wait(`location.search.startsWith("?show=att_") && document.querySelector("[data-pane]:not([hidden]) img").naturalHeight == 900`)
	b.Reload()
	b.Wait(`document.querySelector("[data-pane]:not([hidden]) img").alt == "second.png"`)
	b.Wait(`customElements.get("picture-viewer")`)
	b.ClickOn(`.strip a[title="cart.png"]`)
	const shown = `document.querySelector("[data-pane]:not([hidden]) picture-viewer")`
	b.Wait(shown + `.image.naturalWidth == 900`)
	scale := func(want float64) {
		t.Helper()
		b.Wait(fmt.Sprintf(`Math.abs(`+shown+`.scale - %f) < 0.01`, want))
	}
	browsertest.Eval[bool](b.Tab, shown+`.screen.focus(), true`)
	b.Press("+", "+")
	scale(1.5 * 1.5)
	b.Press(kb.ArrowRight, kb.ArrowDown)
	b.Wait(shown + `.x < 0 && ` + shown + `.image.style.transform.includes("scale(2.25)")`)
	b.Press("0")
	scale(1)
	center := browsertest.Eval[[]float64](b.Tab,
		`(() => { const r = `+shown+`.screen.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	browsertest.Call(b.Tab, input.DispatchMouseEvent,
		input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel,
			X: center[0], Y: center[1], DeltaX: 0.01, DeltaY: -200})
	b.Wait(shown + `.scale > 1.2`)
	before := browsertest.Eval[float64](b.Tab, shown+`.x`)
	b.Drag(center[0], center[1], center[0]+30, center[1])
	b.Wait(fmt.Sprintf(shown+`.x > %f`, before))
	b.ClickOn(`[data-pane]:not([hidden]) [data-zoom=fit]`)
	scale(1)
	b.ClickOn(`[data-pane]:not([hidden]) [data-zoom=in]`)
	scale(1.5)

	annotate := func(keep bool) {
		t.Helper()
		b.ClickOn(`[data-pane]:not([hidden]) [data-annotate]`)
		b.Wait(`document.querySelector("dialog.annotation[open]")`)
		b.Click("Hide")
		browsertest.Eval[bool](b.Tab, `document.querySelector(".annotation canvas").focus(), true`)
		b.Press(kb.Enter)
		if keep {
			b.ClickOn(".annotation [name=keepOriginal]")
		}
		b.Click("Done")
	}
	annotate(false)
	b.Wait(`document.querySelector("[data-undo-annotation]")`)
	id := browsertest.Eval[string](b.Tab, `new URL(location).searchParams.get("show")`)
	files := w.attached(t, "WEB-161")
	if marked, _, err := image.Decode(strings.NewReader(files["cart.png"])); err != nil || !isCovered(marked) ||
		marked.Bounds().Dx() != 900 {
		t.Errorf("the stored picture is not the marked one (%v)", err)
	}
	if len(files) != 2 || id == first.ID {
		t.Errorf("%d files, %s is shown", len(files), id)
	}
	small, err := w.ReadThumbnail(t.Context(), w.caller(t, owner), valid(t, api.GetThumbnail{AttachmentID: id}))
	must(t, err)
	if picture, _, err := image.Decode(small.Bytes); err != nil || !isCovered(picture) {
		t.Errorf("the thumbnail is not that of the marked picture (%v)", err)
	}
	must(t, small.Bytes.Close())
	b.Click("Undo")
	b.Wait(`document.querySelector("[data-notices]").textContent.includes("The original is back.")`)
	if files := w.attached(t, "WEB-161"); len(files) != 2 || files["cart.png"] != original {
		t.Error("the original has not come back")
	}
	annotate(true)
	b.Wait(`document.querySelector("[data-notices]").textContent.includes("The original is kept.")`)
	// the files of a name are joined, the oldest first
	if content := w.attached(t, "WEB-161")["cart.png"]; !strings.HasPrefix(content, original) ||
		len(content) <= len(original) {
		t.Error("the original is not kept beside the marked picture")
	}
	b.Quiet()
}

// isCovered reports whether the middle of a picture is painted over.
func isCovered(picture image.Image) bool {
	r, g, bl, _ := picture.At(picture.Bounds().Dx()/2, picture.Bounds().Dy()/2).RGBA()
	const want, about = 0x11, 6
	return math.Abs(float64(r>>8)-want) < about && math.Abs(float64(g>>8)-want) < about &&
		math.Abs(float64(bl>>8)-want) < about
}

// filmed returns a video that the browser makes of a canvas.
const filmed = `new Promise((done) => {
	const canvas = document.createElement("canvas"), film = new MediaRecorder(canvas.captureStream(20), {mimeType: "video/webm"}), ` +
	`parts = [];
	const draw = () => { const c = canvas.getContext("2d"); c.fillStyle = "rgb(" + Math.random() * 255 + ",9,9)"; c.fillRect(0, 0, ` +
	`300, 150); };
	const timer = setInterval(draw, 40);
	film.ondataavailable = (e) => parts.push(e.data);
	film.onstop = async () => { clearInterval(timer); const r = new FileReader(); r.onload = () => done(r.result.split(",")[1]); ` +
	`r.readAsDataURL(new Blob(parts)); };
	film.start();
	setTimeout(() => film.stop(), 1500);
})`

// TestBrowserVideo: a video is played by the browser, which reads ranges of it.
func TestBrowserVideo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, client("203.0.113.9", "")))
	b.Open("/WEB-161")
	content, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding,
		strings.NewReader(browsertest.Eval[string](b.Tab, filmed))))
	must(t, err)
	if v := w.attach(t, "WEB-161", "cart.webm", string(content)); v.Kind != api.KindVideo {
		t.Fatalf("the video is stored as %s, %s", v.Kind, v.ContentType)
	}
	b.Open("/WEB-161")
	b.Wait(`document.querySelector("video").readyState > 0`)
	b.Wait(`performance.getEntriesByType("resource").some((e) => e.name == document.querySelector("video").src && e.responseStatus == 206)`)
	browsertest.Eval[bool](b.Tab, `(document.querySelector("video").muted = true, document.querySelector("video").play(), true)`)
	b.Wait(`document.querySelector("video").currentTime > 0.2`)
	b.Quiet()
}
