package web

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// TestViewPages: a query is saved under a name, found in the sidebar, updated, renamed and deleted. A member changes no view of the
// workspace.
func TestViewPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	const list = "workspace=WEB&q=status%3Aopen"
	b.get("/reports?"+list).wants(200, "Save view", `value="`+w.web+`"`)
	saved := b.post("/reports/views?"+list, "name", "Open ones", "query", "status:open", "workspaceId", w.web, "once", "1")
	to := saved.wants(303).header.Get("Location")
	shown := b.get(to).wants(200, "The view is saved.", "<bdi>Open ones</bdi>", `aria-current="page"`, "Rename")
	if n := strings.Count(shown.body, `aria-current="page"><svg`); n != 1 { // the view alone, and not the list of reports, too
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
	b.post("/reports/views/"+viewID+query, "name", "Late", "version", `"1"`).wants(422, "The view was not saved. Somebody has changed it meanwhile.")
	b.post("/reports/views/"+viewID+query, "name", "Closed ones", "version", `"2"`).leadsTo(changed)
	w.signedIn(t, member).post("/reports/views/"+viewID+"/delete"+query).wants(422, "Only an admin")
	w.signedIn(t, stranger).post("/reports/views/" + viewID + "/delete").wants(404)
	b.post("/reports/views?"+list, "name", "", "query", "status:open").wants(422, "The view was not saved. Give it a name.")
	b.post("/reports/views?"+list, "name", "Wrong", "query", "staus:open").wants(422, "at character 1")
	b.post("/reports/views/" + viewID + "/delete" + query).leadsTo("/reports?q=status%3Aclosed&workspace=WEB")
	b.get("/my").lacks("Closed ones")
}

// TestBrowserManyViews: many views scroll within the sidebar. Settings and the account stay in sight.
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
			a.t.Errorf("%s has %q", a.path, text)
		}
	}
}
