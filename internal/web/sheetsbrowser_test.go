package web

import (
	"testing"

	"bugslice/internal/tracker"
)

// TestBrowserSheets: a page that a link shows within the page before it has its own style sheets when it is seen, and
// its first lines are below the bar.
func TestBrowserSheets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1440, 300)
	b.Open("/my")
	for _, page := range []string{"board", "overview", "reports"} {
		b.ClickOn(`#sidebar a[href^="/` + page + `"]`)
		b.Wait(`document.querySelector("main[data-page=` + page + `]")`)
		sheet := page
		if page == "reports" {
			sheet = "list"
		}
		if !b.holds(`[...document.styleSheets].some((s) => s.href?.includes("/` + sheet + `."))`) {
			t.Errorf("%s is shown without its style sheet", page)
		}
		if !b.holds(`scrollY == 0`) {
			t.Errorf("%s is scrolled", page)
		}
	}
	b.Quiet()
}
