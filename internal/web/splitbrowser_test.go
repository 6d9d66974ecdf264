package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// split opens the list of twelve reports, WEB-162 to WEB-173, in a window that has room for a report beside it.
func (w *world) split(t *testing.T, more string) tab {
	t.Helper()
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1440, 900)
	b.Open("/reports?workspace=WEB&q=report" + more)
	return b
}

// waitShown waits until a report is beside the list, and a row has the focus. An empty reference is none.
func (b tab) waitShown(reference, focus string) {
	b.T.Helper()
	b.Wait(fmt.Sprintf(`(new URLSearchParams(location.search).get("open") ?? "") == %q &&
		(document.querySelector("#pane:not([hidden]) h1")?.textContent ?? "") == %q && !document.`+
		`querySelector("#pane-content[aria-busy]") &&
		(document.querySelector(".row[data-shown]")?.id ?? "") == %q && (document.activeElement.closest(".row")?.id ?? "") == %q`,
		reference, title(reference), reference, focus))
}

// title returns the title of a report of the split view.
func title(reference string) string {
	if reference == "" {
		return ""
	}
	var n int
	_, _ = fmt.Sscanf(reference, "WEB-%d", &n)
	return fmt.Sprintf("Report %03d", n-161)
}

// TestBrowserSplit opens reports beside the list with the keyboard and the mouse. The list is not loaded again: its
// further pages, its place and its focus stay. The address is the state.
func TestBrowserSplit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(70, api.SliceFields{})...)
	b := w.split(t, "")
	b.Click("More reports")
	b.Wait(`document.querySelectorAll(".row").length == 70`)
	b.holds(`document.querySelector(".row").first = true`)
	same := func() {
		t.Helper()
		if !b.holds(`document.querySelectorAll(".row").length == 70 && document.querySelector(".row").first`) {
			t.Error("the list was loaded again")
		}
	}
	b.Press("j", "j", kb.Enter)
	b.waitShown("WEB-230", "WEB-230")
	b.axe(1440, "dark")
	b.Theme("light")
	if text := b.text(`document.title`); !strings.HasPrefix(text, "WEB-230 Report 069") {
		t.Errorf("the title is %s", text)
	}
	b.Press("j") // what is shown follows the focus
	b.waitShown("WEB-229", "WEB-229")
	b.Press("]")
	b.waitShown("WEB-228", "WEB-228")
	b.Press("]", "[", "[", "k")
	b.waitShown("WEB-230", "WEB-230")
	b.Press(kb.Enter) // again: into the report
	b.Wait(`document.activeElement.id == "pane-content"`)
	b.Press(kb.Escape)
	b.waitShown("", "WEB-230")
	if text := b.text(`document.title`); text != "Reports · Bugslice" {
		t.Errorf("the title of the list is %s", text)
	}
	b.atRest()
	b.ClickOn("#WEB-175 .row-title")
	b.waitShown("WEB-175", "WEB-175")
	b.atRest()
	b.ClickOn("#WEB-174 .row-reference") // the room of a row
	b.waitShown("WEB-174", "WEB-174")
	b.atRest()
	const inSight = `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.activeElement.getBoundingClientRect())`
	if y := browsertest.Eval[float64](b.Tab, `scrollY`); y < 500 || !browsertest.Eval[bool](b.Tab, inSight) {
		t.Errorf("the list is scrolled to %v", y)
	}
	b.back()
	b.waitShown("WEB-175", "WEB-175")
	b.atRest()
	b.back()
	b.waitShown("", "WEB-175")
	b.atRest()
	b.forward()
	b.waitShown("WEB-175", "WEB-175")
	b.atRest()
	if !browsertest.Eval[bool](b.Tab, inSight) {
		t.Error("the row with the focus is out of sight")
	}
	b.Click("Next report")
	b.waitShown("WEB-174", "WEB-174")
	same()
	b.Reload()
	b.Wait(`document.querySelector("#pane h1")?.textContent == "Report 013" && document.querySelectorAll(".row").length == 50`)
	b.Click("Close the report")
	b.Wait(`document.querySelector("#pane").hidden && !location.search.includes("open")`)
	b.Quiet()
}

func (b tab) back()    { b.T.Helper(); b.holds(`history.back(), true`) }
func (b tab) forward() { b.T.Helper(); b.holds(`history.forward(), true`) }

