package suite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/operator"
	"bugslice/internal/store/storetest"
)

var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "bugslice-suite-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.Unsetenv("GOGC"); err != nil { // make test sets it; servers and measured commands collect as in production
		panic(err)
	}
	if err := flag.Set("rapid.checks", sized("25", "100")); err != nil {
		panic(err)
	}
	if err := startRecording(); err != nil {
		panic(err)
	}
	if err := readDocument(); err != nil {
		panic(err)
	}
	defer stopAll()
	defer browsertest.Close()
	return m.Run()
}

// build makes the program to test, unless one is named.
func build(dir string) error {
	binary = filepath.Join(dir, "bugslice")
	if given := os.Getenv("BUGSLICE_TEST_BINARY"); given != "" {
		return os.Symlink(given, binary)
	}
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, "../cmd/bugslice").
		CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// full reports whether the tests run with their full sizes and durations, as the make targets of slow kinds ask
// for. make test runs the same tests with smaller ones.
func full() bool { return os.Getenv("BUGSLICE_TEST_FULL") != "" }

// sized returns short in make test and long in the targets of slow kinds.
func sized[T any](short, long T) T {
	if full() {
		return long
	}
	return short
}

// server is a running instance.
type server struct {
	URL    string
	engine string
	dir    string   // its data directory
	place  []string // flags that name its records
	args   []string // further flags of serve
	env    []string // further variables of serve
	cmd    *exec.Cmd
	log    *bytes.Buffer
	out    io.Writer // receives the output of serve; dropped when nil
}

var running struct {
	sync.Mutex
	servers map[*server]bool
	shared  map[string]*server
}

var sharing sync.Mutex

func stopAll() {
	running.Lock()
	defer running.Unlock()
	for s := range running.servers {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
}

// engines runs a test of what SQL decides on both databases, each on a server that the tests share.
func engines(t *testing.T, test func(t *testing.T, s *server)) {
	t.Parallel()
	for _, engine := range tested() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, shared(t, engine))
		})
	}
}

// ownServers runs a test on every database, with a server of its own that is started with flags.
func ownServers(t *testing.T, flags []string, test func(t *testing.T, s *server)) {
	t.Parallel()
	for _, engine := range tested() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, engine, t.TempDir(), flags...)
			s.start(t)
			defer s.kill()
			test(t, s)
		})
	}
}

// oneEngine returns a shared server for a test whose outcome no database decides.
func oneEngine(t *testing.T) *server {
	t.Parallel()
	return shared(t, tested()[0])
}

// role is the role of PostgreSQL that cannot change the schema, as which make operate runs the suite, or empty.
var role = os.Getenv("BUGSLICE_TEST_ROLE")

// tested returns the databases that are tested: with a role, PostgreSQL only.
func tested() []string {
	if role != "" {
		return []string{"postgres"}
	}
	return []string{"sqlite", "postgres"}
}

// shared returns the server of an engine that the tests share. The first test that asks for it starts it.
func shared(t *testing.T, engine string) *server {
	sharing.Lock()
	defer sharing.Unlock()
	running.Lock()
	s := running.shared[engine]
	running.Unlock()
	if s != nil {
		return s
	}
	s = newEmptyServer(t, engine, keepDir(t), "--rate-limit", "off", "--webhook-allow", "127.0.0.1",
		"--trusted-proxies", "127.0.0.1")
	s.start(t)
	running.Lock()
	defer running.Unlock()
	if running.shared == nil {
		running.shared = map[string]*server{}
	}
	running.shared[engine] = s
	return s
}

// keepDir returns a directory beside the binary, which outlives the test.
func keepDir(t *testing.T) string {
	dir, err := os.MkdirTemp(filepath.Dir(binary), "data-")
	must(t, err)
	return dir
}

// newServer names a fresh instance; start starts it. Its database on PostgreSQL is a copy of one that is migrated,
// unless the program was given: it may have other migrations.
func newServer(t *testing.T, engine, dir string, args ...string) *server {
	t.Helper()
	if os.Getenv("BUGSLICE_TEST_BINARY") != "" {
		return newEmptyServer(t, engine, dir, args...)
	}
	return serverOn(t, engine, dir, func() (string, error) {
		o, err := storetest.Migrated(engine, "")
		return o.URL, err
	}, args)
}

