package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// TestBrowserSearching: while somebody types, the rows stay until something is found; the search that nothing matches
// says so once the typing has paused. A mistyped filter is put right by a link, and the empty box offers the last
// searches.
func TestBrowserSearching(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for _, summary := range []string{"The discount is lost", "The gift card is refused"} {
		w.fileMany(t, api.SliceFields{Summary: summary})
	}
	b := w.list(t, owner, "")
	b.ClickOn("#q")
	b.Wait(`(globalThis.flashed = 0, new MutationObserver(() => {
		globalThis.flashed += document.querySelectorAll(".empty").length;
	}).observe(document.getElementById("main"), { childList: true, subtree: true }), true)`)
	b.Press("zzz")
	b.Wait(`document.querySelector("#results[data-stale] .row") && document.querySelector(".total").textContent == "No match yet"`)
	for range "zzz" {
		b.Press(kb.Backspace)
	}
	b.Press("discou")
	b.Wait(`document.querySelectorAll("#results:not([data-stale]) .row").length == 1`)
	if !b.holds(`globalThis.flashed == 0`) {
		t.Error("an empty list was shown while somebody typed")
	}
	b.Press(kb.Enter)
	b.Wait(`Object.values(localStorage).join() == '["discou"]'`)
	b.Press(" staus:open", kb.Enter)
	b.Wait(`document.querySelector(".fault-fix code")?.textContent == "status:"`)
	b.ClickOn(".fault-fix")
	b.Wait(`document.getElementById("q").value == "discou status:open" && document.querySelectorAll(".row").length == 1`)
	b.Open("/reports?q=")
	b.ClickOn("#q")
	b.Wait(fmt.Sprintf(`document.querySelector("#completions:not([hidden]) .completion").textContent == %q`,
		"discouRecent search"))
	b.Press(kb.ArrowDown, kb.Enter)
	b.Wait(`document.getElementById("q").value == "discou " && document.querySelectorAll(".row").length == 1`)
	b.Press("nothing")
	b.Wait(`document.querySelector(".empty h2")?.textContent == "No report matches"`)
	b.Quiet()
}

// TestBrowserTabs: a list without a text has what is active. Its tabs count and lead to what is active, resolved, or all, and
// keep the other filters.
func TestBrowserTabs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, api.SliceFields{Summary: "a", Labels: []string{"x"}}, api.SliceFields{Summary: "b", Labels: []string{"x"}})
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1280, 900)
	tabs := `[...document.querySelectorAll(".list-tabs a")].map((a) => a.textContent.replace(/\s+/g, " ") + ` +
		`(a.ariaCurrent ?? a.getAttribute("aria-current") ? "*" : "")).join("|")`
	b.Open("/reports?workspace=WEB")
	b.Wait(tabs + ` == "Active 4*|Resolved 0|All 4" && document.getElementById("q").value == "status:open,in_progress"`)
	b.Press("j", "e", "e")
	b.Wait(`document.querySelectorAll(".row").length == 3`)
	b.Open("/reports?workspace=WEB&q=status:open,in_progress+label:x")
	b.Wait(`document.querySelector(".group-more")?.textContent == "2 reports match in all"`)
	b.Press("k", "e", "e")
	b.Wait(`document.querySelectorAll(".row").length == 0`)
	b.Open("/reports?workspace=WEB&q=status:open,in_progress+label:x")
	b.Wait(`document.querySelector("[data-nothing] h2")?.textContent == "No active report matches"`)
	b.Click("Show 2 in all")
	b.Wait(`document.getElementById("q").value == "label:x" && document.querySelectorAll(".row").length == 2`)
	b.Press("z")
	b.Open("/reports?workspace=WEB")
	b.Press("/")
	b.Wait(`document.querySelector("#completions:not([hidden])")?.textContent == "Search all reports, not only these"`)
	b.Press(kb.ArrowDown, kb.Enter)
	b.Wait(`document.getElementById("q").value.trim() == "" && document.querySelectorAll(".row").length == 4`)
	w.signedIn(t, owner).post("/reports?workspace=WEB", "items", "WEB-162 2", "status", "open").wants(303)
	b.Open("/reports?workspace=WEB&q=label:x")
	b.Wait(tabs + ` == "Active 1|Resolved 1|All 2*"`)
	b.ClickOn(".list-tabs a:nth-child(2)")
	b.Wait(tabs + ` == "Active 1|Resolved 1*|All 2" && document.getElementById("q").value == "label:x status:resolved,closed"`)
	b.ClickOn(".list-tabs a:nth-child(3)")
	b.Wait(tabs + ` == "Active 1|Resolved 1|All 2*" && document.querySelectorAll(".row").length == 2`)
	b.Open("/reports?workspace=WEB&q=")
	b.Wait(tabs + ` == "Active 3|Resolved 1|All 4*" && document.querySelectorAll(".row").length == 4`)
	b.Quiet()
}
