package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// longReplay returns a recording of so many events, of about so many bytes, as the files in which it is sent: a table
// whose rows change, with the mouse above it.
func longReplay(t testing.TB, events, bytes int) (files []string) {
	t.Helper()
	c := &corpus{ids: 10, listeners: map[string]*listener{}, now: 1_795_000_000_000}
	var rows []any
	for range 500 {
		rows = append(rows, c.element("li", map[string]any{"class": "row"}, c.text("A row of the list")))
	}
	list := c.element("ul", map[string]any{}, rows...)
	html := c.element("html", map[string]any{}, c.element("head", map[string]any{}),
		c.element("body", map[string]any{}, list))
	c.add(t, 4, map[string]any{"href": "http://shop.example/", "width": 1280, "height": 800})
	c.add(t, 2, map[string]any{"node": map[string]any{"type": 0, "id": 1, "childNodes": []any{html}},
		"initialOffset": map[string]any{"top": 0, "left": 0}})
	filling := strings.Repeat("x", max(1, (bytes-190*events)*4/3/events))
	for i := range events - 2 {
		row := rows[i%len(rows)].(map[string]any)
		if i%4 == 0 {
			c.change(t, 1, map[string]any{"positions": []any{map[string]any{"x": i % 1280,
				"y": i % 800, "id": row["id"], "timeOffset": 0}}})
			continue
		}
		c.change(t, 0, map[string]any{"attributes": []any{map[string]any{"id": row["id"],
			"attributes": map[string]any{"title": fmt.Sprint(i, filling)}}}})
		c.now -= 80
	}
	const perFile = maxUpload - 64<<10
	var file []json.RawMessage
	size := 0
	for i, e := range c.events {
		file, size = append(file, e), size+len(e)+1
		if size > perFile || i == len(c.events)-1 {
			text, err := json.Marshal(file)
			must(t, err)
			files, file, size = append(files, string(text)), nil, 0
		}
	}
	return files
}

// TestBrowserLongReplay plays a long recording, goes to its end and back. With BUGSLICE_TEST_FULL it has 50,000
// events and 32 MiB, and the log says when it was under way after it was asked for.
func TestBrowserLongReplay(t *testing.T) {
	t.Parallel()
	events, bytes := 2_000, 1<<20
	if os.Getenv("BUGSLICE_TEST_FULL") != "" {
		events, bytes = 50_000, 32<<20
	}
	w := newWorld(t, table, nil)
	s := w.file(t, w.caller(t, owner), "Long")
	files := longReplay(t, events, bytes)
	for _, content := range files {
		_, err := w.CreateAttachment(t.Context(), w.caller(t, owner),
			valid(t, api.CreateAttachment{SliceID: s.ID, Name: "replay.json", Kind: api.KindReplay}),
			tracker.Upload{Body: strings.NewReader(content), Length: int64(len(content))})
		must(t, err)
	}
	b := w.tab(t, w.session(t, owner, client("203.0.113.9", "")))
	b.Size(1440, 1000)
	b.Open("/" + s.Reference)
	b.Wait(`customElements.get("replay-player")`)
	took := browsertest.Eval[map[string]float64](b.Tab, `new Promise((done) => {
		const p = `+player+`, began = performance.now(), seek = (time) => new Promise((there) => {
			const asked = performance.now();
			p.seek(time);
			const number = p.seeks;
			const answered = p.answered;
			p.answered = (data) => { answered.call(p, data); if (data.type == "time" && data.seeks == number) { delete p.answered; `+
		`there(performance.now() - asked); } };
		});
		document.querySelector(".evidence").addEventListener("evidence:time", async function listen() {
			if (p.state != "playing" || !p.time) return;
			this.removeEventListener("evidence:time", listen);
			const playing = performance.now() - began;
			p.pause();
			const end = await seek(p.duration - 1), back = await seek(1000);
			const fetched = performance.getEntriesByType("resource").find((e) => e.name.includes("/replay?"));
			done({playing, "events there": fetched.responseEnd - began, "to the end": end, "back to the beginning": back, "shown": p.time});
		});
		p.play();
	})`)
	if took["shown"] != 1000 {
		t.Errorf("after a seek to 1000 the time is %v", took["shown"])
	}
	for _, what := range slices.Sorted(maps.Keys(took)) {
		t.Logf("%d events, %d files, %d bytes: %s after %.0f ms", events, len(files), len(strings.Join(files, "")),
			what, took[what])
	}
	b.Quiet()
}
