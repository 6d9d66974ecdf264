package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

// tell makes notices of the owner: a mention and comments, of whose report several others exist.
func (w *world) tell(t testing.TB, name func(string) string) {
	t.Helper()
	by := w.caller(t, member)
	file := func(summary string) api.Slice {
		s, err := w.CreateSlice(t.Context(), w.caller(t, owner), valid(t,
			api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
				SliceFields: api.SliceFields{Summary: truncated(name(summary), 200)}}}))
		must(t, err)
		return s.Slice
	}
	for _, summary := range []string{"The cart forgets its voucher", "Totals differ by a cent"} {
		s := file(summary)
		for _, body := range []string{"Seen again today, with two mugs and a voucher of a finished campaign.",
			"For @" + owner} {
			_, err := w.CreateComment(t.Context(), by, valid(t, api.CreateComment{SliceID: s.ID,
				Body: api.CommentFields{Body: name(body)}}))
			must(t, err)
		}
		_, err := w.UpdateSlice(t.Context(), by, valid(t, api.UpdateSlice{SliceID: s.ID,
			Patch: api.SlicePatch{"status": "in_progress"}}))
		must(t, err)
	}
	must(t, w.Notify(t.Context()))
}

var undoFields = regexp.MustCompile(`name="(verb|id|at)" value="([^"]*)"`)

// TestInbox: the page shows what is unread by report, and its buttons take reports off the list and bring them back.
// Opening a report reads its notices. The number of unread reports is in the title and in the sidebar.
func TestInbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.tell(t, func(text string) string { return text })
	b := w.signedIn(t, owner)
	inbox := func(path string) string { return b.get(path).wants(200).body }
	shown := inbox("/inbox")
	assert.Contains(t, "the title", shown, "<title>(2) Inbox")
	assert.Contains(t, "the sidebar", shown, `data-unread>2</span>`)
	assert.Contains(t, "a sentence", shown, "changed the status to In progress")
	assert.Equal(t, "reports", strings.Count(shown, `class="inbox-row"`), 2)
	id := regexp.MustCompile(`value="done (slc_\w+)"`).FindStringSubmatch(shown)[1]

	do := func(fields ...string) string {
		t.Helper()
		b.post("/inbox", append(fields, "next", "/inbox")...).leadsTo("/inbox")
		return inbox("/inbox")
	}
	undo := func(shown string) string {
		t.Helper()
		fields := []string{"do", "undo"}
		for _, f := range undoFields.FindAllStringSubmatch(shown, -1) {
			fields = append(fields, f[1], f[2])
		}
		return do(fields...)
	}
	for _, c := range []struct{ verb, notice, tab string }{
		{"done", "1 report is done.", "done"},
		{"tomorrow", "Snoozed until tomorrow.", "snoozed"},
		{"later", "Snoozed for 3 hours.", "snoozed"},
		{"week", "Snoozed until Monday.", "snoozed"},
		{"mute", "The report is muted", "done"},
	} {
		after := do("do", c.verb+" "+id)
		assert.Contains(t, c.verb, after, c.notice)
		assert.Equal(t, "reports after "+c.verb, strings.Count(after, `class="inbox-row"`), 1)
		assert.Contains(t, "the tab", inbox("/inbox?show="+c.tab), id)
		assert.Equal(t, "reports after the undo of "+c.verb, strings.Count(undo(after), `class="inbox-row"`), 2)
	}
	newest := regexp.MustCompile(`value="all (ntc_\w+)"`).FindStringSubmatch(shown)[1]
	all := do("do", "all "+newest)
	assert.Contains(t, "all", all, "6 notices are done.")
	assert.Contains(t, "none", all, "Nothing is waiting for you")
	undo(all)

	reference := regexp.MustCompile(`href="/(WEB-\d+)"><span class="row-reference">`).FindStringSubmatch(shown)[1]
	opened := b.get("/" + reference).wants(200).body
	assert.Contains(t, "the title of the report", opened, "<title>(1) "+reference)
	assert.Contains(t, "why", opened, "You are told of this report: you filed it")
	assert.Equal(t, "the offer to watch it", strings.Contains(opened, `data-command="Watch"`), false)
	assert.Contains(t, "the offer to mute it", opened, `data-command="Mute"`)
	assert.Equal(t, "reports after opening one", strings.Count(inbox("/inbox"), `class="inbox-row"`), 1)
	assert.Equal(t, "all reports", strings.Count(inbox("/inbox?show=all"), `class="inbox-row"`), 2)
}

// TestWatchingPage: the page offers workspaces, views and spaces, and shows what is chosen.
func TestWatchingPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	s := w.file(t, w.caller(t, owner), "to be muted")
	b := w.signedIn(t, owner)
	choose := func(subject, level string) string {
		t.Helper()
		b.post("/inbox/watching", "subject", subject, "level", level, "next",
			"/inbox/watching").leadsTo("/inbox/watching")
		return b.get("/inbox/watching").wants(200).body
	}
	shown := choose(w.web, "watching")
	assert.Contains(t, "the notice", shown, "You watch <bdi>")
	assert.Contains(t, "the default", shown, ">Default</button>")
	assert.Contains(t, "the workspace", shown, fmt.Sprintf(`value="%s"`, w.web))
	assert.Contains(t, "what is chosen", shown, `value="watching" aria-pressed="true"`)
	shown = choose(s.Reference, "muted")
	assert.Contains(t, "a report", shown, "to be muted</bdi></a>")
	assert.Contains(t, "its page", b.get("/"+s.Reference).wants(200).body, "Unmute")
	assert.Equal(t, "chosen again", strings.Contains(choose(s.ID, "automatic"), "to be muted</bdi></a>"), false)
}

// TestBrowserInbox: a new notice appears in the sidebar, the title and the list of open pages; keys move,
// finish, snooze, mute and undo.
func TestBrowserInbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Open("/inbox")
	w.streams(t, 1)
	b.Wait(`document.querySelector("[data-followed]")`)
	w.tell(t, func(text string) string { return text })
	rows := func(n int) {
		t.Helper()
		b.Wait(fmt.Sprintf(`document.querySelectorAll(".inbox-row").length == %d`, n))
	}
	rows(2)
	b.Wait(`document.title.startsWith("(2) Inbox") && document.querySelector("[data-unread]").textContent == "2"`)
	for _, key := range []string{"e", "h", "m"} {
		b.Press("j")
		b.Wait(`document.activeElement.matches(".inbox-link")`)
		b.Press(key)
		rows(1)
		b.Wait(`document.querySelector("[data-do=z]") && document.querySelector("[data-unread]").textContent == "1"`)
		b.Press("z")
		rows(2)
		b.Wait(`document.querySelector("[data-unread]").textContent == "2"`)
	}
	b.Press("?")
	b.Wait(`document.querySelector("#shortcuts [data-of-inbox]").checkVisibility()`)
	b.Quiet()
}
