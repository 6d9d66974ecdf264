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

// list opens the list of a text, as somebody, in a wide window.
func (w *world) list(t *testing.T, who, text string) tab {
	t.Helper()
	b := w.tab(t, w.session(t, who, tracker.Client{}))
	b.Size(1280, 900)
	b.Open(reportsAt(text))
	return b
}

// at returns the reference of the row with the focus.
func (b tab) at() string {
	b.T.Helper()
	return b.text(`document.activeElement.closest(".row")?.id ?? document.activeElement.outerHTML.slice(0, 200)`)
}

// waitAt waits until the row of a reference has the focus, and a notice holds a text.
func (b tab) waitAt(reference, notice string) {
	b.T.Helper()
	b.Wait(fmt.Sprintf(`document.activeElement.closest(".row")?.id == %q && (document.querySelector("[data-notice]")?.textContent ?? `+
		`"").includes(%q)`,
		reference, notice))
}

// statuses returns the number of reports in the list, and their statuses.
func (w *world) statuses(t *testing.T, text string) string {
	t.Helper()
	return w.signedIn(t, owner).get(reportsAt(text)).wants(200).shown()
}

// TestBrowserTriage triages twenty reports with the keyboard alone: their priority, assignee, labels and status, a
// bulk close and its undo. After a row has left the list, the next one has the focus, and no page is loaded.
func TestBrowserTriage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(18, api.SliceFields{})...) // WEB-162 to WEB-179
	b := w.list(t, owner, "status:open")
	b.holds(`window.kept = true`)
	menu := func(name string) {
		b.Wait(fmt.Sprintf(`document.querySelector("#menu-%s:popover-open")?.contains(document.activeElement)`, name))
	}
	b.Press("j")
	b.waitAt("WEB-179", "")
	b.Press("p")
	menu("priority")
	b.Press(kb.ArrowDown, kb.Enter) // from no priority, which is ticked, to urgent
	b.waitAt("WEB-179", "WEB-179: priority Urgent.")
	b.Press("a")
	menu("assignee")
	b.Press("jon", kb.Enter)
	b.waitAt("WEB-179", "WEB-179: assigned to Jonas Weber.")
	b.Press("l")
	menu("labels")
	b.Press("checkout", kb.Enter)
	b.Wait(`document.querySelector("[data-notice]")?.textContent.includes("WEB-179: label checkout added.")`)
	b.Press(kb.Escape)
	b.waitAt("WEB-179", "WEB-179: label checkout added.")
	b.Press("e", "e")
	b.waitAt("WEB-178", "WEB-179: resolved as Fixed.")
	b.Press("s")
	menu("status")
	b.Press(kb.ArrowDown, kb.Enter)
	b.waitAt("WEB-177", "WEB-178: In progress.")
	b.Press("k", "k", "k")
	b.waitAt("WEB-177", "")
	b.Press("j", "x", "j", "j", "j", "X")
	b.Wait(`document.querySelector("[data-count]").textContent == "4 selected"`)
	b.Press("s")
	menu("status")
	b.Press(kb.ArrowUp, kb.Enter)
	b.waitAt("WEB-172", "4 reports: Closed.")
	if left := w.statuses(t, "status:closed"); left != "WEB-176 WEB-175 WEB-174 WEB-173" {
		t.Errorf("closed are %s", left)
	}
	b.Press("z")
	b.waitAt("WEB-172", "4 reports are as they were.")
	if left := w.statuses(t, "status:closed"); left != "" {
		t.Errorf("after the undo %s are closed", left)
	}
	for b.at() != "WEB-160" { // the rest of the twenty
		b.Press("j", "x")
	}
	b.Press("e", kb.ArrowDown, kb.Enter)
	b.waitAt("WEB-172", "12 reports: resolved as Won’t fix.")
	b.Press("x", "k", "k", "k", "k", "k", "X")
	b.Wait(`document.querySelector("[data-count]").textContent == "6 selected"`)
	b.Press("a")
	menu("assignee")
	b.Press("me", kb.Enter)
	b.waitAt("WEB-177", "6 reports: assigned to Mara Lindqvist.")
	if left := w.statuses(t, "status:open assignee:none"); left != "" {
		t.Errorf("of the twenty, %s are not triaged", left)
	}
	got, err := w.Report(t.Context(), w.caller(t, owner), "WEB-179")
	must(t, err)
	if got.Status != api.Resolved || *got.Priority != "urgent" || *got.AssigneeID != w.users[member] ||
		strings.Join(got.Labels, "") != "checkout" {
		t.Errorf("WEB-179 is %+v", got.SliceFields)
	}
	if !b.holds(`window.kept === true && document.documentElement.outerHTML.indexOf(" style=") < 0`) {
		t.Error("a page was loaded, or a style was written")
	}
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("#pane:not([hidden]) h1")`)
	b.Quiet()
}

// TestBrowserShortcuts: keys do nothing in fields, with modifiers, or when somebody has turned them off. What opens
// takes the focus and gives it back.
func TestBrowserShortcuts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.list(t, owner, "")
	b.Size(390, 500)
	b.Press("?")
	b.Wait(`document.activeElement == document.querySelector("#shortcuts:popover-open") && document.activeElement.scrollTop == 0`)
	b.photograph("shortcuts", 390, "dark", false)
	b.Size(1440, 900)
	b.photograph("shortcuts", 1440, "light", false)
	b.Press("j", kb.Escape)
	b.Wait(`!document.querySelector("#shortcuts:popover-open") && !document.activeElement.closest(".row")`)
	b.Press("?")
	b.Wait(`document.querySelector("#shortcuts:popover-open")?.contains(document.activeElement)`)
	b.Press(kb.Tab, kb.Tab, kb.Tab) // past the link and the button
	b.Wait(`!document.querySelector("#shortcuts:popover-open") && document.activeElement != document.body`)
	b.Press("?")
	b.Wait(`document.querySelector("#shortcuts:popover-open")?.contains(document.activeElement)`)
	b.holds(`document.querySelector("#shortcuts").dispatchEvent(new MouseEvent("click", {clientX: 1, clientY: 1, bubbles: true}))`)
	b.Wait(`!document.querySelector("#shortcuts:popover-open")`)
	b.Press("j", "s")
	b.Wait(`document.querySelector("#menu-status:popover-open")?.contains(document.activeElement)`)
	b.Press("j", "x", kb.Escape)
	b.waitAt("WEB-161", "")
	b.Press("x")
	b.Wait(`document.querySelectorAll("[name=items]:checked").length == 1`)
	b.Press(kb.Escape)
	b.Wait(`document.querySelectorAll("[name=items]:checked").length == 0`)
	b.holds(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "j", ctrlKey: true, bubbles: true})),
		document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "j", isComposing: true, bubbles: true}))`)
	b.waitAt("WEB-161", "")
	b.Press("/")
	b.Wait(`document.activeElement.id == "q"`)
	b.Press("jxse?")
	b.Wait(`document.querySelector(".empty") && location.search.includes("jxse")`)
	if at := b.text(`document.activeElement.id + document.activeElement.value`); at != "qjxse?" {
		t.Errorf("the focus is on %s", at)
	}
	b.ClickOn(".toolbar .chip [aria-label^=Remove]")
	b.Wait(`document.querySelectorAll(".row").length == 2 && document.getElementById("q").value == ""`)
	b.Press("g", "s")
	b.Wait(`document.querySelector("[data-page=keys]") && document.readyState == "complete"`)
	b.Press("g", "l")
	b.Wait(`document.querySelector("[data-page=reports]")`)
	w.signedIn(t, owner).post("/settings/profile", "version", "1", "name", "Mara", "theme", "system", "timeZone",
		"UTC").wants(303)
	b.Open("/reports")
	b.Press("j", "?", "/")
	if b.holds(`document.activeElement.closest(".row, #shortcuts, .search") != null`) {
		t.Error("a key is a command although they are turned off")
	}
	b.Quiet()
}

