package suite

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bugslice/internal/assert"
)

// rounds is how often the process is killed: BUGSLICE_TEST_KILLS, 2 when it is not set.
func rounds() int {
	if n, err := strconv.Atoi(os.Getenv("BUGSLICE_TEST_KILLS")); err == nil && n > 0 {
		return n
	}
	return 2
}

// TestTorture kills the process under load, again and again. What was acknowledged is there
// afterwards, nothing was doubled under its Idempotency-Key, and every number is unique.
func TestTorture(t *testing.T) {
	ownServers(t, []string{"--rate-limit", "off"}, func(t *testing.T, s *server) {
		o := newOrg(t, s, "torture")
		killUnderLoad(t, s, o, 12)
	})
}

// killUnderLoad kills and starts the server while clients write, and compares what they were told with what is there.
func killUnderLoad(t *testing.T, s *server, o org, clients int) {
	t.Helper()
	ledgers := make([]ledger, clients)
	var stop atomic.Bool
	var work sync.WaitGroup
	for i := range ledgers {
		ledgers[i] = ledger{c: o.client, workspace: o.Workspace, name: fmt.Sprint("client ", i),
			state: map[string]string{}}
		work.Go(func() { ledgers[i].run(t, &stop) })
	}
	s.killAgain(t)
	stop.Store(true)
	work.Wait()
	checkLedgers(t, o, ledgers)
}

// killAgain kills the server and starts it again, as often as rounds says. It ends a moment after the last start.
func (s *server) killAgain(t *testing.T) {
	t.Helper()
	for range rounds() {
		time.Sleep(time.Duration(150+rand.IntN(350)) * time.Millisecond)
		s.kill()
		s.start(t)
	}
	time.Sleep(200 * time.Millisecond)
}

// ledger is what one client was told. It tries each write until it is acknowledged, so that
// what it knows at the end is exact.
type ledger struct {
	c               client
	workspace, name string
	state           map[string]string // summary → priority, or "deleted"
	writes, retries int
}

func (l *ledger) run(t *testing.T, stop *atomic.Bool) {
	for n := 0; !stop.Load(); n++ {
		summary := fmt.Sprint(l.name, " slice ", n)
		a := l.insist(t, 201, "POST", "/v1/slices", map[string]any{"workspaceId": l.workspace, "summary": summary},
			"Idempotency-Key", summary)
		if a.Status == 0 {
			return
		}
		l.state[summary] = ""
		path := "/v1/slices/" + a.get(t, "id").(string)
		if n%2 == 0 {
			priority := []string{"low", "high"}[n/2%2]
			l.insist(t, 200, "PATCH", path, map[string]any{"priority": priority})
			l.state[summary] = priority
		}
		if n%5 == 4 {
			l.insist(t, 204, "DELETE", path, nil)
			l.state[summary] = "deleted"
		}
	}
}

// insist retries while the server is away. A deletion whose acknowledgement was lost answers 404.
func (l *ledger) insist(t *testing.T, status int, method, path string, body any, headers ...string) answer {
	tried := false
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); {
		a, err := l.c.try(method, path, body, headers...)
		switch {
		case err == nil && (a.Status == status || tried && method == "DELETE" && a.Status == 404):
			l.writes++
			return a
		case err == nil && a.Status != 503:
			t.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
			return answer{}
		case err != nil && strings.Contains(err.Error(), "document"):
			t.Error(err)
			return answer{}
		}
		tried = true
		l.retries++
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s %s: not acknowledged in 60 s", method, path)
	return answer{}
}

func checkLedgers(t *testing.T, o org, ledgers []ledger) {
	t.Helper()
	found, numbers, cursor := map[string]string{}, map[any]bool{}, ""
	for {
		a := o.want(t, 200, "GET", "/v1/slices?limit=100&workspaceId="+o.Workspace+cursor, nil)
		for _, row := range a.get(t, "data").([]any) {
			m := row.(map[string]any)
			summary := m["summary"].(string)
			if _, twice := found[summary]; twice {
				t.Errorf("doubled under its Idempotency-Key: %s", summary)
			}
			if numbers[m["number"]] {
				t.Errorf("number %v was given twice", m["number"])
			}
			numbers[m["number"]] = true
			found[summary], _ = m["priority"].(string)
		}
		if a.get(t, "pagination.hasMore") == false {
			break
		}
		cursor = "&cursor=" + a.get(t, "pagination.cursor").(string)
	}
	total, retries, lost := 0, 0, 0
	for _, l := range ledgers {
		total, retries = total+l.writes, retries+l.retries
		for summary, want := range l.state {
			got, ok := found[summary]
			if want == "deleted" && ok || want != "deleted" && (!ok || got != want) {
				lost++
				t.Errorf("acknowledged and lost: %s is %q (%v), want %q", summary, got, ok, want)
			}
		}
	}
	t.Logf("%d kills, %d acknowledged writes, %d retries, %d lost, %d live slices", rounds(), total, retries, lost,
		len(found))
}