// TestBrowserSplitChanges: a report beside the list follows changes that the list makes, and stays when its row
// leaves the list. The controls of the list keep it, and links of it lead where they lead on its page.
func TestBrowserSplitChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(12, api.SliceFields{})...)
	b := w.split(t, "+status:open")
	state := func(text string) {
		b.Wait(fmt.Sprintf(`document.querySelector("#pane").textContent.includes(%q)`, text))
	}
	b.Press("j", kb.Enter)
	b.waitShown("WEB-173", "WEB-173")
	state("Open")
	b.Press(kb.Enter, "e", "e") // in the report the keys change it
	b.waitAt("WEB-172", "WEB-173: resolved as Fixed.")
	state("Resolved")
	b.Press("z")
	b.Wait(`document.querySelector(".row")?.id == "WEB-173" && document.querySelector(".row[data-shown]")?.id == "WEB-173"`)
	state("Open")
	b.ClickOn("#comment")
	b.Press("half a thought")
	b.Reload()
	b.Wait(`document.getElementById("comment")?.value == "half a thought"`)
	if asked := b.Dialogs(); len(asked) != 1 {
		t.Errorf("leaving with unsent text asks %q", asked)
	}
	b.holds(`document.getElementById("comment").value = "", document.getElementById("comment").dispatchEvent(new Event("input", { ` +
		`bubbles: true }))`)
	b.ClickOn("[popovertarget=menu-display]")
	b.Click("Oldest")
	b.Wait(`document.querySelector(".row").id == "WEB-162" && document.querySelector("#pane h1")?.textContent == "Report 012" && ` +
		`location.search.includes("open=WEB-173")`)
	b.Fill("q", "report status:open 011")
	b.Wait(`document.querySelectorAll(".row").length == 1 && location.search.includes("open=WEB-173") && ` +
		`document.querySelector("#pane h1")?.textContent == "Report 012"`)
	b.Click("Open as a page")
	b.Wait(`document.querySelector("main[data-page=report]") && location.pathname == "/WEB-173"`)
	b.back()
	b.Wait(`document.querySelector("#pane h1")?.textContent == "Report 012" && location.search.includes("open=WEB-173")`)
	b.Quiet()
}

// TestBrowserSplitLinks: an address with a report is a link that works; a report that is gone says so; and on a
// narrow screen the page of the report opens.
func TestBrowserSplitLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(12, api.SliceFields{})...)
	b := w.split(t, "&open=WEB-170&tab=network")
	b.Wait(`document.querySelector("#pane h1")?.textContent == "Report 009" && document.querySelector(".row[data-shown]").id == "WEB-170"`)
	if to := b.text(`document.querySelector("[aria-label='Open as a page']").getAttribute("href")`); to != "/WEB-170?tab=network" {
		t.Errorf("the page of the report is at %s", to)
	}
	b.Open("/reports?workspace=WEB&open=WEB-999")
	b.Wait(`document.querySelector("#pane .problem") && document.querySelectorAll(".row").length == 14`)
	b.accessible("a report that is gone")
	for _, other := range []string{"//evil.example", "x", "WEB-1/../../my", "settings"} {
		b.Open("/reports?workspace=WEB&open=" + other)
		b.Wait(`document.querySelector("#pane").hidden`)
	}
	b.Size(1024, 768)
	b.Open("/reports?workspace=WEB&open=WEB-170&tab=network")
	b.Wait(`document.querySelector("main[data-page=report]") && location.pathname + location.search == "/WEB-170?tab=network"`)
	b.Open("/reports?workspace=WEB")
	b.Press("j", kb.Enter)
	b.Wait(`document.querySelector("main[data-page=report]") && location.pathname == "/WEB-173"`)
	b.Script(false)
	b.Size(1440, 900)
	b.Open("/reports?workspace=WEB&open=WEB-170")
	b.Click("Open the report")
	b.Wait(`location.pathname == "/WEB-170"`)
	b.Quiet()
}

