package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
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

// TestBrowserFields changes the fields of a report in their places, by keyboard and by mouse, and undoes the last
// change. No page is loaded, and the focus returns to the field.
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
	b.Wait(`document.activeElement.id == "field-assignee" && ` +
		`document.activeElement.textContent.includes("Jonas Weber")`)
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
	b.Press("checkout", kb.Enter)
	b.noticed("WEB-161: label checkout added.")
	b.Wait(`document.querySelector(".fields .label")?.textContent == "checkout"`)
	menu("labels") // for the next one
	b.Press(kb.Escape)
	b.Press("e", "e")
	b.noticed("WEB-161: resolved as Fixed.")
	b.Wait(`document.querySelector("#field-resolution").textContent.includes("Fixed")`)
	b.Press("s")
	menu("status")
	b.Press("c", kb.Enter) // not a new report
	b.noticed("WEB-161: Closed.")
	b.Press("z")
	b.noticed("Undone: WEB-161 is Resolved again.")
	b.Wait(`document.querySelector("#field-status").textContent.includes("Resolved")`)
	got, err := w.Report(t.Context(), w.caller(t, owner), "WEB-161")
	must(t, err)
	if got.Status != api.Resolved || *got.Resolution != api.Fixed || *got.Priority != "urgent" ||
		*got.Severity != "major" ||
		*got.AssigneeID != w.users[member] || strings.Join(got.Labels, "") != "checkout" {
		t.Errorf("WEB-161 is %+v", got.SliceFields)
	}
	if !b.holds(`window.kept === true && document.documentElement.outerHTML.indexOf(" style=") < 0`) {
		t.Error("a page was loaded, or a style was written")
	}
	b.Quiet()
}

// TestBrowserConversation: a comment is added, changed and deleted in its place. A draft survives a reload, and is
// gone once it is sent.
func TestBrowserConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.report(t, owner, "/WEB-161")
	b.ClickOn("#comment")
	b.Press("Seen in **Firefox**")
	b.ClickOn(".crumbs a")
	b.Wait(`document.querySelector("[data-page=reports]")`)
	if asked := b.Dialogs(); len(asked) != 1 || !strings.HasPrefix(asked[0], "Leave this page?") {
		t.Errorf("leaving with unsent text asks %q", asked)
	}
	b.Open("/WEB-161")
	b.Wait(`document.querySelector("#comment").value == "Seen in **Firefox**"`)
	b.ClickOn("#comment")
	b.Press(kb.End, ", too.")
	b.ClickOn(".comment-form [data-preview]")
	b.Wait(`document.querySelector(".comment-form .preview strong")?.textContent == "Firefox"`)
	b.ClickOn(".comment-form [data-preview]")
	b.Click("Comment")
	b.Wait(`document.querySelector(".comment .prose")?.textContent == "Seen in Firefox, too.\n" && ` +
		`document.querySelector("#comment").value == ""`)
	if left := b.text(`String(localStorage.length)`); left != "0" {
		t.Errorf("%s drafts are left", left)
	}
	w.clock.add(time.Hour)
	b.ClickOn(".comment .edit")
	b.Wait(`document.activeElement.id == "edit-text"`)
	b.Press(kb.End, " Often.")
	b.Click("Save")
	b.Wait(`document.querySelector(".comment .prose")?.textContent.includes("Often.") && ` +
		`document.querySelector(".comment-edited")`)
	if left := b.text(`String(localStorage.length)`); left != "0" {
		t.Errorf("%s drafts are left after an edit", left)
	}
	b.ClickOn(".comment-actions [popovertarget^=delete]")
	b.Click("Delete comment")
	b.noticed("The comment is deleted.")
	b.Wait(`!document.querySelector(".comment") && document.querySelector(".changes:last-child")` +
		`.textContent.includes("deleted a comment")`)
	b.ClickOn("#comment")
	b.Press("And in Chromium.")
	b.app()
	b.holds(`app.drafts.write(document.getElementById("comment-form").dataset.draft, { body: "Typed in ` +
		`another tab." }), true`)
	b.Click("Comment")
	b.Wait(`document.querySelectorAll(".comment").length == 1 && document.querySelector("#comment").value == ""`)
	if left := b.text(`app.drafts.read(document.getElementById("comment-form").dataset.draft)?.body ?? ""`); left != "Typed in "+
		"another tab." {
		t.Errorf("of another tab the draft is %q", left)
	}
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
	second.Wait(`document.querySelector(".conflict .code")?.textContent == "From the first" && ` +
		`document.querySelector("#edit-text").value == "From the second"`)
	second.accessible("conflict")
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
	if b.holds(`[...document.querySelectorAll(".script-only")].some((e) => e.checkVisibility())`) {
		t.Error("the page shows what only a script carries out")
	}
	if !b.holds(`document.getElementById("report-description").getBoundingClientRect().top < 0.75 * innerHeight`) {
		t.Error("nothing was captured, and the description is below the first view")
	}
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
	b.Wait(`document.activeElement.id == "summary"`)
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

