package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// TestBrowserSwitcher: the switcher of many workspaces opens on a filter, which the keyboard leads on to a workspace.
// That of few has none.
func TestBrowserSwitcher(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1200, 800)
	b.Open("/reports?workspace=WEB")
	if b.holds(`document.querySelector("#workspaces [data-filter]") !== null`) {
		t.Error("a switcher of two workspaces has a filter")
	}
	for i := range 20 {
		_, err := w.operator.In(w.org).AddWorkspace(t.Context(),
			api.WorkspaceFields{Key: fmt.Sprintf("TEAM%02d", i), Name: fmt.Sprintf("Team %02d", i)}, w.users[owner])
		must(t, err)
	}
	b.Open("/reports?workspace=WEB")
	const shown = `[...document.querySelectorAll("#workspaces .menu-item")].filter((item) => item.checkVisibility()).map((item) => ` +
		`item.querySelector(".menu-text").textContent).join()`
	for range 2 { // it opens with all workspaces again
		browsertest.Eval[bool](b.Tab, `document.querySelector("[popovertarget=workspaces]").click(), true`)
		b.Wait(`document.activeElement.matches("#workspaces [data-filter]") && document.querySelectorAll("#workspaces ` +
			`.menu-item[hidden]").length === 0`)
		b.Press("eam 17")
		b.Wait(shown + ` === "Team 17"`)
		b.axe(1440, "light")
		b.Press(kb.Escape)
		b.Wait(`!document.querySelector("#workspaces").matches(":popover-open")`)
	}
	browsertest.Eval[bool](b.Tab, `document.querySelector("[popovertarget=workspaces]").click(), true`)
	b.Press("team 03")
	b.Wait(shown + ` === "Team 03"`)
	b.Press(kb.Enter)
	b.Wait(`location.search.includes("workspace=TEAM03") && !document.querySelector("#workspaces:popover-open")`)
	b.Quiet()
}

// TestBrowserManyWorkspaces: the switcher has a hundred workspaces, and what is typed into it finds each of the
// others, without accents.
func TestBrowserManyWorkspaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for i := range 120 {
		name := fmt.Sprintf("Team %03d", i)
		if i == 119 {
			name = "Zürich Åsa"
		}
		_, err := w.operator.In(w.org).AddWorkspace(t.Context(),
			api.WorkspaceFields{Key: fmt.Sprintf("T%03d", i), Name: name},
			w.users[owner])
		must(t, err)
	}
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1200, 800)
	const listed = `document.querySelectorAll("#workspaces .menu-item code").length`
	b.Open("/reports?workspace=T119")
	if n := browsertest.Eval[int](b.Tab, listed); n != 101 ||
		!b.holds(`document.querySelector("#workspaces [aria-current] code").textContent === "T119"`) {
		t.Errorf("the switcher has %d workspaces, want 100 and the selected one", n)
	}
	b.Open("/reports?workspace=WEB")
	const shown = `[...document.querySelectorAll("#workspaces .menu-item")].filter((item) => item.checkVisibility()).map((item) => ` +
		`item.querySelector(".menu-text").textContent).join()`
	browsertest.Eval[bool](b.Tab, `document.querySelector("[popovertarget=workspaces]").click(), true`)
	b.Wait(`document.activeElement.matches("#workspaces [data-filter]")`)
	b.Press("asa zur")
	b.Wait(shown + ` === "Zürich Åsa,Find another workspace"`)
	b.axe(1440, "dark")
	b.Press(kb.Enter)
	b.Wait(`location.search.includes("workspace=T119") && !document.querySelector("#workspaces:popover-open")`)
	b.Quiet()
}