// TestBrowserTwoPeople: of two people who change the same fifty reports at once, the second one is told which reports
// the first one has changed, and changes none of them. The undo of the first leaves what the second has changed
// since.
func TestBrowserTwoPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(50, api.SliceFields{})...)
	first, second := w.list(t, owner, "report"), w.list(t, member, "report")
	all := `document.querySelectorAll("[name=items]").forEach((box) => box.checked || box.click()), true`
	first.holds(all)
	second.holds(all)
	choose := func(b tab, menu, value string) {
		b.ClickOn(".selection [popovertarget=menu-" + menu + "]")
		b.ClickOn("#menu-" + menu + ` [value="` + value + `"]`)
	}
	choose(first, "priority", "high")
	first.Wait(`document.querySelector("[data-notice]")?.textContent.includes("50 reports: priority High.")`)
	choose(second, "priority", "low")
	second.Wait(`document.querySelector("[data-notice]")?.textContent.includes("50 reports")`)
	if text := second.text(`document.querySelector("[data-notice]").textContent`); !strings.Contains(text,
		"changed meanwhile and stay as they are") {
		t.Errorf("the second one reads %s", text)
	}
	if n := len(strings.Fields(w.statuses(t, "priority:high"))); n != 50 {
		t.Errorf("%d reports have what the first one chose", n)
	}
	second.holds(`document.querySelector("[name=items]").click(), true`)
	choose(second, "priority", "low")
	second.Wait(`document.querySelector("[data-notice]")?.textContent.includes("priority Low.")`)
	first.ClickOn("[data-undo]")
	first.Wait(`document.querySelector("[data-notice]")?.textContent.includes("49 reports are as they were.")`)
	if left := w.statuses(t, "priority:low"); left != "WEB-211" {
		t.Errorf("what the second one has changed is %s", left)
	}
	first.Quiet()
	second.Quiet()
}

