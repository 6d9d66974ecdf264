package web

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
)

// TestBrowserFastTriage: keys that are pressed while a change is being sent count. The next changes follow it, and
// the focus stays where it is by then.
func TestBrowserFastTriage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(4, api.SliceFields{})...) // WEB-162 to WEB-165
	b := w.list(t, owner, "status:open")
	slow := func() {
		b.holds(`window.sent = new Promise((done) => { window.answer = done; }), window.send ??= fetch,
			window.fetch = async (...request) => { await window.sent; return window.send(...request); }, true`)
	}
	slow()
	b.Press("j", "e", "e", "j", "e", "e", "j", "j")
	b.Wait(`document.querySelectorAll(".row[aria-busy]").length == 2 && !document.querySelector(":popover-open")`)
	b.waitAt("WEB-162", "")
	b.holds(`window.answer(), true`)
	b.waitAt("WEB-162", "WEB-164: resolved as Fixed.")
	b.Wait(`!document.getElementById("WEB-165") && !document.getElementById("WEB-164") && document.getElementById("WEB-163")`)

	slow()
	b.Press("e", "e", "k", "p") // the menu is that of WEB-163, also after the answer
	b.holds(`window.answer(), true`)
	b.Wait(`!document.getElementById("WEB-162") && document.querySelector("#menu-priority:popover-open")?.contains(document.activeElement)`)
	b.Press(kb.ArrowDown, kb.Enter)
	b.waitAt("WEB-163", "WEB-163: priority Urgent.")

	slow()
	b.Press("e", "e", "/", "zebra")
	b.holds(`window.answer(), true`)
	b.Wait(`document.activeElement.id == "q" && document.activeElement.value == "status:open zebra" && document.querySelector(".empty")`)
	b.Quiet()
}

// TestBrowserQueuedSession: changes that wait for another one, when the session ends meanwhile, follow it after the
// password, each with its own report. Without the password nothing is changed, and the list can be used again.
func TestBrowserQueuedSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(4, api.SliceFields{})...) // WEB-162 to WEB-165
	b := w.list(t, owner, "status:open")
	chooseTwo := func() { // and wait for the refusal of the change itself: live updates may open the dialog before it
		b.holds(`document.addEventListener("session:ended", ({ detail }) => { window.refused ||= "again" in detail; }),
			window.sent = new Promise((done) => { window.answer = done; }), window.send ??= fetch,
			window.fetch = async (...request) => { await window.sent; return window.send(...request); }, true`)
		b.Press("j", "e", "e", "j", "e", "e")
		b.Wait(`document.querySelectorAll(".row[aria-busy]").length == 2`)
		w.endSessions(t)
		b.holds(`window.answer(), true`)
		b.Wait(`window.refused && document.activeElement.id == "session-password" && !document.querySelector("[aria-busy]")`)
	}
	chooseTwo()
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector("#session[open]")`)
	if b.holds(`document.dispatchEvent(new CustomEvent("session:ended", { detail: {} })), document.querySelector("#session[open]") ` +
		`!== null`) {
		t.Error("live updates, which have no session either, ask for the password again")
	}
	b.Press("j") // nothing is sent
	b.Wait(`document.activeElement.closest(".row") && !document.querySelector("[aria-busy], #session[open]")`)
	if left := w.statuses(t, "status:resolved"); left != "" {
		t.Errorf("without a session %s were resolved", left)
	}

	b = w.list(t, owner, "status:open")
	chooseTwo()
	b.Press(password, kb.Enter)
	b.Wait(`!document.getElementById("WEB-165") && !document.getElementById("WEB-164") && document.getElementById("WEB-163")`)
	b.waitAt("WEB-163", "WEB-164: resolved as Fixed.")
	b.Quiet()
}

// TestBrowserKeysOfLists: c files a report from every list, the search box keeps its text at Escape, Enter that ends
// the composition of a text chooses nothing, and a list without selection ignores its key.
func TestBrowserKeysOfLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.list(t, owner, "status:open")
	for _, path := range []string{"/my", "/board", reportsAt("status:open")} {
		b.Open(path)
		b.Press("j", "x", "c")
		b.Wait(`document.querySelector("dialog[open] report-form") && document.activeElement.id == "summary"`)
		b.Press(kb.Escape)
		b.Wait(`!document.querySelector("dialog[open]")`)
	}
	b.Press(kb.Escape, "/")
	b.Wait(`!document.getElementById("completions").hidden`) // it offers to search all reports
	b.Press(kb.Escape, kb.Escape)
	b.waitAt("WEB-161", "")
	b.Wait(`document.getElementById("q").value == "status:open"`)
	b.Press("a")
	b.Wait(`document.querySelector("#menu-assignee:popover-open [data-filter]") == document.activeElement`)
	b.holds(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", isComposing: true, bubbles: true, ` +
		`cancelable: true})) || true`)
	b.Wait(`document.querySelector("#menu-assignee:popover-open") && !document.querySelector("[aria-busy]")`)
	b.Press(kb.Escape)
	b.Quiet()
}

// TestBrowserFastComment: a comment that is sent while a field is being changed follows it, what is typed meanwhile
// stays, and the password is asked for in the page.
func TestBrowserFastComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.report(t, owner, "/WEB-161")
	b.holds(`window.sent = new Promise((done) => { window.answer = done; }), window.send = fetch,
		window.fetch = async (...request) => { await window.sent; return window.send(...request); }, true`)
	b.Press("p")
	b.Wait(`document.querySelector("#report-priority:popover-open")?.contains(document.activeElement)`)
	b.ClickOn(`#report-priority [value=low]`)
	b.ClickOn("#comment")
	b.Press("The first one")
	b.Click("Comment")
	b.ClickOn("#comment")
	b.Press(kb.End, " and more")
	b.holds(`window.answer(), true`)
	b.Wait(`document.querySelector(".comment .prose")?.textContent.trim() == "The first one" && ` +
		`document.querySelector("#comment").value == "and more"`)
	b.Wait(`document.querySelector("[data-priority=low]")`)

	w.endSessions(t)
	b.Click("Comment")
	b.Wait(`document.querySelector("#session[open]") && document.activeElement.id == "session-password"`)
	b.Press(password, kb.Enter)
	b.Wait(`!document.querySelector("#session[open]") && document.querySelectorAll(".comment").length == 2 && ` +
		`document.querySelector("#comment").value == ""`)
	b.Quiet()
}
