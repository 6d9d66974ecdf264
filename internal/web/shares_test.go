package web

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/browsertest"
	"bugslice/internal/httpserver"
	"bugslice/internal/token"
	"bugslice/internal/tracker"
)

// share shares a report, and returns the path of the link.
func (w *world) share(t testing.TB, c access.Caller, reference string, parts ...api.SharePart) (
	path string, s api.NewShare,
) {
	t.Helper()
	s, err := w.CreateShare(t.Context(), c,
		valid(t, api.CreateShare{SliceID: reference, Body: api.ShareFields{Parts: parts}}))
	must(t, err)
	u, err := url.Parse(s.URL)
	must(t, err)
	return u.Path, s
}

// shareReports shares the report with evidence and adds pictures and comments to it: with every part, with none, and
// by a key that is revoked.
func (w *world) shareReports(t testing.TB, r *records) {
	t.Helper()
	reference := r.evidence.shop
	c := w.caller(t, owner)
	for n := range 3 {
		w.attach(t, reference, fmt.Sprint("cart ", n, ".png"), screenshot(t, 600, 400))
		_, err := w.CreateComment(t.Context(), c, valid(t, api.CreateComment{SliceID: reference,
			Body: api.CommentFields{Body: markdown + "\n\n" + strings.Join(attacks, "\n\n")}}))
		must(t, err)
	}
	r.share, _ = w.share(t, c, reference, api.ShareConsole, api.ShareNetwork, api.ShareComments)
	r.plainShare, _ = w.share(t, w.caller(t, member), reference)
	k := w.newKey(t, api.KeyFields{Name: "CI", Type: api.WST, Scopes: []api.Scope{api.SlicesWrite}})
	w.share(t, w.use(t, k, "203.0.113.7", "curl/8"), reference, api.ShareNetwork)
	_, err := w.RevokeKey(t.Context(), c, valid(t, api.RevokeKey{KeyID: k.ID}))
	must(t, err)
	_, err = w.OpenShare(t.Context(), client("203.0.113.7", ""), strings.TrimPrefix(r.share, "/s/"))
	must(t, err)
	w.flush()
	page, visited := w.reporterPage(t, "The total is wrong after a voucher")
	for _, body := range []string{"Thank you, we see it, too. Which voucher was it?", markdown} {
		_, err = w.CreateComment(t.Context(), c, valid(t, api.CreateComment{SliceID: visited,
			Body: api.CommentFields{Body: body, VisibleToReporter: true}}))
		must(t, err)
	}
	r.reporterPage = page
}

// TestSharePage: the page of a share shows its parts to everybody who has its address, whoever is signed in, reads no
// cookie and sets none. A link that does not work, whatever the reason, is one page.
func TestSharePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	c := w.caller(t, owner)
	picture := w.attach(t, "WEB-161", "cart.png", screenshot(t, 600, 400)).ID
	pasted := w.attach(t, "WEB-161", "pasted.png", screenshot(t, 600, 400)).ID
	_, err := w.CreateComment(t.Context(), c, valid(t, api.CreateComment{SliceID: "WEB-161",
		Body: api.CommentFields{Body: "Seen by @" + member + " ![](/files/" + pasted + ")"}}))
	must(t, err)
	plain, _ := w.share(t, c, "WEB-161")
	full, revoked := w.share(t, c, "WEB-161", api.ShareConsole, api.ShareNetwork, api.ShareComments)
	stranger, session := w.browser(t), w.signedIn(t, owner)
	session.header.Set("Authorization", "Bearer "+w.tokens[owner])
	for path, shown := range map[string]bool{plain: false, full: true} {
		a, b := stranger.get(path).wants(200, "WEB-161", "The total of the cart is wrong", "voucher SPRING",
			"Shared by <bdi>Mara Lindqvist</bdi>"),
			session.get(path).wants(200)
		if a.body != b.body {
			t.Errorf("a session changes the page: %s", b.content())
		}
		for _, a := range []answer{a, b} {
			checkHeaders(t, a, nil)
			if len(a.header.Values("Set-Cookie")) > 0 || strings.Contains(a.header.Get("Vary"), "Cookie") ||
				!strings.Contains(a.body, `content="noindex`) {
				t.Errorf("%s: %v", a.path, a.header)
			}
		}
		for _, secret := range []string{"Seen by", "Jonas Weber"} {
			if strings.Contains(a.body, secret) != shown {
				t.Errorf("%s: %s is shown: %t", path, secret, !shown)
			}
		}
		for _, secret := range []string{owner, member, w.users[owner], "Northwind", "sidebar", "/settings", "slc_"} {
			if strings.Contains(a.body, secret) {
				t.Errorf("%s shows %s", path, secret)
			}
		}
		for file, want := range map[string]int{picture: 200, pasted: map[bool]int{true: 200, false: 404}[shown]} {
			stranger.get(path + "/files/" + file).wants(want)
			f := stranger.get(path + "/files/" + file + "/thumbnail").wants(want)
			if f.header.Get("Referrer-Policy") != "no-referrer" || f.header.Get("X-Robots-Tag") != "noindex, nofollow" {
				t.Errorf("%s: %v", f.path, f.header)
			}
		}
		if session.get(path+"/network.har").status != map[bool]int{true: 200, false: 404}[shown] {
			t.Errorf("the archive of %s", path)
		}
		if strings.Contains(a.body, `src="`+path+"/files/"+pasted) != shown ||
			strings.Contains(a.body, `src="/files/`) {
			t.Errorf("%s: the pasted picture is not below the path of the page", path)
		}
		session.get(path + "/replay").wants(200)
		stranger.post(path).wants(405)
	}
	_, err = w.RevokeShare(t.Context(), c, valid(t, api.RevokeShare{ShareID: revoked.ID}))
	must(t, err)
	w.clock.add(8 * 24 * time.Hour) // plain expires
	pages := map[string]bool{}
	for _, path := range []string{plain, full, "/s/" + token.New(token.Share), "/s/x", plain + "/replay",
		full + "/files/" + picture} {
		a := stranger.get(path).wants(404, "This link does not work", "noindex")
		pages[regexp.MustCompile(`req_\w+`).ReplaceAllString(a.body, "")] = true
		checkHeaders(t, a, nil)
	}
	if len(pages) != 1 {
		t.Errorf("links that do not work have %d pages", len(pages))
	}
}

