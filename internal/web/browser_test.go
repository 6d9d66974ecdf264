package web

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// phone is the width up to which the menu is a drawer.
const phone = 760

// sizes are the widths and heights at which pages are looked at. A page is loaded at the first, or the first two, and
// resized to the others.
var sizes = [][2]int64{{360, 740}, {1600, 900}, {1024, 768}}

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.Close()
	os.Exit(code)
}

// tab is a tab of the browser on the pages of a world.
type tab struct {
	*browsertest.Tab
	w *world
}

// tab opens a tab with the token of a session, or with none.
func (w *world) tab(t testing.TB, session string) tab {
	t.Helper()
	b := tab{browsertest.Open(t, w.url), w}
	if session != "" {
		b.Cookie("bugslice", session)
	}
	return b
}

// open opens the page of a state.
func (b tab) open(s state, width int64) {
	b.T.Helper()
	if s.post == nil {
		b.Open(s.path)
	} else {
		b.Post(s.path, s.post...)
	}
	for _, selector := range s.click {
		if strings.HasPrefix(selector, "#sidebar") && width <= phone {
			browsertest.Eval[bool](b.Tab, `document.querySelector("[popovertarget=sidebar]").click(), true`)
		}
		browsertest.Eval[bool](b.Tab, fmt.Sprintf(`document.querySelector(%q).click(), true`, selector))
	}
}

// TestBrowserStates opens every page in every state. At each size nothing is wider than the window. Axe finds no
// violation, on every other page as on a phone in the light, and on the others wide in the dark. Nothing moves while
// a page loads, a first view is at most 100 kB, the console is silent, and no other host is asked. Pages are loaded
// as on a phone. TestGallery loads them wide, too, and lets axe look at each size in both themes, and at hostile
// records.
func TestBrowserStates(t *testing.T) {
	t.Parallel()
	axe := axe(t)
	for _, g := range allStates(t) {
		g.look(t, axe)
	}
}

// TestBrowserFirstView: the first view of a list, with all that it loads, is at most 120 kB.
func TestBrowserFirstView(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	priority := api.Priority("high")
	w.fileMany(t, numbered(60, api.SliceFields{Labels: []string{"checkout", "payments"}, Priority: &priority})...)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Open("/reports?workspace=WEB")
	b.Wait(`document.readyState == "complete" && document.querySelectorAll(".row").length == 50`)
	if n := b.Received(); n < 60_000 || n > 120_000 {
		t.Errorf("the first view of a list loads %d bytes", n)
	}
}

// look looks at each state. A tab begins with a first view.
func (g shownStates) look(t *testing.T, axe string) {
	g.eachState(t, func(b tab) {
		b.Preload(axe)
		b.Open("/login")
		if n := b.Received(); n == 0 || n > 100_000 {
			b.T.Errorf("a first view loads %d bytes", n)
		}
	}, func(b tab, s state) {
		b.look(s, g.prefix != "")
		b.Quiet()
	})
}

// look looks at a state at each size, and lets axe look at it at one of them.
func (b tab) look(s state, hostile bool) {
	b.T.Helper()
	theme, checked := "light", 0
	if s.dark {
		theme, checked = "dark", len(s.sizes())/2
	}
	for i, size := range s.sizes() {
		b.Size(size[0], size[1])
		if i == 0 {
			b.load(s, size[0])
		}
		b.wantFitting(size[0])
		if i == checked && !hostile {
			b.axe(size[0], theme)
			b.Theme("light")
		}
	}
}

// sizes are the sizes at which a state is looked at. Wide pages have no drawer.
func (s state) sizes() [][2]int64 {
	if s.name == "drawer" {
		return sizes[:1]
	}
	return sizes
}

// load opens the page of a state, on which nothing may move.
func (b tab) load(s state, width int64) {
	b.T.Helper()
	b.open(s, width)
	if shifts := b.Shifts(); len(shifts) > 0 {
		b.T.Errorf("%d: the layout shifts: %q", width, shifts)
	}
}

// wantFitting fails the test when something is wider than the window.
func (b tab) wantFitting(width int64) {
	b.T.Helper()
	if found := browsertest.Eval[string](b.Tab, overflow); found != "" {
		b.T.Errorf("%d: wider than the window: %s", width, found)
	}
}

// axe returns the script that checks pages.
func axe(t testing.TB) string {
	t.Helper()
	script, err := os.ReadFile("../../tools/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal("axe-core is missing: npm ci --prefix tools (make test does it)")
	}
	return string(script)
}

// axe fails the test when axe finds a violation of its rules in a theme, which stays.
func (b tab) axe(width int64, theme string) {
	b.T.Helper()
	b.Theme(theme)
	b.accessible(fmt.Sprint(width, " ", theme))
}

// accessible fails the test when axe finds a violation of its rules.
func (b tab) accessible(at string) {
	b.T.Helper()
	if found := browsertest.Eval[[]any](b.Tab, violations); len(found) > 0 {
		b.T.Errorf("%s: axe: %v", at, found)
	}
}

const (
	violations = `axe.run({resultTypes: ["violations"]}).then(r => r.violations.map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html ` +
		`+ " " + n.failureSummary)]))`

	overflow = `(() => { const w = document.documentElement.clientWidth; if (document.documentElement.scrollWidth <= w) return "";
		return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > w + 1).map(e => ` +
		`e.outerHTML.slice(0, 80)).slice(0, 3).join(" ") || "?"; })()`
)

// TestBrowserForcedColours: with the colours of the system, the chosen one of a group of pills differs from the others.
func TestBrowserForcedColours(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	browsertest.Call(b.Tab, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}})
	b.Open("/settings/profile")
	outlined := browsertest.Eval[map[string]bool](b.Tab, `Object.fromEntries([...document.querySelectorAll(".pill")].map((pill) =>
		[pill.querySelector("input").value, getComputedStyle(pill.querySelector("span")).outlineStyle == "solid"]))`)
	assert.Equal(t, "outlined pills", outlined, map[string]bool{"system": true, "light": false, "dark": false})
}