// TestBrowserListWithoutScript: without script reports are filtered, selected, changed and restored by forms and links.
func TestBrowserListWithoutScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(52, api.SliceFields{Labels: []string{"x"}})...)
	b := w.list(t, owner, "")
	b.Script(false)
	b.Open("/reports?workspace=WEB")
	b.Fill("q", "label:x")
	b.Press(kb.Enter)
	b.Wait(`location.search.includes("label%3Ax") && document.querySelectorAll(".row").length == 50`)
	b.Click("More reports")
	b.Wait(`document.querySelectorAll(".row").length == 2`)
	b.ClickOn(".row [name=items]")
	b.ClickOn(".selection [popovertarget=menu-status]")
	b.ClickOn("#menu-status [value=closed]")
	b.Wait(`document.querySelector("[data-notice]")?.textContent.includes("WEB-163: Closed.")`)
	b.Click("Undo")
	b.Wait(`document.querySelector("[data-notice]")?.textContent.includes("Undone: WEB-163 is Open again.")`)
	if left := w.statuses(t, "status:closed"); left != "" {
		t.Errorf("closed are %s", left)
	}
	b.Quiet()
}

// TestBrowserDelete: the selected reports are deleted, also by the keyboard, from the board and without script, and
// Undo restores them. Delete without a selection deletes nothing, and neither does Enter on a box. Enter in the field
// of a label adds it.
func TestBrowserDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(4, api.SliceFields{Labels: []string{"x"}})...) // WEB-162 to WEB-165
	b := w.list(t, owner, "label:x")
	listed := func(want string) {
		t.Helper()
		b.Wait(fmt.Sprintf(`[...document.querySelectorAll("#results .row")].map((row) => row.id).join(" ") == %q`,
			want))
	}
	said := func(want string) {
		t.Helper()
		b.Wait(fmt.Sprintf(`(document.querySelector("[data-notice]")?.textContent ?? "").includes(%q)`, want))
	}
	b.Press("j", kb.Delete, "x", "j", "x", kb.Delete)
	b.waitAt("WEB-163", "2 reports are deleted.")
	listed("WEB-163 WEB-162")
	if left := w.statuses(t, "label:x"); left != "WEB-163 WEB-162" {
		t.Errorf("%s are left", left)
	}
	b.Press("z")
	b.waitAt("WEB-163", "2 reports are as they were.")
	listed("WEB-165 WEB-164 WEB-163 WEB-162")
	b.Press("k", "k", kb.Enter)
	b.Wait(`document.querySelector("#pane:not([hidden]) h1")`)
	b.ClickOn("#WEB-165 .row-select")
	b.Press(kb.Enter)
	b.ClickOn(".selection [name=delete]")
	said("WEB-165 is deleted.")
	b.Wait(`document.querySelector("#pane h1").textContent == "WEB-165 is deleted"`)
	b.Click("Undo")
	b.Wait(`document.querySelector("#pane h1")?.textContent == "Report 004" && document.querySelector("#pane ` +
		`#field-status").textContent.includes("Open")`)
	b.Open("/board?workspace=WEB&q=label:x")
	b.ClickOn("#WEB-164 .row-select")
	b.ClickOn(".selection [name=delete]")
	said("WEB-164 is deleted.")
	listed("WEB-165 WEB-163 WEB-162")
	b.Click("Undo")
	said("WEB-164 is as it was.")
	b.Script(false)
	b.Open("/reports?workspace=WEB&q=label:x")
	b.ClickOn("#WEB-163 [name=items]")
	b.Press(kb.Enter)
	b.Wait(`document.querySelector(".notice")?.textContent.includes("Choose what to change")`)
	b.ClickOn("#WEB-163 [name=items]")
	b.ClickOn(".selection [popovertarget=menu-labels]")
	b.ClickOn("#menu-labels input[name=addLabel]")
	b.Press("y", kb.Enter)
	said("WEB-163: label y added.")
	b.ClickOn("#WEB-163 [name=items]")
	b.ClickOn(".selection [name=delete]")
	said("WEB-163 is deleted.")
	listed("WEB-165 WEB-164 WEB-162")
	b.Click("Undo")
	said("WEB-163 is as it was.")
	listed("WEB-165 WEB-164 WEB-163 WEB-162")
	if left := w.statuses(t, "label:x status:open"); left != "WEB-165 WEB-164 WEB-163 WEB-162" {
		t.Errorf("%s are open", left)
	}
	b.Quiet()
}

