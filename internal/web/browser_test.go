package web

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// phone is the width up to which the menu is a drawer.
const phone = 760

// sizes are the widths and heights in which pages are looked at.
var sizes = [][2]int64{{360, 740}, {1024, 768}, {1600, 900}}

// chromium is one browser for all tests of the package.
var chromium = sync.OnceValues(func() (context.Context, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, fmt.Errorf("chromium is missing; on Debian: apt-get install chromium (make test does it)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-quic", true))
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	closeBrowser = stop
	return ctx, chromedp.Do(ctx)
})

var closeBrowser = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

// tab is a page of the browser, in a browser context of its own.
type tab struct {
	t       testing.TB
	w       *world
	ctx     context.Context
	mu      sync.Mutex
	noise   []string // messages of the console, and dialogs
	foreign []string // addresses of other hosts
}

// tab opens a tab for somebody, or for nobody.
func (w *world) tab(t testing.TB, who string) *tab {
	t.Helper()
	browser, err := chromium()
	must(t, err)
	ctx, end := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	must(t, chromedp.Do(ctx))
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	b := &tab{t: t, w: w, ctx: ctx}
	must(t, chromedp.Listen(ctx, b.listen))
	call(b, network.Enable, network.EnableParams{})
	call(b, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: false})
	if who != "" {
		w.mu.Lock()
		s := w.open(who)
		w.mu.Unlock()
		call(b, network.SetCookie, network.SetCookieParams{Name: "bugslice", Value: s.Token, URL: w.url})
	}
	return b
}

func (b *tab) listen(e any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventConsoleAPICalled:
		text, _ := json.Marshal(e.Args)
		b.noise = append(b.noise, string(text))
	case *runtime.EventExceptionThrown:
		b.noise = append(b.noise, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if e.Entry.Source == "network" && strings.HasPrefix(e.Entry.Text, "Failed to load resource: the server responded with a status of ") && !strings.Contains(e.Entry.URL, "/static/") {
			return // the document itself, which is a page about a problem
		}
		b.noise = append(b.noise, e.Entry.Text+" "+e.Entry.URL)
	case *page.EventJavascriptDialogOpening:
		b.noise = append(b.noise, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, b.w.url+"/") && !strings.HasPrefix(e.Request.URL, "data:") {
			b.foreign = append(b.foreign, e.Request.URL)
		}
	}
}

// quiet fails the test when a page said something in the console, or asked another host.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() { b.noise, b.foreign = nil, nil }()
	if len(b.noise) > 0 || len(b.foreign) > 0 {
		b.t.Errorf("console: %v; other hosts: %v", b.noise, b.foreign)
	}
}

func call[P, R any](b *tab, c cdp.Command[P, R], params P) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, c, params)
	must(b.t, err)
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	must(b.t, chromedp.Do(b.ctx, steps...))
}

func eval[T any](b *tab, script string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return v
}

func (b *tab) media(theme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

func (b *tab) size(size [2]int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(size[0], size[1]))
}

