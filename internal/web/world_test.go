package web

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/httpserver"
	"bugslice/internal/oauth"
	"bugslice/internal/operator"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/portable"
	"bugslice/internal/safehttp"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

// The users of a world. The owner administers the workspaces WEB and APP, the member is a member of WEB, and the
// stranger owns another organisation. The newcomer is a member of WEB who has no API key.
const (
	owner    = "mara@northwind.example"
	member   = "jonas@northwind.example"
	newcomer = "noor@northwind.example"
	stranger = "owner@elsewhere.example"

	password = "correct horse battery"
)

// maxUpload is the size of the largest file of a world.
const maxUpload = 1 << 20

// world is an App on a server, over a tracker on SQLite.
type world struct {
	*tracker.Tracker
	operator operator.Operator
	store    *store.Store
	secrets  *secret.Ring
	clock    *clock
	url      string
	files    string // the folder of the stored files
	storage  *storage
	server   *httptest.Server
	receiver *receiver
	exports  portable.Exports
	oauth    *oauth.Server
	inhabitants
}

// inhabitants are those whom a world begins with.
type inhabitants struct {
	org    api.OrganizationRef
	users  map[string]string // ids by e-mail
	tokens map[string]string // of an API key with every scope, by e-mail
	web    string            // the id of the workspace WEB
}

// clock is the time of a world. It stands still unless a test moves it.
type clock struct{ nanoseconds atomic.Int64 }

func (c *clock) now() time.Time      { return time.Unix(0, c.nanoseconds.Load()) }
func (c *clock) add(d time.Duration) { c.nanoseconds.Add(int64(d)) }

// newTracker opens a tracker on a database.
func newTracker(t testing.TB, o store.Options) *world {
	t.Helper()
	s, err := store.Open(o)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	ring, err := secret.Parse(strings.Repeat("ab", 32))
	must(t, err)
	w := &world{store: s, secrets: ring, clock: &clock{}, receiver: &receiver{}}
	w.clock.add(time.Duration(time.Now().UnixNano()))
	w.files = t.TempDir()
	files, err := blob.Open("", w.files, os.Getenv)
	must(t, err)
	w.storage = &storage{Store: files}
	blobs := w.storage
	providers, err := safehttp.NewPolicy([]string{"127.0.0.1", "localhost"})
	must(t, err)
	tr, authority := tracker.New(tracker.Options{Store: access.Seal(s), Secrets: ring,
		Passwords: passwordtest.Weak(), BaseURL: "http://test", Now: w.clock.now,
		Blobs: blobs, MaxUploadBytes: maxUpload, Sender: w.receiver, OpenID: providers})
	w.Tracker, w.operator = tr, operator.Operator{Operator: authority}
	w.exports = portable.Instance{Store: s, Blobs: blobs, Version: "test"}.Exports(tr)
	return w
}

// serve mounts the pages of a table on a server. change may change the options of the App.
func (w *world) serve(t testing.TB, rows []row, change func(*Options)) *world {
	t.Helper()
	return w.serveAt(t, httptest.NewUnstartedServer(nil), rows, change)
}

// options returns those of an App at a base URL.
func (w *world) options(base string) Options {
	return Options{Tracker: w.Tracker, Setup: w.operator.Setup(), Exports: w.exports, BaseURL: base, Now: w.clock.now}
}

// serveAt is serve with a server that has not been started.
func (w *world) serveAt(t testing.TB, server *httptest.Server, rows []row, change func(*Options)) *world {
	t.Helper()
	o := w.options("http://" + server.Listener.Addr().String())
	policy, err := safehttp.NewPolicy(nil)
	must(t, err)
	w.oauth = oauth.New(oauth.Options{Store: access.Seal(w.store), Tracker: w.Tracker, BaseURL: o.BaseURL,
		Policy: policy,
		Now:    w.clock.now})
	o.OAuth = w.oauth
	if change != nil {
		change(&o)
	}
	app, err := newApp(o, rows)
	must(t, err)
	front := httpserver.New(httpserver.Options{Log: slog.New(slog.DiscardHandler), WriteProblem: app.WriteProblem})
	front.Mount("/", app, app.WriteProblem)
	server.Config.Handler = front
	server.Start()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	w.url, w.server = server.URL, server
	return w
}

