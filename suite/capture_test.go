package suite

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"log"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"bugslice/examples/shop"
	"bugslice/internal/assert"
	"bugslice/internal/demo"
)

// TestCapture visits the shop in a browser, and compares what it captures with the evidence of the demo. With
// full sizes it makes every visit. With BUGSLICE_UPDATE_CAPTURES=1 it writes that evidence anew.
func TestCapture(t *testing.T) {
	t.Parallel()
	update := os.Getenv("BUGSLICE_UPDATE_CAPTURES") == "1"
	selected := visits[:1]
	if update || full() {
		selected = visits
	}
	for _, w := range selected {
		t.Run(w.name, func(t *testing.T) {
			ctx, address := openShop(t)
			live := w.record(t, ctx, address, update)
			if update {
				live.write(t, w.name)
			}
			stored := readCapture(t, w.name)
			same(t, "console", stored.messages(), live.messages())
			same(t, "requests", stored.requests(), live.requests())
			same(t, "actions", stored.deeds(), live.deeds())
			if w.name == visits[0].name {
				check(t, live)
				check(t, stored)
			}
		})
	}
}

// openShop serves the shop and returns a browser's context and the address under which that
// browser, and no other, finds it. The address is the same each time.
func openShop(t *testing.T) (context.Context, string) {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is missing; on Debian: apt-get install chromium (make test does it)")
	}
	s := httptest.NewTLSServer(shop.Handler(shop.Capture{}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of connections that Chromium gives up
	t.Cleanup(s.Close)
	to := strings.TrimPrefix(s.URL, "https://")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.Flag("disable-quic", true),
		chromedp.Flag("ignore-certificate-errors", true),
		chromedp.Flag("disable-features",
			"Translate,BlinkGenPropertyTrees,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable"),
		chromedp.Flag("host-resolver-rules",
			"MAP shop.northwind.example:443 "+to+", MAP pay.northwind.example:443 "+to+
				", MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	return ctx, shopAddress
}

const shopAddress = "https://shop.northwind.example/"

// check holds a capture against what a server and its readers rely on.
func check(t *testing.T, c Capture) {
	if err := validHAR(indented(t, c.Network)); err != nil {
		t.Error(err)
	}
	var stamps []string
	for _, e := range c.Console {
		stamps = append(stamps, e.Timestamp)
	}
	for _, a := range c.Actions {
		stamps = append(stamps, a.Timestamp)
	}
	for _, stamp := range stamps {
		if _, err := time.Parse("2006-01-02T15:04:05.000Z", stamp); err != nil {
			t.Error(err)
		}
	}
	for _, kind := range []string{"click", "input", "change", "submit", "navigate", "scroll", "keydown"} {
		if !slices.ContainsFunc(c.Actions, func(a action) bool { return a.Type == kind && a.URL != "" }) {
			t.Errorf("no action is a %s", kind)
		}
	}
	if !slices.ContainsFunc(c.Actions, func(a action) bool {
		return a.Type == "change" && a.Selector == "#rate-express" && a.Value == "checked"
	}) {
		t.Error("no radio button is checked")
	}
	types := map[int]int{}
	for _, raw := range c.Replay {
		var event struct{ Type, Timestamp int }
		must(t, json.Unmarshal(raw, &event))
		types[event.Type]++
	}
	for kind, name := range map[int]string{2: "full snapshots", 3: "incremental events", 4: "meta events"} {
		if types[kind] == 0 {
			t.Errorf("the replay lacks %s (%d): %v", name, kind, types)
		}
	}
	for _, s := range c.Screenshots {
		shot, err := png.DecodeConfig(bytes.NewReader(s.png))
		must(t, err)
		assert.Equal(t, "width and height of "+s.Name, [2]int{shot.Width, shot.Height}, [2]int{1280, 800})
	}
	e := c.Environment
	for name, value := range map[string]string{"browser": e.Browser, "os": e.OS,
		"device": e.Device, "locale": e.Locale, "userAgent": c.UserAgent} {
		if value == "" {
			t.Errorf("the environment has no %s", name)
		}
	}
	assert.Equal(t, "viewport, screen and timezone", []string{e.Viewport, e.Screen, e.Timezone},
		[]string{"1280x800", "1920x1080", "Europe/Stockholm"})
	if e.DevicePixelRatio != 1 {
		t.Errorf("devicePixelRatio is %v, want 1", e.DevicePixelRatio)
	}
	breaks(t, c)
	secrets(t, c)
}

// breaks looks for each way in which the shop breaks.
func breaks(t *testing.T, c Capture) {
	messages, requests := c.messages(), c.requests()
	for _, want := range []string{"debug: session ", "log: Northwind Outfitters 4.18.2",
		"info: products loaded ", "warn: metrics not sent TypeError: ", "error: order failed Error: ",
		"error: Uncaught TypeError: ", "error: Uncaught (in promise) SyntaxError: "} {
		if !slices.ContainsFunc(messages, func(m string) bool { return strings.HasPrefix(m, want) }) {
			t.Errorf("the console has no %q in %q", want, messages)
		}
	}
	for _, want := range []string{"POST /api/orders 500", "GET /avatars/cus_20417.jpg 404",
		"POST /api/metrics 0", "POST /newsletter 303", "POST /api/login 200", "GET /api/shipping 200"} {
		if !slices.Contains(requests, want) {
			t.Errorf("no request %q in %q", want, requests)
		}
	}
	for _, e := range c.Console {
		if strings.HasPrefix(e.Message, "Uncaught TypeError") &&
			(!strings.Contains(e.Stack, "at percentOf (") || !strings.Contains(e.Stack, ".onDiscount (")) {
			t.Errorf("the TypeError's stack is %q", e.Stack)
		}
	}
	for _, e := range c.Network.Log.Entries {
		if strings.Contains(e.Request.URL, "/api/shipping") && e.Time < float64(shop.Slow.Milliseconds()) {
			t.Errorf("the shipping rates took %v ms", e.Time)
		}
		if strings.HasSuffix(e.Request.URL, "/api/orders") {
			failedOrder(t, e)
		}
	}
}

// failedOrder looks for what the browser tells only when asked, or apart from the rest.
func failedOrder(t *testing.T, e harEntry) {
	if !slices.ContainsFunc(e.Request.Cookies, func(c harCookie) bool {
		return c.Name == "session" && c.Value == shop.Session && c.HTTPOnly
	}) {
		t.Errorf("the order's cookies are %v", e.Request.Cookies)
	}
	if !slices.Contains(e.Request.Headers, harPair{"Authorization", "Bearer " + shop.Token}) {
		t.Errorf("the order's headers are %v", e.Request.Headers)
	}
	assert.Contains(t, "the answer to the order", e.Response.Content.Text, `"discount_not_applied"`)
	assert.Equal(t, "its body size", e.Response.BodySize, e.Response.Content.Size)
	if e.ServerIPAddress == "" {
		t.Error("the answer to the order names no server address")
	}
}

// secrets looks for each secret where it must be: a capture without them shows nothing of
// their removal.
func secrets(t *testing.T, c Capture) {
	parts := map[string]string{"console": string(indented(t, c.Console)),
		"network": string(indented(t, c.Network)), "actions": string(indented(t, c.Actions)),
		"replay": string(bytes.Join(raws(c.Replay), nil))}
	for secret, places := range map[string]string{
		shop.Password:                      "console network actions",
		shop.CardNumber:                    "console network actions replay",
		shop.CardCode:                      "console network actions replay",
		shop.Email:                         "console network actions replay",
		shop.Token:                         "console network",
		"Bearer " + shop.Token:             "network",
		shop.Session:                       "network",
		shop.Visitor:                       "network",
		"access_token=" + shop.AccessToken: "network",
	} {
		for _, place := range strings.Fields(places) {
			if !strings.Contains(parts[place], secret) {
				t.Errorf("%q is not in %s", secret, place)
			}
		}
	}
}

func raws(list []json.RawMessage) [][]byte {
	var all [][]byte
	for _, raw := range list {
		all = append(all, raw)
	}
	return all
}

// varying matches durations and counts of attempts in messages.
var varying = regexp.MustCompile(`attempt \d+|\d+ ms`)

// atMost3 sorts a list and removes further repetitions of what it has 3 times: how often a page polls varies.
func atMost3(list []string) []string {
	slices.Sort(list)
	var kept []string
	for _, s := range list {
		if n := len(kept); n < 3 || kept[n-3] != s {
			kept = append(kept, s)
		}
	}
	return kept
}

// messages are the levels and messages of the console, sorted: what comes first varies.
func (c Capture) messages() []string {
	var list []string
	for _, e := range c.Console {
		// Chromium names the method or not, depending on how much of the body has arrived.
		message := strings.Replace(e.Message, "Failed to execute 'json' on 'Response': ", "", 1)
		list = append(list, e.Level+": "+varying.ReplaceAllString(message, "N"))
	}
	return atMost3(list)
}

// requests are methods, paths and statuses, sorted.
func (c Capture) requests() []string {
	var list []string
	for _, e := range c.Network.Log.Entries {
		if u, err := url.Parse(e.Request.URL); err == nil {
			list = append(list, fmt.Sprintf("%s %s %d", e.Request.Method, u.Path, e.Response.Status))
		}
	}
	return atMost3(list)
}

// deeds are the actions but scrolling, which the browser does by itself too. Typing that
// paused is one.
func (c Capture) deeds() []string {
	var list []string
	before := ""
	for _, a := range c.Actions {
		if a.Type == "scroll" {
			continue
		}
		what := a.Type + " " + a.Selector
		if a.Type == "input" && what == before {
			list = list[:len(list)-1]
		}
		before = what
		list = append(list, fmt.Sprintf("%s %q %q", what, a.Value, a.Text))
	}
	return list
}

func same(t *testing.T, what string, filed, live []string) {
	t.Helper()
	if slices.Equal(filed, live) {
		return
	}
	t.Errorf("%s: on file are\n\t%s\nand live are\n\t%s\nIf that is meant, run with BUGSLICE_UPDATE_CAPTURES=1.",
		what, strings.Join(filed, "\n\t"), strings.Join(live, "\n\t"))
}

// TestCaptureHAR: the HAR documents of these tests have every required member.
func TestCaptureHAR(t *testing.T) {
	t.Parallel()
	whole := indented(t, readCapture(t, visits[0].name).Network)
	must(t, validHAR(whole))
	for _, path := range []string{"log", "log version", "log creator",
		"log creator name", "log entries", "log pages 0 id", "log pages 0 startedDateTime", "log pages 0 pageTimings",
		"log entries 0 startedDateTime", "log entries 0 time", "log entries 0 request",
		"log entries 0 response", "log entries 0 cache", "log entries 0 timings", "log entries 0 timings wait",
		"log entries 0 request method", "log entries 0 request url", "log entries 0 request httpVersion",
		"log entries 0 request cookies", "log entries 0 request headers",
		"log entries 0 request headers 0 value", "log entries 0 request queryString",
		"log entries 0 request headersSize", "log entries 0 request bodySize",
		"log entries 0 response status", "log entries 0 response statusText",
		"log entries 0 response httpVersion", "log entries 0 response cookies", "log entries 0 response headers",
		"log entries 0 response content", "log entries 0 response content size",
		"log entries 0 response content mimeType", "log entries 0 response redirectURL",
		"log entries 0 response headersSize", "log entries 0 response bodySize"} {
		var file any
		must(t, json.Unmarshal(whole, &file))
		steps := strings.Fields(path)
		at := file
		for _, step := range steps[:len(steps)-1] {
			if list, ok := at.([]any); ok {
				at = list[0]
			} else {
				at = at.(map[string]any)[step]
			}
		}
		delete(at.(map[string]any), steps[len(steps)-1])
		if validHAR(indented(t, file)) == nil {
			t.Errorf("a HAR without %s passes", path)
		}
	}
}

const captures = "../internal/demo/evidence"

func indented(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	must(t, e.Encode(v))
	return b.Bytes()
}

// capturesStart is the start of each stored capture, so that captures of two days differ less.
const capturesStart = "2026-11-02T09:00:00Z"

// write writes the capture as evidence of the demo.
func (c Capture) write(t *testing.T, name string) {
	t.Helper()
	dir := filepath.Join(captures, name)
	must(t, os.RemoveAll(dir))
	must(t, os.MkdirAll(dir, 0o755))
	for _, s := range c.Screenshots {
		must(t, os.WriteFile(filepath.Join(dir, s.Name), s.png, 0o644))
	}
	var read demo.Capture
	must(t, json.Unmarshal(indented(t, c), &read))
	start, err := time.Parse(time.RFC3339, capturesStart)
	must(t, err)
	read, err = read.Starting(start)
	must(t, err)
	text, err := json.Marshal(read)
	must(t, err)
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	must(t, err)
	_, err = z.Write(text)
	must(t, errors.Join(err, z.Close()))
	must(t, os.WriteFile(filepath.Join(dir, "capture.json.gz"), packed.Bytes(), 0o644))
}

// readCapture reads a stored capture: what a customer's browser handed in once, with all her secrets.
func readCapture(t *testing.T, name string) Capture {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join(captures, name, "capture.json.gz"))
	must(t, err)
	z, err := gzip.NewReader(bytes.NewReader(packed))
	must(t, err)
	var c Capture
	must(t, json.NewDecoder(z).Decode(&c))
	for i, s := range c.Screenshots {
		c.Screenshots[i].png, err = os.ReadFile(filepath.Join(captures, name, s.Name))
		must(t, err)
	}
	return c
}