// TestBrowserNeighbours: on its own page a report leads to those before and after it in the list that it was opened
// from, and y copies its link.
func TestBrowserNeighbours(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(3, api.SliceFields{})...)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1024, 768)
	b.Open("/WEB-163")
	if b.holds(`!document.querySelector(".neighbours").hidden`) {
		t.Error("a report that was opened from no list has neighbours")
	}
	b.Press(kb.Escape)
	b.Wait(`location.pathname + location.search == "/reports?workspace=WEB" && document.querySelector("main[data-page=reports]")`)
	b.Open("/reports?workspace=WEB&q=report")
	b.Press("j", "j", kb.Enter)
	at := func(reference, place string) {
		b.T.Helper()
		b.Wait(fmt.Sprintf(`location.pathname == "/%s" && document.querySelector(".neighbours:not([hidden]) `+
			`.neighbours-place")?.textContent == %q`, reference, place))
	}
	at("WEB-163", "2 / 3")
	b.accessible("with neighbours")
	b.Size(390, 844)
	const small = `[...document.querySelectorAll(".bar :is(a, button)")].filter((e) => !e.closest(".menu") && e.checkVisibility())
		.filter((e) => e.offsetWidth < 32 || e.offsetHeight < 32).map((e) => e.outerHTML).join("; ")`
	if got := b.text(small); got != "" {
		t.Errorf("the bar of a phone squeezes %s", got)
	}
	b.ClickOn("[popovertarget=report-more]")
	b.Wait(`document.querySelector("#report-more [data-copy-text]").checkVisibility()`)
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector("#report-more:popover-open")`)
	b.Size(1024, 768)
	b.Press("]")
	at("WEB-162", "3 / 3")
	b.Press("]") // there is none
	b.Press("[")
	at("WEB-163", "2 / 3")
	b.ClickOn(".neighbours [rel=prev]")
	at("WEB-164", "1 / 3")
	b.holds(`navigator.clipboard.writeText = async (text) => { window.copied = text; }, true`)
	b.Press("y")
	b.Wait(`window.copied?.endsWith("/WEB-164") && document.querySelector("[aria-keyshortcuts=y]").textContent == "Copied"`)
	b.Press(kb.Escape)
	b.Wait(`location.pathname + location.search == "/reports?workspace=WEB&q=report" && document.querySelector("main[data-page=reports]")`)
	b.Quiet()
}

// TestBrowserKeys: the keys of every page work on a page that has no list, and none but Escape once they are turned
// off.
func TestBrowserKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1440, 900)
	b.Open("/settings/security")
	at := func(page string) {
		b.T.Helper()
		b.Wait(fmt.Sprintf(`document.querySelector("main[data-page=%s]") && document.readyState == "complete"`, page))
	}
	b.Press("?")
	b.Wait(`document.querySelector("#shortcuts:popover-open")?.contains(document.activeElement)`)
	b.Press(kb.Escape, "/")
	b.Wait(`document.activeElement.id == "palette-text"`)
	b.Press("keyb", kb.Enter)
	b.Wait(`document.querySelector("#shortcuts:popover-open") && !document.querySelector("#palette:popover-open")`)
	b.Press(kb.Escape, "c")
	b.Wait(`document.querySelector("dialog[open] report-form") && document.activeElement.id == "summary"`)
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector("dialog[open]")`)
	for key, page := range map[string]string{"m": "my", "l": "reports", "s": "keys"} {
		b.Press("g", key)
		at(page)
	}
	b.Press("g", "o") // the page does not exist
	b.Open("/WEB-161")
	b.Press("g", "m")
	at("my")
	w.signedIn(t, owner).post("/settings/profile", "version", "1", "name", "Mara", "theme", "system", "timeZone",
		"UTC").wants(303)
	b.Open("/reports?workspace=WEB&open=WEB-161")
	b.Wait(`document.querySelector("#pane h1")`)
	b.Press("g", "m", "?", "c", "]", "j")
	if got := b.text(`location.pathname + " " + (document.activeElement.closest(".row, dialog") == null)`); got != "/reports true" {
		t.Errorf("keys that are turned off lead to %s", got)
	}
	b.Press(kb.Escape)
	b.Wait(`document.querySelector("#pane").hidden && document.activeElement.closest(".row")?.id == "WEB-161"`)
	b.Quiet()
}

// atRest waits until the list has not been scrolled for ten frames, as somebody waits who looks at it.
func (b tab) atRest() {
	b.T.Helper()
	browsertest.Eval[bool](b.Tab, `new Promise(done => {
		let y = scrollY, frames = 0;
		const look = () => {
			frames = scrollY == y ? frames + 1 : 0;
			y = scrollY;
			if (frames < 10) requestAnimationFrame(look); else done(true);
		};
		look();
	})`)
}
