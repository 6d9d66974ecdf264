package web

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/demo"
)

// TestBrowserPinch: two fingers zoom a picture, also while both move down, which would scroll the page. In full
// screen the keys of the picture and of the player work at once, and the focus returns to the button.
func TestBrowserPinch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	capture, err := demo.ReadCapture("discount-code")
	must(t, err)
	s := w.fileShown(t, "Discount code", api.Evidence{Replay: capture.Replay})
	w.attach(t, s.Reference, "cart.png", screenshot(t, 900, 600))
	b := w.tab(t, w.session(t, owner, client("203.0.113.9", "")))
	b.Size(360, 740)
	b.Open("/" + s.Reference)
	b.Wait(`customElements.get("picture-viewer") && customElements.get("replay-player")`)
	b.ClickOn(`.strip a[title="cart.png"]`)
	const shown = `document.querySelector("picture-viewer")`
	b.Wait(shown + `.image.naturalWidth == 900`)
	at := browsertest.Eval[[]float64](b.Tab,
		`(() => { const v = `+shown+`; v.scrollIntoView({block: "center"}); const r = v.screen.getBoundingClientRect(); return [r.x `+
			`+ r.width / 2, r.y + 40, scrollY]; })()`)
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
		if points == nil {
			points = []*input.TouchPoint{}
		}
		browsertest.Call(b.Tab, input.DispatchTouchEvent,
			input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	}
	fingers := func(first, second float64) []*input.TouchPoint {
		return []*input.TouchPoint{{X: at[0] - 30, Y: at[1] + first, ID: new(0.0)},
			{X: at[0] + 30, Y: at[1] + second, ID: new(1.0)}}
	}
	touch(input.DispatchTouchEventTypeTouchStart, fingers(0, 0)[:1]...)
	touch(input.DispatchTouchEventTypeTouchStart, fingers(0, 0)...)
	for step := range 6 {
		touch(input.DispatchTouchEventTypeTouchMove, fingers(float64(step)*5, float64(step)*25)...)
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
	b.Wait(shown + `.scale > 1.5 && !` + shown + `.pointers.size`)
	if scrolled := browsertest.Eval[float64](b.Tab, `scrollY`); scrolled != at[2] {
		t.Errorf("the page has scrolled by %f", scrolled-at[2])
	}

	b.Size(1200, 900)
	b.ClickOn("picture-viewer [data-full]")
	b.Wait(`document.fullscreenElement == ` + shown + ` && document.activeElement == ` + shown + `.screen`)
	b.Press("0", "+")
	b.Wait(shown + `.scale == 1.5`)
	browsertest.Eval[bool](b.Tab, `document.exitFullscreen().then(() => true)`)
	b.Wait(`document.activeElement.matches("picture-viewer [data-full]")`)
	b.ClickOn(`.strip a[data-show=""]`)
	b.follow()
	b.ClickOn("replay-player [data-play]")
	b.waitState("playing")
	b.Press(" ")
	b.waitState("paused")
	browsertest.Eval[bool](b.Tab, `document.activeElement.blur(), `+player+`.seek(1000), true`)
	b.Press("f")
	b.Wait(`document.fullscreenElement == ` + player)
	b.Wait(`document.activeElement.matches("[data-toggle]")`)
	before := browsertest.Eval[float64](b.Tab, player+`.time`)
	b.Press(kb.ArrowRight)
	b.waitTime(before + 1000)
	b.Press(" ")
	b.waitState("playing")
	b.Press("f")
	b.Wait(`!document.fullscreenElement && document.activeElement.matches("replay-player [data-full]")`)
	b.Quiet()
}
