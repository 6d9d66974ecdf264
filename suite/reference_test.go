package suite

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"bugslice/api"
)

// TestReferencePage opens /docs in a browser, wide and light, narrow and dark, and under make foreign-clients in
// the other two ways: it loads
// nothing from another host, axe-core finds no violation, nothing is cut off, and the
// keyboard reaches what the mouse does. With BUGSLICE_TEST_SHOTS set to a directory it
// leaves screenshots there.
func TestReferencePage(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../tools/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal("axe-core is missing: npm ci --prefix tools (make test does it)")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is missing; on Debian: apt-get install chromium (make test does it)")
	}
	s := shared(t, "sqlite")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-quic", true))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	defer stop()
	wide, narrow := [2]int64{1440, 900}, [2]int64{390, 844}
	type screen struct {
		size   [2]int64
		scheme string
	}
	for _, v := range sized([]screen{{wide, "light"}, {narrow, "dark"}}, []screen{{wide, "light"}, {wide, "dark"}, {narrow, "light"}, {narrow, "dark"}}) {
		t.Run(fmt.Sprint(v.size[0], " ", v.scheme), func(t *testing.T) {
			ctx, end := chromedp.NewContext(allocator)
			defer end()
			ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
			defer cancel()
			look(t, ctx, s.URL+"/docs", v.size, v.scheme, string(axe))
		})
	}
}

func look(t *testing.T, ctx context.Context, address string, size [2]int64, scheme, axe string) {
	own, err := url.Parse(address)
	must(t, err)
	var mu sync.Mutex
	var foreign []string
	must(t, chromedp.Listen(ctx, func(e any) {
		if r, ok := e.(*network.EventRequestWillBeSent); ok {
			if u, err := url.Parse(r.Request.URL); err == nil && u.Scheme != "data" && u.Host != own.Host {
				mu.Lock()
				foreign = append(foreign, r.Request.URL)
				mu.Unlock()
			}
		}
	}))
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	must(t, err)
	_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	must(t, err)
	must(t, chromedp.Do(ctx, chromedp.EmulateViewport(size[0], size[1]), chromedp.Navigate(address)))
	shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	must(t, err)
	if evaluate[bool](t, ctx, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
		t.Error("the page is wider than its window")
	}
	if n := evaluate[int](t, ctx, `document.querySelectorAll("article").length`); n != len(api.Operations) {
		t.Errorf("%d operations are described, of %d", n, len(api.Operations))
	}
	evaluate[bool](t, ctx, `document.querySelectorAll("details").forEach(d => d.open = true), true`)
	evaluate[bool](t, ctx, axe+`; true`)
	if found := evaluate[[]any](t, ctx, `axe.run().then(r => r.violations.map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html)]))`); len(found) > 0 {
		t.Errorf("axe: %v", found)
	}
	if len(foreign) > 0 {
		t.Errorf("requests to other hosts: %v", foreign)
	}
	must(t, chromedp.Do(ctx, chromedp.KeyEvent("\t")))
	if focused := evaluate[string](t, ctx, `document.activeElement.textContent`); focused != "Skip to the content" {
		t.Errorf("the first stop of the keyboard is %q", focused)
	}
	if dir := os.Getenv("BUGSLICE_TEST_SHOTS"); dir != "" {
		name := filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_"))
		must(t, os.WriteFile(name+".png", shot, 0o600))
		evaluate[bool](t, ctx, `document.documentElement.style.scrollBehavior = "auto", document.getElementById("createSlice").scrollIntoView(), true`)
		shot, err = chromedp.Run(ctx, chromedp.CaptureScreenshot())
		must(t, err)
		must(t, os.WriteFile(name+"_operation.png", shot, 0o600))
	}
}

func evaluate[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	must(t, err)
	return v
}