// newEmptyServer is newServer with a database that start migrates.
func newEmptyServer(t *testing.T, engine, dir string, args ...string) *server {
	t.Helper()
	return serverOn(t, engine, dir, storetest.Database, args)
}

func serverOn(t *testing.T, engine, dir string, newDatabase func() (string, error), args []string) *server {
	t.Helper()
	s := &server{engine: engine, dir: dir, place: []string{"--data", dir}, args: args}
	if engine == "postgres" {
		database, err := newDatabase()
		must(t, err)
		if role != "" {
			database, err = storetest.AsRole(database, role)
			must(t, err)
			s.place = append(s.place, "--migrate", "off")
		}
		s.place = append(s.place, "--database-url", database)
	}
	return s
}

// node returns another node on the same records, which is not started.
func (s *server) node() *server {
	return &server{engine: s.engine, dir: s.dir, place: s.place, args: s.args}
}

// start starts the server on the port it had before, or on a free one, and waits until it is ready.
func (s *server) start(t *testing.T) {
	t.Helper()
	listen := "127.0.0.1:0"
	if s.URL != "" {
		listen = strings.TrimPrefix(s.URL, "http://")
	}
	args := append(append([]string{"serve", "--listen", listen}, s.place...), s.args...)
	s.cmd = exec.Command(binary, args...)
	s.cmd.Env = append(append(os.Environ(), "BUGSLICE_LIST_TIME=1m"), s.env...) // the machine may be busy
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	r, w, err := os.Pipe()
	must(t, err)
	s.cmd.Stderr, s.cmd.Stdout = w, s.out
	must(t, s.cmd.Start())
	_ = w.Close()
	running.Lock()
	if running.servers == nil {
		running.servers = map[*server]bool{}
	}
	running.servers[s] = true
	running.Unlock()
	address := make(chan string, 1)
	s.log = &bytes.Buffer{}
	go watch(r, s.log, address)
	select {
	case a := <-address:
		if a == "" {
			_ = s.cmd.Wait()
			t.Fatalf("the server did not start: %s", s.log)
		}
		if u := "http://" + a; u != s.URL { // clients of before a restart may be reading it
			s.URL = u
		}
	case <-time.After(60 * time.Second):
		t.Fatal("the server did not start in 60 s")
	}
}

var logLock sync.Mutex

// watch keeps the log and reads the address from its first lines.
func watch(r io.ReadCloser, log *bytes.Buffer, address chan<- string) {
	defer r.Close()
	d := json.NewDecoder(io.TeeReader(r, lockedWriter{log}))
	found := false
	for {
		var line struct{ Msg, Address string }
		if err := d.Decode(&line); err != nil {
			if !found {
				address <- ""
			}
			_, _ = io.Copy(lockedWriter{log}, r)
			return
		}
		if line.Msg == "serving" && !found {
			found = true
			address <- line.Address
		}
	}
}

type lockedWriter struct{ *bytes.Buffer }

func (w lockedWriter) Write(b []byte) (int, error) {
	logLock.Lock()
	defer logLock.Unlock()
	return w.Buffer.Write(b)
}

func (s *server) logged() string {
	logLock.Lock()
	defer logLock.Unlock()
	return s.log.String()
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	running.Lock()
	delete(running.servers, s)
	running.Unlock()
}

// seldom makes a short command end before its first collection, which would take a third of its time.
func seldom() []string { return append(os.Environ(), "GOGC=400") }

// cli runs a command on the server's records, beside the server.
func (s *server) cli(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(binary, append(args, s.place...)...)
	cmd.Env = seldom()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("bugslice %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}

// client sends requests with a token and holds the answers against the document.
type client struct {
	*server
	token string
}

type answer struct {
	request string // method and path, for messages
	Status  int
	Header  http.Header
	Body    []byte
}

// JSON decodes the answer's body.
func (a answer) JSON(t *testing.T) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(a.Body, &m); err != nil {
		t.Fatalf("no JSON: %v: %s", err, a.Body)
	}
	return m
}

func (a answer) get(t *testing.T, path string) any {
	t.Helper()
	var v any = a.JSON(t)
	for _, step := range strings.Split(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("no %s in %s", path, a.Body)
		}
		v = m[step]
	}
	return v
}

var transport = &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}

