package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/operator"
)

// TestBrowserFindChoices: forms offer a hundred workspaces, members and spaces, and find the others on the server,
// with script and without. What is chosen stays in a form that is shown again, and the page of a report names each
// space.
func TestBrowserFindChoices(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	in := w.operator.In(w.org)
	var last api.Space
	for i := range 120 {
		_, err := in.AddWorkspace(t.Context(),
			api.WorkspaceFields{Key: fmt.Sprintf("T%03d", i), Name: fmt.Sprintf("Team %03d", i)},
			w.users[owner])
		must(t, err)
		_, err = in.AddUser(t.Context(), operator.NewUser{Email: fmt.Sprintf("p%d@northwind.example", i),
			Name: fmt.Sprintf("Person %03d", i), Workspaces: []string{w.web}})
		must(t, err)
		last, err = w.CreateSpace(t.Context(), w.caller(t, owner),
			valid(t, api.CreateSpace{WorkspaceID: w.web, Body: api.SpaceFields{Name: fmt.Sprintf("Space %03d", i)}}))
		must(t, err)
	}
	plain := w.signedIn(t, owner)
	for path, name := range map[string]string{"/settings/keys/new": "workspaceId", "/settings/people/new": "workspaceIds",
		"/settings/people/" + w.users[member]: "workspaceId"} {
		to := path + "?find=team+119"
		if strings.Contains(path, "?") {
			to = path + "&find=team+119"
		}
		first, found := plain.get(path).wants(200, "Team 095", `popovertarget="find-`+name+`"`),
			plain.get(to).wants(200, "Team 119")
		if strings.Contains(first.body, ">Team 119<") || strings.Contains(found.body, `>Team 095</option>`) ||
			strings.Contains(found.body, `<bdi>Team 095</bdi>`) {
			t.Errorf("%s offers others", path)
		}
	}
	offered := plain.get("/new?workspace=WEB").wants(200, "Team 095", `data-ask="/new?workspace=WEB"`)
	found := plain.get("/new?workspace=WEB&find=team+119").wants(200, ">Team 119</option>")
	if strings.Contains(offered.body, ">Team 119<") || strings.Contains(found.body, ">Team 095</option>") {
		t.Error("the form offers others")
	}
	draft := plain.post("/new/draft", "workspaceId", w.web, "summary",
		"Kept", "find", "person 119").wants(200, "Kept", ">Person 119</option>")
	plain.post("/new/draft", "workspaceId", w.web, "summary", "Kept", "assigneeId",
		regexp.MustCompile(`value="(usr_[0-9a-z]{26})">Person 119`).
			FindStringSubmatch(draft.body)[1], "spaceId", last.ID).
		wants(200, "selected>Person 119</option>", "selected>Space 119</option>")

	b := w.report(t, owner, "/new?workspace=WEB")
	find := func(menu, text, then string) {
		t.Helper()
		b.ClickOn("[popovertarget=" + menu + "]")
		b.Wait(`document.activeElement.matches("#` + menu + ` [data-filter]")`)
		b.Press(text)
		b.Wait(`document.querySelectorAll("#` + menu + ` .menu-item:not([hidden])").length == 1`)
		b.Press(kb.Enter)
		b.Wait(then)
	}
	pick := func(name, text, shown string) {
		t.Helper()
		find("pick-"+name, text, `document.activeElement.matches("[popovertarget=pick-`+name+`]") && `+
			`document.activeElement.querySelector(".pick-value").textContent == "`+shown+`"`)
	}
	b.Fill("summary", "Found by a search")
	pick("assigneeId", "person 118", "Person 118")
	pick("spaceId", "space 119", "Space 119")
	b.accessible("a form that finds choices")
	b.Click("File report")
	b.Wait(`document.querySelector("#field-space")?.textContent == "Space 119" && document.querySelector("#field-assignee").` +
		`textContent.endsWith("Person 118")`)
	b.Open("/new?workspace=WEB")
	pick("workspaceId", "team 119", "Team 119")
	b.Wait(`document.querySelector("report-form form").action.endsWith("workspace=T119") && ` +
		`document.getElementById("workspaceId").selectedOptions[0].textContent == "Team 119"`)
	b.Open("/settings/people/new")
	find("find-workspaceIds", "team 119", `document.activeElement.checked`)
	b.Wait(`document.activeElement.closest(".check").textContent.trim() == "Team 119"`)
	b.Quiet()
}