// comment adds a comment to WEB-161.
func (w *world) comment(t *testing.T, who, text string) api.Comment {
	t.Helper()
	c, err := w.CreateComment(t.Context(), w.caller(t, who), valid(t,
		api.CreateComment{SliceID: "WEB-161", Body: api.CommentFields{Body: text}}))
	must(t, err)
	return c
}

// describe sets the description of WEB-161.
func (w *world) describe(t *testing.T, text string) {
	t.Helper()
	_, err := w.UpdateSlice(t.Context(), w.caller(t, owner),
		valid(t, api.UpdateSlice{SliceID: "WEB-161", Patch: api.SlicePatch{"description": text}}))
	must(t, err)
}

// TestBrowserTasks: a click ticks a task of the description or of an own comment, with and without script. It cannot
// tick a task in a comment of somebody else, and ticks none in a text that was changed meanwhile.
func TestBrowserTasks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.describe(t, "- [ ] one\n- [ ] two")
	w.comment(t, owner, "- [ ] mine")
	w.comment(t, member, "- [ ] theirs")
	b := w.report(t, owner, "/WEB-161")
	b.ClickOn(".report-description .task[value='2']")
	b.Wait(`document.querySelector(".report-description .task[value='2']").ariaChecked == "true" && ` +
		`document.activeElement.value == "2"`)
	b.ClickOn(".comment .task")
	b.Wait(`document.querySelector(".comment .task").ariaChecked == "true"`)
	if !b.holds(`document.querySelectorAll(".task").length == 3`) {
		t.Error("the tasks that can be ticked are not those of the description and of the own comment")
	}
	if got := b.text(`document.querySelector(".comment + .comment .prose").textContent.trim()`); got != "☐ theirs" {
		t.Errorf("the comment of somebody else is %q", got)
	}
	b.accessible("tasks")
	w.describe(t, "- [ ] other\n- [ ] two")
	b.ClickOn(".report-description .task[value='1']")
	b.noticed("WEB-161 changed meanwhile and stays as it is.")
	b.Script(false)
	b.Open("/WEB-161")
	b.ClickOn(".report-description .task[value='1']")
	b.Wait(`document.querySelector(".report-description .task[value='1']").ariaChecked == "true"`)
	got, err := w.Report(t.Context(), w.caller(t, owner), "WEB-161")
	must(t, err)
	if *got.Description != "- [x] other\n- [ ] two" || got.Comments[0].Body != "- [x] mine" ||
		got.Comments[1].Body != "- [ ] theirs" {
		t.Errorf("the texts are %q, %q and %q", *got.Description, got.Comments[0].Body, got.Comments[1].Body)
	}
	b.Quiet()
}

// TestBrowserWriting: people and reports are completed while somebody writes a comment, and a pasted picture becomes
// an attachment that the comment shows.
func TestBrowserWriting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.report(t, owner, "/WEB-161")
	b.ClickOn("#comment")
	b.Press("Ask @jon")
	b.Wait(`document.querySelector(".comment-form .completion")?.textContent == "Jonas Weber"`)
	b.Wait(`document.querySelector(".comment-form .completion .avatar")`)
	const below = `document.querySelector(".comment-form .completions").getBoundingClientRect().top - document.querySelector("#comment")` +
		`.getBoundingClientRect().top`
	if !b.holds(below + ` > 10 && ` + below + ` < 60`) {
		t.Errorf("the list is %s below the beginning of the text", b.text(`String(`+below+`)`))
	}
	b.accessible("completion")
	b.Press(kb.Enter, "about #check")
	b.Wait(`document.querySelector(".comment-form .completion")?.textContent.startsWith("WEB-160")`)
	b.Press(kb.Tab)
	b.holds(`(async () => {
		const canvas = document.createElement("canvas");
		const blob = await new Promise((done) => canvas.toBlob(done));
		const data = new DataTransfer();
		data.items.add(new File([blob], "image.png", {type: "image/png"}));
		return !document.querySelector("#comment").dispatchEvent(new ClipboardEvent("paste", {clipboardData: data,
			bubbles: true, ` +
		`cancelable: true}));
	})()`)
	b.Wait(`/!\[screenshot.png\]\(\/files\/att_\w+\)/.test(document.querySelector("#comment").value)`)
	b.Click("Comment")
	b.Wait(`document.querySelector(".comment .mention")?.textContent == "@Jonas Weber" && document.querySelector(".comment ` +
		`.reference[href='/WEB-160']")?.title.startsWith("Checkout") &&
		document.querySelector(".comment img[src^='/files/att_']")`)
	got, err := w.Report(t.Context(), w.caller(t, owner), "WEB-161")
	must(t, err)
	if got.AttachmentCount != 1 || !strings.HasPrefix(got.Comments[0].Body, "Ask @"+member+" about WEB-160 \n") {
		t.Errorf("%d files, %q", got.AttachmentCount, got.Comments[0].Body)
	}
	place := browsertest.Eval[string](b.Tab, `document.querySelector(".comment img").outerHTML`)
	if !strings.Contains(place, ` width="300" height="150"`) { // before it has come, so that the field below stays
		t.Error(place)
	}
	b.ClickOn("#comment")
	b.Wait(`document.activeElement.id == "comment"`)
	b.Press("Tell @Bob, too")
	b.Wait(`document.querySelector(".comment-form [data-nobody]:not([hidden])")` +
		`?.textContent.startsWith("Nobody is told of @Bob.")`)
}

