package web

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"log/slog"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/operator"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

const (
	email    = "mara@northwind.example"
	password = "correct horse battery"
	hostile  = `<script>alert(1)</script>"'><img src=x onerror=alert(2)> ` + "\u202egnitset"
)

// backend is the service behind the pages of tests: a tracker on SQLite for keys, and sessions in memory.
type backend struct {
	*tracker.Tracker
	tokens map[string]tracker.Caller // by e-mail
	setup  string                    // the setup token; empty when it is used up
	org    string
	first  string // the token of the owner's first key
	wsp    string

	mu       sync.Mutex
	n        int
	sessions map[string]*session // by token
	profile  page.Profile
	details  map[string]page.KeyDetail
	activity []page.Activity
	refusals []page.Refusal
	fail     error // of every operation on keys
	refuse   error // of every attempt to sign in
	stale    bool  // whether the last proof of the password is too old
}

type session struct {
	id    string
	email string
}

var (
	_ page.Backend = (*backend)(nil)
	_ page.Setup   = operator.Setup{}
)

func (b *backend) open(email string) page.NewSession {
	b.n++
	token := "session-" + strconv.Itoa(b.n)
	b.sessions[token] = &session{"ses_" + strconv.Itoa(b.n), email}
	return page.NewSession{Token: token, ExpiresAt: time.Now().Add(time.Hour), Device: "device"}
}

func (b *backend) SignIn(_ context.Context, _ page.Client, in page.SignIn) (page.NewSession, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.refuse != nil:
		return page.NewSession{}, b.refuse
	case in.Password != password || b.tokens[in.Email].ID == "":
		return page.NewSession{}, api.NewProblem(api.CodeUnauthorized, "The e-mail or the password is wrong.")
	}
	b.stale = false
	return b.open(in.Email), nil
}

func (b *backend) Session(_ context.Context, _ page.Client, token string) (page.Session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.sessions[token]
	if s == nil {
		return page.Session{}, api.NewProblem(api.CodeUnauthorized, "The session has ended.")
	}
	p := b.profile
	p.Email = s.email
	return page.Session{ID: s.id, Caller: b.tokens[s.email], Profile: p}, nil
}

func (b *backend) ProvePassword(_ context.Context, _ page.Client, s page.Session, text string) (page.NewSession, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text != password {
		return page.NewSession{}, api.NewProblem(api.CodeUnauthorized, "The password is wrong.")
	}
	b.stale = false
	b.end(s.ID)
	return b.open(s.Profile.Email), nil
}

func (b *backend) end(id string) {
	for token, s := range b.sessions {
		if s.id == id {
			delete(b.sessions, token)
		}
	}
}

func (b *backend) SignOut(_ context.Context, s page.Session) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end(s.ID)
	return nil
}

func (b *backend) ListSessions(_ context.Context, s page.Session) ([]page.OpenSession, error) {
	now := time.Now()
	return []page.OpenSession{
		{ID: s.ID, Device: "Firefox on Linux", Address: "203.0.113.7", Current: true, CreatedAt: api.At(now.Add(-time.Hour)), LastUsedAt: api.At(now)},
		{ID: "ses_other", Device: "Safari on iPhone", Address: "2001:db8::17", CreatedAt: api.At(now.Add(-48 * time.Hour)), LastUsedAt: api.At(now.Add(-5 * time.Hour))},
	}, nil
}

func (b *backend) EndSession(_ context.Context, _ page.Session, id string) error {
	if id != "ses_other" {
		return api.NotFound("session")
	}
	return nil
}

func (b *backend) EndOtherSessions(context.Context, page.Session) error { return nil }

func (b *backend) UpdateProfile(_ context.Context, _ page.Session, version string, f page.ProfileFields) (page.Profile, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if version != strconv.FormatInt(b.profile.Version, 10) {
		return page.Profile{}, api.NewProblem(api.CodePrecondition, "The profile was changed meanwhile.")
	}
	if _, err := time.LoadLocation(f.TimeZone); err != nil {
		return page.Profile{}, api.InvalidMember("/timeZone", "unknown", "there is no time zone of this name")
	}
	b.profile.ProfileFields = f
	b.profile.Version++
	return b.profile, nil
}

func (b *backend) SetTheme(_ context.Context, _ page.Session, theme page.Theme) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.profile.Theme = theme
	return nil
}

