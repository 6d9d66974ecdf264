package web

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// TestBrowserLiveReport: the page of a report shows what others change and write, and marks it; what the reader types
// stays, and so does its place. What the reader changes is not marked.
func TestBrowserLiveReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	w.comment(t, member, "The first one.")
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1280, 500)
	b.Open("/WEB-161")
	w.streams(t, 1)
	b.Wait(`document.querySelector("[data-followed]")`)
	b.Wait(`document.querySelector("#comment-form textarea")`)
	b.holds(`window.kept = true, document.querySelector("#comment-form textarea").focus(), true`)
	b.Press("My words")
	top := `document.querySelector("#comment-form textarea").getBoundingClientRect().top`
	at := browsertest.Eval[float64](b.Tab, top)
	w.comment(t, member, "Somebody else's words.")
	b.Wait(`document.querySelector(".entries").textContent.includes("Somebody else's words.")`)
	if moved := browsertest.Eval[float64](b.Tab, top) - at; math.Abs(moved) > 1 {
		t.Errorf("the field moves by %g", moved)
	}
	if got := b.text(`document.querySelector("#comment-form textarea").value + " " + document.activeElement.name`); got != "My words body" {
		t.Errorf("the field has %s", got)
	}
	marked := `[...document.querySelectorAll("[data-marked]")].map((e) => e.textContent.trim().replace(/\s+/g, " ")).join("|")`
	if got := b.text(marked); !strings.Contains(got, "Somebody else's words.") ||
		strings.Contains(got, "The first one.") {
		t.Errorf("marked are %s", got)
	}
	b.Wait(`document.querySelector("[data-part-changed]").textContent != ""`)
	b.accessible("a report that somebody has changed")
	b.photograph("live-report", 1280, "light", false)
	b.Wait(`!document.querySelector("[data-marked]")`)
	w.change(t, member, "WEB-161", api.SlicePatch{"priority": "urgent"})
	b.Wait(`document.querySelector(".report").dataset.priority == "urgent" && document.querySelector(".fields [data-marked] ` +
		`#field-priority")`)

	b.Wait(`!document.querySelector("[data-marked]")`)
	pages := `performance.getEntriesByType("resource").filter((e) => e.name.endsWith("/WEB-161")).length`
	b.ClickOn("#field-status")
	b.Wait(`document.querySelector("#report-status:popover-open")`)
	asked := browsertest.Eval[int](b.Tab, pages)
	w.change(t, member, "WEB-161", api.SlicePatch{"severity": "minor"})
	b.Wait(fmt.Sprintf("%s > %d", pages, asked))
	b.settle()
	if b.holds(`document.querySelector(".report").dataset.severity == "minor"`) {
		t.Error("the report changes under an open menu")
	}
	b.Press(kb.Escape)
	b.Wait(`document.querySelector(".report").dataset.severity == "minor"`)
	b.ClickOn("#field-status")
	b.ClickOn("#report-status [value=closed]")
	b.Wait(`document.querySelector(".report").dataset.status == "closed"`)
	if b.holds(`document.querySelector(".fields [data-marked] #field-status") != null`) {
		t.Error("the reader's own change is marked")
	}
	if got := b.text(`document.querySelector("#comment-form textarea").value`); got != "My words" {
		t.Errorf("the field has %s", got)
	}
	_, err := w.DeleteSlice(t.Context(), w.caller(t, member), valid(t, api.DeleteSlice{SliceID: "WEB-161"}))
	must(t, err)
	restores := func() {
		t.Helper()
		b.Wait(`document.querySelector("#main > .notice")?.textContent.includes("Jonas Weber deleted this report")`)
		b.accessible("a report that somebody has deleted")
		b.ClickOn("#main > .notice [data-restore] button")
		b.noticed("The report is restored.")
	}
	restores()
	_, err = w.DeleteSlice(t.Context(), w.caller(t, member), valid(t, api.DeleteSlice{SliceID: "WEB-161"}))
	must(t, err)
	b.Wait(`document.querySelector("#main > .notice")?.textContent.includes("Jonas Weber deleted this report")`)
	b.ClickOn("#field-status") // the page has not been loaded since
	b.ClickOn("#report-status [value=open]")
	b.settle()
	restores()
	if got := b.text(`document.querySelector("#comment-form textarea").value`); got != "My words" ||
		!b.holds(`window.kept === true`) {
		t.Errorf("the field has %s", got)
	}
	b.Quiet()
}

// TestBrowserLiveReportLost: who is removed from the workspace is told so on the page of a report that was open.
func TestBrowserLiveReportLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	b := w.tab(t, w.session(t, member, tracker.Client{}))
	b.Size(390, 800)
	b.Open("/WEB-161")
	w.streams(t, 1)
	b.Wait(`document.querySelector("[data-followed]")`)
	w.comment(t, owner, "Before")
	b.Wait(`document.querySelector(".entries").textContent.includes("Before")`)
	b.photograph("live-report", 390, "dark", false)
	must(t, w.operator.In(w.org).RemoveMember(t.Context(), w.web, w.users[member]))
	w.change(t, owner, "WEB-161", api.SlicePatch{"summary": "Seen by those who are left"})
	b.Wait(`document.querySelector(".notice")?.textContent.includes("you may not see it any more")`)
	if b.holds(`document.body.textContent.includes("Seen by those who are left")`) {
		t.Error("the page shows a change to who may not see it")
	}
	b.photograph("live-report-lost", 390, "dark", false)
}

// TestBrowserLivePane: so does the report beside the list.
func TestBrowserLivePane(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	b := w.followed(t, owner, "")
	b.Press("j", kb.Enter) // WEB-161
	b.Wait(`document.querySelector("[data-pane] #comment-form textarea")`)
	b.holds(`document.querySelector("#comment-form textarea").focus(), true`)
	b.Press("My words")
	w.comment(t, member, "Somebody else's words.")
	b.Wait(`document.querySelector("[data-pane] .entries [data-marked]")?.textContent.includes("Somebody else's words.")`)
	if got := b.text(`document.querySelector("#comment-form textarea").value + " " + document.activeElement.name`); got != "My words body" {
		t.Errorf("the field has %s", got)
	}
	_, err := w.DeleteSlice(t.Context(), w.caller(t, member), valid(t, api.DeleteSlice{SliceID: "WEB-161"}))
	must(t, err)
	b.Wait(`document.querySelector("#main > [data-stays]")?.textContent.includes("Jonas Weber deleted this report")`)
	b.ClickOn("#main > .notice [data-restore] button")
	b.Wait(`[...document.querySelectorAll("#main > .notice")].some((n) => n.textContent.includes("The report is restored."))`)
	if got := b.text(`document.querySelector("#comment-form textarea").value + location.pathname`); got != "My words/reports" {
		t.Errorf("the field has %s", got)
	}
	w.removeSlice(t, "WEB-161")
	b.Wait(`document.querySelector("#main > [data-stays]")?.textContent.includes("Mara Lindqvist deleted this report")`)
	b.ClickOn("#WEB-160 .row-title")
	b.Wait(`document.querySelector("[data-pane] .report")?.dataset.reference == "WEB-160" && !document.querySelector("#main > ` +
		`[data-stays]")`)
	b.Dialogs() // which asks about the words that are not sent
	b.Quiet()
}