// TestShareForm: the form creates a link, which is shown once; the list has it until it is revoked there.
func TestShareForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, member)
	b.get("/WEB-161").wants(200, `commandfor="share"`, "Share WEB-161")
	form := b.get("/web-161/shares").wants(200, "Share WEB-161", "7 days")
	if strings.Contains(form.content(), `name="parts" value="console" checked`) {
		t.Error("a part is ticked")
	}
	once := regexp.MustCompile(`name="once" value="([^"]+)"`).FindStringSubmatch(form.body)[1]
	b.post("/WEB-161/shares", "once", once, "parts", "console", "expiresAt", "date", "expiresAt", "2020-01-01").
		wants(422, "Choose a date in the future.", `value="console" checked`, once)
	b.post("/WEB-161/shares", "expiresAt", "2099-01-01").wants(422, "Choose a date within a year.")
	b.post("/WEB-161/shares", "parts", "everything").wants(422, `id="parts-fault"`)
	fields := []string{"once", once, "parts", "comments", "parts", "network",
		"expiresAt", api.At(w.clock.now().Add(24 * time.Hour)).String()}
	created := b.post("/WEB-161/shares", fields...).wants(200, "WEB-161 is shared",
		"with network and comments", "you will not see it again")
	link := regexp.MustCompile(`/s/svc_shr_\w{49}`).FindString(created.body)
	w.browser(t).get(link).wants(200)
	w.flush()
	if again := b.post("/WEB-161/shares", fields...).
		wants(409, "has created one link"); strings.Contains(again.body, link) {
		t.Error("the link is shown twice")
	}
	b.post("/WEB-161/shares", "once", once).wants(422, "you have changed it since")
	other := w.signedIn(t, owner)
	list := other.get("/settings/shares?workspace=WEB").
		wants(200, "WEB-161", "Jonas Weber", "network", "Opened once", "Revoke link")
	if strings.Contains(list.body, "svc_shr_") {
		t.Error("the list has the link")
	}
	revoke := regexp.MustCompile(`/settings/shares/shr_\w+/revoke`).FindString(list.body)
	w.signedIn(t, stranger).post(revoke).leadsTo("/")
	w.browser(t).get(link).wants(200)
	other.post(revoke, "next", "/settings/shares?workspace=WEB").leadsTo("/settings/shares?workspace=WEB")
	other.get("/settings/shares?workspace=WEB").wants(200, "The link is revoked.", "No report is shared")
	other.post(revoke, "next", "//evil.example").leadsTo("/")
	other.get("/settings/shares?workspace=WEB").wants(200, "This link does not exist any more.")
	w.browser(t).get(link).wants(404)
	w.signedIn(t, stranger).get("/WEB-161/shares").wants(404)
}

// TestShareLog: the log of the server has no link, whatever the path below it and the answer.
func TestShareLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	path, _ := w.share(t, w.caller(t, owner), "WEB-161")
	app, err := newApp(w.options("http://test"), table)
	must(t, err)
	var log bytes.Buffer
	front := httpserver.New(httpserver.Options{Log: slog.New(slog.NewJSONHandler(&log, nil)),
		WriteProblem: app.WriteProblem})
	front.Mount("/", app, app.WriteProblem)
	for _, below := range []string{"", "/files/att_x", "/replay", "/nothing", "/", "/files/%00"} {
		r := httptest.NewRequest("GET", path+below, nil)
		front.ServeHTTP(httptest.NewRecorder(), r)
	}
	if n := strings.Count(log.String(), "\n"); n != 6 || strings.Contains(log.String(), "svc_shr") ||
		strings.Contains(log.String(), token.Hash(path[3:])) {
		t.Errorf("%d lines: %s", n, log.String())
	}
}

