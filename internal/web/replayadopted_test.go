package web

import (
	"html"
	"net/http"
	"slices"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/evidence"
	"bugslice/internal/web/page"
	"bugslice/internal/web/static"
)

// TestBrowserAdoptedSheets: a shadow root has the sheets that it adopted before it was recorded, and those of a host
// that was removed and added again, while the replay plays and after seeks.
func TestBrowserAdoptedSheets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, probed(), nil)
	c := &corpus{now: time.Now().Add(-time.Minute).UnixMilli(), ids: 100}
	host := func(id int) map[string]any {
		return map[string]any{"type": 2, "id": id, "tagName": "x-host",
			"attributes": map[string]any{}, "isShadowHost": true, "childNodes": []any{
				map[string]any{"type": 2, "id": id + 1, "tagName": "p", "attributes": map[string]any{},
					"isShadow": true, "childNodes": []any{}}}}
	}
	adopt := func(id, sheet int, rule string) {
		adoption := map[string]any{"id": id, "styleIds": []any{sheet}}
		if rule != "" {
			adoption["styles"] = []any{map[string]any{"styleId": sheet,
				"rules": []any{map[string]any{"rule": rule, "index": 0}}}}
		}
		c.change(t, 15, adoption)
	}
	body := map[string]any{"type": 2, "id": 3, "tagName": "body", "attributes": map[string]any{},
		"childNodes": []any{host(10)}}
	root := map[string]any{"type": 2, "id": 2, "tagName": "html", "attributes": map[string]any{},
		"childNodes": []any{body}}
	add := func(id int) { // as rrweb records it: each node on its own
		node := host(id)
		inside := node["childNodes"].([]any)[0]
		node["childNodes"] = []any{}
		c.change(t, 0, map[string]any{"adds": []any{map[string]any{"parentId": 3, "nextId": nil, "node": node},
			map[string]any{"parentId": id, "nextId": nil, "node": inside}}})
	}
	adopt(10, 1, "p { color: rgb(1, 0, 0) }") // before the snapshot
	c.add(t, 4, map[string]any{"href": "http://shop.example/", "width": 800, "height": 600})
	c.add(t, 2, map[string]any{"node": map[string]any{"type": 0, "id": 1, "childNodes": []any{root}},
		"initialOffset": map[string]any{"top": 0, "left": 0}})
	adopt(20, 2, "p { color: rgb(2, 0, 0) }") // before its host
	add(20)
	add(30)
	adopt(30, 3, "p { color: rgb(3, 0, 0) }")
	c.change(t, 0, map[string]any{"removes": []any{map[string]any{"parentId": 3, "id": 30}}})
	add(30) // again
	adopt(40, 2, "")
	add(40)
	c.add(t, 3, map[string]any{"source": 3, "id": 1, "x": 0, "y": 0})
	path := "/" + w.fileShown(t, "Adopted", api.Evidence{Replay: c.events}).Reference

	b := tab{browsertest.Open(t, w.url), w}
	b.Cookie("bugslice", w.session(t, owner, client("203.0.113.9", "")))
	b.Open(path)
	browsertest.Eval[bool](b.Tab, `addEventListener("message", ({ data }) => { if (data.colours) window.colours = `+
		`data.colours.join(" "); }), true`)
	const all = `window.colours == "rgb(1, 0, 0) rgb(2, 0, 0) rgb(3, 0, 0) rgb(2, 0, 0)"`
	player := func(script string) {
		t.Helper()
		browsertest.Eval[bool](b.Tab, `(() => { const p = document.querySelector("replay-player"); `+script+
			`; return true; })()`)
	}
	b.ClickOn("[data-play]")
	b.Wait(`["playing", "paused"].includes(document.querySelector("replay-player").dataset.state)`)
	b.Wait(all)
	b.Wait(`document.querySelector("replay-player").dataset.state == "paused"`)
	player(`p.seek(150)`) // after the snapshot, before the first host is added
	b.Wait(`window.colours == "rgb(1, 0, 0)"`)
	player(`p.seek(p.duration)`)
	b.Wait(all)
}

// TestBrowserReplayClock: the clock of a replay has hours when there are any.
func TestBrowserReplayClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	c := &corpus{now: time.Now().Add(-2 * time.Hour).UnixMilli()}
	c.add(t, 4, map[string]any{"href": "http://shop.example/", "width": 800, "height": 600})
	c.add(t, 2, map[string]any{"node": map[string]any{"type": 0, "id": 1,
		"childNodes": []any{map[string]any{"type": 2, "id": 2, "tagName": "html",
			"attributes": map[string]any{}, "childNodes": []any{}}}},
		"initialOffset": map[string]any{"top": 0, "left": 0}})
	c.now += (time.Hour + 12*time.Minute + 5*time.Second).Milliseconds() - 200
	c.add(t, 3, map[string]any{"source": 3, "id": 1, "x": 0, "y": 0})
	b := tab{browsertest.Open(t, w.url), w}
	b.Cookie("bugslice", w.session(t, owner, client("203.0.113.9", "")))
	b.Open("/" + w.fileShown(t, "Long", api.Evidence{Replay: c.events}).Reference)
	b.ClickOn("[data-play]")
	b.Wait(`document.querySelector("[data-duration]").textContent == "1:12:05"`)
	browsertest.Eval[bool](b.Tab, `(() => { const p = document.querySelector("replay-player"); p.pause(); p.seek(3_600_000); return `+
		`true; })()`)
	b.Wait(`document.querySelector("[data-now]").textContent == "1:00:00"`)
	b.Wait(`document.querySelector("[data-seek]").ariaValueText == "1:00:00 / 1:12:05"`)
}

// probed serves the frame of replays with a script that tells the page the colours in the shadow roots of what is
// played.
func probed() []row {
	write := func(contentType, text string) page.Handler {
		return func(*page.Request) (page.Result, error) {
			return page.Result{Write: func(w http.ResponseWriter, _ *http.Request) error {
				w.Header().Set("Content-Type", contentType)
				w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
				_, _ = w.Write([]byte(text))
				return nil
			}}, nil
		}
	}
	scripts := ""
	for _, name := range []string{"rrweb-replay.min.js", "replayplayer.js"} {
		scripts += static.URL(name) + " "
	}
	rows := slices.DeleteFunc(slices.Clone(table), func(r row) bool { return r.path == "/replay-frame" })
	return append(rows,
		row{path: "/replay-frame", access: anyone, raw: true,
			headers: func(h http.Header) { h.Del("Content-Security-Policy") },
			get: write("text/html", `<!doctype html><title>Replay</title><script src="`+static.URL("replayframe.js")+
				`" defer `+
				`data-scripts="`+scripts+
				`/probe.js" data-events="`+html.EscapeString(
				evidence.EventList)+`" data-sheets="`+static.URL("replayplayer.css")+`"></script>`)},
		row{path: "/probe.js", access: anyone, raw: true, get: write("text/javascript", `setInterval(() => {
			const hosts = document.querySelector("iframe")?.contentDocument?.querySelectorAll("x-host") ?? [];
			top.postMessage({ colours: [...hosts].map((h) => h.shadowRoot?.querySelector("p")).map((p) => p && `+
			`getComputedStyle(p).color) }, "*");
		}, 50);`)})
}
