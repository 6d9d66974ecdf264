package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/fairshare"
	"bugslice/internal/tracker"
)

// watched are the bounds of a tracker. They notice for whom a page asks for memory, and may refuse memory and slots
// of responses.
type watched struct {
	bounds
	reserved bool
	sender   string // for whom memory was reserved
	refuses  bool
}

func (b *watched) Reserve(c access.Caller, interrupt func()) *admission.Reservation {
	b.reserved, b.sender = true, c.ID
	return b.bounds.Reserve(c, interrupt)
}

var errBusy = api.NewProblem(api.CodeUnavailable, "There is none.")

func (b *watched) ReserveResponse(c access.Caller, size int, interrupt func()) (*admission.Reservation, error) {
	if b.refuses {
		return nil, errBusy
	}
	return b.bounds.ReserveResponse(c, size, interrupt)
}

func (b *watched) AcquireSlot(ctx context.Context, c access.Caller) (*fairshare.Slot, error) {
	if b.refuses {
		return &fairshare.Slot{}, errBusy
	}
	return b.bounds.AcquireSlot(ctx, c)
}

// endless is a body that does not end. It counts the bytes that are read, and says when a read came too early.
type endless struct {
	*watched
	sender string // whose body it is; empty for a stranger
	begin  io.Reader
	read   int
	early  bool
}

func (e *endless) Read(p []byte) (int, error) {
	e.early = e.early || !e.reserved || e.watched.sender != e.sender
	n, _ := e.begin.Read(p)
	if n == 0 {
		n = copy(p, bytes.Repeat([]byte("a"), len(p)))
	}
	if e.read += n; e.read > 64<<20 {
		return 0, errors.New("64 MiB were read")
	}
	return n, nil
}

func (e *endless) Close() error { return nil }

const (
	fieldsForm = "application/x-www-form-urlencoded"
	filesForm  = "multipart/form-data; boundary=b"
)

// beginning of a form with a field that does not end.
func beginning(media string) io.Reader {
	if media == filesForm {
		return strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n")
	}
	return strings.NewReader("x=")
}

// check checks that at most most bytes of a body were read, after the credential. The rest of a body with files is
// discarded, so that the browser reads the answer.
func (e *endless) check(t *testing.T, name string, most int, files bool) {
	t.Helper()
	if e.early {
		t.Errorf("%s: reads the body before the credential or outside of admission", name)
	}
	if !files && e.read > most+16<<10 || most == 0 && e.read > 0 {
		t.Errorf("%s: reads %d bytes, want at most %d", name, e.read, most)
	}
}

// TestNoBodyBeforeItsCredential: no page, whatever the method and the form, reads a byte of a body before it knows
// who sends it, nor without reserving memory for it. Strangers send at most 8 KiB, readers of a share nothing, and
// others 1 MiB.
func TestNoBodyBeforeItsCredential(t *testing.T) {
	t.Parallel()
	spy := &watched{}
	w := newWorld(t, table, func(o *Options) { spy.bounds, o.bounds = o.Tracker, spy })
	session := w.session(t, owner, tracker.Client{})
	share, _ := w.share(t, w.caller(t, owner), "WEB-161")
	fill := strings.NewReplacer("{attachmentId}", "att_none", "{$}", "", "/s/{token}", share, "{reference}", "WEB-161")
	for _, r := range table {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			for cookie, most := range map[string]int{"": 8 << 10, "guess": 8 << 10, session: 1 << 20} {
				for _, media := range []string{fieldsForm, filesForm} {
					*spy = watched{bounds: spy.bounds}
					body := &endless{watched: spy, begin: beginning(media)}
					if cookie == session {
						body.sender = w.users[owner]
					}
					q := httptest.NewRequest(method, fill.Replace(r.path), body)
					q.Header = http.Header{"Accept": {"text/html"}, "Content-Type": {media},
						"Cookie": {"bugslice=" + cookie}}
					ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
					out := httptest.NewRecorder()
					if r.events && method == "GET" {
						q.Method = "HEAD"
					}
					w.server.Config.Handler.ServeHTTP(out, q.WithContext(ctx))
					cancel()
					if cookie != session && r.access == user || r.access.hasAddress() || method != "POST" {
						most = 0
					}
					name := fmt.Sprintf("%s %s of %.12s with the cookie %.6q", method, r.path, media, cookie)
					files := media == filesForm && r.files
					body.check(t, name, most, files)
					if most > 0 && (media == fieldsForm || files) && out.Code != 413 && r.post != nil {
						t.Errorf("%s: %d, want 413", name, out.Code)
					}
				}
			}
		}
	}
}