func (b *backend) ChangePassword(_ context.Context, _ page.Client, s page.Session, c page.PasswordChange) (page.NewSession, error) {
	if c.CurrentPassword != password {
		return page.NewSession{}, api.InvalidMember("/currentPassword", "wrong", "this is not your password")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open(s.Profile.Email), nil
}

func (b *backend) CheckSetup(_ context.Context, token string) error {
	if token != b.setup {
		return api.NotFound("setup link")
	}
	return nil
}

func (b *backend) SetUp(_ context.Context, _ page.Client, token string, f page.SetupFields) (page.Founded, error) {
	switch {
	case token != b.setup:
		return page.Founded{}, api.NotFound("setup link")
	case len(f.Password) < 12:
		return page.Founded{}, api.InvalidMember("/password", "too_short", "at least 12 characters")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	k := api.NewKey{Token: b.first}
	k.ID, k.Name, k.Type, k.Scopes = "key_first", "First key", api.PAT, api.AllScopes()
	return page.Founded{Session: b.open(email), Key: k}, nil
}

func (b *backend) CreateKey(ctx context.Context, c tracker.Caller, v input.Valid[api.CreateKey]) (api.NewKey, error) {
	if b.stale || c.Name == "stale" {
		return api.NewKey{}, page.ErrProofNeeded
	}
	return b.Tracker.CreateKey(ctx, c, v)
}

func (b *backend) ListKeys(ctx context.Context, c tracker.Caller, v input.Valid[api.ListKeys]) (api.Page[api.Key], error) {
	if b.fail != nil || c.Name == "empty" {
		return api.Page[api.Key]{Data: []api.Key{}}, b.fail
	}
	return b.Tracker.ListKeys(ctx, c, v)
}

func (b *backend) KeyDetails(_ context.Context, _ tracker.Caller, keys []api.Key) (map[string]page.KeyDetail, error) {
	all := map[string]page.KeyDetail{}
	for _, k := range keys {
		d := b.details[k.Name]
		d.Creator = "Mara Lindqvist"
		all[k.ID] = d
	}
	return all, nil
}

func (b *backend) KeyActivity(context.Context, tracker.Caller, string) ([]page.Activity, error) {
	return b.activity, nil
}

func (b *backend) KeyRefusals(context.Context, tracker.Caller, string, time.Time) ([]page.Refusal, error) {
	return b.refusals, nil
}

func (b *backend) MyWorkspaces(_ context.Context, c tracker.Caller) ([]page.Workspace, error) {
	if c.Organization.ID != b.org {
		return nil, nil
	}
	if c.ID != b.tokens[email].ID {
		return []page.Workspace{{ID: b.wsp, Key: "WEB", Name: "Web shop", Role: api.RoleMember}}, nil
	}
	return []page.Workspace{{ID: "wsp_01ja8m2c9tf3qb6h0v5r4x7kyz", Key: "APP", Name: "Mobile app", Role: api.RoleMember},
		{ID: b.wsp, Key: "WEB", Name: "Web shop", Role: api.RoleAdmin}}, nil
}

func (b *backend) Report(_ context.Context, c tracker.Caller, ref string) (page.Report, error) {
	if c.Organization.ID != b.org || ref != "WEB-161" && ref != "slc_1" {
		return page.Report{}, api.NotFound("slice")
	}
	r := page.Report{Markdown: "# WEB-161: The total of the cart is wrong\n\nStatus: open\n\n```\n" + strings.Repeat("POST /api/cart 500 (Internal Server Error) ", 6) + "\n```\n"}
	r.Reference = "WEB-161"
	r.Summary, r.Status = "The total of the cart is wrong when a voucher is used twice", "open"
	text := "1. Put two mugs into the cart\n2. Use the voucher SPRING twice\n\nThe total is -4.00 €.\n\n" + hostile
	r.Description, r.Reporter.Name, r.CreatedAt = &text, "Jonas Weber", api.At(time.Now().Add(-3*time.Hour))
	return r, nil
}

// world is an App on a server, with its backend.
type world struct {
	*backend
	url string
}

// newWorld returns a world with an owner and a member. change may change the options of the App.
func newWorld(t testing.TB, rows []row, change func(*Options)) *world {
	t.Helper()
	o := store.Options{Path: filepath.Join(t.TempDir(), "test.db")}
	_, err := store.Migrate(t.Context(), o)
	must(t, err)
	s, err := store.Open(o)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	ring, err := secret.Parse(strings.Repeat("ab", 32))
	must(t, err)
	tr, authority := tracker.New(tracker.Options{Store: s, Secrets: ring, BaseURL: "http://test"})
	instance := operator.Operator{Operator: authority}
	f, err := instance.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Northwind", Workspace: "Web shop",
		Owner: operator.NewUser{Email: email, Name: "Mara Lindqvist", Password: password}, First: true})
	must(t, err)
	owner, err := tr.Authenticate(t.Context(), f.Token)
	must(t, err)
	added, err := instance.In(owner.Organization).AddUser(t.Context(), operator.NewUser{Email: "member@northwind.example", WithToken: true, Workspaces: []string{f.WorkspaceID}})
	must(t, err)
	member, err := tr.Authenticate(t.Context(), added.Token)
	must(t, err)
	other, err := instance.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Elsewhere",
		Owner: operator.NewUser{Email: "owner@elsewhere.example", WithToken: true}})
	must(t, err)
	stranger, err := tr.Authenticate(t.Context(), other.Token)
	must(t, err)
	b := &backend{Tracker: tr, setup: "setup-token", org: f.OrganizationID, first: f.Token, wsp: f.WorkspaceID, sessions: map[string]*session{},
		tokens:  map[string]tracker.Caller{email: owner, "member@northwind.example": member, "owner@elsewhere.example": stranger},
		details: map[string]page.KeyDetail{}, profile: page.Profile{Version: 1}}
	for _, name := range []string{"empty", "stale"} { // the owner, to whom it happens
		c := owner
		c.Name = name
		b.tokens[name+"@northwind.example"] = c
	}
	b.profile.ProfileFields = page.ProfileFields{Name: "Mara Lindqvist", Theme: page.ThemeSystem, TimeZone: "Europe/Stockholm", Shortcuts: true}

	server := httptest.NewUnstartedServer(nil)
	options := Options{Backend: b, BaseURL: "http://" + server.Listener.Addr().String()}
	if change != nil {
		change(&options)
	}
	app, err := newApp(options, rows)
	must(t, err)
	front := httpserver.New(httpserver.Options{Log: slog.New(slog.DiscardHandler), WriteProblem: app.WriteProblem})
	front.Mount("/", app, app.WriteProblem)
	server.Config.Handler = front
	server.Start()
	t.Cleanup(server.Close)
	return &world{backend: b, url: server.URL}
}

