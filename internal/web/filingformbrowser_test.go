package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// pickValue waits until the button of a field shows a text.
func (b tab) pickValue(name, text string) {
	b.T.Helper()
	b.Wait(`document.querySelector("[popovertarget=pick-` + name + `] .pick-value").textContent == "` + text + `"`)
}

// TestBrowserPickFields: the fields of a new report are chosen in menus by mouse and by keyboard, labels are created
// there, and the report has them. Ctrl and Enter files it from the title.
func TestBrowserPickFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1440, 900)
	b.Open("/new?workspace=WEB")
	b.ClickOn("[popovertarget=pick-priority]")
	b.Wait(`document.activeElement.matches("#pick-priority .menu-item[aria-current]")`)
	b.accessible("the menu of a field")
	b.Press("2")
	b.pickValue("priority", "High")
	b.Wait(`document.activeElement.matches("[popovertarget=pick-priority]")`)
	b.ClickOn("[popovertarget=pick-severity]")
	b.ClickOn("#pick-severity [value=minor]")
	b.pickValue("severity", "Minor")
	b.ClickOn("[popovertarget=pick-assigneeId]")
	b.Wait(`document.activeElement.matches("#pick-assigneeId [data-filter]")`)
	b.Press("nob", kb.Enter)
	b.Wait(`!document.querySelector("[popovertarget=pick-assigneeId]").hasAttribute("data-chosen")`)
	hostile := `<b onclick=alert(1)>x`
	b.ClickOn("[popovertarget=pick-labels]")
	b.Wait(`document.activeElement.matches("#pick-labels [data-filter]")`)
	b.Press("first", kb.Enter, hostile, kb.Enter, "second", kb.Enter, "first", kb.Enter)
	b.pickValue("labels", hostile+", second")
	if !b.holds(`document.querySelectorAll("#pick-labels [aria-current]").length == 2 && ` +
		`!document.querySelector("#pick-labels b")`) {
		t.Error("the menu does not tick the labels that are chosen")
	}
	b.Press(kb.Escape)
	b.Wait(`document.activeElement.matches("[popovertarget=pick-labels]")`)
	b.Wait(`localStorage.length == 1`)
	b.Reload()
	b.pickValue("priority", "High")
	b.pickValue("labels", hostile+", second")
	b.Fill("summary", "Cart")
	b.Do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.Wait(`location.pathname == "/WEB-162"`)
	b.Wait(`document.querySelector("[data-copy-text$='/WEB-162']") && ` +
		`document.querySelector(".notice").textContent.includes("WEB-162 is filed.")`)
	b.Dialogs()
	r, err := w.Report(t.Context(), w.caller(t, owner), "WEB-162")
	must(t, err)
	if r.Priority == nil || *r.Priority != "high" || *r.Severity != "minor" || r.AssigneeID != nil ||
		strings.Join(r.Labels, "|") != hostile+"|second" {
		t.Errorf("the report is %+v", r.SliceFields)
	}
	b.Quiet()
}

// TestBrowserCreateAnother: after a report with a file is filed, the form is empty but for its pills, and files a
// second report, from the dialog of a list and without script.
func TestBrowserCreateAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1440, 900)
	b.Open("/reports?workspace=WEB")
	b.Click("New report")
	b.Wait(`document.activeElement.id == "summary"`)
	b.Press("First")
	b.pickLabel("cart")
	b.paste("a.png")
	b.ClickOn("[name=another]")
	b.Click("File report")
	b.Wait(`document.querySelector(".report-notices").textContent.includes("WEB-162 is filed.") && ` +
		`document.activeElement.id == "summary" && document.activeElement.value == "" && !document.querySelector(".file")`)
	b.accessible("the form for another report")
	b.pickValue("labels", "cart")
	b.ClickOn("[name=another]")
	b.ClickOn("#summary")
	b.Press("Second")
	b.Do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl, chromedp.ModifierShift)))
	b.Wait(`document.querySelector(".report-notices").textContent.includes("WEB-163 is filed.") && ` +
		`document.activeElement.id == "summary" && document.activeElement.value == ""`)
	b.Press("Third")
	b.Do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.Wait(`location.pathname == "/WEB-164"`)
	if got := w.attached(t, "WEB-162"); len(got) != 1 || len(w.attached(t, "WEB-163")) != 0 {
		t.Errorf("%d files", len(got))
	}
	b.Quiet()
	plain := w.signedIn(t, owner)
	filed := plain.post("/new", "workspaceId", w.web, "summary", "Fourth", "description", "gone", "labels", "cart",
		"priority", "low", "another", "on").leadsTo("/new?another=on&labels=cart&priority=low&workspace=WEB")
	plain.get(filed.header.Get("Location")).wants(200, "WEB-165 is filed.", `href="/WEB-165"`, `value="cart" list`,
		`value="low" selected`, `name="another" value="on" checked`)
}

