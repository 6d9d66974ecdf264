package trace_test

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/ci/trace"
)

// versions are the versions of Playwright that made the traces of testdata, with the versions of the format. The traces
// are of one test, testdata/make/shop.spec.mjs.
var versions = []struct {
	playwright string
	format     int
}{{"1.40.1", 6}, {"1.45.3", 7}, {"1.55.1", 8}, {"1.65.1", 10}}

// eachVersion runs a test with the trace of each version.
func eachVersion(t *testing.T, check func(t *testing.T, made trace.Trace)) {
	for _, v := range versions {
		t.Run(v.playwright, func(t *testing.T) {
			t.Parallel()
			made := read(t, archiveOf(t, v.playwright))
			assert.Equal(t, "version of the format", made.Version, v.format)
			check(t, made)
		})
	}
}

func archiveOf(t *testing.T, version string) []byte {
	t.Helper()
	archive, err := os.ReadFile("testdata/playwright-" + version + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

func read(t *testing.T, archive []byte) trace.Trace {
	t.Helper()
	made, err := trace.Read(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestConsole: the console has the messages of the page with their levels and places, errors that it did not catch,
// what the test printed, and why the test failed.
func TestConsole(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, made trace.Trace) {
		var got []string
		for _, e := range made.Evidence.Console {
			first, _, _ := strings.Cut(e.Message, "\n")
			if strings.Contains(first, "toHaveText(expected)") {
				first = "the failure"
				assert.Contains(t, "failure", e.Message, "Order taken", "Order failed")
				assert.NotContains(t, "failure", e.Message, "\x1b")
			}
			got = append(got, string(e.Level)+" "+first)
		}
		assert.Equal(t, "console", got, []string{
			"log [test] the test begins",
			"log cart ready {items: 2}",
			"warn ordering",
			"error Failed to load resource: the server responded with a status of 500 (Internal Server Error)",
			"error TypeError: order is undefined: 500",
			"error Failed to load resource: net::ERR_UNSAFE_PORT",
			"error no metrics",
			"error the failure",
		})
		assert.Equal(t, "place", *made.Evidence.Console[2].Stack, "    at http://127.0.0.1:47811/:14:11")
		assert.Contains(t, "stack", *made.Evidence.Console[4].Stack, "onclick (http://127.0.0.1:47811/:19:9)")
	})
}

// TestActions: the actions have the elements, the values and the page, without the password.
func TestActions(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, made trace.Trace) {
		var got []string
		for _, a := range made.Evidence.Actions {
			selector := strings.TrimSuffix(strings.TrimPrefix(value(a.Selector), "locator('"), "')")
			got = append(got, strings.Join([]string{a.Type, selector, value(a.Text), value(a.Value)}, "|"))
			assert.Equal(t, "URL", value(a.URL), "http://127.0.0.1:47811/")
		}
		assert.Equal(t, "actions", got, []string{
			"navigate|||",
			"input|#code||SPRING",
			"input|#pin||••••••••••",
			"change|#terms||checked",
			"change|#size||Large",
			"click|#order|Order|",
			"expect|#total|to.have.text Order taken|",
		})
	})
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// har is what the tests read of a HAR.
type har struct {
	Log struct {
		Entries []struct {
			StartedDateTime api.Time
			Request         struct {
				Method, URL string
				PostData    struct{ Text string }
			}
			Response struct {
				Status  int
				Content struct{ Text string }
			}
			Error string `json:"_error"`
		}
	}
}

// TestRequests: the HAR has the requests with the bodies that tell something, and errors of the network.
func TestRequests(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, made trace.Trace) {
		var h har
		if err := json.Unmarshal(made.Evidence.Network, &h); err != nil {
			t.Fatal(err)
		}
		got := map[string][]any{}
		for _, e := range h.Log.Entries {
			path := strings.TrimPrefix(e.Request.URL, "http://127.0.0.1:")
			got[path] = []any{e.Request.Method, e.Response.Status, e.Request.PostData.Text,
				strings.ReplaceAll(e.Response.Content.Text[:min(20, len(e.Response.Content.Text))], "\n", " "), e.Error}
		}
		assert.Equal(t, "requests", got, map[string][]any{
			"47811/":           {"GET", 200, "", "<!doctype html><html", ""},
			"47811/shop.css":   {"GET", 200, "", "", ""},
			"47811/logo.svg":   {"GET", 200, "", "", ""},
			"47811/api/orders": {"POST", 500, `{"code":"SPRING"}`, `{"error":"no stock"}`, ""},
			"9/metrics":        {"GET", 0, "", "", "net::ERR_UNSAFE_PORT"},
		})
	})
}