// open opens the page of a state.
func (b *tab) open(s state, width int64) {
	b.t.Helper()
	if s.post == nil {
		b.do(chromedp.Navigate(b.w.url + s.path))
	} else {
		b.do(chromedp.Navigate(b.w.url + "/static/none"))
		b.mu.Lock()
		b.noise = nil
		b.mu.Unlock()
		fields, err := json.Marshal(s.post)
		must(b.t, err)
		_, err = chromedp.RunResponse(b.ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
			const form = document.createElement("form");
			form.method = "post"; form.action = %q;
			const fields = %s;
			for (let i = 0; i < fields.length; i += 2) {
				const input = document.createElement("input");
				input.type = "hidden"; input.name = fields[i]; input.value = fields[i + 1];
				form.append(input);
			}
			document.body.append(form);
			form.submit();
		})()`, s.path, fields)))
		must(b.t, err)
	}
	for _, selector := range s.click {
		if strings.HasPrefix(selector, "#sidebar") && width <= phone {
			eval[bool](b, `document.querySelector("[popovertarget=sidebar]").click(), true`)
		}
		eval[bool](b, fmt.Sprintf(`document.querySelector(%q).click(), true`, selector))
	}
	eval[bool](b, `document.fonts.ready.then(() => new Promise(r => requestAnimationFrame(() => setTimeout(() => r(true), 20))))`)
}

// state is a page in one of its states, which is looked at.
type state struct {
	name  string
	who   string
	path  string
	post  []string // the fields of a posted form; nil for a page that is opened
	click []string // selectors of what is clicked then
}

// TestBrowserStates opens every page in every state, light and dark, at each size: axe finds no violation, nothing is
// wider than the window, nothing moves while it loads, the console is silent, and no other host is asked. With
// BUGSLICE_GALLERY set to a folder, a picture of each is left there.
func TestBrowserStates(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../../tools/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal("axe-core is missing: npm ci --prefix tools (make test does it)")
	}
	gallery := os.Getenv("BUGSLICE_GALLERY")
	for prefix, w := range map[string]*world{"": filled(t, false), "hostile-": filled(t, true)} {
		byUser := map[string][]state{}
		for _, s := range states(w) {
			byUser[s.who] = append(byUser[s.who], s)
		}
		for who, all := range byUser {
			t.Run(prefix+"of "+who, func(t *testing.T) {
				t.Parallel()
				b := w.tab(t, who)
				for _, s := range all {
					t.Run(s.name, func(t *testing.T) {
						b.t = t
						b.look(s, string(axe), gallery, prefix+s.name)
						b.quiet()
					})
				}
			})
		}
	}
}

// look opens a state on a phone and on a desk, where the layouts differ, and widens the desk.
func (b *tab) look(s state, axe, gallery, name string) {
	b.t.Helper()
	for i, size := range sizes {
		if size[0] > phone && strings.HasPrefix(s.name, "drawer") {
			continue
		}
		b.size(size)
		b.media("light")
		if i == 0 || i == 1 && s.post == nil {
			b.open(s, size[0])
			if shift := eval[float64](b, layoutShift); shift > 0 {
				b.open(s, size[0]) // the first time the font was not there within the time that text waits for it
				if shift = eval[float64](b, layoutShift); shift > 0 {
					b.t.Errorf("%d: the layout shifts by %v", size[0], shift)
				}
			}
			eval[bool](b, axe+`; true`)
		}
		if wide := eval[string](b, overflow); wide != "" {
			b.t.Errorf("%d: wider than the window: %s", size[0], wide)
		}
		for _, theme := range []string{"light", "dark"} {
			if i == 2 && gallery == "" {
				continue // the styles are those of 1024
			}
			b.media(theme)
			if found := eval[[]any](b, violations); len(found) > 0 {
				b.t.Errorf("%d %s: axe: %v", size[0], theme, found)
			}
			if gallery != "" {
				b.picture(filepath.Join(gallery, fmt.Sprintf("%s-%d-%s.png", name, size[0], theme)))
			}
		}
	}
}

const (
	layoutShift = `new Promise(r => { let sum = 0; new PerformanceObserver(l => { for (const e of l.getEntries()) sum += e.value; })
		.observe({type: "layout-shift", buffered: true}); setTimeout(() => r(sum), 20); })`
	violations = `axe.run({resultTypes: ["violations"]}).then(r => r.violations.map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary)]))`
	overflow   = `(() => { const w = document.documentElement.clientWidth; if (document.documentElement.scrollWidth <= w) return "";
		return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > w + 1).map(e => e.outerHTML.slice(0, 80)).slice(0, 3).join(" ") || "?"; })()`
)

func (b *tab) picture(path string) {
	b.t.Helper()
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if strings.Contains(path, "newkey") || strings.Contains(path, "hostile-keys") || strings.Contains(path, "report") {
		shot, err = chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	}
	must(b.t, err)
	must(b.t, os.WriteFile(path, shot, 0o600))
}
