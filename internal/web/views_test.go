package web

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// TestViewPages: a query is saved under a name, found in the sidebar, updated, renamed and deleted. A member changes
// no view of the workspace.
func TestViewPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	const list = "workspace=WEB&q=status%3Aopen"
	b.get("/reports?"+list).wants(200, "Save view", `value="`+w.web+`"`)
	saved := b.post("/reports/views?"+list, "name", "Open ones", "query", "status:open", "workspaceId", w.web, "once",
		"1")
	to := saved.wants(303).header.Get("Location")
	shown := b.get(to).wants(200, "The view is saved.", "<bdi>Open ones</bdi>", `aria-current="page"`, "Rename")
	if n := strings.Count(shown.body,
		`aria-current="page"><svg`); n != 1 { // the view alone, and not the list of reports, too
		t.Errorf("%d entries of the sidebar are current", n)
	}
	if strings.Contains(shown.body, ">Update view<") || strings.Contains(shown.body, ">Save view<") {
		t.Error("an unchanged view can be saved")
	}
	viewID := regexp.MustCompile(`viw_\w{26}`).FindString(to)
	changed := strings.Replace(to, "status%3Aopen", "status%3Aclosed", 1)
	b.get(changed).wants(200, ">Update view<", "Save view")
	w.signedIn(t, member).get(changed).wants(200, "Open ones", "Save view").lacks(">Update view<", "rename-view")
	query := changed[strings.Index(changed, "?"):]
	b.post("/reports/views/"+viewID+query, "query", "status:closed", "version", `"1"`).leadsTo(changed)
	b.post("/reports/views/"+viewID+query, "name", "Late", "version", `"1"`).wants(422,
		"The view was not saved. Somebody has changed it meanwhile.")
	b.post("/reports/views/"+viewID+query, "name", "Closed ones", "version", `"2"`).leadsTo(changed)
	w.signedIn(t, member).post("/reports/views/"+viewID+"/delete"+query).wants(422, "Only an admin")
	b.get(changed).wants(200, `name="subject" value="`+viewID+`"`, `data-command="Watch"`).lacks(`data-command="Mute"`)
	b.post("/inbox/watching", "subject", viewID, "level", "watching", "next", changed).leadsTo(changed)
	b.get(changed).wants(200, "Stop watching")
	space, err := w.CreateSpace(t.Context(), w.caller(t, owner), valid(t,
		api.CreateSpace{WorkspaceID: w.web, Body: api.SpaceFields{Name: "Cart"}}))
	must(t, err)
	b.get("/reports?workspace=WEB&q=space:Cart").wants(200, `name="subject" value="`+space.ID+`"`,
		`data-command="Mute"`)
	w.signedIn(t, stranger).post("/reports/views/" + viewID + "/delete").wants(404)
	b.post("/reports/views?"+list, "name", "", "query", "status:open").
		wants(422, "The view was not saved. Give it a name.")
	b.post("/reports/views?"+list, "name", "Wrong", "query", "staus:open").wants(422,
		"The view was not saved: there is no filter “staus”; did you mean status?<")
	b.post("/reports/views/" + viewID + "/delete" + query).leadsTo("/reports?q=status%3Aclosed&workspace=WEB")
	b.get("/my").lacks("Closed ones")
}

// TestGone: the answer about a record that is gone says what it was, and leads to the reports and to the records of
// the same kind that are left. The list of a view that is gone shows the filter of its address, and says so.
func TestGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, other := w.signedIn(t, owner), w.signedIn(t, member)
	left := w.saveViews(t, func(name string) string { return name })
	viewID := regexp.MustCompile(`viw_\w{26}`).FindString(left)
	const reports = `href="/reports?workspace=WEB" hx-boost="false">All reports</a>`
	for _, path := range []string{"", "/delete"} { // a view of the owner alone
		other.post("/reports/views/"+viewID+path+"?workspace=WEB", "name", "Mine", "version", `"1"`).
			wants(404, "This view is gone", "Views that you see", "Open in checkout</bdi></a>", reports).
			lacks("Mine this week")
	}
	const text = "The view of this address was deleted, or you do not see it here."
	b.get(left).wants(200).lacks(text)
	other.get(left).wants(200, text+" The list shows its filter.", "status:open,closed")
	other.get("/reports?workspace=WEB&view="+viewID).wants(200, text+" The list shows all reports.")
	b.get("/reports?workspace=WEB").wants(200).lacks(text)

	b.get("/reports?workspace=NONE").wants(404, "There is no such workspace", "Your workspaces",
		`href="/reports?workspace=APP"`)
	b.get("/WEB-999").wants(404, "There is no such report", reports).lacks("Views that you see")
	b.get("/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz").wants(404, "This file is gone", "All reports")
	b.post("/settings/workspace/spaces/spc_01ja8m2c9tf3qb6h0v5r4x7kyz/delete?workspace=WEB",
		"version", `"1"`).wants(404, "This space is gone", reports)
	b.get("/settings/keys/key_01ja8m2c9tf3qb6h0v5r4x7kyz").wants(404, "This page does not exist").lacks(reports)
	w.browser(t).get("/nowhere/at/all").wants(404, "This page does not exist").lacks("All reports")
}

