// Package browsertest lets tests look at pages in Chromium. All tabs of a process are in one browser, each in a browser
// context of its own: no tab sees the cookies or the cache of another one.
package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// maxWait is the time after which a condition that a test waits for counts as never true.
const maxWait = time.Minute

// The browsers of a process: Chromium, and its shell without windows, which takes less of the processor.
var (
	chromium = sync.OnceValues(func() (context.Context, error) { return start("chromium") })
	shell    = sync.OnceValues(func() (context.Context, error) {
		if _, err := exec.LookPath("chromium-headless-shell"); err != nil {
			return chromium()
		}
		return start("chromium-headless-shell")
	})
)

var closeBrowsers []func()

// InsecureHost is a name of 127.0.0.1. Over http, its pages are no secure context, as those of any host but the
// loopback ones.
const InsecureHost = "bugslice.test"

// start starts a browser by the name of its program, which is that of its Debian package.
func start(name string) (context.Context, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%s is missing; on Debian: apt-get install %[1]s (make test does it)", name)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-quic", true), chromedp.Flag("host-resolver-rules", "MAP "+InsecureHost+" 127.0.0.1"),
		// A page that records the screen gets one without asking.
		chromedp.Flag("use-fake-ui-for-media-stream", true), chromedp.Flag("use-fake-device-for-media-stream", true))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	starting.Lock()
	closeBrowsers = append(closeBrowsers, func() { cancel(); stop() })
	starting.Unlock()
	return ctx, chromedp.Do(ctx)
}

var starting sync.Mutex

// Close ends the browsers. TestMain calls it after the tests.
func Close() {
	for _, end := range closeBrowsers {
		end()
	}
}

// Tab is a tab of the browser, on one origin.
type Tab struct {
	T      testing.TB
	origin string
	ctx    context.Context

	mu       sync.Mutex
	messages []string // of the console, and dialogs
	foreign  []string // addresses of other hosts that were requested
	received float64  // bytes of responses, compressed

	scriptless bool // pages run no scripts
}

// Open opens a tab, which the end of the test closes. origin is the scheme, host and port of the pages it will open.
func Open(t testing.TB, origin string) *Tab {
	t.Helper()
	return open(t, running(t, shell), origin, chromedp.WithNewBrowserContext())
}

// OpenInProfile opens a tab of Chromium that shares cookies with the other tabs that are opened so. Chromium makes
// connections in advance for pages in its profile alone, and its shell for none.
func OpenInProfile(t testing.TB, origin string) *Tab {
	t.Helper()
	return open(t, running(t, chromium), origin)
}

// Another opens another tab beside a tab, with which it shares cookies, cache and workers.
func (b *Tab) Another() *Tab {
	b.T.Helper()
	return open(b.T, b.ctx, b.origin)
}

func running(t testing.TB, browser func() (context.Context, error)) context.Context {
	t.Helper()
	ctx, err := browser()
	must(t, err)
	return ctx
}

func open(t testing.TB, parent context.Context, origin string, options ...chromedp.ContextOption) *Tab {
	t.Helper()
	ctx, end := chromedp.NewContext(parent, options...)
	t.Cleanup(end)
	must(t, chromedp.Do(ctx))
	ctx, cancel := context.WithTimeout(ctx, longest(t))
	t.Cleanup(cancel)
	b := &Tab{T: t, origin: origin, ctx: ctx}
	must(t, chromedp.Listen(ctx, b.listen))
	Call(b, network.Enable, network.EnableParams{})
	b.Preload(recordShifts)
	b.Theme("light")
	return b
}

// longest returns how long a tab of a test may be open: half of the time that its process has, and at least 12 minutes.
func longest(t testing.TB) time.Duration {
	limit := 12 * time.Minute
	if t, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := t.Deadline(); ok {
			limit = max(limit, time.Until(deadline)/2)
		}
	}
	return limit
}

// recordShifts records the shifts of the layout of a document since its beginning.
const recordShifts = `(() => {
	const shifts = [];
	let sum = 0;
	const rect = (r) => [r.x, r.y, r.width, r.height].join();
	const describe = ({node, previousRect, currentRect}) =>
		(node?.outerHTML ?? node?.textContent ?? "?").slice(0, 100) + " from " + rect(previousRect) + " to " + rect(currentRect);
	const record = (entries) => { for (const e of entries) {
		sum += e.value;
		shifts.push(e.value + ": " + e.sources.map(describe).join("; "));
	} };
	const observer = new PerformanceObserver((list) => record(list.getEntries()));
	observer.observe({type: "layout-shift", buffered: true});
	globalThis.layoutShifts = () => { record(observer.takeRecords()); return sum < 0.0005 ? [] : shifts; };
})()`

// Shifts returns the shifts of the layout since the page began to load, once its fonts are there and two further
// frames were drawn. It returns none when their score is 0.000, as Lighthouse shows it: on a busy machine a font may
// arrive between two frames, and move an icon beside a text.
func (b *Tab) Shifts() []string {
	b.T.Helper()
	return Eval[[]string](b, `document.fonts.ready.then(() => new Promise((done) =>
		requestAnimationFrame(() => requestAnimationFrame(() => done(layoutShifts())))))`)
}

