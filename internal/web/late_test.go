package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
)

// holdAnswers holds the answers to the further requests of the page whose method and address match a regular
// expression.
func (b tab) holdAnswers(pattern string) {
	b.T.Helper()
	b.holds(fmt.Sprintf(`window.send ??= fetch, window.answers = [], window.fetch = async (to, options) => {
		const response = await send(to, options);
		const asked = (options?.method ?? "GET") + " " + new URL(to.url ?? to, location);
		if (/%s/.test(asked)) await new Promise((arrive) => answers.push(arrive));
		return response;
	}, true`, pattern))
}

// held waits until a number of answers are there and held.
func (b tab) held(n int) { b.T.Helper(); b.Wait(fmt.Sprintf(`answers.length == %d`, n)) }

// settle gives the page time for what should not happen.
func (b tab) settle() {
	b.T.Helper()
	b.holds(`new Promise((done) => setTimeout(() => requestAnimationFrame(() => setTimeout(() => done(true), 150)), 150))`)
}

// release lets a held answer arrive, and settles.
func (b tab) release(i int) {
	b.T.Helper()
	b.holds(fmt.Sprintf(`answers[%d](), true`, i))
	b.settle()
}

// TestBrowserLatePane: the answer about a report that was closed meanwhile does not open it again.
func TestBrowserLatePane(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(12, api.SliceFields{})...)
	b := w.split(t, "")
	b.holdAnswers(`GET .*\/WEB-173$`)
	b.Press("j", kb.Enter)
	b.held(1)
	b.Press(kb.Escape)
	b.Wait(`!location.search.includes("open")`)
	b.release(0)
	b.waitShown("", "WEB-173")
	b.Press("]") // no report is open, of which this would be the next
	b.waitShown("", "WEB-173")
	b.Quiet()
}

// TestBrowserLateReport: what is answered about a report after the reader has gone on to another one changes nothing
// there. What waits for that answer is sent all the same, and a comment that was sent leaves no draft.
func TestBrowserLateReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(12, api.SliceFields{})...)
	b := w.split(t, "&open=WEB-173")
	b.Wait(`document.querySelector("#pane h1")?.textContent == "Report 012"`)
	b.holdAnswers(`POST .*\/WEB-173`)
	b.ClickOn("#field-priority")
	b.ClickOn("#report-priority [value=low]")
	b.held(1)
	b.ClickOn("#comment")
	b.Press("about the twelfth")
	b.Click("Comment")
	b.Click("Next report")
	b.Wait(`document.querySelector("#pane h1")?.textContent == "Report 011"`)
	b.release(0)
	b.held(2)
	b.release(1)
	shown := `document.querySelector("#pane .report").dataset.reference + " " + document.querySelectorAll("#pane .comment").length`
	if got := b.text(shown); got != "WEB-172 0" {
		t.Errorf("the pane shows the report and comments %s", got)
	}
	b.Click("Previous report")
	b.Wait(`document.querySelector("#pane h1")?.textContent == "Report 012" && document.querySelectorAll("#pane .comment").length == 1 &&
		document.querySelector("#pane .report").dataset.priority == "low"`)
	if draft := b.text(`document.querySelector("#comment").value`); draft != "" {
		t.Errorf("the comment that was sent is a draft: %s", draft)
	}
	b.Quiet()
}

// TestBrowserLateRefresh: a change that comes while an earlier one is being looked at is looked at after it.
func TestBrowserLateRefresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	b := w.followed(t, owner, "")
	b.holds(`document.addEventListener("live:change", ({ detail }) => { window.version = detail.version; }),
		performance.now = () => 0, true`) // live updates wait for fifty times as long as an answer took
	b.holdAnswers(`GET .*[?&]only=`)
	for i, priority := range []string{"high", "low"} {
		w.change(t, member, "WEB-161", api.SlicePatch{"priority": priority})
		b.Wait(fmt.Sprintf(`window.version == %d`, 2+i))
		b.held(1) // the answer has the first change
	}
	b.holds(`window.fetch = send, answers[0](), true`)
	b.Wait(fmt.Sprintf(priorityOf, "WEB-161", "low"))
	b.Quiet()
}

