package web

import (
	"fmt"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"

	"bugslice/api"
	"bugslice/internal/demo"
)

// TestBrowserEarlyInput: keys and clicks that come before the scripts of a page are carried out once the scripts are
// there.
func TestBrowserEarlyInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	capture, err := demo.ReadCapture("discount-code")
	must(t, err)
	s := w.fileShown(t, "Discount code", api.Evidence{Replay: capture.Replay})
	type held struct {
		script  *regexp.Regexp
		arrived chan struct{}
	}
	var now atomic.Pointer[held]
	plain := w.server.Config.Handler
	w.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := now.Load(); h.script.MatchString(r.URL.Path) {
			<-h.arrived
		}
		plain.ServeHTTP(w, r)
	})
	for _, c := range []struct {
		late, path string // the script that comes late
		act        func(tab)
		done       string
	}{
		{"app", "/my", func(b tab) { b.Press("g", "l") }, `location.pathname == "/reports"`},
		{"app", "/reports?q=shop", func(b tab) { b.Press("/", "c", "a", "r", "t") },
			`document.activeElement.id == "q" && document.activeElement.value == "shop cart" && !document.querySelector("dialog[open]")`},
		{"evidence", "/" + s.Reference, func(b tab) {
			b.ClickOn("[data-play]")
		}, `document.querySelector("replay-player").dataset.state == "playing"`},
	} {
		h := &held{regexp.MustCompile(`^/static/` + c.late + `\.[^.]+\.js$`), make(chan struct{})}
		now.Store(h)
		b := w.tab(t, w.session(t, owner, client("203.0.113.9", "")))
		b.Size(1440, 1000)
		b.holds(fmt.Sprintf(`location.href = %q, true`, w.url+c.path))
		b.Wait(`document.readyState == "interactive" && performance.getEntriesByName("first-contentful-paint").length`)
		c.act(b)
		close(h.arrived)
		b.Wait(c.done)
		b.Quiet()
	}
}
