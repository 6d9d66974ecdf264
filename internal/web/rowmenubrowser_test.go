package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
)

// TestBrowserRowMenu: the right button opens a menu of the row, which changes it as its keys do, and copies what names
// it. The key of its reference copies without the menu.
func TestBrowserRowMenu(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(3, api.SliceFields{})...) // WEB-162 to WEB-164
	b := w.list(t, owner, "status:open report sort:created")
	b.Preload(axe(t))
	b.Open(reportsAt("status:open report sort:created"))
	at := func(reference string) {
		t.Helper()
		x, y := b.middle("#" + reference + " .row-reference")
		b.Do(chromedp.MouseClickXY(x, y, chromedp.ButtonRight))
		b.Wait(`document.querySelector("#menu-row:popover-open")?.contains(document.activeElement)`)
	}
	copied := func(text string) {
		t.Helper()
		b.Wait(`!document.querySelector("[data-link-notice]").hidden && ` +
			`document.querySelector("[data-link]").textContent == "` + text + `"`)
	}
	at("WEB-163")
	b.accessible("menu of a row")
	b.Wait(`document.querySelector("#WEB-163[data-target]")`)
	b.ClickOn("#menu-row [data-row-copy=branch]")
	copied("web-163-report-002")
	at("WEB-163")
	b.ClickOn("#menu-row [data-row-copy=reference]")
	copied("WEB-163")
	at("WEB-163")
	b.ClickOn("#menu-row [data-row-menu=priority]")
	b.Wait(`document.querySelector("#menu-priority:popover-open")?.contains(document.activeElement)`)
	b.Press("2")
	b.waitAt("WEB-163", "WEB-163: priority High.")
	b.holds(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: ".", code: "Period", ctrlKey: true, bubbles: true, ` +
		`cancelable: true})) || true`)
	copied("WEB-163")
	at("WEB-164")
	b.ClickOn("#menu-row [name=delete]")
	b.waitAt("WEB-163", "WEB-164 is deleted.")
	b.Press(kb.Escape, "z")
	b.waitAt("WEB-164", "WEB-164 is as it was.")
	b.Quiet()
}