// TestBrowserLatePaneRefresh: of two answers about the report beside the list the one with the later version counts,
// whichever comes first.
func TestBrowserLatePaneRefresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(12, api.SliceFields{})...)
	w.work(t)
	n := w.LiveStreams()
	b := w.split(t, "&open=WEB-173")
	w.streams(t, n+1)
	b.Wait(`document.querySelector("#pane h1")?.textContent == "Report 012" && document.querySelector("[data-followed]")`)
	b.holdAnswers(`GET .*\/WEB-173$`)
	for i, priority := range []string{"high", "low"} {
		w.change(t, member, "WEB-173", api.SlicePatch{"priority": priority})
		b.held(i + 1)
	}
	b.release(1)
	b.release(0)
	shown := `document.querySelector("#pane .report").dataset.priority + " " + document.querySelector("#pane ` +
		`#field-priority").textContent.trim()`
	if got := b.text(shown); got != "low Low" {
		t.Errorf("the priority is shown as %s", got)
	}
	b.Quiet()
}

// TestBrowserLateUpload: a comment is sent once the pictures in it are uploaded, and not with the notes that stand
// for them.
func TestBrowserLateUpload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.report(t, owner, "/WEB-161")
	b.holdAnswers(`POST .*\/pictures`)
	b.ClickOn("#comment")
	b.holds(`(async () => {
		const blob = await new Promise((done) => document.createElement("canvas").toBlob(done)), data = new DataTransfer();
		data.items.add(new File([blob], "cart.png", {type: "image/png"}));
		const event = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
		return !document.querySelector("#comment").dispatchEvent(event);
	})()`)
	b.held(1)
	b.Click("Comment")
	b.Click("Comment")
	b.release(0)
	b.Wait(`document.querySelector(".comment .prose img") && document.querySelector("#comment").value == ""`)
	if n := b.text(`String(document.querySelectorAll(".comment").length)`); n != "1" {
		t.Errorf("%s comments were sent", n)
	}
	b.Quiet()
}

// TestBrowserLateRefreshOfUndone: an answer of live updates from before an undo does not say that the report has left
// the list.
func TestBrowserLateRefreshOfUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(3, api.SliceFields{})...) // WEB-162 to WEB-164
	w.work(t)
	b := w.followed(t, owner, "status:open")
	b.Press("j", "x")
	b.Wait(`document.getElementById("WEB-164").hasAttribute("data-selected")`)
	b.holdAnswers(`GET .*[?&]only=`)
	w.change(t, member, "WEB-164", api.SlicePatch{"status": api.Resolved, "resolution": "fixed"})
	b.held(1) // without the row
	w.change(t, member, "WEB-164", api.SlicePatch{"status": api.Open})
	b.holds(`htmx.ajax("GET", location.href, { target: "#results", select: "#results", swap: "outerHTML" }), true`)
	b.Wait(`document.getElementById("WEB-164")?.dataset.version == "3"`)
	b.release(0)
	if b.holds(`document.querySelector("[data-left]") !== null`) {
		t.Error("the report is said to have left the list")
	}
	b.Quiet()
}

// TestBrowserLatePalette: what the palette has asked for before it was closed opens nothing, and is not found after
// it was opened again.
func TestBrowserLatePalette(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.file(t, w.caller(t, owner), "The zebra is grey")
	b := w.tab(t, w.session(t, owner, client("203.0.113.7", "")))
	b.Open("/settings/profile")
	open := func() {
		b.Do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		b.Wait(`document.activeElement.id == "palette-text"`)
	}
	b.holdAnswers(`GET .*\/search`)
	open()
	b.Press("zebr", kb.Enter)
	b.held(1)
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector("#palette:popover-open")`)
	open()
	b.release(0)
	shown := `location.pathname + " " + document.getElementById("palette-list").textContent.includes("zebra")`
	if got := b.text(shown); got != "/settings/profile false" {
		t.Errorf("after the answer: %s", got)
	}
	b.Quiet()
}

// TestBrowserLateForm: two presses of the key of a new report open one form, and none once another page is there.
func TestBrowserLateForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.list(t, owner, "status:open")
	b.holdAnswers(`GET .*\/new`)
	b.Press("c", "c")
	b.held(1)
	b.release(0)
	b.Wait(`document.querySelector("dialog[open] report-form")`)
	if n := b.text(`String(answers.length) + document.querySelectorAll("report-form").length`); n != "11" {
		t.Errorf("requests and forms: %s", n)
	}
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector("dialog[open]")`)
	b.Press("c")
	b.held(2)
	b.Press("g", "m")
	b.Wait(`document.querySelector("main[data-page=my]")`)
	b.release(1)
	if b.holds(`document.querySelector("report-form") !== null`) {
		t.Error("the form of another page is opened")
	}
	b.Quiet()
}