// Preload runs a script at the beginning of every further document.
func (b *Tab) Preload(script string) {
	b.T.Helper()
	Call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

func (b *Tab) listen(e any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventConsoleAPICalled:
		text, _ := json.Marshal(e.Args)
		b.messages = append(b.messages, string(text))
	case *runtime.EventExceptionThrown:
		b.messages = append(b.messages, describe(e.ExceptionDetails))
	case *log.EventEntryAdded:
		if !b.isPage(e.Entry) && !isReplay(e.Entry.Text) {
			b.messages = append(b.messages, e.Entry.Text+" "+e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.messages = append(b.messages, dialogPrefix+e.Message)
		go func() {
			_, _ = chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		}()
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(strings.TrimPrefix(e.Request.URL, "blob:"), b.origin+"/") &&
			!strings.HasPrefix(e.Request.URL, "data:") {
			b.foreign = append(b.foreign, e.Request.URL)
		}
	case *network.EventLoadingFinished:
		b.received += e.EncodedDataLength
	}
}

// isReplay reports whether a message is one that Chromium writes about every replay: about the frame, in which a
// document of an opaque origin plays it, and about the script of Preload, which the recorded document does not run.
func isReplay(text string) bool {
	return strings.HasPrefix(text, "An iframe which has both allow-scripts and allow-same-origin for its sandbox attribute") ||
		strings.HasPrefix(text, "Blocked script execution in 'data:text/html")
}

const dialogPrefix = "dialog: "

// Dialogs returns the texts of the dialogs that were opened, which Quiet then does not report. Each is accepted at
// once.
func (b *Tab) Dialogs() (texts []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = slices.DeleteFunc(b.messages, func(m string) bool {
		text, ok := strings.CutPrefix(m, dialogPrefix)
		if ok {
			texts = append(texts, text)
		}
		return ok
	})
	return texts
}

// isPage reports whether a message of the browser is about a page with the status of an error, which is no fault of
// the page.
func (b *Tab) isPage(e *log.Entry) bool {
	return e.Source == "network" && strings.HasPrefix(e.Text,
		"Failed to load resource: the server responded with a status of ") &&
		!strings.Contains(e.URL, "/static/")
}

// Quiet fails the test when a page wrote to the console, opened a dialog or requested something of another host.
func (b *Tab) Quiet() {
	b.T.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.messages) > 0 || len(b.foreign) > 0 {
		b.T.Errorf("console: %v; other hosts: %v", b.messages, b.foreign)
	}
	b.messages, b.foreign = nil, nil
}

// Received returns the bytes of all responses so far, as they were transferred.
func (b *Tab) Received() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return int(b.received)
}

// Downloads returns a folder in which the tab stores what it downloads from now on.
func (b *Tab) Downloads() (folder string) {
	b.T.Helper()
	folder = b.T.TempDir()
	Call(b, browser.SetDownloadBehavior,
		browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow,
			BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID, DownloadPath: folder})
	return folder
}

// Do runs actions.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	must(b.T, chromedp.Do(b.ctx, actions...))
}

// Get runs an action and returns its result.
func Get[T any](b *Tab, a chromedp.Action[T]) T {
	b.T.Helper()
	v, err := chromedp.Run(b.ctx, a)
	must(b.T, err)
	return v
}

// Call calls a command of the DevTools protocol.
func Call[P, R any](b *Tab, c cdp.Command[P, R], params P) {
	b.T.Helper()
	_, err := chromedp.Call(b.ctx, c, params)
	must(b.T, err)
}

// Eval returns the value of an expression, or of the promise that it is. It works without script, too, unless it is a
// promise.
func Eval[T any](b *Tab, expression string) T {
	b.T.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.T.Fatalf("%.200s: %v", expression, err)
	}
	return v
}

// Wait waits until an expression is true, also on the page that comes next.
func (b *Tab) Wait(expression string) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, maxWait)
	defer cancel()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`Boolean(`+expression+`)`))
		if err == nil && ok {
			return
		}
		select {
		case <-ctx.Done():
			at := Eval[string](b, visible)
			b.mu.Lock()
			defer b.mu.Unlock()
			b.T.Fatalf("never: %s (%v); console %q; at %s", expression, err, b.messages, at)
		case <-poll.C:
		}
	}
}

// visible is the path of the page, the element with the focus, and the beginning of its text, on one line.
const visible = `location.pathname + location.search + " " + document.readyState +
	"; focus " + (document.activeElement?.outerHTML ?? "").slice(0, 200) +
	"; text " + (document.querySelector("dialog[open]")?.innerText ?? "") +
	(document.querySelector("main") ?? document.body).innerText.replace(/\s+/g, " ").slice(0, 1500)`

// Open opens a page by its path and waits until it is loaded. Navigate alone does not, when the page before changes
// its address.
func (b *Tab) Open(path string) {
	b.T.Helper()
	before := Eval[float64](b, "performance.timeOrigin")
	b.Do(chromedp.Navigate(b.origin + path))
	b.Wait(fmt.Sprintf(`performance.timeOrigin != %f && document.readyState == "complete"`, before))
}

// Reload loads the page again as a user does, and so sends its form again when it is the answer to one.
func (b *Tab) Reload() {
	b.T.Helper()
	b.Do(chromedp.Reload())
}

// Post sends a form from the page that is open, and waits until the answer is loaded. fields are names and values in
// turn.
func (b *Tab) Post(path string, fields ...string) {
	b.T.Helper()
	list, err := json.Marshal(fields)
	must(b.T, err)
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
	})()`, path, list)))
	must(b.T, err)
}

// Cookie sets a cookie of the origin.
func (b *Tab) Cookie(name, value string) {
	b.T.Helper()
	Call(b, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: b.origin})
}

// Theme makes the system's theme light or dark, and its user prefer little motion.
func (b *Tab) Theme(theme string) {
	b.T.Helper()
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// Size sets the size of the window.
func (b *Tab) Size(width, height int64) {
	b.T.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
}

// Script switches script of pages on or off.
func (b *Tab) Script(on bool) {
	b.T.Helper()
	Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
	b.scriptless = !on
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// describe returns the text of an exception with its stack.
func describe(e *runtime.ExceptionDetails) string {
	if e.Exception != nil {
		return e.Text + " " + e.Exception.Description
	}
	return e.Text
}
