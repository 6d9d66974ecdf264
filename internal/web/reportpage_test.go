package web

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// report opens the page of a report, as somebody, in a wide window.
func (w *world) report(t *testing.T, who, path string) tab {
	t.Helper()
	b := w.tab(t, w.session(t, who, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1280, 900)
	b.Open(path)
	return b
}

// noticed waits until a notice has a text.
func (b tab) noticed(text string) {
	b.T.Helper()
	b.Wait(`document.querySelector("main > .notice")?.textContent.includes("` + text + `")`)
}

// TestBrowserFields changes the fields of a report in their places, by keyboard and by mouse, and undoes the last change. No page is
// loaded, and the focus returns to the field.
func TestBrowserFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.report(t, owner, "/WEB-161")
	b.holds(`window.kept = true`)
	menu := func(name string) {
		b.T.Helper()
		b.Wait(`document.querySelector("#report-` + name + `:popover-open")?.contains(document.activeElement)`)
	}
	b.Press("a")
	menu("assignee")
	b.Press("jon", kb.Enter)
	b.noticed("WEB-161: assigned to Jonas Weber.")
	b.Wait(`document.activeElement.id == "field-assignee" && document.activeElement.textContent.includes("Jonas Weber")`)
	b.Press("p")
	menu("priority")
	b.Press(kb.ArrowDown, kb.Enter)
	b.noticed("WEB-161: priority Urgent.")
	b.ClickOn("#field-priority")
	b.Wait(`document.querySelector("#report-priority [value=urgent]")?.getAttribute("aria-current") == "true"`)
	b.Press(kb.Escape)
	b.ClickOn("#field-severity")
	b.ClickOn("#report-severity [value=major]")
	b.noticed("WEB-161: severity Major.")
	b.Press("l")
	menu("labels")
	b.Press(kb.Tab, "checkout", kb.Enter)
	b.noticed("WEB-161: label checkout added.")
	b.Wait(`document.querySelector(".fields .label")?.textContent == "checkout"`)
	b.Press("e", "e")
	b.noticed("WEB-161: resolved as Fixed.")
	b.Wait(`document.querySelector("#head-status").textContent.includes("Fixed")`)
	b.Press("s")
	menu("status")
	b.Press(kb.ArrowDown, kb.Enter)
	b.noticed("WEB-161: Closed.")
	b.Press("z")
	b.noticed("WEB-161 is as it was.")
	b.Wait(`document.querySelector("#head-status").textContent.includes("Resolved")`)
	got, err := w.Report(t.Context(), w.caller(t, owner), "WEB-161")
	must(t, err)
	if got.Status != api.Resolved || *got.Resolution != api.Fixed || *got.Priority != "urgent" || *got.Severity != "major" ||
		*got.AssigneeID != w.users[member] || strings.Join(got.Labels, "") != "checkout" {
		t.Errorf("WEB-161 is %+v", got.SliceFields)
	}
	if !b.holds(`window.kept === true && document.documentElement.outerHTML.indexOf(" style=") < 0`) {
		t.Error("a page was loaded, or a style was written")
	}
	b.Quiet()
}

// TestBrowserConversation: a comment is added, changed and deleted in its place. A draft survives a reload, and is gone once it is sent.
func TestBrowserConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.report(t, owner, "/WEB-161")
	b.ClickOn("#comment")
	b.Press("Seen in **Firefox**")
	b.Open("/WEB-161")
	b.Dialogs()
	b.Wait(`document.querySelector("#comment").value == "Seen in **Firefox**"`)
	b.ClickOn("#comment")
	b.Press(kb.End, ", too.")
	b.ClickOn(".comment-form [data-preview]")
	b.Wait(`document.querySelector(".comment-form .preview strong")?.textContent == "Firefox"`)
	b.ClickOn(".comment-form [data-preview]")
	b.Click("Comment")
	b.Wait(`document.querySelector(".comment .prose")?.textContent == "Seen in Firefox, too.\n" && document.querySelector("#comment").value == ""`)
	if left := b.text(`String(localStorage.length)`); left != "0" {
		t.Errorf("%s drafts are left", left)
	}
	w.clock.add(time.Minute)
	b.ClickOn(".comment .edit")
	b.Wait(`document.activeElement.id == "edit-text"`)
	b.Press(kb.End, " Often.")
	b.Click("Save")
	b.Wait(`document.querySelector(".comment .prose")?.textContent.includes("Often.") && document.querySelector(".comment-edited")`)
	b.ClickOn(".comment-actions [popovertarget]")
	b.Click("Delete comment")
	b.noticed("The comment is deleted.")
	b.Wait(`!document.querySelector(".comment") && document.querySelector(".changes:last-child").textContent.includes("deleted a comment")`)
	b.Quiet()
}

// TestBrowserConflict: of two people who write the same description, the second one sees both texts, and loses nothing.
func TestBrowserConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	first, second := w.report(t, owner, "/WEB-161"), w.report(t, member, "/WEB-161")
	for _, b := range []tab{first, second} {
		b.ClickOn("#edit-description")
		b.Wait(`document.activeElement.id == "edit-text"`)
	}
	write := func(b tab, text string) {
		b.holds(`document.querySelector("#edit-text").select(), true`)
		b.Press(text)
		b.ClickOn(".report-edit .button-primary")
	}
	write(first, "From the first")
	first.Wait(`document.querySelector(".report-description .prose")?.textContent == "From the first\n"`)
	write(second, "From the second")
	second.Wait(`document.querySelector(".conflict .code")?.textContent == "From the first" && document.querySelector("#edit-text").value == "From the second"`)
	second.axe("conflict", "")
	second.ClickOn(".report-edit .button-primary")
	second.Wait(`document.querySelector(".report-description .prose")?.textContent == "From the second\n"`)
	first.Quiet()
	second.Quiet()
}

// TestBrowserReportWithoutScript: without script a report is read, changed, commented on, deleted and restored.
func TestBrowserReportWithoutScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1280, 900)
	b.Script(false)
	b.Open("/WEB-161")
	b.ClickOn("#field-priority")
	b.ClickOn("#report-priority [value=high]")
	b.noticed("WEB-161: priority High.")
	b.Click("Undo")
	b.noticed("WEB-161 is as it was.")
	b.ClickOn("#comment")
	b.Press("Seen again.")
	b.Click("Comment")
	b.Wait(`document.querySelector(".comment .prose")?.textContent.trim() == "Seen again."`)
	b.ClickOn("#edit-summary")
	b.Wait(`document.querySelector("#summary")`)
	b.ClickOn("#summary")
	b.Press(kb.End, "!")
	b.Click("Save")
	b.Wait(`document.querySelector("h1").textContent.includes("twice!")`)
	b.ClickOn("[popovertarget=report-more]")
	b.Click("Delete")
	b.Wait(`document.querySelector("h1").textContent == "WEB-161 is deleted"`)
	b.Click("Restore")
	b.noticed("The report is restored.")
	b.Quiet()
}
