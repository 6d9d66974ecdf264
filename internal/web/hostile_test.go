package web

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/renderer/html"

	"bugslice/api"
	"bugslice/internal/browsertest"
)

// hostileTexts are texts that would make a browser connect to an address, each in its own way.
var hostileTexts = []string{
	`![a picture](%s/a.png)`,
	"![by reference][p]\n\n[p]: %s/b.png",
	`<img src="%s/c.png" alt="">`,
	`<img srcset="%s/d.png 1x" alt="">`,
	`<iframe src="%s/e"></iframe>`,
	`<iframe srcdoc="<img src=%s/f.png>"></iframe>`,
	`<link rel="preload" as="image" href="%s/w.png">`,
	`<link rel="stylesheet" href="%s/g.css">`,
	`<style>@import url(%s/h.css);</style>`,
	`<p style="background: url(%s/i.png); position: fixed; inset: 0; z-index: 99">cover</p>`,
	`<script src="%s/j.js"></script>`,
	`<video src="%s/k.mp4" autoplay></video>`,
	`<object data="%s/l.svg"></object>`,
	`<embed src="%s/m.svg">`,
	`<svg width="9" height="9"><image href="%s/n.png" width="9" height="9"/></svg>`,
	`<script>fetch("%s/o")</script>`,
	`<img src="data:," onerror="fetch('%s/p')">`,
	`<input type="image" src="%s/q.png">`,
	`<video poster="%s/r.png"></video>`,
	`<body background="%s/s.png">`,
	`<svg></p><style><a id="</style><img src=%s/t.png>">`,
	`<noscript><p title="</noscript><img src=%s/u.png>">`,
	`<details open ontoggle="new Image().src='%s/v.png'"><summary>x</summary></details>`,
}

// textTrap counts the connections to an address of its own.
type textTrap struct {
	net.Listener
	connections atomic.Int64
}

// newTextTrap opens a textTrap until the end of the test.
func newTextTrap(t *testing.T) *textTrap {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	textTrap := &textTrap{Listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			textTrap.connections.Add(1)
			_ = c.Close()
		}
	}()
	return textTrap
}

// setTraps returns each vector with an address of its own, and the traps at these addresses.
func setTraps(t *testing.T) (corpus []string, traps []*textTrap) {
	t.Helper()
	for _, v := range hostileTexts {
		textTrap := newTextTrap(t)
		corpus, traps = append(corpus, fmt.Sprintf(v, "http://"+textTrap.Addr().String())), append(traps, textTrap)
	}
	return corpus, traps
}

// TestBrowserHostileTexts: hostile Markdown, titles, labels, names of people and of files, and the facts about a
// system run nothing, connect nowhere and cover nothing, on the page of a report, on that of its share, and in its
// preview. Without the protection each vector connects.
func TestBrowserHostileTexts(t *testing.T) {
	t.Parallel()
	corpus, traps := setTraps(t)
	w := newWorld(t, table, nil)
	c := w.caller(t, owner)
	for i, vector := range corpus {
		short := func(n int) string { return truncated(strings.NewReplacer(",", "", "\n", " ").Replace(vector), n) }
		fields := api.SliceFields{Summary: short(200), Description: new(vector +
			"\n\n- [ ] " + vector + "\n\n```js\n" + vector + "\n```"), Labels: []string{short(50)},
			SourceURL:   new("https://x.example/?" + short(100)),
			Environment: api.Environment{Browser: new(short(200)), Release: new(short(200))}}
		made, err := w.CreateSlice(t.Context(), c,
			valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web, SliceFields: fields}}))
		must(t, err)
		_, err = w.CreateComment(t.Context(), c, valid(t, api.CreateComment{SliceID: made.ID,
			Body: api.CommentFields{Body: vector + "\n\n> " + vector}}))
		must(t, err)
		if i > 0 {
			_, err = w.UpdateSlice(t.Context(), c, valid(t, api.UpdateSlice{SliceID: made.ID, Patch: api.SlicePatch{
				"summary": short(199), "status": "resolved", "resolution": "duplicate", "duplicateOfId": first(t, w)}}))
			must(t, err)
		}
	}
	b := w.report(t, owner, "/WEB-160")
	for i := range corpus {
		b.Open(fmt.Sprintf("/WEB-%d", 162+i))
		b.Wait(`document.querySelector(".comment .prose")`)
		if covered := b.text(covers); covered != "" {
			b.T.Errorf("%s covers the page: %s", hostileTexts[i], covered)
		}
		shared, _ := w.share(t, c, fmt.Sprintf("WEB-%d", 162+i), api.ShareComments)
		b.Open(shared)
		b.Wait(`document.querySelector(".shared-comment .prose")`)
	}
	b.Open("/WEB-162?edit=description")
	b.ClickOn(".report-edit [data-preview]")
	b.Wait(`document.querySelector(".report-edit .preview .prose")`)
	b.Open("/WEB-162/duplicate")
	b.Open("/WEB-162/markdown")
	bites(t)
	for i, textTrap := range traps {
		if n := textTrap.connections.Load(); n > 0 {
			t.Errorf("%s: %d connections", hostileTexts[i], n)
		}
	}
	b.Quiet()
}

// first returns the id of WEB-162.
func first(t *testing.T, w *world) string {
	t.Helper()
	s, err := w.GetSlice(t.Context(), w.caller(t, owner), valid(t, api.GetSlice{SliceID: "WEB-162"}))
	must(t, err)
	return s.ID
}

// covers is an element of a text that is outside of the report, or that is drawn above others; empty for none.
const covers = `(() => {
	const box = document.querySelector(".report").getBoundingClientRect();
	for (const e of document.querySelectorAll(".prose, .prose *, .report h1 *")) {
		const r = e.getBoundingClientRect(), s = getComputedStyle(e);
		if (s.position == "fixed" || s.position == "absolute" || s.zIndex != "auto" || r.left < box.left - 1 || r.right > box.right ` +
	`+ 1) return e.outerHTML;
	}
	return "";
})()`

// bites fails the test unless each text connects when a page without protection shows it.
func bites(t *testing.T) {
	t.Helper()
	corpus, traps := setTraps(t)
	unsafe := goldmark.New(goldmark.WithRendererOptions(html.WithUnsafe()))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if i, err := strconv.Atoi(r.URL.Path[1:]); err == nil {
			_ = unsafe.Convert([]byte(corpus[i]), w)
		}
	}))
	t.Cleanup(server.Close)
	b := browsertest.Open(t, server.URL)
	for i, textTrap := range traps {
		b.Open("/" + strconv.Itoa(i))
		for deadline := time.Now().Add(10 * time.Second); textTrap.connections.Load() == 0 &&
			time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if textTrap.connections.Load() == 0 {
			t.Errorf("without protection %s does not connect", hostileTexts[i])
		}
	}
}