// TestPostgresAway: while the database cannot be reached, answers are 503 problems and the
// node is not ready; when it is back, the service recovers by itself.
func TestPostgresAway(t *testing.T) {
	t.Parallel()
	s := newServer(t, "postgres", t.TempDir(), "--rate-limit", "off")
	u, err := url.Parse(s.place[len(s.place)-1])
	must(t, err)
	p := newProxy(t, u.Host)
	u.Host = p.address
	direct := s.place
	s.place = append(append([]string{}, direct[:len(direct)-1]...), u.String())
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "away")
	o.slice(t, o.Workspace, nil)
	p.cut()
	for range 5 {
		a := o.do(t, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace, "summary": "x"})
		assert.Equal(t, "status", a.Status, 503)
		a.has(t, members{"code": "unavailable"})
		o.want(t, 503, "GET", "/v1/slices", nil)
	}
	client{server: s}.want(t, 503, "GET", "/readyz", nil)
	client{server: s}.want(t, 200, "GET", "/healthz", nil)
	p.mend(t)
	recovers(t, o)
}

func recovers(t *testing.T, o org) {
	t.Helper()
	var a answer
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if a = o.do(t, "POST", "/v1/slices",
			map[string]any{"workspaceId": o.Workspace, "summary": "after"}); a.Status == 201 {
			break
		}
	}
	if a.Status != 201 {
		t.Fatalf("did not recover: %d %s", a.Status, a.Body)
	}
	client{server: o.server}.want(t, 200, "GET", "/readyz", nil)
	rows := o.want(t, 200, "GET", "/v1/slices?limit=100&sort=createdAt&order=asc&workspaceId="+o.Workspace, nil).
		get(t, "data").([]any)
	for i, row := range rows { // what was refused left nothing behind
		if row.(map[string]any)["number"] != float64(i+1) {
			t.Errorf("number %v at place %d", row.(map[string]any)["number"], i+1)
		}
	}
}

// proxy stands between the service and PostgreSQL, and can be cut.
type proxy struct {
	address, target string
	mu              sync.Mutex
	listener        net.Listener
	open            map[net.Conn]bool
}

func newProxy(t *testing.T, target string) *proxy {
	p := &proxy{target: target, address: "127.0.0.1:0", open: map[net.Conn]bool{}}
	p.mend(t)
	t.Cleanup(p.cut)
	return p
}

func (p *proxy) mend(t *testing.T) {
	l, err := net.Listen("tcp", p.address)
	must(t, err)
	p.mu.Lock()
	p.listener, p.address = l, l.Addr().String()
	p.mu.Unlock()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.pipe(c)
		}
	}()
}

func (p *proxy) pipe(c net.Conn) {
	d, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = c.Close()
		return
	}
	p.mu.Lock()
	p.open[c], p.open[d] = true, true
	p.mu.Unlock()
	go func() { _, _ = io.Copy(d, c); _ = d.Close() }()
	_, _ = io.Copy(c, d)
	_ = c.Close()
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.listener.Close()
	for c := range p.open {
		_ = c.Close()
	}
	p.open = map[net.Conn]bool{}
}