// TestBrowserMore: further reports are added to the list, which can be selected and changed with the first ones.
func TestBrowserMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(120, api.SliceFields{})...)
	b := w.list(t, owner, "report")
	for _, n := range []int{100, 120} {
		b.Click("More reports")
		b.Wait(fmt.Sprintf(`document.querySelectorAll(".row").length == %d`, n))
	}
	if b.holds(`document.querySelector(".next") != null`) {
		t.Error("a list that is complete offers more")
	}
	b.ClickOn(".row .row-select")
	browsertest.Eval[bool](b.Tab, `document.querySelectorAll(".row [name=items]")[119].closest("label").dispatchEvent(
		new MouseEvent("click", {shiftKey: true, bubbles: true, cancelable: true})), true`)
	b.Wait(`document.querySelector("[data-count]").textContent == "120 selected"`)
	b.ClickOn(".selection [popovertarget=menu-status]")
	b.ClickOn("#menu-status [value=in_progress]")
	b.Wait(`document.querySelector("[data-notice]")?.textContent.includes("120 reports: In progress.")`)
	b.Wait(`document.querySelectorAll(".row[data-status=in_progress]").length == 120`)
	b.ClickOn(".rows:nth-child(4) > .row:nth-child(5) [popovertarget=menu-priority]") // the 80th
	b.ClickOn("#menu-priority [value=low]")
	b.Wait(`document.querySelector("[data-notice]")?.textContent.includes(": priority Low.") &&
		document.querySelectorAll(".row").length == 120 && document.querySelectorAll(".row")[79].dataset.priority == "low"`)
	b.Press("z")
	b.Wait(`document.querySelector("[data-notice]")?.textContent.includes("as it was.") &&
		document.querySelectorAll(".row").length == 120 && document.querySelectorAll(".row")[79].dataset.priority == ""`)
	b.Quiet()
}