// TestAnswersAreBounded: every answer with content needs memory or a slot, and is refused with a page when there is
// none. An answer that says what was stored is never refused.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	spy := &watched{}
	w := newWorld(t, table, func(o *Options) { spy.bounds, o.bounds = o.Tracker, spy })
	picture := w.attach(t, "WEB-161", "cart.png", screenshot(t, 40, 30))
	share, _ := w.share(t, w.caller(t, owner), "WEB-161")
	hook := w.newWebhook(t, "https://hooks.example.com/")
	fill := strings.NewReplacer("{attachmentId}", picture.ID, "{$}", "",
		"/s/{token}", share, "{reference}", "WEB-161", "{userId}", w.users[newcomer],
		"{webhookId}", hook.ID, "{deliveryId}", w.deliveries(t, hook.ID)[0].ID)
	bounded := 0
	for _, r := range table {
		path := fill.Replace(r.path)
		if r.scope != noWorkspace {
			path += "?workspace=WEB"
		}
		for method := range r.handlers() {
			spy.refuses = false
			b := w.signedIn(t, owner)
			before := b.ask(r, method, path)
			isProblem := strings.Contains(before.body, `class="problem"`) // which is small
			if before.status != 200 && before.status != 422 || isProblem || r.events {
				continue
			}
			stores := method == "POST" && !r.reads && before.status == 200
			spy.refuses = true
			a := w.signedIn(t, owner).ask(r, method, path)
			switch {
			case stores && a.status != 200:
				t.Errorf("%s %s: %d although it has stored something", method, r.path, a.status)
			case !stores && (a.status != 503 || a.header.Get("Retry-After") == "" ||
				!strings.Contains(a.body, "Bugslice cannot answer right now")):
				t.Errorf("%s %s: %d without memory and slots, want the page of 503", method, r.path, a.status)
			}
			bounded++
		}
	}
	if bounded < 50 {
		t.Errorf("%d answers were tried", bounded)
	}
}

// TestPageRates: a session, an address with a share and an address without either have rates of their own. Beyond it,
// the answer is a page of 429, or a problem. Assets are not counted.
func TestPageRates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, func(o *Options) { o.Rates = Rates{Session: 5, Share: 4, Visitor: 3} })
	share, _ := w.share(t, w.caller(t, owner), "WEB-161")
	other, _ := w.share(t, w.caller(t, owner), "WEB-160")
	first, second, stranger := w.signedIn(t, owner), w.signedIn(t, owner), w.browser(t)
	until := func(b *browser, path string) (n int) {
		for ; n < 100; n++ {
			a := b.get(path)
			if a.status == 429 {
				if a.header.Get("Retry-After") == "" || !strings.Contains(a.body, "Too many requests") ||
					strings.Contains(a.body, "<main") && a.content() == "" {
					t.Errorf("%s: %v %s", path, a.header, a.body)
				}
				return n
			}
		}
		return n
	}
	for range 10 {
		stranger.get("/static/css/base.css")
	}
	for _, c := range []struct {
		b    *browser
		path string
		want int
	}{{first, "/my", 5}, {first, "/login", 0}, {second, "/WEB-161", 5},
		{stranger, share, 4}, {stranger, share + "/replay", 0}, {stranger, other, 4},
		{stranger, "/login", 3}, {stranger, "/reset/guess", 0}} {
		if got := until(c.b, c.path); got != c.want {
			t.Errorf("%s: %d requests before 429, want %d", c.path, got, c.want)
		}
	}
	guess := w.browser(t)
	guess.setCookie("guess")
	if a := guess.get("/my"); a.status != 429 {
		t.Errorf("a session that does not exist: %d", a.status)
	}
	w.clock.add(time.Minute)
	stranger.get("/login").wants(200)
	first.get("/my").wants(200)
}
