package web

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// board opens the board of the workspace WEB as somebody, and waits until it is followed.
func (w *world) board(t *testing.T, who string, width int64) tab {
	t.Helper()
	n := w.LiveStreams()
	b := w.tab(t, w.session(t, who, tracker.Client{}))
	b.Size(width, 900)
	b.Open("/board?workspace=WEB")
	w.streams(t, n+1)
	b.Wait(`document.querySelector("[data-followed]")`)
	return b
}

// waitIn waits until cards are in the column of a status, and none of them is being changed.
func (b tab) waitIn(status string, references ...string) {
	b.T.Helper()
	for _, reference := range references {
		b.Wait(fmt.Sprintf(`document.getElementById(%q)?.closest(".column")?.dataset.group == %q && `+
			`!document.querySelector("[aria-busy]")`, reference, status))
	}
}

// middle returns the middle of the element of a selector.
func (b tab) middle(selector string) (x, y float64) {
	b.T.Helper()
	at := browsertest.Eval[[]float64](b.Tab,
		fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + `+
			`r.height / 2]; })()`, selector))
	return at[0], at[1]
}

// drag drags a card to the column of a status with the mouse.
func (b tab) drag(reference, status string) {
	b.T.Helper()
	x, y := b.middle("#" + reference + " .card-foot")
	to, top := b.middle(fmt.Sprintf("[data-group=%s] .column-title", status))
	b.Drag(x, y, to, top)
}

// notice waits until the notice of a change holds a text.
func (b tab) notice(text string) {
	b.T.Helper()
	b.Wait(fmt.Sprintf(`(document.querySelector("[data-notice]")?.textContent ?? "").includes(%q)`, text))
}

// wantStatus fails the test unless a report has a status.
func (w *world) wantStatus(t *testing.T, reference string, want api.Status) {
	t.Helper()
	got, err := w.Report(t.Context(), w.caller(t, owner), reference)
	must(t, err)
	if got.Status != want {
		t.Errorf("%s is %s, not %s", reference, got.Status, want)
	}
}

// TestBrowserBoard: two people move the same cards at once. A move is never lost without a word: the second one of a
// card is refused, and says so, and both boards show where each card is. Cards move by dragging, by the menu and by
// keys; what moves is announced.
func TestBrowserBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(6, api.SliceFields{})...) // WEB-162 to WEB-167
	w.work(t)
	mara, jonas := w.board(t, owner, 1280), w.board(t, member, 1280)

	jonas.holds(`document.querySelector("#WEB-165 .row-title").focus(), true`)
	jonas.Press("s")
	jonas.Wait(`document.querySelector("#menu-status:popover-open")?.contains(document.activeElement)`) // the card stays as it is meanwhile
	mara.drag("WEB-165", "in_progress")
	mara.notice("WEB-165: In progress.")
	mara.waitIn("in_progress", "WEB-165")
	mara.Wait(`document.querySelector("[data-moved]").textContent == "WEB-165: In progress, 1 of 1"`)
	jonas.Press(kb.ArrowUp, kb.Enter) // from open to the last one, closed
	jonas.notice("WEB-165 changed meanwhile and stays as it is.")
	jonas.waitIn("in_progress", "WEB-165")
	w.wantStatus(t, "WEB-165", api.InProgress)
	jonas.Press("s", kb.ArrowUp, kb.ArrowUp, kb.Enter)
	jonas.waitIn("closed", "WEB-165")
	mara.waitIn("closed", "WEB-165")
	mara.Wait(`document.querySelector("[data-moved]").textContent == "WEB-165: Closed, 1 of 1"`)

	var both sync.WaitGroup // each moves the same six cards, one after the other, without waiting for what the other one does
	for to, b := range map[string]tab{"in_progress": mara, "closed": jonas} {
		both.Go(func() {
			for _, n := range []int{160, 161, 162, 163, 164, 166} {
				reference := fmt.Sprint("WEB-", n)
				b.Wait(`!document.querySelector("[aria-busy]")`)
				b.holds(fmt.Sprintf(`document.querySelector("#%s .row-title").focus(), document.dispatchEvent(new `+
					`CustomEvent("reports:move",
					{detail: {card: document.getElementById(%[1]q), status: %q}})), true`, reference, to))
				b.Wait(fmt.Sprintf(`(document.querySelector("[data-notice]")?.textContent ?? "").includes(%q)`,
					reference))
			}
		})
	}
	both.Wait()
	for _, s := range w.everyReport(t) {
		for _, b := range []tab{mara, jonas} {
			b.Point("")
			b.waitIn(string(s.Status), s.Reference)
		}
	}

	mara.drag("WEB-167", "resolved")
	mara.Wait(`document.querySelector("#menu-resolve:popover-open")?.contains(document.activeElement)`)
	mara.Press(kb.Escape)
	mara.waitIn("open", "WEB-167")
	mara.drag("WEB-167", "resolved")
	mara.Wait(`document.querySelector("#menu-resolve:popover-open")?.contains(document.activeElement)`)
	mara.Press(kb.ArrowDown, kb.Enter)
	mara.notice("WEB-167: resolved as Won’t fix.")
	mara.waitIn("resolved", "WEB-167")
	mara.Press("z") // before the notice goes after 10 seconds
	mara.notice("Undone: WEB-167 is Open again.")
	mara.waitIn("open", "WEB-167")
	mara.Press("s", kb.ArrowDown, kb.ArrowDown, kb.Enter) // Resolved…
	mara.Wait(`document.querySelector("#menu-resolve:popover-open")?.contains(document.activeElement)`)
	mara.Press(kb.Enter)
	mara.notice("WEB-167: resolved as Fixed.")
	mara.waitIn("resolved", "WEB-167")
	jonas.waitIn("resolved", "WEB-167")
	mara.waitAt("WEB-167", "")
	if mara.Press(kb.ArrowRight); !mara.holds(`document.activeElement.closest("[data-group=closed]") !== null`) {
		t.Errorf("the arrow key leads to %s", mara.at())
	}
	for _, b := range []tab{mara, jonas} {
		b.Quiet()
	}
}

// everyReport returns the reports of the workspace WEB.
func (w *world) everyReport(t *testing.T) []api.Slice {
	t.Helper()
	listed, err := w.ListSlices(t.Context(), w.caller(t, owner),
		valid(t, api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.web},
			Paging: api.Paging{Limit: 100}}))
	must(t, err)
	return listed.Data
}

// TestBrowserBoardTouch: on a phone a card is lifted by a long press, and dropped on the name of a column. A short
// touch is no drag. When the service does not answer, the card goes back.
func TestBrowserBoardTouch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(360, 740)
	b.Open("/board?workspace=WEB")
	touch := func(kind input.DispatchTouchEventType, at ...float64) {
		points := []*input.TouchPoint{}
		if len(at) > 0 {
			points = append(points, &input.TouchPoint{X: at[0], Y: at[1]})
		}
		browsertest.Call(b.Tab, input.DispatchTouchEvent,
			input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	}
	lift := func(reference string) {
		x, y := b.middle("#" + reference + " .card-foot")
		touch(input.DispatchTouchEventTypeTouchStart, x, y)
		b.Wait(`document.querySelector(".drops[data-open]")`)
		to, top := b.middle("[data-drop=closed]")
		touch(input.DispatchTouchEventTypeTouchMove, to, top)
		b.Wait(`document.querySelector("[data-drop=closed][data-over]")`)
		touch(input.DispatchTouchEventTypeTouchEnd)
	}
	lift("WEB-161")
	b.notice("WEB-161: Closed.")
	b.waitIn("closed", "WEB-161")
	if wide := browsertest.Eval[string](b.Tab, overflow); wide != "" {
		t.Errorf("wider than the window: %s", wide)
	}
	b.Quiet()
	w.server.CloseClientConnections()
	w.server.Listener.Close()
	lift("WEB-160")
	b.Wait(`!document.querySelector("[data-lost]").hidden`)
	b.waitIn("open", "WEB-160")
	if text := b.text(`document.querySelector("[data-lost]").textContent`); !strings.Contains(text,
		"nothing was changed") {
		t.Errorf("the notice is %s", text)
	}
}

// TestBrowserBoardZoom: the cards keep within their column while the window gets narrower step by step, as by zooming
// in.
func TestBrowserBoardZoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileList(t, func(name string) string { return name })
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1280, 900)
	b.Open("/board?workspace=WEB")
	for _, size := range [][2]int64{{640, 450}, {320, 225}} {
		b.Size(size[0], size[1])
		b.holds(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))`)
		if found := browsertest.Eval[string](b.Tab, overflow); found != "" {
			t.Errorf("%d: wider than the window: %s", size[0], found)
		}
	}
	b.Quiet()
}
