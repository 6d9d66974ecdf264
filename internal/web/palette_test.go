package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
)

// TestSearchOfMany: a search that finds as many reports as it shows leads to the list of all.
func TestSearchOfMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	w.fileMany(t, numbered(api.MaxFoundSlices-1, api.SliceFields{})...)
	if a := b.get("/search?q=report").wants(200, "Report 007"); strings.Contains(a.body, "All reports") {
		t.Error("a list of all reports is offered for those that are shown")
	}
	w.fileMany(t, numbered(2, api.SliceFields{})...)
	b.get("/search?q=report").wants(200, `href="/reports?q=report"`, "All reports with these words")
	w.fileMany(t, api.SliceFields{Summary: "Cart", Description: new("The <b>zebra</b> is grey")})
	b.get("/search?q=zebra").wants(200, `in the description: <bdi>The &lt;b&gt;zebra&lt;/b&gt; is grey</bdi>`)
}

// TestPaletteByKeyboard: Ctrl K opens the palette, the arrow keys choose among what it finds, Enter opens it, and
// Escape closes it. On a report it has the actions of the report.
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
	b.Wait(`document.querySelector("#palette [role=option]")`)
	first := b.text(`[...document.querySelectorAll("#palette [role=option]")].slice(0, 3).map((o) => ` +
		`o.querySelector(".menu-text").textContent + (o.querySelector(".icon path") ? "" : "?")).join()`)
	if first != "New report,Inbox,My reports" {
		t.Errorf("the palette begins with %s", first)
	}
	b.photograph("palette", 1440, "light", false)
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector("#palette:popover-open")`)
	open()
	b.Press("zebr", kb.Enter) // before the results are there
	b.Wait(`location.pathname == "/` + s.Reference +
		`" && document.querySelector("[data-page=report]") && document.readyState == "complete"`)
	b.Size(1280, 400)
	open()
	b.Wait(`document.querySelector("#palette [role=option]")`)
	if first := b.text(`document.querySelector("#palette [role=option]").textContent`); first != "Copy for an agent" {
		t.Errorf("the first action on a report is %q", first)
	}
	b.Press("assign", kb.Enter) // whose button is below the screen
	b.Wait(`document.activeElement.closest("#report-assignee:popover-open") && document.querySelector("#field-assignee").` +
		`getBoundingClientRect().top < innerHeight`)
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector("#report-assignee:popover-open")`)
	open()
	b.Press(">")
	b.Wait(`document.querySelector("#palette [role=option]:last-of-type") && ` +
		`[...document.querySelectorAll("#palette [role=option]")].slice(-3).every((o) => o.textContent.startsWith("Theme"))`)
	b.Press(" theme: d")
	b.Wait(`document.querySelectorAll("#palette [role=option]").length == 1`)
	b.Press(kb.Enter)
	b.Wait(`document.documentElement.dataset.theme == "dark" && document.readyState == "complete"`)
	open()
	b.Press("profi", kb.ArrowDown, kb.ArrowUp, kb.Enter)
	b.Wait(`location.pathname == "/settings/profile" && document.querySelector("[data-page=profile]")`)
	b.Quiet()
}

// TestPaletteOfARow: on a list the palette has the reports that were opened last, and what can be done to the row with
// the focus, by the values of its fields, too.
func TestPaletteOfARow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(3, api.SliceFields{})...) // WEB-162 to WEB-164
	b := w.list(t, owner, "status:open report sort:created")
	b.Open("/WEB-162")
	b.Open(reportsAt("status:open report sort:created"))
	open := func() {
		b.Do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		b.Wait(`document.activeElement.id == "palette-text" && document.querySelector("#palette:popover-open")`)
	}
	b.Press("j", "j")
	b.waitAt("WEB-163", "")
	open()
	b.Wait(`document.querySelector("#palette [role=option]").pathname == "/WEB-162" && ` +
		`document.querySelector("#palette [aria-label=WEB-163] kbd").textContent == "e"`)
	b.Press("assign to jon")
	b.Wait(`document.querySelector("#palette [role=option]").textContent == "Assign to Jonas Weber"`)
	b.Press(kb.Enter)
	b.waitAt("WEB-163", "WEB-163: assigned to Jonas Weber.")
	open()
	b.Press("priority: u", kb.Enter)
	b.waitAt("WEB-163", "WEB-163: priority Urgent.")
	open()
	b.Press("resolve")
	b.Wait(`document.querySelector("#palette [aria-label=WEB-163]")`)
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("#menu-resolve:popover-open")?.contains(document.activeElement)`)
	b.Quiet()
}