// TestBrowserDraftList: a draft that is put aside is in the list of the form with its title, opens from there, and comes
// back after it was discarded. The drafts of other people are not listed.
func TestBrowserDraftList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1440, 900)
	b.Open("/new?workspace=WEB")
	browsertest.Eval[bool](b.Tab, `localStorage.setItem("draft usr_other wsp_other", JSON.stringify({summary: "Secret", at: 1,
		address: "/new?workspace=WEB"})), localStorage.setItem("draft `+w.users[owner]+` wsp_evil", JSON.stringify({summary: "Evil",
		at: 1, address: "javascript:alert(1)"})), true`)
	b.Fill("summary", "<img src=x onerror=alert(1)> one")
	b.Wait(`localStorage.length == 3`)
	b.Reload()
	b.Dialogs()
	b.Click("begin another report")
	b.Wait(`document.activeElement.value == "" && document.querySelector("[data-drafts]").innerText.trim() == "1 draft"`)
	b.Press("Two")
	b.Wait(`localStorage.length == 4`)
	b.ClickOn("[data-drafts]")
	b.Wait(`document.querySelectorAll(".draft").length == 1 && ` +
		`document.querySelector(".draft .menu-text").textContent.endsWith("one")`)
	b.accessible("the drafts")
	b.ClickOn(".draft a")
	b.Wait(`document.querySelector("#summary").value.endsWith("one") && location.search.includes("draft=")`)
	b.Wait(`document.querySelector("[data-drafts]").innerText.trim() == "1 draft"`)
	b.ClickOn("[data-drafts]")
	b.Wait(`document.querySelector(".draft .menu-text").textContent == "Two"`)
	b.ClickOn(".draft button")
	b.Wait(`document.querySelector("[data-drafts]").hidden && document.activeElement.matches("[data-undo-draft]")`)
	b.Press(kb.Enter)
	b.Wait(`!document.querySelector("[data-drafts]").hidden && ` +
		`document.querySelector(".report-notices").textContent.trim() == ""`)
	b.Click("Discard it")
	b.Wait(`document.querySelector("#summary").value == ""`)
	b.Click("Undo")
	b.Wait(`document.querySelector("#summary").value.endsWith("one")`)
	b.Dialogs()
	b.Quiet()
}

// TestBrowserNewCard: a column of the board files a report with its status, and the board shows the card then, with
// script and without.
func TestBrowserNewCard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1440, 900)
	for i, scripts := range []bool{false, true} {
		b.Script(scripts)
		b.Open("/board?workspace=WEB")
		b.ClickOn("#group-in_progress .column-add")
		b.Wait(`document.activeElement.id == "summary"`)
		b.Press("A card")
		if scripts {
			b.pickValue("status", "In progress")
			b.accessible("the form of a column")
			b.Wait(`document.querySelector(".similar a")`) // it moves the buttons
		}
		b.Click("File report")
		b.Wait(fmt.Sprintf(`location.pathname == "/board" && document.querySelector("#group-in_progress a[href='/WEB-%d']") && `+
			`document.querySelector(".notice").textContent.includes("WEB-%d is filed.")`, 162+i, 162+i))
	}
	b.Quiet()
	plain := w.signedIn(t, owner)
	for _, next := range []string{"//evil.example", "https://evil.example/board", "/login", "/files/x", "javascript:alert(1)"} {
		plain.get("/new?workspace=WEB&next="+url.QueryEscape(next)).wants(200, `href="/reports?workspace=WEB" data-cancel`)
	}
	plain.post("/new", "workspaceId", w.web, "summary", "Hostile", "next", "//evil.example").leadsTo("/WEB-164")
}

// TestBrowserFormBesideAReport: the form of a new report is laid out alike where the styles of reports are loaded, too:
// its title is above its fields.
func TestBrowserFormBesideAReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.list(t, owner, "")
	b.Size(1440, 900)
	b.Wait(`[...document.styleSheets].some((s) => s.href?.includes("/report."))`)
	b.Press("c")
	b.Wait(`document.querySelector("dialog[open] report-form") && document.activeElement.id == "summary"`)
	if !b.holds(`document.querySelector("dialog[open] h1").getBoundingClientRect().bottom <= ` +
		`document.getElementById("summary").getBoundingClientRect().top`) {
		t.Error("the title of the form is not above its fields")
	}
}