// TestBrowserMentionOfMany: people beyond those of the menu are found by the search, in the workspace of the report
// or of the new one.
func TestBrowserMentionOfMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for path, field := range map[string]string{"/WEB-161": "comment", "/new?workspace=WEB": "description"} {
		b := w.report(t, owner, path)
		b.holds(`document.querySelectorAll("#report-assignee [name=assigneeId], #assigneeId option")` +
			`.forEach((e) => e.remove()), true`)
		b.ClickOn("#" + field)
		b.Press("Ask @jon")
		b.Wait(`document.querySelector("[data-editor] .completion")?.textContent == "Jonas Weber"`)
		b.Press(kb.Enter)
		b.Wait(fmt.Sprintf(`document.getElementById(%q).value == %q`, field, "Ask @"+member+" "))
		b.Quiet()
	}
}

// TestReferencesOfReaders: a reference to a report that the reader does not see stays text.
func TestReferencesOfReaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	var app string
	for _, v := range w.workspaces(t, owner) {
		if v.Key == "APP" {
			app = v.ID
		}
	}
	secret, err := w.CreateSlice(t.Context(), w.caller(t, owner),
		valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &app,
			SliceFields: api.SliceFields{Summary: "Secret plans"}}}))
	must(t, err)
	w.comment(t, owner, "As "+secret.Reference+" and WEB-160.")
	w.signedIn(t, owner).get("/WEB-161").
		wants(200, `<a href="/`+secret.Reference+`" title="Secret plans"`, `<a href="/WEB-160"`)
	seen := w.signedIn(t, member).get("/WEB-161").wants(200, "As "+secret.Reference+" and", `<a href="/WEB-160"`)
	if strings.Contains(seen.body, "Secret plans") || strings.Contains(seen.body, `href="/`+secret.Reference) {
		t.Error("the page tells of a report that the reader does not see")
	}
}

func (w *world) workspaces(t *testing.T, who string) []tracker.MyWorkspace {
	t.Helper()
	all, err := w.MyWorkspaces(t.Context(), w.caller(t, who))
	must(t, err)
	return all
}

// TestBrowserDuplicates: a report is marked as a duplicate of a likely one, and of one that a search finds. Both
// pages link to each other, and that of the original counts the occurrences of the duplicate.
func TestBrowserDuplicates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	made := w.fileMany(t, api.SliceFields{Summary: "The total of the cart is wrong with a voucher"},
		api.SliceFields{Summary: "Blue login"})
	b := w.report(t, owner, "/WEB-162")
	b.Press("e")
	b.Wait(`document.querySelector("#report-resolve:popover-open")?.contains(document.activeElement)`)
	b.Press(kb.ArrowDown, kb.Enter)
	b.Wait(`document.querySelector("#originals:modal .originals-list button")?.value == "WEB-161" && document.activeElement.type == ` +
		`"search"`)
	b.accessible("originals")
	b.Press(kb.ArrowDown, kb.Enter)
	b.noticed("WEB-162: resolved as Duplicate.")
	b.Wait(`document.querySelector(".connected a[href='/WEB-161']") && !document.querySelector("#originals[open]")`)
	b.Open("/WEB-163")
	b.ClickOn("[popovertarget=report-more]")
	b.ClickOn("#report-more [data-originals]")
	b.Wait(`document.querySelector("#originals:modal")`)
	b.Press("WEB-162")
	b.Wait(`document.querySelector(".originals-list button")?.value == "WEB-162"`)
	b.Press(kb.Enter)
	b.noticed("WEB-163: resolved as Duplicate.")
	b.Open("/WEB-161")
	b.Wait(`document.querySelector(".report-people").textContent.includes("seen 3 times, 2 of them in 2 duplicates") && ` +
		`document.querySelectorAll(".connected li").length == 2`)
	b.Script(false)
	w.signedIn(t, owner).post("/WEB-160/duplicate", "duplicateOf", "NO-1").wants(422, "There is no such report")
	b.Open("/WEB-160/duplicate?q=login")
	b.ClickOn(".originals-list [value=WEB-163]")
	b.noticed("WEB-160: resolved as Duplicate.")
	if got, err := w.Report(t.Context(), w.caller(t, owner), "WEB-160"); err != nil ||
		got.Original == nil || got.Original.ID != made[1].ID {
		t.Errorf("WEB-160 is a duplicate of %+v (%v)", got.Original, err)
	}
	b.Quiet()
}
