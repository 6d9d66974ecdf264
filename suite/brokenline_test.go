package suite

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/browsertest"
)

// brokenLine is a proxy that breaks each connection after a random number of bytes, once it is told to.
type brokenLine struct {
	net.Listener
	target  string
	breaks  atomic.Bool
	broken  atomic.Int64
	longest int64 // bytes of a connection
}

func newBrokenLine(t *testing.T, target string, longest int64) *brokenLine {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	b := &brokenLine{Listener: l, target: strings.TrimPrefix(target, "http://"), longest: longest}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go b.carry(conn)
		}
	}()
	return b
}

func (b *brokenLine) url() string { return "http://" + b.Addr().String() }

// carry passes the bytes of a connection on, in both directions, until it breaks.
func (b *brokenLine) carry(from net.Conn) {
	to, err := net.Dial("tcp", b.target)
	if err != nil {
		_ = from.Close()
		return
	}
	left := new(atomic.Int64)
	left.Store(1 + rand.Int64N(b.longest))
	end := func() {
		for _, c := range []net.Conn{from, to} {
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		}
	}
	copied := func(w io.Writer, r io.Reader) {
		defer end()
		part := make([]byte, 4096)
		for {
			n, err := r.Read(part)
			if b.breaks.Load() && left.Add(-int64(n)) < 0 {
				b.broken.Add(1)
				return
			}
			if _, failed := w.Write(part[:n]); err != nil || failed != nil {
				return
			}
		}
	}
	go copied(to, from)
	copied(from, to)
}

// TestBrokenLine: of the reports of a page whose every connection breaks at random, all arrive, each once and whole.
func TestBrokenLine(t *testing.T) {
	t.Parallel()
	reports := sized(10, 100)
	s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "off")
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "broken")
	line := newBrokenLine(t, s.URL, 120_000)
	var key string
	site := visitedSite(t, line.url, func() string { return key }, `data-replay="off"`)
	_, key = o.newSource(t, site.URL, nil)
	b := browsertest.Open(t, site.URL)
	b.Quiet()
	b.Open("/")
	b.Wait(`window.Bugslice && "capture" in window.Bugslice`)
	line.breaks.Store(true)
	begun := time.Now()
	browsertest.Eval[bool](b, fmt.Sprintf(`(() => {
		const random = () => Array.from(crypto.getRandomValues(new Uint8Array(1500)), (n) => n.toString(36)).join("");
		for (let n = 0; n < 150; n++) Bugslice.log(random());
		window.there = 0;
		const file = (n) => Bugslice.file("Report " + n).then(() => { window.there++; },
			(why) => { window.refused = String(why); });
		for (let n = 0; n < %d; n++) file(n);
		return true;
	})()`, reports))
	end := time.Now().Add(10 * time.Minute)
	for browsertest.Eval[int](b, "window.there") < reports && time.Now().Before(end) {
		time.Sleep(200 * time.Millisecond)
		if why := browsertest.Eval[string](b, `window.refused ?? ""`); why != "" {
			t.Fatal(why)
		}
	}
	t.Logf("%d of %d reports in %s, over %d broken connections", browsertest.Eval[int](b, "window.there"), reports,
		time.Since(begun).Round(time.Second), line.broken.Load())
	all := o.slices(t)
	seen := map[any]bool{}
	for _, filed := range all {
		seen[filed["summary"]] = true
		files := o.want(t, 200, "GET", "/v1/slices/"+filed["id"].(string)+"/attachments", nil).get(t, "data").([]any)
		consoles, size := 0, 0.0
		for _, file := range files {
			if f := file.(map[string]any); f["kind"] == "console" {
				consoles, size = consoles+1, f["size"].(float64)
			}
		}
		if consoles != 1 || size < 300_000 {
			t.Errorf("%v has %d consoles, one of %g bytes", filed["summary"], consoles, size)
		}
	}
	assert.Equal(t, "reports", fmt.Sprint(len(all), " ", len(seen)), fmt.Sprint(reports, " ", reports))
	if line.broken.Load() < int64(reports) {
		t.Errorf("only %d connections broke", line.broken.Load())
	}
}
