package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
)

// TestReferencePage opens /docs in a browser, wide and light, narrow and dark, and under make foreign-clients in
// the other two ways: it loads nothing from another host, its console is silent, axe-core finds no violation, nothing
// is cut off, and the keyboard reaches what the mouse does. With BUGSLICE_TEST_SHOTS set to a directory it leaves
// screenshots there.
func TestReferencePage(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../tools/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal("axe-core is missing: npm ci --prefix tools (make test does it)")
	}
	s := shared(t, tested()[0])
	wide, narrow := [2]int64{1440, 900}, [2]int64{390, 844}
	type screen struct {
		size   [2]int64
		scheme string
	}
	for _, v := range sized([]screen{{wide, "light"}, {narrow, "dark"}},
		[]screen{{wide, "light"}, {wide, "dark"}, {narrow, "light"}, {narrow, "dark"}}) {
		t.Run(fmt.Sprint(v.size[0], " ", v.scheme), func(t *testing.T) {
			b := browsertest.Open(t, s.URL)
			b.Theme(v.scheme)
			b.Size(v.size[0], v.size[1])
			b.Open("/docs")
			look(t, b, string(axe))
			findOperation(t, b)
			other := map[string]string{"light": "dark", "dark": "light"}[v.scheme]
			b.Cookie("bugslice-theme", other) // what the reader has chosen in the web application
			b.Open("/docs")
			b.Wait(`getComputedStyle(document.documentElement).colorScheme == "` + other + `"`)
			b.Quiet()
		})
	}
}

// look looks at the reference page in a tab.
func look(t *testing.T, b *browsertest.Tab, axe string) {
	shot := browsertest.Get(b, chromedp.CaptureScreenshot())
	if browsertest.Eval[bool](b, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
		t.Error("the page is wider than its window")
	}
	if n := browsertest.Eval[int](b, `document.querySelectorAll("article").length`); n != len(api.Operations) {
		t.Errorf("%d operations are described, of %d", n, len(api.Operations))
	}
	b.Wait(`document.querySelector("#sections [aria-current=true]").getAttribute("href") == "#authentication"`)
	n := browsertest.Eval[int](b, `document.querySelectorAll(".shown > .example .copy").length`)
	if n != len(api.Operations) {
		t.Errorf("%d requests can be copied, of %d", n, len(api.Operations))
	}
	browsertest.Eval[bool](b, `document.querySelectorAll("details:not(.try)").forEach(d => d.open = true), true`)
	browsertest.Eval[bool](b, axe+`; true`)
	// Without resultTypes axe describes every element that passes, which takes most of the time.
	const violations = `axe.run({resultTypes: ["violations"]}).then(r => r.violations.map(v => [v.id, v.nodes.slice(0, 3).map(n => ` +
		`n.html)]))`
	if found := browsertest.Eval[[]any](b, violations); len(found) > 0 {
		t.Errorf("axe: %v", found)
	}
	b.Press(kb.Tab)
	if focused := browsertest.Eval[string](b, `document.activeElement.textContent`); focused != "Skip to the content" {
		t.Errorf("the first stop of the keyboard is %q", focused)
	}
	if dir := os.Getenv("BUGSLICE_TEST_SHOTS"); dir != "" {
		name := filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_"))
		must(t, os.WriteFile(name+".png", shot, 0o600))
		browsertest.Eval[bool](b, `document.documentElement.style.scrollBehavior = "auto", `+
			`document.getElementById("createSlice").scrollIntoView(), true`)
		must(t, os.WriteFile(name+"_operation.png", browsertest.Get(b, chromedp.CaptureScreenshot()), 0o600))
	}
}

// findOperation finds an operation by its path from the keyboard.
func findOperation(t *testing.T, b *browsertest.Tab) {
	browsertest.Eval[bool](b, `document.body.dispatchEvent(new KeyboardEvent("keydown",
		{key: "k", ctrlKey: true, bubbles: true, cancelable: true}))`)
	b.Wait(`document.activeElement.ariaLabel == "Find an operation" && document.activeElement.checkVisibility()`)
	b.Press("/v1/slices/batch", kb.ArrowDown, kb.ArrowUp, kb.Enter)
	b.Wait(`location.hash.startsWith("#batch")`)
	if hash := browsertest.Eval[string](b, `document.querySelector(location.hash + " .route code").textContent`); !strings.HasPrefix(hash,
		"/v1/slices/batch") {
		t.Errorf("the path leads to %s", hash)
	}
	for text, id := range map[string]string{"file a report": "createSlice", "create a slice": "createSlice",
		"remove a webhook": "deleteWebhook"} {
		browsertest.Eval[bool](b, `document.body.dispatchEvent(new KeyboardEvent("keydown",
			{key: "k", ctrlKey: true, bubbles: true, cancelable: true}))`)
		b.Wait(`document.activeElement.ariaLabel == "Find an operation"`)
		b.Press(text, kb.Enter)
		b.Wait(`location.hash == "#` + id + `" && document.querySelector("#sections [aria-current]").hash == location.hash`)
		b.Wait(`document.querySelector(location.hash + " .curl").checkVisibility()`)
	}
}
