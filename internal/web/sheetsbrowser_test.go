package web

import (
	"testing"

	"bugslice/internal/tracker"
)

// TestBrowserSheets: a page that a link shows within the page before it has its own style sheets when it is seen, and
// no others, and its first lines are below the bar.
func TestBrowserSheets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1440, 300)
	b.Open("/my")
	// report.css is loaded in time beside lists.
	const sheets = `[...document.styleSheets].filter((s) => s.media.mediaText == "").map((s) => s.href.match(/static.(\w+)/)[1])
		.filter((name) => name != "report").join(" ")`
	want := func(page, names string) {
		t.Helper()
		b.Wait(`document.querySelector("main[data-page=` + page + `]")`)
		if found := b.text(sheets); found != names {
			t.Errorf("%s has the style sheets %s, want %s", page, found, names)
		}
	}
	for _, shown := range []struct{ page, sheets string }{
		{"board", "app list board"}, {"overview", "app overview"}, {"reports", "app list"}, {"overview",
			"app overview"},
	} {
		b.ClickOn(`#sidebar a[href^="/` + shown.page + `"]`)
		want(shown.page, shown.sheets)
		if !b.holds(`scrollY == 0`) {
			t.Errorf("%s is scrolled", shown.page)
		}
	}
	b.holds(`(history.back(), true)`)
	want("reports", "app list")
	b.Quiet()
}
