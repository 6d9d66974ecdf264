package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"bugslice/internal/browsertest"
)

// phone is the width up to which the menu is a drawer.
const phone = 760

// sizes are the widths and heights at which pages are looked at.
var sizes = [][2]int64{{360, 740}, {1024, 768}, {1600, 900}}

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

// TestBrowserStates opens every page in every state at each size, light and dark: axe finds no violation, nothing is wider
// than the window, nothing moves while it loads, a first view is at most 100 kB, the console is silent, and no other host
// is asked. With BUGSLICE_GALLERY set to a folder, a picture of each is left there.
func TestBrowserStates(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../../tools/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal("axe-core is missing: npm ci --prefix tools (make test does it)")
	}
	plain, r := filled(t, false)
	hostile, attacked := filled(t, true)
	empty := newEmptyWorld(t, table, nil)
	token, err := empty.operator.NewSetupLink(t.Context())
	must(t, err)
	for _, group := range []struct {
		prefix   string
		w        *world
		sessions map[string]string
		states   []state
	}{{"", plain, r.sessions, states(r)}, {"hostile-", hostile, attacked.sessions, hostileStates(attacked)},
		{"", empty, nil, setupStates("/setup/" + token)}} {
		byUser := map[string][]state{}
		for _, s := range group.states {
			byUser[s.who] = append(byUser[s.who], s)
		}
		for who, all := range byUser {
			t.Run(group.prefix+"of "+who, func(t *testing.T) {
				t.Parallel()
				b := group.w.tab(t, group.sessions[who])
				b.Preload(string(axe))
				b.Open("/login")
				if n := b.Received(); n == 0 || n > 100_000 {
					t.Errorf("a first view loads %d bytes", n)
				}
				for _, s := range all {
					t.Run(s.name, func(t *testing.T) {
						b.T = t
						b.look(s, group.prefix+s.name)
						b.Quiet()
					})
				}
			})
		}
	}
}

// look opens a state on a phone and on a desk, where the layouts differ, and widens the desk. A form is sent once.
func (b tab) look(s state, name string) {
	b.T.Helper()
	gallery := os.Getenv("BUGSLICE_GALLERY")
	for i, size := range sizes {
		if size[0] > phone && s.name == "drawer" {
			continue
		}
		b.Size(size[0], size[1])
		if i == 0 || i == 1 && s.post == nil {
			b.open(s, size[0])
			if shifts := b.Shifts(); len(shifts) > 0 {
				b.T.Errorf("%d: the layout shifts: %q", size[0], shifts)
			}
		}
		if wide := browsertest.Eval[string](b.Tab, overflow); wide != "" {
			b.T.Errorf("%d: wider than the window: %s", size[0], wide)
		}
		for _, theme := range []string{"light", "dark"} {
			b.Theme(theme)
			if rules, checked := axeRules(i, theme, name); checked {
				if found := browsertest.Eval[[]any](b.Tab, fmt.Sprintf(violations, rules)); len(found) > 0 {
					b.T.Errorf("%d %s: axe: %v", size[0], theme, found)
				}
			}
			if gallery != "" {
				b.picture(filepath.Join(gallery, fmt.Sprintf("%s-%d-%s.png", name, size[0], theme)))
			}
		}
		b.Theme("light")
	}
}

// axeRules returns the rules by which axe looks at a state at a size: all in the light, and those of colours in the dark,
// where a wider window has no further ones. Hostile names are on pages that were looked at, so once is enough.
func axeRules(size int, theme, name string) (rules string, checked bool) {
	switch {
	case strings.HasPrefix(name, "hostile-"):
		return "", size == 0 && theme == "light"
	case theme == "light":
		return "", true
	}
	return colourRules, size < 2
}

const (
	violations = `axe.run({resultTypes: ["violations"]%s}).then(r => r.violations.map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary)]))`

	// colourRules are the rules whose outcome depends on the theme.
	colourRules = `, runOnly: ["color-contrast", "link-in-text-block"]`

	overflow = `(() => { const w = document.documentElement.clientWidth; if (document.documentElement.scrollWidth <= w) return "";
		return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > w + 1).map(e => e.outerHTML.slice(0, 80)).slice(0, 3).join(" ") || "?"; })()`
)

func (b tab) picture(path string) {
	b.T.Helper()
	shot := chromedp.CaptureScreenshot()
	if strings.Contains(path, "newkey") || strings.Contains(path, "hostile-keys") || strings.Contains(path, "report") {
		shot = chromedp.FullScreenshot(100)
	}
	must(b.T, os.WriteFile(path, browsertest.Get(b.Tab, shot), 0o600))
}