// TestBrowserLateChange: while a change is being sent, the end of another request does not send the next one before
// its answer.
func TestBrowserLateChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(12, api.SliceFields{})...)
	b := w.split(t, "")
	b.holdAnswers(`POST .*\/(reports|board)`)
	b.Press("j", "p")
	b.Wait(`document.querySelector("#menu-priority:popover-open")?.contains(document.activeElement)`)
	b.Press(kb.ArrowDown, kb.Enter)
	b.held(1)
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("#pane h1")?.textContent == "Report 012"`)
	b.holds(`document.querySelector("#WEB-173 .row-title").focus(), true`)
	b.Press("s", kb.ArrowDown, kb.Enter)
	b.Wait(`!document.querySelector(":popover-open")`)
	b.settle()
	if n := b.text(`String(answers.length)`); n != "1" {
		t.Errorf("%s changes were sent before the first was answered", n)
	}
	b.holds(`window.fetch = send, answers.forEach((arrive) => arrive()), true`)
	b.Wait(`document.querySelector("#WEB-173[data-status=in_progress][data-priority=urgent]")`)
	b.Quiet()
}

// TestBrowserQueueBeforePage: changes that wait for another one are sent before a page replaces the list.
func TestBrowserQueueBeforePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(4, api.SliceFields{})...) // WEB-162 to WEB-165
	b := w.list(t, owner, "status:open")
	b.holdAnswers(`POST .*\/(reports|board)`)
	b.Press("j", "e", "e", "j", "e", "e")
	b.Wait(`document.querySelectorAll(".row[aria-busy]").length == 2`)
	b.held(1)
	asks := `!dispatchEvent(new Event("beforeunload", {cancelable: true}))`
	if !b.holds(asks) {
		t.Error("the page is left without a question, and a change that waits is lost")
	}
	b.Press("g", "m")
	b.settle()
	b.holds(`window.fetch = send, answers.forEach((arrive) => arrive()), true`)
	b.Wait(`document.querySelector("main[data-page=my]")`)
	if got := w.statuses(t, "status:resolved"); got != "WEB-165 WEB-164" && got != "WEB-164 WEB-165" {
		t.Errorf("resolved are %q", got)
	}
	if b.holds(asks) {
		t.Error("a page without changes asks before it is left")
	}
	b.Quiet()
}

// TestBrowserLateWorkspace: what is typed while the choices of another workspace are fetched stays, and the last
// chosen workspace counts.
func TestBrowserLateWorkspace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, client("203.0.113.7", "")))
	b.Size(1024, 768)
	b.Open("/new?workspace=WEB")
	b.Fill("summary", "The first")
	b.holdAnswers(`POST .*\/new\/draft`)
	choose := func(key string) {
		b.holds(fmt.Sprintf(`(() => { const field = document.querySelector("[name=workspaceId]");
			field.value = [...field.options].find((o) => o.textContent.includes(%q)).value;
			field.dispatchEvent(new Event("change", {bubbles: true}));
			return true; })()`, key))
	}
	shown := func() string {
		return b.text(`(() => { const f = document.querySelector("report-form form").elements;
			return [f.workspaceId.selectedOptions[0].textContent.trim(), f.summary.value, f.description.value].join("; "); })()`)
	}
	b.Wait(`answers.length > 0`) // the comparison of the summary
	n := browsertest.Eval[int](b.Tab, `answers.length`)
	choose("Mobile")
	b.held(n + 1)
	b.ClickOn("#description")
	b.Press("typed meanwhile")
	b.release(n)
	if got := shown(); got != "Mobile app; The first; typed meanwhile" {
		t.Errorf("the form has %s", got)
	}
	choose("Web")
	b.held(n + 2)
	choose("Mobile")
	b.held(n + 3)
	b.release(n + 2)
	b.release(n + 1)
	if got := shown(); got != "Mobile app; The first; typed meanwhile" {
		t.Errorf("after answers in the other order the form has %s", got)
	}
}

// TestBrowserBoardQueue: a card that is dropped does not take along one that is still being changed.
func TestBrowserBoardQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	b := w.board(t, owner, 1280)
	b.holdAnswers(`POST .*\/(reports|board)`)
	b.drag("WEB-161", "in_progress")
	b.held(1)
	b.drag("WEB-160", "closed")
	b.Wait(`document.getElementById("WEB-160").closest(".column").dataset.group == "closed"`)
	if at := b.text(`document.getElementById("WEB-161").closest(".column").dataset.group`); at != "in_progress" {
		t.Errorf("the other card is in %s", at)
	}
	b.holds(`window.fetch = send, answers.forEach((arrive) => arrive()), true`)
	b.waitIn("in_progress", "WEB-161")
	b.waitIn("closed", "WEB-160")
	b.Quiet()
}

// TestBrowserLateNames: names that arrive after Escape, or after the caret has left their word, are not offered.
func TestBrowserLateNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.report(t, owner, "/WEB-161")
	b.ClickOn("#comment")
	b.holdAnswers(`GET .*\/search`)
	for i, after := range []string{kb.Escape, kb.Home} {
		b.Press(" see #chec")
		b.held(4*i + 4) // of each letter
		b.Press(after)
		b.release(4*i + 3)
		if b.holds(`Boolean(document.querySelector("#comment-completions:not([hidden]) .completion"))`) {
			t.Errorf("reports are offered after %q", after)
		}
		b.Press(kb.End)
	}
}

// TestBrowserSessionAgain: a session that ends at once again asks for the password again. What was refused before is
// sent once, and what was refused since only after that password.
func TestBrowserSessionAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, client("203.0.113.7", "")))
	b.Open("/settings/profile") // where no live updates say that there is a session
	b.holds(`window.sent = "", window.told = "", 
		window.end = (name) => document.dispatchEvent(new CustomEvent("session:ended", { detail: { again: () => { sent += name; } } })),
		document.addEventListener("session:closed", ({ detail }) => { told += detail.resumed ? "+" : "-"; }),
		end("a"), document.dispatchEvent(new Event("session:resumed")), end("b"), true`)
	b.Wait(`document.activeElement.id == "session-password"`)
	state := func(want string) {
		t.Helper()
		b.settle()
		if got := b.text(`sent + told + (document.querySelector("#session[open]") !== null)`); got != want {
			t.Errorf("sent and told are %s, not %s", got, want)
		}
	}
	state("a+true")
	b.Press(password, kb.Escape)
	state("a+-false")
	b.holds(`end("c"), true`)
	if typed := b.text(`document.getElementById("session-password").value`); typed != "" {
		t.Error("the password that was typed before is still there")
	}
	b.Press(password, kb.Enter)
	b.Wait(`told == "+-+" && sent == "ac"`)
	b.Quiet()
}

// TestBrowserBusyEvidence: all rows of the evidence are loaded also while the page is never idle.
func TestBrowserBusyEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, client("203.0.113.7", "")))
	b.Preload(`window.requestIdleCallback = (act, options) => options?.timeout && setTimeout(act, options.timeout)`)
	b.Open("/" + w.fileShop(t, func(name string) string { return name }))
	b.Wait(`document.querySelector(".evidence[data-loaded]")`)
	b.Quiet()
}