// TestFullDisk: when SQLite cannot grow its files, writes are 503 problems, reads go on, and
// the service recovers by itself when there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "off")
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "disk")
	o.slice(t, o.Workspace, nil)
	limit := func(size string) {
		t.Helper()
		out, err := exec.Command("prlimit", "--pid", strconv.Itoa(s.cmd.Process.Pid), "--fsize="+size+":unlimited").
			CombinedOutput()
		if err != nil {
			t.Fatalf("prlimit (Debian package util-linux): %v: %s", err, out)
		}
	}
	limit("600000") // the files' greatest size, in bytes
	full := 0
	for i := range 400 {
		a, err := o.try("POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace,
			"summary": fmt.Sprint(i), "description": strings.Repeat("fill ", 2000)})
		if err != nil {
			t.Fatalf("the server did not survive: %v: %s", err, s.logged())
		}
		if a.Status == 503 {
			full++
		} else if a.Status != 201 {
			t.Fatalf("%d, want 201 or 503: %s", a.Status, a.Body)
		}
		if full == 5 {
			break
		}
	}
	if full == 0 {
		t.Fatal("the disk was never full")
	}
	o.want(t, 200, "GET", "/v1/slices?limit=1", nil)
	limit("unlimited")
	recovers100(t, o)
}

// recovers100 is recovers for more rows than a page.
func recovers100(t *testing.T, o org) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		a := o.do(t, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace, "summary": "after"})
		if a.Status == 201 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("did not recover: %d %s", a.Status, a.Body)
		}
	}
}

// TestDrain: SIGTERM lets a request under way finish, and ends with 0.
func TestDrain(t *testing.T) {
	t.Parallel()
	for _, engine := range tested() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, engine, t.TempDir())
			s.start(t)
			o := newOrg(t, s, "drain")
			body := fmt.Sprintf(`{"workspaceId":%q,"summary":"slow"}`, o.Workspace)
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			must(t, err)
			defer conn.Close()
			fmt.Fprintf(conn, "POST /v1/slices HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
				"application/json\r\nContent-Length: %d\r\n\r\n%s", o.token, len(body), body[:10])
			time.Sleep(200 * time.Millisecond)
			must(t, s.cmd.Process.Signal(syscall.SIGTERM))
			time.Sleep(200 * time.Millisecond)
			fmt.Fprint(conn, body[10:])
			text := make([]byte, 64)
			must(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
			n, err := conn.Read(text)
			must(t, err)
			if !strings.HasPrefix(string(text[:n]), "HTTP/1.1 201") {
				t.Errorf("the request under way got %q", text[:n])
			}
			if err := s.cmd.Wait(); err != nil {
				t.Errorf("ended with %v: %s", err, s.logged())
			}
		})
	}
}

// TestConcurrentStarts: several nodes may start on one empty database at once.
func TestConcurrentStarts(t *testing.T) {
	t.Parallel()
	s := newEmptyServer(t, "postgres", t.TempDir())
	nodes := make([]*server, 4)
	var work sync.WaitGroup
	for i := range nodes {
		nodes[i] = s.node()
		work.Go(func() { nodes[i].start(t) })
	}
	work.Wait()
	o := newOrg(t, nodes[0], "nodes")
	for _, node := range nodes {
		client{node, o.token}.slice(t, o.Workspace, nil)
		defer node.kill()
	}
}

// TestTortureSlowWriters: while 400 clients of two organisations send large bodies with one byte a pause, clients at
// 32 kbit/s with equal pauses are served. Pauses take 25 s in make slow-clients.
func TestTortureSlowWriters(t *testing.T) {
	t.Parallel()
	pause := sized(time.Second, 25*time.Second)
	for _, engine := range sized([]string{"sqlite"}, []string{"sqlite", "postgres"}) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, engine, t.TempDir(), "--rate-limit", "off")
			s.start(t)
			defer s.kill()
			one, other := newOrg(t, s, "one"), newOrg(t, s, "other")
			before := s.peak(t)
			stop := make(chan struct{})
			var held, honest sync.WaitGroup
			for i, a := range attackers(t, 400, one, other) {
				held.Go(func() { a.hold(t, pause-time.Duration(i)*pause/2000, stop) })
			}
			for _, o := range []org{one, other} {
				files := "/v1/slices/" + o.slice(t, o.Workspace, nil)["id"].(string) +
					"/attachments?kind=log&name=a.log"
				for path, body := range map[string]string{"/v1/slices": report(o, 12<<10),
					files: strings.Repeat(`{"message":"words"}`+"\n", 600)} {
					honest.Go(func() {
						if status := drip(t, o.client, path, body, pause); status != 201 {
							t.Errorf("a slow client is answered %d by %s", status, path)
						}
					})
				}
			}
			honest.Wait()
			close(stop)
			held.Wait()
			if grown := s.peak(t) - before; grown > 96<<10 {
				t.Errorf("400 slow writers take %d KiB", grown)
			}
		})
	}
}
