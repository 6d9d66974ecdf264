package intakeapi_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/gateway"
	"bugslice/internal/httpapi"
	"bugslice/internal/httpserver"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/intake"
	"bugslice/internal/intakeapi"
	"bugslice/internal/operator"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/proofofwork"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/store/sources"
	"bugslice/internal/store/storetest"
	"bugslice/internal/token"
	"bugslice/internal/tracker"
)

// world is the door on a server, with a source that takes reports.
type world struct {
	*httptest.Server
	intake  *intake.Server
	tracker *tracker.Tracker
	store   *store.Store
	ring    *secret.Ring
	pieces  *unreliable
	owner   access.Caller
	source  sources.Source
	other   sources.Source // of another workspace of the organisation

	mu  sync.Mutex
	now time.Time
}

// unreliable is a storage whose files cannot be read while it is away.
type unreliable struct {
	blob.Store
	away atomic.Bool
}

func (u *unreliable) Open(ctx context.Context, key string) (blob.Reader, error) {
	if u.away.Load() {
		return nil, blob.ErrUnavailable
	}
	return u.Store.Open(ctx, key)
}

const (
	shop   = "https://shop.example"
	signed = "svc_sgn_0123456789012345678901234567890123456789012abcdef"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// engines runs a test on both databases, each with a world of its own.
func engines(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, engine))
		})
	}
}

func newWorld(t *testing.T, engine string) *world {
	t.Helper()
	o, err := storetest.Reused(t, engine)
	must(t, err)
	w := &world{now: time.Now().UTC().Truncate(24 * time.Hour).Add(10 * time.Hour)}
	w.store, err = store.Open(o)
	must(t, err)
	t.Cleanup(func() { _ = w.store.Close() })
	w.ring, err = secret.Parse(strings.Repeat("ab", 32))
	must(t, err)
	files, err := blob.Open("", t.TempDir(), os.Getenv)
	must(t, err)
	w.pieces = &unreliable{Store: files}
	sealed := access.Seal(w.store)
	tr, authority := tracker.New(tracker.Options{Store: sealed, Secrets: w.ring, Passwords: passwordtest.Weak(),
		BaseURL: "http://test",
		Blobs:   files, Now: w.clock, DatabaseClock: func(context.Context) (time.Time, bool, error) {
			return w.clock(),
				true, nil
		}})
	w.tracker = tr
	must(t, tr.BindFiles(t.Context()))
	w.intake = intake.New(intake.Options{Store: sealed, Tracker: tr, Secrets: w.ring, Blobs: w.pieces, Limited: true,
		Now: w.clock})
	calls, err := gateway.New(gateway.Options{Tracker: tr})
	must(t, err)
	front, err := httpapi.New(httpapi.Options{Gateway: calls, BaseURL: "http://test"})
	must(t, err)
	server := httpserver.New(httpserver.Options{Log: slog.New(slog.DiscardHandler), WriteProblem: front.WriteProblem,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	server.Mount(intakeapi.Path, intakeapi.New(w.intake, front.WriteProblem), front.WriteProblem)
	w.Server = httptest.NewServer(server)
	t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
	w.fill(t, operator.Operator{Operator: authority})
	return w
}

// fill makes the owner, two workspaces, and a source in each.
func (w *world) fill(t *testing.T, o operator.Operator) {
	t.Helper()
	first, err := o.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Test", Workspace: "Web",
		Owner: operator.NewUser{Email: "owner@test.example", WithToken: true}})
	must(t, err)
	w.owner, err = w.tracker.Authenticate(t.Context(), first.Token)
	must(t, err)
	create := api.CreateWorkspace{Body: api.WorkspaceFields{Name: "Other"}}
	v, err := input.Check(create)
	must(t, err)
	second, err := w.tracker.CreateWorkspace(t.Context(), w.owner, v)
	must(t, err)
	w.source, w.other = w.newSource(t, first.WorkspaceID), w.newSource(t, second.ID)
}