// do sends a request; headers are name and value in turns. body is sent as JSON unless it
// is a string, which is sent as it is.
func (c client) do(t *testing.T, method, path string, body any, headers ...string) answer {
	t.Helper()
	a, err := c.try(method, path, body, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// want is do for requests whose status is known.
func (c client) want(t *testing.T, status int, method, path string, body any, headers ...string) answer {
	t.Helper()
	a := c.do(t, method, path, body, headers...)
	if a.Status != status {
		t.Fatalf("%s %s: %d, want %d: %s", method, path, a.Status, status, a.Body)
	}
	return a
}

func (c client) try(method, path string, body any, headers ...string) (answer, error) {
	var raw []byte
	switch b := body.(type) {
	case nil:
	case string:
		raw = []byte(b)
	default:
		var err error
		if raw, err = json.Marshal(b); err != nil {
			return answer{}, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(),
		5*time.Minute) // a busy machine takes more than one for large bodies in turn
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(raw))
	if err != nil {
		return answer{}, err
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if raw != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("X-Forwarded-For", stranger())
	for i := 0; i < len(headers); i += 2 {
		req.Header.Del(headers[i])
		if headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	a := answer{request: method + " " + path, Status: res.StatusCode, Header: res.Header}
	if a.Body, err = io.ReadAll(res.Body); err != nil {
		return a, err
	}
	record(req, raw, a)
	return a, conforms(req, raw, a)
}

// eventually waits until a condition holds, for at most 20 s.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

// openBeside opens the database of a data directory, which a server may write to meanwhile.
func openBeside(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "bugslice.db")+"?_pragma=busy_timeout(30000)")
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// org is an organisation with an owner who has a PAT with every scope and a workspace.
type org struct {
	client
	ID, UserID, Workspace string
}

func newOrg(t *testing.T, s *server, name string) org {
	t.Helper()
	email := fmt.Sprintf("owner-%d@%s.example", time.Now().UnixNano(), name)
	made := s.addOrg(t, operator.Bootstrap{Organization: name, Owner: operator.NewUser{Email: email, WithToken: true}})
	o := org{client: client{s, made.Token}, ID: made.OrganizationID, UserID: made.UserID}
	o.Workspace = call(t, o.client, api.CreateWorkspace{Body: api.WorkspaceFields{Name: name + " one"}}).ID
	return o
}

// newUser adds a user to the organisation and returns a client with a PAT of every scope.
func (o org) newUser(t *testing.T, name string, workspaces ...string) (client, string) {
	t.Helper()
	email := fmt.Sprintf("%s-%d@example.com", name, time.Now().UnixNano())
	made := o.addUser(t, o.ID, operator.NewUser{Email: email, Name: name, WithToken: true, Workspaces: workspaces})
	return client{o.server, made.Token}, made.UserID
}

// newKey mints a key and returns a client with it, and its id.
func (c client) newKey(t *testing.T, fields map[string]any) (client, string) {
	t.Helper()
	a := c.want(t, 201, "POST", "/v1/api-keys", fields)
	return client{c.server, a.get(t, "token").(string)}, a.get(t, "id").(string)
}

func (c client) slice(t *testing.T, workspace string, more map[string]any) map[string]any {
	t.Helper()
	body := map[string]any{"workspaceId": workspace, "summary": "Something is wrong"}
	for k, v := range more {
		body[k] = v
	}
	return c.want(t, 201, "POST", "/v1/slices", body).JSON(t)
}

// exit runs a command on the server's records and returns its exit code and what it said. One that
// goes on for long is ended.
func (s *server) exit(args ...string) (int, string) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append(args, s.place...)...)
	cmd.WaitDelay, cmd.Env = time.Second, seldom()
	out, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(out)
}

// fileCounts compares the files of a server with its records.
type fileCounts struct {
	Named, Unreferenced, Unknown, UnknownOld, Removed struct{ Files int }
	Missing                                           int
}

// collect compares the files of a server with its records.
func (s *server) collect(t *testing.T) (h fileCounts) {
	t.Helper()
	must(t, json.Unmarshal([]byte(s.cli(t, "admin", "collect", "--json")), &h))
	return h
}

// blobs returns the files of attachments in a server's data directory.
func blobs(t *testing.T, dir string) (names []string) {
	t.Helper()
	must(t, filepath.WalkDir(filepath.Join(dir, "files"), func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), "blb_") {
			names = append(names, path)
		}
		return err
	}))
	return names
}