// TestBrowserSearchOfMany: the rows of a search that follow its first ones are those of a list: they keep its height,
// open and change.
func TestBrowserSearchOfMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(60, api.SliceFields{})...)
	b := w.list(t, owner, "status:open")
	b.holds(`window.heights = new Set(), new MutationObserver(() => {
		if (document.querySelector(".chips")?.textContent.includes("Report")) heights.add(document.querySelector(".pages").` +
		`getBoundingClientRect().height);
	}).observe(document.getElementById("main"), {childList: true, subtree: true, attributes: true}), true`)
	b.Press("/", " Report")
	b.Wait(`document.querySelector(".chips").textContent.includes("Report") && document.querySelectorAll(".row").length == 50`)
	b.Wait(`heights.size == 1 && document.querySelector(".rows[style]") == null`)
	b.holds(`document.querySelectorAll(".row-title")[40].focus(), window.at = document.activeElement.closest(".row").id, true`)
	b.Press("e", "e")
	b.Wait(`document.querySelectorAll(".row").length == 49 && document.getElementById(at) == null`)
	b.Press(kb.Enter)
	b.Wait(`document.querySelector(".report h1") != null`)
	b.Quiet()
}

// TestBrowserUndoKeepsPlace: the undo of reports that have left the list puts each where it was, and keeps the pages
// of the list.
func TestBrowserUndoKeepsPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(80, api.SliceFields{})...)
	b := w.list(t, owner, "report status:open")
	b.Click("More reports")
	b.Wait(`document.querySelectorAll(".row").length == 80`)
	b.holds(`window.before = [...document.querySelectorAll(".row")].map((r) => r.id).join(), document.querySelector(".row").first = true`)
	b.holds(`document.querySelector("#WEB-190 .row-title").focus(), true`)
	b.Press("x", "j", "x", "j", "j", "x")                                    // WEB-190, 189 and 187
	b.holds(`document.querySelector("#WEB-162 [name=items]").click(), true`) // and the last one
	b.Press("e", "e")
	b.waitAt("WEB-186", "4 reports: resolved as Fixed.")
	b.Wait(`document.querySelectorAll(".row").length == 76 && document.querySelector(".total").textContent.trim() == "76 reports"`)
	b.Press("z")
	b.waitAt("WEB-186", "4 reports are as they were.")
	if !b.holds(`[...document.querySelectorAll(".row")].map((r) => r.id).join() == window.before && ` +
		`document.querySelector(".row").first === true`) {
		t.Error(b.text(`[...document.querySelectorAll(".row")].map((r) => r.id).join(" ")`))
	}
	b.Quiet()
}

// TestBrowserGroups: a report that is changed moves to the group of its value, and the counts follow.
func TestBrowserGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, api.SliceFields{Summary: "a", Status: api.InProgress})
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1280, 900)
	b.Open("/reports?workspace=WEB&group=status&q=")
	groups := `[...document.querySelectorAll("[data-group]")].map((g) => g.dataset.group + ` +
		`g.querySelector(".group-count").textContent + ":" +
		[...g.querySelectorAll(".row")].map((r) => r.id)).join(" ")`
	b.Press("j", "s")
	b.Wait(`document.querySelector("#menu-status:popover-open")?.contains(document.activeElement)`)
	b.Press(kb.ArrowDown, kb.Enter)
	b.Wait(groups + ` == "open1:WEB-160 in_progress2:WEB-161,WEB-162"`)
	b.waitAt("WEB-161", "WEB-161: In progress.")
	b.Press("k", "e", "e") // the group of resolved reports is new
	b.Wait(groups + ` == "in_progress2:WEB-161,WEB-162 resolved1:WEB-160"`)
	b.Wait(`document.querySelector("[data-undo]") && document.activeElement.closest(".row")`)
	b.Quiet()
}

