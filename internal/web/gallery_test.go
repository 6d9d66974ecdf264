package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// gallery returns the folder of pictures; empty for none.
func gallery() string { return os.Getenv("BUGSLICE_GALLERY") }

// shownStates are states of the pages of a world.
type shownStates struct {
	prefix   string
	w        *world
	sessions map[string]string // of the people who see them
	states   []state
}

// eachState runs a subtest of each state, within one of each tab. Tabs are parallel.
func (g shownStates) eachState(t *testing.T, prepare func(tab), look func(tab, state)) {
	for i, all := range g.byTab() {
		who := all[0].who
		t.Run(fmt.Sprintf("%sof %s in tab %d", g.prefix, who, i+1), func(t *testing.T) {
			t.Parallel()
			b := g.w.tab(t, g.sessions[who])
			prepare(b)
			for _, s := range all {
				t.Run(s.name, func(t *testing.T) {
					b.T = t
					look(b, s)
				})
			}
		})
	}
}

// byTab divides the states among tabs. A tab is of one person. It shows about maxStates of theirs in their order, or
// the last ones, and all of a page that follow each other, since one may build on the one before it. Every other one
// is dark.
func (g shownStates) byTab() (tabs [][]state) {
	const maxStates = 25
	last := map[string]int{} // the tab of each person
	page := func(s state) string { name, _, _ := strings.Cut(s.name, "-"); return name }
	for n, s := range g.states {
		s.dark = n%2 == 1
		i, ok := last[s.who]
		if !ok || len(tabs[i]) >= maxStates && page(s) != page(tabs[i][len(tabs[i])-1]) {
			i = len(tabs)
			last[s.who], tabs = i, append(tabs, nil)
		}
		tabs[i] = append(tabs[i], s)
	}
	return tabs
}

// allStates returns the states of most pages, of plain and of hostile records, and of the first run.
func allStates(t *testing.T) []shownStates {
	t.Helper()
	plain, r := filled(t, false)
	hostile, attacked := filled(t, true)
	empty := newEmptyWorld(t, table, nil)
	token, err := empty.operator.NewSetupLink(t.Context())
	must(t, err)
	return []shownStates{{"", plain, r.sessions, states(r)}, mailStates(t),
		{"hostile-", hostile, attacked.sessions, hostileStates(attacked)},
		{"", empty, nil, setupStates("/setup/" + token)}}
}

// allHookStates returns the states of the pages of webhooks, sources, redaction and the audit log.
func allHookStates(t *testing.T) (all []shownStates) {
	t.Helper()
	for prefix, name := range map[string]func(string) string{"": func(name string) string { return name },
		"hostile-": attacker()} {
		w := newEmptyWorld(t, table, nil)
		w.populate(t, name)
		r := w.fillHooks(t, name)
		sessions := map[string]string{}
		for _, who := range []string{owner, member} {
			sessions[who] = w.session(t, who, tracker.Client{})
		}
		all = append(all, shownStates{prefix, w, sessions, append(hookStates(r), w.sourceStates(t, name)...)})
	}
	return all
}

// TestGallery looks at every page in every state, at each size: in the light, and in the dark unless its records are
// hostile. Axe finds no violation, nothing moves while a page loads, and nothing is wider than the window. It leaves
// a picture of each in the folder BUGSLICE_GALLERY. A form is sent once; another page is loaded again at the second
// size.
func TestGallery(t *testing.T) {
	if gallery() == "" {
		t.Skip("BUGSLICE_GALLERY names no folder")
	}
	axe := axe(t)
	for _, g := range append(allStates(t), allHookStates(t)...) {
		themes := []string{"light", "dark"}
		if g.prefix != "" {
			themes = themes[:1]
		}
		g.eachState(t, func(b tab) { b.Preload(axe); b.Open("/login") }, func(b tab, s state) {
			for i, size := range s.sizes() {
				b.Size(size[0], size[1])
				if i == 0 || i == 1 && s.post == nil {
					b.Theme("light")
					b.load(s, size[0])
				}
				b.wantFitting(size[0])
				for _, theme := range themes {
					b.axe(size[0], theme)
					b.photograph(g.prefix+s.name, size[0], theme, s.click == nil)
				}
			}
			b.Quiet()
		})
	}
}

// photograph leaves a picture in the gallery, if there is one: of the window, or of the whole page.
func (b tab) photograph(name string, width int64, theme string, whole bool) {
	b.T.Helper()
	if gallery() == "" {
		return
	}
	b.Theme(theme)
	shot := chromedp.CaptureScreenshot()
	if whole {
		shot = chromedp.FullScreenshot(100)
	}
	must(b.T, os.WriteFile(filepath.Join(gallery(), fmt.Sprintf("%s-%d-%s.png", name, width, theme)),
		browsertest.Get(b.Tab, shot), 0o600))
}
