package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Capture is what a reporter's browser hands in. Nothing in it is redacted. Its times are of one clock.
type Capture struct {
	StartedAt   string            `json:"startedAt"`
	EndedAt     string            `json:"endedAt"`
	UserAgent   string            `json:"userAgent"`
	Environment environment       `json:"environment"`
	Screenshots []screenshot      `json:"screenshots"`
	Console     []consoleEntry    `json:"console"`
	Network     har               `json:"network"`
	Actions     []action          `json:"actions"`
	Replay      []json.RawMessage `json:"replay"` // rrweb events
}

type screenshot struct {
	Name string `json:"name"`
	At   string `json:"at"`
	png  []byte
}

type consoleEntry struct {
	Level     string            `json:"level"` // debug, log, info, warn or error
	Timestamp string            `json:"timestamp"`
	Message   string            `json:"message"`
	Stack     string            `json:"stack,omitempty"`
	Args      []json.RawMessage `json:"args,omitempty"`
}

type action struct {
	Type      string `json:"type"` // click, input, change, submit, navigate, scroll or keydown
	Timestamp string `json:"timestamp"`
	Selector  string `json:"selector,omitempty"`
	Text      string `json:"text,omitempty"`
	Value     string `json:"value,omitempty"`
	URL       string `json:"url,omitempty"`
}

type environment struct {
	Browser          string  `json:"browser"`
	OS               string  `json:"os"`
	Device           string  `json:"device"`
	Viewport         string  `json:"viewport"`
	Screen           string  `json:"screen"`
	DevicePixelRatio float64 `json:"devicePixelRatio"`
	Locale           string  `json:"locale"`
	Timezone         string  `json:"timezone"`
}

// recorder gathers what a tab tells, from before its first page.
type recorder struct {
	mu      sync.Mutex
	console []*consoleCall
	traffic traffic
	actions []action
	replay  []json.RawMessage
	errors  []error
	last    time.Time // when something was heard
}

// consoleCall is an entry whose objects may still have to be asked for.
type consoleCall struct {
	consoleEntry
	args []*runtime.RemoteObject
	done bool
}

const quiet = 150 * time.Millisecond // without an event, before a page counts as settled

// newRecorder records the tab of ctx from now on.
func newRecorder(t *testing.T, ctx context.Context) *recorder {
	t.Helper()
	rrweb, err := os.ReadFile("../tools/node_modules/rrweb/umd/rrweb.min.js")
	if err != nil {
		t.Fatal("rrweb is missing: npm ci --prefix tools (make test does it)")
	}
	script, err := os.ReadFile("testdata/capture.js")
	must(t, err)
	r := &recorder{traffic: newTraffic()}
	must(t, chromedp.Listen(ctx, r.hear))
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	must(t, err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	must(t, err)
	_, err = chromedp.Call(ctx, runtime.AddBinding, runtime.AddBindingParams{Name: "captured"})
	must(t, err)
	_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: string(rrweb) + "\n;\n" + string(script)})
	must(t, err)
	return r
}

// hear is called with each event, in order. It only takes notes: the tab waits for it.
func (r *recorder) hear(event any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventBindingCalled:
		r.page(e)
	case *runtime.EventConsoleAPICalled:
		call := &consoleCall{args: e.Args}
		call.Level, call.Timestamp = level(string(e.Type)), stamp(float64(e.Timestamp))
		if call.Level == "error" || call.Level == "warn" {
			call.Stack = frames(e.StackTrace)
		}
		r.console = append(r.console, call)
	case *runtime.EventExceptionThrown:
		r.console = append(r.console, thrown(e))
	case *log.EventEntryAdded:
		call := &consoleCall{done: true}
		call.Level, call.Timestamp, call.Message = level(string(e.Entry.Level)), stamp(float64(e.Entry.Timestamp)),
			e.Entry.Text
		if e.Entry.URL != "" {
			call.Message += ": " + e.Entry.URL
		}
		call.Stack = frames(e.Entry.StackTrace)
		r.console = append(r.console, call)
	default:
		if !r.traffic.hear(event) {
			return
		}
	}
	r.last = time.Now()
}

func (r *recorder) page(e *runtime.EventBindingCalled) {
	var told struct {
		Kind string
		Data json.RawMessage
	}
	err := json.Unmarshal([]byte(e.Payload), &told)
	switch {
	case err != nil:
	case told.Kind == "replay":
		r.replay = append(r.replay, told.Data)
	case told.Kind == "page":
		err = r.traffic.loaded(told.Data)
	default:
		var a action
		err = json.Unmarshal(told.Data, &a)
		r.actions = append(r.actions, a)
	}
	if err != nil {
		r.errors = append(r.errors, err)
	}
}