// browser is a client that keeps cookies, accepts HTML and does not follow redirects.
type browser struct {
	t testing.TB
	w *world
	http.Client
	header http.Header
}

func (w *world) browser(t testing.TB) *browser {
	jar, err := cookiejar.New(nil)
	must(t, err)
	b := &browser{t: t, w: w, header: http.Header{"Accept": {"text/html,application/xhtml+xml"}, "Sec-Fetch-Site": {"same-origin"}}}
	b.Jar = jar
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

// signedIn returns a browser with a session.
func (w *world) signedIn(t testing.TB, who string) *browser {
	b := w.browser(t)
	b.post("/login", "email", who, "password", password).wants(303)
	return b
}

type answer struct {
	t      testing.TB
	path   string
	status int
	header http.Header
	body   string
}

func (b *browser) do(r *http.Request, err error) answer {
	b.t.Helper()
	must(b.t, err)
	for name, values := range b.header {
		if r.Header.Get(name) == "" {
			r.Header[name] = values
		}
	}
	resp, err := b.Do(r)
	must(b.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(b.t, err)
	return answer{b.t, r.Method + " " + r.URL.Path, resp.StatusCode, resp.Header, string(body)}
}

func (b *browser) get(path string) answer {
	b.t.Helper()
	return b.do(http.NewRequest("GET", b.w.url+path, nil))
}

func (b *browser) post(path string, fields ...string) answer {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	r, err := http.NewRequest("POST", b.w.url+path, strings.NewReader(form.Encode()))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return b.do(r, err)
}

// content returns what a page holds beside its frame.
func (a answer) content() string {
	if _, main, ok := strings.Cut(a.body, "<main"); ok {
		return main
	}
	return a.body
}

// wants fails the test unless the answer has a status and holds these texts.
func (a answer) wants(status int, texts ...string) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: %d, not %d: %s", a.path, a.status, status, a.content())
	}
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			a.t.Errorf("%s: no %q in %s", a.path, text, a.content())
		}
	}
	return a
}

// leadsTo fails the test unless the answer is a redirect to a path.
func (a answer) leadsTo(to string) answer {
	a.t.Helper()
	if a.status != 303 || a.header.Get("Location") != to {
		a.t.Fatalf("%s: %d to %q, not 303 to %q: %s", a.path, a.status, a.header.Get("Location"), to, a.body)
	}
	return a
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
