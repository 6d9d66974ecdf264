package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
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
	b.Wait(`document.querySelector("#results[data-stale] .row")`)
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