// settle returns when the page has been quiet for a while. What a page takes with it when it
// goes, bodies and logged objects, has been fetched by then.
func (r *recorder) settle(t *testing.T, ctx context.Context) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		r.mu.Lock()
		open, last := r.traffic.open(), r.last
		r.mu.Unlock()
		r.resolve(ctx)
		r.traffic.fetch(ctx, &r.mu)
		if len(open) == 0 && time.Since(last) > quiet {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the page does not come to rest: %v", open)
		}
	}
}

// resolve asks for the values of what was logged.
func (r *recorder) resolve(ctx context.Context) {
	r.mu.Lock()
	calls := slices.Clone(r.console)
	r.mu.Unlock()
	for _, call := range calls {
		if call.done {
			continue
		}
		var words []string
		for _, arg := range call.args {
			value, word := r.value(ctx, arg)
			call.Args, words = append(call.Args, value), append(words, word)
			if arg.Subtype == runtime.RemoteObjectSubtypeError {
				call.Stack = arg.Description
			}
		}
		call.Message, call.done = formatted(words), true
	}
}

// value returns what was logged as JSON and as text. Errors are their first line.
func (r *recorder) value(ctx context.Context, o *runtime.RemoteObject) (json.RawMessage, string) {
	switch {
	case o.Type == runtime.RemoteObjectTypeString:
		var s string
		_ = json.Unmarshal(o.Value, &s)
		return json.RawMessage(o.Value), s
	case o.Subtype == runtime.RemoteObjectSubtypeError:
		line, _, _ := strings.Cut(o.Description, "\n")
		return quoted(line), line
	case o.ObjectID != "":
		res, err := chromedp.Call(ctx, runtime.CallFunctionOn, runtime.CallFunctionOnParams{ObjectID: o.ObjectID,
			FunctionDeclaration: "function() { return JSON.stringify(this) }"})
		var s string
		if err == nil && res.ExceptionDetails == nil && json.Unmarshal(res.Result.Value, &s) == nil &&
			json.Valid([]byte(s)) {
			return json.RawMessage(s), s
		}
	case json.Valid(o.Value):
		return json.RawMessage(o.Value), string(o.Value)
	}
	return quoted(o.Description), o.Description
}

func quoted(s string) json.RawMessage {
	b, _ := json.Marshal(s)
	return b
}

// formatted joins what was logged, with %s filled in.
func formatted(words []string) string {
	for len(words) > 1 && strings.Contains(words[0], "%s") {
		words = append([]string{strings.Replace(words[0], "%s", words[1], 1)}, words[2:]...)
	}
	return strings.Join(words, " ")
}

func thrown(e *runtime.EventExceptionThrown) *consoleCall {
	d := e.ExceptionDetails
	call := &consoleCall{done: true}
	call.Level, call.Timestamp, call.Message, call.Stack = "error", stamp(float64(e.Timestamp)), d.Text,
		frames(d.StackTrace)
	if d.Exception != nil && d.Exception.Description != "" {
		line, _, several := strings.Cut(d.Exception.Description, "\n")
		call.Message += " " + line
		if several {
			call.Stack = d.Exception.Description
		}
	}
	return call
}

func level(name string) string {
	switch name {
	case "debug", "verbose":
		return "debug"
	case "info":
		return "info"
	case "warning":
		return "warn"
	case "error", "assert":
		return "error"
	}
	return "log"
}

func frames(trace *runtime.StackTrace) string {
	if trace == nil {
		return ""
	}
	var lines []string
	for _, f := range trace.CallFrames {
		name := f.FunctionName
		if name == "" {
			name = "<anonymous>"
		}
		lines = append(lines, fmt.Sprintf("    at %s (%s:%d:%d)", name, f.URL, f.LineNumber+1, f.ColumnNumber+1))
	}
	return strings.Join(lines, "\n")
}

// stamp writes milliseconds since 1970 as RFC 3339.
func stamp(ms float64) string {
	return time.UnixMilli(int64(ms)).UTC().Format("2006-01-02T15:04:05.000Z")
}

// finish returns what was recorded.
func (r *recorder) finish(t *testing.T, ctx context.Context) Capture {
	t.Helper()
	r.settle(t, ctx)
	env := evaluate[environment](t, ctx, `({
		viewport: innerWidth + "x" + innerHeight, screen: screen.width + "x" + screen.height,
		devicePixelRatio, locale: navigator.language, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone })`)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, err := range r.errors {
		t.Error(err)
	}
	c := Capture{Network: r.traffic.har(), Actions: slices.Clone(r.actions), Replay: slices.Clone(r.replay),
		Environment: env,
		UserAgent:   evaluate[string](t, ctx, `navigator.userAgent`)}
	for _, call := range r.console {
		c.Console = append(c.Console, call.consoleEntry)
	}
	slices.SortStableFunc(c.Console, func(a, b consoleEntry) int { return strings.Compare(a.Timestamp, b.Timestamp) })
	slices.SortStableFunc(c.Actions, func(a, b action) int { return strings.Compare(a.Timestamp, b.Timestamp) })
	return c
}

func evaluate[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	must(t, err)
	return v
}