// TestOneClock: a click, its request, the message about the answer and the snapshot afterwards follow each other.
func TestOneClock(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, made trace.Trace) {
		var h har
		if err := json.Unmarshal(made.Evidence.Network, &h); err != nil {
			t.Fatal(err)
		}
		moments := []api.Time{made.Evidence.Actions[5].Timestamp, {}, made.Evidence.Console[3].Timestamp,
			replayed(t, made, "Order failed"), made.Evidence.Console[7].Timestamp}
		for _, e := range h.Log.Entries {
			if e.Request.Method == "POST" {
				moments[1] = e.StartedDateTime
			}
		}
		for i := range moments[1:] {
			if wait := moments[i+1].Sub(moments[i].Time); wait < -5*time.Millisecond || wait > 5*time.Second {
				t.Errorf("moment %d is %s after the one before: %v", i+1, wait, moments)
			}
		}
	})
}

// replayed returns the time of the first event of the replay that contains a text.
func replayed(t *testing.T, made trace.Trace, text string) api.Time {
	t.Helper()
	for _, raw := range made.Evidence.Replay {
		var e struct{ Timestamp int64 }
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(raw, []byte(text)) {
			return api.FromMillis(e.Timestamp)
		}
	}
	t.Fatalf("no event of the replay has %q", text)
	return api.Time{}
}

// TestReplay: the replay shows the page with its style, its picture, its shadow root and what was typed and chosen,
// without the password; it shows each state once, and the clicks.
func TestReplay(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, made trace.Trace) {
		events := made.Evidence.Replay
		var kinds []string
		clicks, previous, all := 0, "", ""
		for _, raw := range events {
			var e struct {
				Type int
				Data json.RawMessage
			}
			if err := json.Unmarshal(raw, &e); err != nil {
				t.Fatal(err)
			}
			all += string(raw)
			kinds = append(kinds, string(rune('0'+e.Type)))
			switch e.Type {
			case 2:
				if string(e.Data) == previous {
					t.Error("two snapshots that follow each other are equal")
				}
				previous = string(e.Data)
			case 3:
				clicks++
			}
		}
		assert.Equal(t, "beginning of the replay", kinds[0]+kinds[1], "42")
		assert.Equal(t, "clicks", clicks, 2)
		assert.Contains(t, "last snapshot", previous, `"textContent":"Order failed"`, `"textContent":"Open all day"`,
			`"isShadow":true`, `"_cssText":"body { font: 16px sans-serif; background: `,
			`"src":"data:image/svg+xml;base64,PHN2Zy`, `"value":"SPRING"`, `"checked":true`, `"value":"••••••••••"`)
		assert.NotContains(t, "replay", all, "tulip", "__playwright", "/logo.svg")
	})
}

// TestPictures: the pictures are the screenshot of the test, the frame of the failure and the last frame.
func TestPictures(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, made trace.Trace) {
		var names []string
		for _, p := range made.Pictures {
			config, format, err := image.DecodeConfig(bytes.NewReader(p.Content))
			if err != nil || config.Width != 320 || p.ContentType != "image/"+format {
				t.Errorf("%s: %v, %d wide, %s is %s", p.Name, err, config.Width, p.ContentType, format)
			}
			names = append(names, p.Name)
		}
		assert.Equal(t, "pictures", names, []string{"screenshot.png", "frame-of-the-failure.jpg", "last-frame.jpg"})
	})
}
