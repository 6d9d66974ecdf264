package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestPaletteByKeyboard: Ctrl K opens the palette, the arrow keys choose among what it finds, Enter opens it, and Escape closes it.
func TestPaletteByKeyboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	s := w.file(t, w.caller(t, owner), "The zebra is grey")
	b := w.tab(t, w.session(t, owner, client("203.0.113.7", "")))
	open := func() {
		b.Do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		b.Wait(`document.activeElement.id == "palette-text" && document.querySelector("#palette:popover-open")`)
	}
	b.Open("/settings/profile")
	open()
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector("#palette:popover-open")`)
	open()
	b.Press("zebr", kb.Enter) // before the results are there
	b.Wait(`location.pathname == "/` + s.Reference + `" && document.querySelector("[data-page=report]") && document.readyState == "complete"`)
	open()
	b.Press("profi", kb.ArrowDown, kb.ArrowUp, kb.Enter)
	b.Wait(`location.pathname == "/settings/profile" && document.querySelector("[data-page=profile]")`)
	b.Quiet()
}