// posting returns the rows, of which that of a path has its posts handled by a handler that is made of its own one.
func posting(rows []row, path string, wrap func(page.Handler) page.Handler) []row {
	rows = slices.Clone(rows)
	i := slices.IndexFunc(rows, func(r row) bool { return r.path == path })
	rows[i].post = wrap(rows[i].post)
	return rows
}

// newEmptyWorld returns a world without an organisation. change may change the options of the App.
func newEmptyWorld(t testing.TB, rows []row, change func(*Options)) *world {
	t.Helper()
	o, err := storetest.Migrated("sqlite", t.TempDir())
	must(t, err)
	return newTracker(t, o).serve(t, rows, change)
}

// newWorld returns a world with people, whose database is a copy of one that is made once. change may change the
// options of the App.
func newWorld(t testing.TB, rows []row, change func(*Options)) *world {
	t.Helper()
	file, made := inhabited(t)
	o := store.Options{Path: filepath.Join(t.TempDir(), "test.db")}
	must(t, os.WriteFile(o.Path, file, 0o600))
	w := newTracker(t, o)
	w.inhabitants = made
	return w.serve(t, rows, change)
}

var template struct {
	sync.Mutex
	file []byte
	inhabitants
}

// inhabited returns the content of a database with people.
func inhabited(t testing.TB) ([]byte, inhabitants) {
	t.Helper()
	template.Lock()
	defer template.Unlock()
	if template.file == nil {
		o, err := storetest.Migrated("sqlite", t.TempDir())
		must(t, err)
		w := newTracker(t, o)
		w.populate(t, func(name string) string { return name })
		must(t, w.store.Close())
		template.file, err = os.ReadFile(o.Path)
		must(t, err)
		template.inhabitants = w.inhabitants
	}
	return template.file, template.inhabitants
}

// populate adds the people, their workspaces and the reports WEB-160 and WEB-161. name may change each name.
func (w *world) populate(t testing.TB, name func(string) string) {
	t.Helper()
	w.users, w.tokens = map[string]string{}, map[string]string{}
	first, err := w.operator.Bootstrap(t.Context(), operator.Bootstrap{Organization: name("Northwind"),
		Owner: operator.NewUser{Email: owner, Name: name("Mara Lindqvist"), Password: password, WithToken: true}})
	must(t, err)
	w.users[owner], w.tokens[owner] = first.UserID, first.Token
	w.org = w.caller(t, owner).Organization
	in := w.operator.In(w.org)
	for _, f := range []api.WorkspaceFields{{Key: "APP", Name: name("Mobile app")},
		{Key: "WEB", Name: name("Web shop")}} {
		made, err := in.AddWorkspace(t.Context(), f, first.UserID)
		must(t, err)
		w.web = made.ID
	}
	added, err := in.AddUser(t.Context(), operator.NewUser{Email: member,
		Name: name("Jonas Weber"), WithToken: true, Workspaces: []string{w.web}})
	must(t, err)
	w.users[member], w.tokens[member] = added.UserID, added.Token
	joined, err := in.AddUser(t.Context(),
		operator.NewUser{Email: newcomer, Name: name("Noor Haddad"), Workspaces: []string{w.web}})
	must(t, err)
	w.users[newcomer] = joined.UserID
	other, err := w.operator.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Elsewhere",
		Owner: operator.NewUser{Email: stranger, WithToken: true}})
	must(t, err)
	w.users[stranger], w.tokens[stranger] = other.UserID, other.Token
	must(t, in.InTransaction(t.Context(), func(tx *tracker.OperatorTx) error { return tx.ReserveNumber(w.web, 159) }))
	w.file(t, w.caller(t, member), name("Checkout hangs on slow networks"))
	w.file(t, w.caller(t, member), name("The total of the cart is wrong when a voucher is used twice"))
}

// caller returns a user as an API key of theirs is.
func (w *world) caller(t testing.TB, who string) access.Caller {
	t.Helper()
	c, err := w.Authenticate(t.Context(), w.tokens[who])
	must(t, err)
	return c
}

// session opens a session of a user as signing in does, and returns its token.
func (w *world) session(t testing.TB, who string, from tracker.Client) string {
	t.Helper()
	var opened tracker.NewSession
	must(t, w.operator.In(w.org).InTransaction(t.Context(), func(tx *tracker.OperatorTx) (err error) {
		opened, err = tx.OpenSession(w.users[who], from)
		return err
	}))
	return opened.Token
}

// flush stores the uses and refusals that were collected, as a server does when it stops.
func (w *world) flush() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	w.Run(ended)
}