// TestBrowserLastReports: when the last reports leave a list, it says that none matches, and Undo brings them back.
func TestBrowserLastReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.list(t, owner, "status:open")
	b.Press("j", "x", "j", "x", "e", "e")
	b.Wait(`document.querySelector(".empty") && document.querySelector("[data-notice]")?.textContent.includes("2 reports: resolved ` +
		`as Fixed.")`)
	b.Press("z")
	b.Wait(`document.querySelectorAll(".row").length == 2 && document.activeElement.closest(".row")`)
	b.Quiet()
}

// TestBrowserCompletion: words, values and names are completed while somebody types, by the keyboard and by the mouse.
func TestBrowserCompletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, api.SliceFields{Summary: "a", Labels: []string{"sign in", "none"}, AssigneeID: new(w.users[member])})
	b := w.list(t, owner, "")
	options := func(want string) {
		b.Wait(fmt.Sprintf(`[...document.querySelectorAll("#completions:not([hidden]) .completion")].map((e) => `+
			`e.textContent).join("|") == %q`, want))
	}
	text := func(want string) {
		b.Wait(fmt.Sprintf(`document.getElementById("q").value == %q && document.activeElement.id == "q"`, want))
	}
	b.ClickOn("#q")
	options("status:status:open|assignee:assignee:me|label:label:flaky|created:created:7d|has:has:replay|browser:browser:Chrome|" +
		"no:no:assignee|is:is:active")
	b.Press("sta")
	options("status:")
	b.Press(kb.Enter) // the first one is chosen
	text("status:")
	options("open|In progress|resolved|closed")
	b.Press("in p", kb.Backspace, kb.Backspace, kb.Backspace, kb.Backspace, "o", kb.Tab)
	text("status:open ")
	b.Wait(`location.search.includes("status%3Aopen")`)
	b.Press("sort:") // not complete: the list stays until Enter
	options("created|created-asc|updated|updated-asc|priority|priority-asc")
	b.Press("x", kb.Enter)
	b.Wait(`document.getElementById("completions").hidden && document.querySelector(".faults mark")?.textContent == "x"`)
	for range "sort:x" {
		b.Press(kb.Backspace)
	}
	text("status:open ")
	b.Wait(`document.querySelectorAll(".row").length == 3`)
	b.Press("label:")
	options(`none|"none"|"sign in"`)
	b.Press("sig")
	options(`"sign in"`)
	b.ClickOn(".completion")
	text(`status:open label:"sign in" `)
	b.Wait(`document.querySelectorAll(".row").length == 1`)
	b.Press("assignee:none,we")
	options(`"Jonas Weber"`)
	b.Press(kb.Escape)
	options("")
	b.Press("b")
	options(`"Jonas Weber"`)
	b.Press(kb.ArrowUp, kb.Enter)
	text(`status:open label:"sign in" assignee:none,"Jonas Weber" `)
	b.Wait(`document.querySelectorAll(".row").length == 1 && document.querySelectorAll(".toolbar .chip").length == 3`)
	b.Press("-s")
	options("space:|status:|severity:|source:") // and not sort
	b.Press(kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, kb.Enter, "mi", kb.Enter)
	text(`status:open label:"sign in" assignee:none,"Jonas Weber" -severity:minor `)
	b.Wait(`[...document.querySelectorAll(".toolbar .chip")].pop().textContent.trim() == "Severity is not Minor"`)
	b.Press(kb.Enter, kb.Escape)
	b.Wait(`document.activeElement.closest(".row")`)
	b.Quiet()
}