func (w *world) newSource(t *testing.T, workspaceID string) sources.Source {
	t.Helper()
	s := sources.Source{OrgID: w.owner.Organization.ID}
	now := api.At(w.clock())
	s.ID, s.WorkspaceID, s.Key, s.CreatedAt, s.UpdatedAt = id.New(id.Source), workspaceID, token.New(token.Public),
		now, now
	s.SourceFields = api.SourceFields{Name: "Shop", Origins: []string{shop}, Labels: []string{"shop"},
		Reporters: api.ReportersAnyone,
		Captures: []api.CapturePart{api.CaptureConsole, api.CaptureNetwork, api.CaptureReplay, api.CapturePicture,
			api.CaptureActions,
			api.CaptureMetadata},
		Limits:         api.SourceLimits{PerMinute: 1000, PerHour: 10_000, PerDay: 2000, PerAddressHour: 1000},
		MaxReportBytes: 25 << 20, MaxDailyBytes: 1 << 30}
	must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.Sources().InsertSource(&s); err != nil {
			return err
		}
		sealed := base64.RawURLEncoding.EncodeToString(w.ring.Seal("secrets of sources", []byte(signed), []byte(s.ID)))
		return tx.Sources().InsertSecret(s.ID, sources.Secret{ID: id.New(id.Secret), Sealed: sealed}, now, now)
	}))
	return s
}

// change changes the settings of the source. The cache of sources has forgotten it then.
func (w *world) change(t *testing.T, change func(*api.SourceFields)) {
	t.Helper()
	must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
		s, err := tx.Sources().LockSource(w.source.ID)
		if err != nil {
			return err
		}
		change(&s.SourceFields)
		w.source = s
		return tx.Sources().UpdateSource(&s)
	}))
	w.pass(3 * time.Second)
}

// request is a request of a page.
type request struct {
	method, path string // below /intake/KEY
	key          string // of another source
	origin       string // - for none; the shop when empty
	address      string
	body         []byte
	header       map[string]string
}

type answer struct {
	status int
	header http.Header
	body   string
	json   map[string]any
}

func (a answer) text(name string) string { s, _ := a.json[name].(string); return s }

func (w *world) send(t testing.TB, r request) answer {
	t.Helper()
	key := w.source.Key
	if r.key != "" {
		key = r.key
	}
	if r.method == "" {
		r.method = http.MethodPost
	}
	q, err := http.NewRequest(r.method, w.URL+intakeapi.Path+"/"+key+r.path, bytes.NewReader(r.body))
	must(t, err)
	if r.origin == "" {
		r.origin = shop
	}
	if r.origin != "-" {
		q.Header.Set("Origin", r.origin)
	}
	if r.address != "" {
		q.Header.Set("X-Forwarded-For", r.address)
	}
	for name, value := range r.header {
		q.Header.Set(name, value)
	}
	res, err := w.Client().Do(q)
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	out := answer{status: res.StatusCode, header: res.Header, body: string(text)}
	if len(text) > 0 {
		must(t, json.Unmarshal(text, &out.json))
	}
	return out
}

// token asks for a token, and waits as long as a page has to.
func (w *world) token(t testing.TB, r request) string {
	t.Helper()
	text, _ := w.tokenAndWork(t, r)
	return text
}

// tokenAndWork is token with the answer to its puzzle, empty for none.
func (w *world) tokenAndWork(t testing.TB, r request) (text, work string) {
	t.Helper()
	r.path = "/token"
	a := w.send(t, r)
	if a.status != 200 {
		t.Fatalf("a token: %d %s", a.status, a.body)
	}
	w.pass(intake.Dwell)
	if p, ok := a.json["work"].(map[string]any); ok {
		work = solve(proofofwork.Puzzle{Salt: p["salt"].(string), Bits: int(p["bits"].(float64))})
	}
	return a.text("token"), work
}

// report sends a report with a token.
func (w *world) report(t testing.TB, token, name, body string, change ...func(*request)) answer {
	t.Helper()
	r := request{path: "/reports", body: []byte(body), header: map[string]string{"Content-Type": "application/json",
		"Idempotency-Key": name, "Submit-Token": token}}
	for _, c := range change {
		c(&r)
	}
	return w.send(t, r)
}

// named returns a name of a report, as random ones are long.
func named(n int) string { return "0123456789abcdef" + strconv.Itoa(n) }

// filed returns the slices of the workspace, the newest first.
func (w *world) filed(t testing.TB) []api.Slice {
	t.Helper()
	v, err := input.Check(api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.source.WorkspaceID},
		Paging: api.Paging{Limit: 100}})
	must(t, err)
	page, err := w.tracker.ListSlices(t.Context(), w.owner, v)
	must(t, err)
	return page.Data
}

// files returns the files of a slice.
func (w *world) files(t testing.TB, sliceID string) []api.Attachment {
	t.Helper()
	v, err := input.Check(api.ListAttachments{SliceID: sliceID, Paging: api.Paging{Limit: 100}})
	must(t, err)
	page, err := w.tracker.ListAttachments(t.Context(), w.owner, v)
	must(t, err)
	return page.Data
}
