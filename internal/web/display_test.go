package web

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// TestGroupings: a list is grouped by each member that it offers. Each report stands in one group, also one with several
// labels, and each group with a value leads to the list of all of its reports.
func TestGroupings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	space, err := w.CreateSpace(t.Context(), w.caller(t, owner),
		valid(t, api.CreateSpace{WorkspaceID: w.web, Body: api.SpaceFields{Name: "Gift cards"}}))
	must(t, err)
	release := "2.0"
	w.fileMany(t, api.SliceFields{Summary: "a", Labels: []string{"x", "y"}, SpaceID: &space.ID},
		api.SliceFields{Summary: "b", Labels: []string{"x"}, Environment: api.Environment{Release: &release}})
	b := w.signedIn(t, owner)
	for by, want := range map[string][]string{
		"label": {`data-group="x"`, `x</bdi> <span class="group-count">2<`, `y</bdi> <span class="group-count">1<`,
			`No label</bdi> <span class="group-count">`, `q=label%3Ay`},
		"space":    {`Gift cards</bdi> <span class="group-count">1<`, `No space</bdi>`},
		"release":  {`2.0</bdi> <span class="group-count">1<`, `No release</bdi>`},
		"reporter": {`Jonas Weber</bdi> <span class="group-count">`},
	} {
		a := b.get("/reports?workspace=WEB&q=&group="+by).wants(200, want...)
		if shown := titles.FindAllString(a.body, -1); len(shown) != 4 {
			t.Errorf("by %s there are %d rows", by, len(shown))
		}
		a.wants(200, `<span class="number">4</span> reports`)
	}
	b.get("/reports?workspace=WEB&q=label:y&group=label").wants(200, `data-group="y"`).lacks(`data-group="x"`)
	b.get("/reports?q=&group=space").wants(200).lacks("data-group=") // spaces are those of one workspace
	b.get("/reports?workspace=WEB&group=nothing").wants(400, "group must be none, status")
}

// TestGroupingByMany: of more releases than are counted, the group of the reports without one has none of the others.
func TestGroupingByMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	many := make([]api.SliceFields, 130)
	for i := range many {
		many[i] = api.SliceFields{Summary: fmt.Sprint("of release ", i),
			Environment: api.Environment{Release: new(fmt.Sprint("1.", i))}}
	}
	w.fileMany(t, many...)
	w.fileMany(t, api.SliceFields{Summary: "of none"})
	body := w.signedIn(t, owner).get("/reports?workspace=WEB&q=&group=release").wants(200, "of none").body
	_, none, _ := strings.Cut(body, `data-group="none"`)
	if none, _, _ = strings.Cut(none, "</section>"); strings.Contains(none, "of release") {
		t.Error("the group without a release has reports of releases")
	}
}

// TestBrowserDisplay: what the reader chooses to see is kept, and the page has it when it is loaded again: the grouping, the
// parts of rows, their height, and the groups that are folded.
func TestBrowserDisplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, api.SliceFields{Summary: "a", Labels: []string{"x"}}, api.SliceFields{Summary: "b", Status: "resolved"})
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1280, 900)
	b.Open("/reports?workspace=WEB&q=")
	seen := func(selector string) string {
		return fmt.Sprintf(`document.querySelector(%q)?.checkVisibility() === true`, selector)
	}
	if !b.holds(seen(".row-labels")) || !b.holds(seen(".row-age")) {
		t.Fatal("a list shows neither labels nor ages")
	}
	b.ClickOn("[popovertarget=menu-display]")
	b.axe(1280, "light")
	b.ClickOn("[data-column=labels]")
	b.ClickOn("[data-density-to=compact]")
	b.Wait(`!(` + seen(".row-labels") + `) && Math.round(document.querySelector(".row").getBoundingClientRect().height) == 30`)
	b.ClickOn("[data-group-by=status]")
	b.Wait(`document.querySelectorAll("[data-group]").length == 2`)
	b.ClickOn("[data-fold='status:open']")
	b.Wait(`!(` + seen("[data-group=open] .row") + `)`)
	b.Press("j")
	b.Wait(`document.activeElement.closest("[data-group=resolved]")`) // the keys pass over what is folded
	b.Open("/reports?workspace=WEB&q=")
	b.Wait(`document.querySelector("[data-group=open][data-folded]") && document.querySelector("[data-fold][aria-expanded=false]")`)
	if b.holds(seen(".row-labels")) || b.holds(seen("[data-group=open] .row")) || !b.holds(seen("[data-group=resolved] .row")) ||
		!b.holds(`document.querySelector(".reports[data-density=compact] [data-column=labels][aria-pressed=false]") !== null`) {
		t.Error("the page does not have what was kept")
	}
	b.ClickOn("[data-fold='status:open']")
	b.Wait(seen("[data-group=open] .row"))
	b.ClickOn("[popovertarget=menu-display]")
	b.ClickOn("[data-group-by='']")
	b.Wait(`!document.querySelector("[data-group]") && document.querySelectorAll(".row").length == 4`)
	b.Open("/reports?workspace=WEB&q=&group=priority") // an address that says how it is grouped
	b.Wait(`document.querySelector("[data-group=none]")`)
	b.Open("/reports?workspace=WEB&q=")
	b.Wait(`!document.querySelector("[data-group]")`)
	b.Quiet()
}