// TestBrowserManyChoices: menus and the completion offer the first hundred labels, and find the others on the server.
func TestBrowserManyChoices(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for i := range 3 {
		f := api.SliceFields{Summary: fmt.Sprint("Report ", i)}
		for n := range 50 {
			f.Labels = append(f.Labels, fmt.Sprintf("area %03d", 50*i+n))
		}
		w.fileMany(t, f)
	}
	w.fileMany(t, api.SliceFields{Summary: "Report without labels"})
	b := w.list(t, owner, "report sort:created-asc")
	b.Press("j", "j", "j", "l")
	b.Wait(`document.querySelector("#menu-labels:popover-open")?.contains(document.activeElement)`)
	if n := browsertest.Eval[int](b.Tab, `document.querySelectorAll("#menu-labels .menu-item").length`); n != 100 {
		t.Errorf("the menu has %d labels", n)
	}
	shown := `[...document.querySelectorAll("#menu-labels .menu-item:not([data-created])")].filter((e) => !e.hidden)` +
		`.map((e) => e.textContent).join()`
	b.Press("042")
	b.Wait(shown + ` == "area 042"`)
	for range "042" {
		b.Press(kb.Backspace)
	}
	b.Press("123")
	b.Wait(shown + ` == "area 123"`)
	b.Wait(`document.querySelector("#menu-labels [value='area 123']").getAttribute("aria-current") == "true"`) // WEB-164 has it
	b.Press(kb.Escape, "j", "l", "149")
	b.Wait(shown + ` == "area 149"`)
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("[data-notice]")?.textContent.includes("label area 149 added.")`)
	b.Press(kb.Escape)
	b.waitAt("WEB-165", "label area 149 added.")
	b.ClickOn("#q")
	b.Press(" label:149")
	b.Wait(`document.querySelector(".completion")?.textContent == '"area 149"'`)
	b.Press(kb.ArrowDown, kb.Enter)
	b.Wait(`document.querySelectorAll(".row").length == 2`)
	b.Quiet()
}

// TestBrowserEndedSession: when the session has ended, the next filter or change asks for the password, and is then
// carried out.
func TestBrowserEndedSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for done, act := range map[string]func(tab){
		`document.querySelector(".toolbar .chip")?.textContent == "voucher"`: func(b tab) {
			b.Fill("q", "voucher")
		},
		`document.querySelector("[data-notice]")?.textContent.includes("WEB-161: resolved as Fixed.")`: func(b tab) {
			b.Press("j", "e", "e")
		},
	} {
		b := w.followed(t, owner, "")
		w.endSessions(t)
		act(b)
		b.Wait(`document.activeElement.id == "session-password" && !document.querySelector("[aria-busy]")`)
		if left := w.statuses(t, "status:resolved"); left != "" {
			t.Errorf("without a session %s were resolved", left)
		}
		b.Press(password, kb.Enter)
		b.Wait(done)
		w.change(t, owner, "WEB-161", api.SlicePatch{"status": "open"})
		b.Quiet()
	}
}

// TestBrowserLostConnection: a change without an answer says so, and the list can be used again.
func TestBrowserLostConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.list(t, owner, "")
	b.holds(`window.fetched = window.fetch, window.fetch = () => Promise.reject(new TypeError("Failed to fetch")), true`)
	b.Press("j", "e", "e")
	b.Wait(`document.querySelector("[data-lost]:not([hidden])") && !document.querySelector("[aria-busy]")`)
	b.holds(`window.fetch = window.fetched, true`)
	b.Press("e", "e")
	b.waitAt("WEB-161", "WEB-161: resolved as Fixed.")
	if b.holds(`document.querySelector("[data-lost]:not([hidden])") != null`) {
		t.Error("the notice stays")
	}
}
