package web

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
)

var (
	shownComment = regexp.MustCompile(`<li class="comment" id="(cmt_[0-9a-z]{26})"`)
	earlierLink  = regexp.MustCompile(`<a class="button button-small" href="(/WEB-161\?comment=cmt_[0-9a-z]{26})` +
		`#report-conversation" data-load>Show earlier comments</a> <span class="muted">([\d,]+) more</span>`)
)

// converse adds comments to WEB-161, of which each says its number.
func (w *world) converse(t *testing.T, n int) (all []api.Comment) {
	t.Helper()
	for i := range n {
		all = append(all, w.comment(t, owner, fmt.Sprintf("- [ ] number %d.", i)))
	}
	return all
}

// TestEarlierComments: without script a long conversation is read from part to part. In an earlier part a comment is
// ticked, changed and deleted, and the page that follows is that part.
func TestEarlierComments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	made := w.converse(t, 203)
	w.clock.add(time.Hour)
	b := w.signedIn(t, owner)
	newest := b.get("/WEB-161").wants(200, "number 202.", "number 3.")
	link := earlierLink.FindStringSubmatch(newest.body)
	if link == nil || link[2] != "3" || strings.Contains(newest.body, "number 2.") ||
		strings.Contains(newest.body, "Show the latest") {
		t.Fatalf("the link is %q", link)
	}
	earlier := b.get(link[1]).wants(200, "number 0.", "number 2.", "Show the latest comments")
	if got := shownComment.FindAllString(earlier.body, -1); len(got) != 3 ||
		strings.Contains(earlier.body, "data-load") {
		t.Errorf("%d comments in the earlier part", len(got))
	}
	own := "/WEB-161/comments/" + made[0].ID
	former := func(a answer, action string) string {
		m := regexp.MustCompile(regexp.QuoteMeta(`action="`+html.EscapeString(action)+`"`) +
			`[^>]*>(?:<input type="hidden" name="comment"[^>]*>)?\s*<input type="hidden" name="former" ` +
			`value="([^"]*)"`).FindStringSubmatch(a.body)
		if m == nil {
			t.Fatalf("no form %s in %s", action, a.content())
		}
		return m[1]
	}
	part := strings.TrimPrefix(link[1], "/WEB-161")
	b.post("/WEB-161/tasks"+part, "comment", made[0].ID, "former", former(earlier, "/WEB-161/tasks"+part), "task", "1").
		leadsTo(link[1])
	b.get("/WEB-161?edit=" + made[0].ID).leadsTo("/WEB-161?comment=" + made[0].ID + "&edit=" + made[0].ID)
	edit := b.get("/WEB-161"+part+"&edit="+made[0].ID).wants(200, "- [x] number 0.")
	b.post(own+part, "former", former(edit, own+part), "body", "number zero").leadsTo(link[1] + "#" + made[0].ID)
	b.post(own+part, "former", "other", "body", "mine").wants(412, "number zero", "mine")
	b.post(own + "/delete" + part).leadsTo(link[1])
	if left := shownComment.FindAllString(b.get(link[1]).wants(200, "number 1.").body, -1); len(left) != 2 {
		t.Errorf("after a deletion %d comments are left in the earlier part", len(left))
	}
	b.get("/WEB-161?comment=x").wants(200, "number 202.")
	b.post("/WEB-161/comments/x", "body", "x").wants(404)
}

// TestBrowserEarlierComments: earlier comments are loaded before the newest ones, and stay while somebody writes. A
// link to one that is not loaded leads to it.
func TestBrowserEarlierComments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	made := w.converse(t, 402)
	b := w.report(t, owner, "/WEB-161")
	b.holds(`window.kept = true`)
	shows := func(n int, condition string) {
		t.Helper()
		b.Wait(fmt.Sprintf(`document.querySelectorAll(".comment").length == %d && %s`, n, condition))
	}
	shows(200, `document.querySelector("#report-earlier").textContent.includes("202 more")`)
	b.ClickOn("[data-load]")
	shows(400, `document.activeElement.matches("[data-load]") && document.querySelector("#report-earlier").textContent.includes("2 more")`)
	b.Press(kb.Enter)
	shows(402, `!document.querySelector("[data-load]")`)
	if got := b.text(`[...document.querySelectorAll(".comment")].map((c) => c.querySelector(".prose").textContent.match(/\d+/)[0]).` +
		`join()`); got != sequence(402) {
		t.Errorf("the comments are %s", got)
	}
	b.holds(`document.querySelector("#` + made[1].ID + ` .task").click() === undefined`)
	shows(402, `document.querySelector("#`+made[1].ID+` .task").ariaChecked == "true"`)
	b.ClickOn("#comment")
	b.Press("One more, number 402.")
	b.Click("Comment")
	shows(403, `document.querySelector(".comment:last-of-type .prose").textContent.includes("One more")`)
	if got := b.text(`[...document.querySelectorAll(".comment")].map((c) => c.querySelector(".prose").textContent.match(/\d+/)[0]).` +
		`join()`); got != sequence(403) {
		t.Errorf("after a comment they are %s", got)
	}
	if !b.holds(`window.kept === true`) {
		t.Error("a page was loaded")
	}
	b.Open("/my")
	b.Open("/WEB-161#" + made[100].ID)
	b.Wait(`location.search == "?comment=` + made[100].ID + `" && document.querySelector(".comment:target")?.id == "` +
		made[100].ID + `" && document.querySelector("[data-latest]")`)
	b.accessible("an earlier part")
	b.Quiet()
}

func sequence(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(i)
	}
	return strings.Join(all, ",")
}

// TestDuplicatesOfReport: the number of duplicates on the page of the original leads to the list of them, in which
// their original is written by its reference.
func TestDuplicatesOfReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, api.SliceFields{Summary: "Voucher twice"}, api.SliceFields{Summary: "Voucher again"},
		api.SliceFields{Summary: "Another bug"})
	b := w.signedIn(t, owner)
	for from, to := range map[string]string{"WEB-162": "WEB-161", "WEB-163": "WEB-162"} {
		b.post("/"+from+"/duplicate", "version", "1", "duplicateOf", to).wants(303)
	}
	page := b.get("/WEB-161").wants(200, "2 duplicates")
	link := regexp.MustCompile(`<a href="(/reports\?[^"]+)">2 duplicates</a>`).FindStringSubmatch(page.body)
	if link == nil {
		t.Fatal("the duplicates have no list")
	}
	list := b.get(html.UnescapeString(link[1])).wants(200, "duplicate:WEB-161", "Voucher twice", "Voucher again")
	if strings.Contains(list.body, "Another bug") || totalNumber.FindStringSubmatch(list.body)[1] != "2" {
		t.Error("the list has another number of reports")
	}
	for _, text := range []string{"NO-1", "nonsense", strings.Repeat("x", 300)} {
		b.get("/reports?q=duplicate:"+text).wants(422, "there is no report")
	}
	w.signedIn(t, stranger).get("/reports?q=duplicate:WEB-161").wants(422, "there is no report")
}