// TestBrowserCounts: the sidebar has the spaces of the workspace, and the numbers of views and spaces, which follow the page
// and the changes of the reader.
func TestBrowserCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	space, err := w.CreateSpace(t.Context(), w.caller(t, owner),
		valid(t, api.CreateSpace{WorkspaceID: w.web, Body: api.SpaceFields{Name: "Gift cards"}}))
	must(t, err)
	w.fileMany(t, api.SliceFields{Summary: "a", SpaceID: &space.ID}, api.SliceFields{Summary: "b", SpaceID: &space.ID})
	w.saveViews(t, func(name string) string { return name })
	w.signedIn(t, owner).get("/reports/counts").wants(200, ">4</li>").lacks(space.ID) // of all workspaces
	w.signedIn(t, stranger).get("/reports/counts?workspace=WEB").wants(404)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1440, 900)
	b.Open("/my")
	counts := func(want string) {
		b.T.Helper()
		b.Wait(fmt.Sprintf(`[...document.querySelectorAll("[data-counts] a")].map((a) => a.textContent.trim()).join("|") == %q`,
			want))
	}
	b.Open("/reports?workspace=WEB")
	counts("Open in checkout4|Urgent4|Mine this week4|Gift cards2")
	b.ClickOn("[title='Gift cards']")
	b.Wait(`document.querySelectorAll(".row").length == 2 && ` +
		`document.querySelector("#sidebar [aria-current=page]").textContent == "Gift cards2"`)
	b.Press("j", "e", "e")
	counts("Open in checkout3|Urgent3|Mine this week3|Gift cards1")
	b.Quiet()
}

// TestBrowserManyViews: many views scroll within the sidebar. Settings and the account stay in sight. Where there is
// no room for them, as on a phone, the sidebar scrolls, and shows two views at least.
func TestBrowserManyViews(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for range 15 {
		w.saveViews(t, func(name string) string { return name })
	}
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1024, 900)
	b.Open("/reports?workspace=WEB")
	if !b.holds(`document.querySelector(".sidebar").scrollHeight <= innerHeight`) {
		t.Error("the sidebar scrolls")
	}
	if !b.holds(`document.querySelector(".nav-views li:last-child a").focus(), document.querySelector(".nav-views").scrollTop > 0`) {
		t.Error("the views do not scroll")
	}
	b.accessible("many views")
	b.Size(360, 320)
	b.Open("/reports?workspace=WEB")
	b.ClickOn("[popovertarget=sidebar]")
	b.Wait(`document.querySelector("#sidebar:popover-open .nav-views").clientHeight > 2 * document.querySelector(".nav-link").clientHeight`)
	b.Wait(`document.querySelector("#sidebar").scrollHeight > document.querySelector("#sidebar").clientHeight`)
	b.Quiet()
}

// saveViews saves views of the workspace WEB and of the owner, and returns the address of one.
func (w *world) saveViews(t testing.TB, name func(string) string) string {
	t.Helper()
	var last api.View
	for i, text := range []string{"Open in checkout", "Urgent", "Mine this week"} {
		in := api.NewView{ViewFields: api.ViewFields{Name: truncated(name(text), 60), Query: "status:open"}}
		if i < 2 {
			in.WorkspaceID = &w.web
		}
		var err error
		last, err = w.CreateView(t.Context(), w.caller(t, owner), valid(t, api.CreateView{Body: in}))
		must(t, err)
	}
	return "/reports?" + url.Values{"workspace": {"WEB"}, "view": {last.ID}, "q": {"status:open,closed"}}.Encode()
}

// lacks fails the test when an answer has one of the texts.
func (a answer) lacks(texts ...string) {
	a.t.Helper()
	for _, text := range texts {
		if strings.Contains(a.body, text) {
			at := strings.Index(a.body, text)
			a.t.Errorf("%s has %q, after %q", a.path, text, a.body[max(0, at-300):at])
		}
	}
}