// visits records the requests that a browser makes, and passes them on.
type visits struct {
	sync.Mutex
	http.Handler
	lines []string
}

func (v *visits) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.Lock()
	v.lines = append(v.lines, r.URL.Path+" from "+r.Referer()+" with "+r.Header.Get("Cookie"))
	v.Unlock()
	v.Handler.ServeHTTP(w, r)
}

// TestBrowserShare shares a report in a browser, opens the link in a tab of another origin without a session, follows
// a link from there, and revokes the share; once with script and once without. No request tells where it came from.
func TestBrowserShare(t *testing.T) {
	t.Parallel()
	for _, script := range []bool{true, false} {
		t.Run(fmt.Sprintf("script=%v", script), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, table, nil)
			elsewhere := &visits{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "elsewhere")
			})}
			other := httptest.NewServer(elsewhere)
			t.Cleanup(other.Close)
			_, err := w.UpdateSlice(t.Context(), w.caller(t, owner), valid(t, api.UpdateSlice{SliceID: "WEB-161",
				Patch: api.SlicePatch{"description": "[elsewhere](" + other.URL + "/elsewhere)"}}))
			must(t, err)
			w.attach(t, "WEB-161", "cart.png", screenshot(t, 600, 400))
			b := w.tab(t, w.session(t, owner, tracker.Client{}))
			b.Script(script)
			b.Open("/WEB-161")
			b.ClickOn("[commandfor=share]")
			b.Wait(`document.querySelector("#share[open]")`)
			b.ClickOn("#share [value=comments]")
			b.Click("Create link")
			b.Wait(`document.getElementById("link")`)
			link, err := url.Parse(b.text(`document.getElementById("link").textContent`))
			must(t, err)

			at, err := url.Parse(w.url)
			must(t, err)
			seen := &visits{Handler: httputil.NewSingleHostReverseProxy(at)}
			outside := httptest.NewServer(seen)
			t.Cleanup(outside.Close)
			reader := tab{browsertest.Open(t, outside.URL), w}
			reader.Script(script)
			reader.Open(link.Path)
			reader.Wait(`document.querySelector("[data-page=shared]") && document.title.startsWith("WEB-161 ") && ` +
				`[...document.images].every(i => i.complete && i.naturalWidth)`)
			reader.Click("elsewhere")
			reader.Wait(`document.body.textContent == "elsewhere"`)

			b.Open("/settings/shares?workspace=WEB")
			b.ClickOn("[commandfor^=revoke-]")
			b.ClickOn("dialog[open] .button-danger-solid")
			b.Wait(`document.querySelector("main .notice-good")`)
			reader.Open(link.Path)
			reader.Wait(`document.title.startsWith("This link does not work")`)
			elsewhere.Lock()
			seen.Lock()
			lines := slices.Concat(elsewhere.lines, seen.lines)
			seen.Unlock()
			elsewhere.Unlock()
			if len(lines) < 6 || !strings.HasPrefix(lines[0], "/elsewhere") {
				t.Errorf("the requests were %q", lines)
			}
			for _, line := range lines {
				_, from, _ := strings.Cut(line, " from ")
				if strings.Contains(from, outside.URL) || strings.Contains(from, "/s/") ||
					!strings.HasSuffix(from, " with ") {
					t.Errorf("a request tells where it came from, or has a cookie: %s", line)
				}
			}
			b.Quiet()
		})
	}
}

// TestBrowserSharedReplay plays the replay of a share without a session, with the actions beside it and nothing of
// other parts.
func TestBrowserSharedReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	s := w.fileCapture(t, "discount-code", "Discount code")
	path, _ := w.share(t, w.caller(t, owner), s.Reference)
	b := w.tab(t, "")
	b.Open(path)
	b.Wait(`document.querySelector("[data-page=shared]")`)
	b.waitAtRest()
	tabs := b.text(`[...document.querySelectorAll(".panel-tabs a")].map(a => a.dataset.tab).join(" ")`)
	if tabs != "actions" {
		t.Errorf("the tabs are %q", tabs)
	}
	b.ClickOn("[data-play]")
	b.Wait(`document.querySelector("replay-player[data-state=playing]")`)
	for _, tab := range []string{"?tab=console", "?tab=network&request=1"} {
		w.browser(t).get(path+tab).wants(200, `data-panel="actions"`)
	}
	if html := b.text(`document.documentElement.outerHTML`); strings.Contains(html, s.ID) ||
		strings.Contains(html, "annotat") {
		t.Error("the page has the id of the slice, or offers to annotate")
	}
	b.Quiet()
}
