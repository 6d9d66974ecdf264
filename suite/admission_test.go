package suite

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/internal/assert"
)

// attacker is a request whose body stays behind what its header declares.
type attacker struct {
	client
	path     string
	declared int
	sent     string
}

// open sends the header and the beginning of the body.
func (a attacker) open(t *testing.T) *net.TCPConn {
	t.Helper()
	conn := dial(t, a.server)
	_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\n\r\n%s",
		a.path, a.token, a.declared, a.sent)
	must(t, err)
	return conn
}

// hold sends a byte of the body after each pause until it is stopped. While there is memory for all, nobody
// ends it.
func (a attacker) hold(t *testing.T, pause time.Duration, stop chan struct{}) {
	conn := a.open(t)
	defer func() { _ = conn.Close() }()
	must(t, conn.SetDeadline(time.Now().Add(10*time.Minute)))
	for {
		select {
		case <-stop:
			return
		case <-time.After(pause):
		}
		if _, err := conn.Write([]byte(" ")); err != nil {
			t.Errorf("a client that sends a byte each %v is let go: %v", pause, err)
			return
		}
	}
}

// attackers are n requests with large bodies and two keys of each organisation: half of them reports of
// which one byte is sent, half of them evidence of which as much is sent as tells that it is JSON.
func attackers(t *testing.T, n int, orgs ...org) []attacker {
	t.Helper()
	var all []attacker
	for _, o := range orgs {
		files := "/v1/slices/" + o.slice(t, o.Workspace, nil)["id"].(string) + "/attachments?kind=console"
		second, _ := o.newKey(t, map[string]any{"name": "second", "type": "pat", "scopes": []string{"slices:write"}})
		for _, c := range []client{o.client, second} {
			all = append(all, attacker{c, "/v1/slices", 10 << 20, "{"},
				attacker{c, files, 16 << 20, "{" + strings.Repeat(" ", 4<<10)})
		}
	}
	return slices.Repeat(all, n/len(all))
}

// report is a filing with console entries of about size bytes.
func report(o org, size int) string {
	line := `{"level":"log","timestamp":"2026-11-20T10:00:00Z","message":"` + strings.Repeat("words ", 160) + `"}`
	return `{"workspaceId":"` + o.Workspace + `","summary":"x","evidence":{"console":[` +
		strings.TrimSuffix(strings.Repeat(line+",", max(1, size/len(line))), ",") + `]}}`
}

// drip sends a body in pieces of 1 KiB at 32 kbit/s, with a pause behind each fourth, and returns the status
// of the answer.
func drip(t *testing.T, c client, path, body string, pause time.Duration) int {
	t.Helper()
	conn := dial(t, c.server)
	must(t, conn.SetDeadline(time.Now().Add(10*time.Minute)))
	_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\n\r\n", path, c.token, len(body))
	must(t, err)
	for i := 0; len(body) > 0; i++ {
		n := min(1<<10, len(body))
		_, err := io.WriteString(conn, body[:n])
		must(t, err)
		body = body[n:]
		time.Sleep(250 * time.Millisecond)
		if i%4 == 3 {
			time.Sleep(pause)
		}
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	must(t, res.Body.Close())
	return res.StatusCode
}

// TestUnsentBodiesBlockNobody: 400 requests that declare large bodies and send hardly any of them take
// little memory, and neither their own organisation nor another one is refused.
func TestUnsentBodiesBlockNobody(t *testing.T) {
	t.Parallel()
	for _, engine := range sized([]string{"sqlite"}, []string{"sqlite", "postgres"}) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, engine, t.TempDir(), "--rate-limit", "off")
			s.start(t)
			defer s.kill()
			one, other, third := newOrg(t, s, "one"), newOrg(t, s, "other"), newOrg(t, s, "third")
			before := s.peak(t)
			for _, a := range attackers(t, 400, one, other) {
				a.open(t)
			}
			time.Sleep(300 * time.Millisecond) // their headers have been read
			if grown := s.peak(t) - before; grown > 64<<10 {
				t.Errorf("400 unsent bodies take %d KiB", grown)
			}
			for _, o := range []org{one, other, third} {
				o.want(t, 201, "POST", "/v1/slices", report(o, 1<<20))
				id := o.slice(t, o.Workspace, nil)["id"].(string)
				o.upload(t, 201, id, "console.json", "application/json",
					strings.Repeat(`{"level":"log","timestamp":"2026-11-20T10:00:00Z","message":"m"}`+"\n", 10_000))
			}
			if status := drip(t, one.client, "/v1/slices", report(one, 8<<10), time.Second); status != 201 {
				t.Errorf("a slow client is answered %d", status)
			}
		})
	}
}

// TestSlowestBodiesEnd: bodies beyond what an organisation has are refused with 503 and Retry-After. When
// the others have become slow, the slowest are ended with 408 on connections that close, and whoever comes
// then is served.
func TestSlowestBodiesEnd(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "off")
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "slowest")
	scopes := map[string]any{"name": "further", "type": "pat", "scopes": []string{"slices:write"}}
	var reading sync.WaitGroup
	answers := make(chan string, 1000)
	var conns []*net.TCPConn
	for range 5 {
		key, _ := o.newKey(t, scopes)
		for range 110 { // 64 KiB of memory each, 34 of 32 MiB in all
			conn := attacker{key, "/v1/slices", 1 << 20, `{"summary":"` + strings.Repeat("x", 60<<10)}.open(t)
			conns = append(conns, conn)
			reading.Go(func() {
				if got, _ := io.ReadAll(conn); len(got) > 0 {
					answers <- string(got)
				}
			})
		}
	}
	time.Sleep(time.Second)
	refused := len(answers)
	for range refused {
		assert.Contains(t, "a refused body's answer", <-answers, "HTTP/1.1 503", "Retry-After: 1\r\n",
			`"code":"unavailable"`)
	}
	time.Sleep(11 * time.Second) // they are slow by now
	for range 10 {
		key, _ := o.newKey(t, scopes)
		key.want(t, 201, "POST", "/v1/slices", report(o, 20<<10))
	}
	time.Sleep(time.Second)
	ended := len(answers)
	for range ended {
		assert.Contains(t, "an ended body's answer", <-answers, "HTTP/1.1 408", "Connection: close\r\n",
			`"code":"request_timeout"`)
	}
	t.Logf("of %d bodies %d were refused and %d ended", len(conns), refused, ended)
	if refused == 0 {
		t.Error("no body was refused")
	}
	if ended == 0 {
		t.Error("no body was ended")
	}
	if refused+ended > 330 { // half of the memory stays with the rest
		t.Errorf("%d bodies were refused and %d ended, want at most 330 of %d", refused, ended, len(conns))
	}
	for _, conn := range conns {
		_ = conn.Close()
	}
	reading.Wait()
}

// TestTwoLengthsCloseTheConnection: a request with Content-Length and Transfer-Encoding is answered, and its
// connection closes (RFC 9112, 6.3), so that the bytes after it are not read as a request.
func TestTwoLengthsCloseTheConnection(t *testing.T) {
	t.Parallel()
	s := shared(t, tested()[0])
	o := newOrg(t, s, "lengths")
	body := `{"workspaceId":"` + o.Workspace + `","summary":"x"}`
	chunks := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	line := "POST /v1/slices HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + o.token +
		"\r\nContent-Type: application/json\r\n"
	const chunked, length = "Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\n"
	padding := "X-Padding: " + strings.Repeat("x", 5000) + "\r\n" // the header takes more than one read
	for name, c := range map[string]struct {
		sent string
		want int // answers before the connection closes
	}{
		"a length alone":             {line + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)) + body, 2},
		"chunks alone":               {line + chunked + "\r\n" + chunks, 2},
		"both":                       {line + length + chunked + "\r\n" + chunks, 1},
		"both, the other way about":  {line + chunked + length + "\r\n" + chunks, 1},
		"both, in lower case":        {line + strings.ToLower(chunked+length) + "\r\n" + chunks, 1},
		"both, with padding between": {line + length + padding + chunked + "\r\n" + chunks, 1},
		"both, behind another request": {"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + line + length + chunked +
			"\r\n" + chunks, 2},
		"both, where no body is read": {strings.Replace(line, "/v1/slices", "/nothing", 1) + length + chunked +
			"\r\n" + chunks, 1},
		"both, and a key that is wrong": {strings.Replace(line, "Bearer svc", "Bearer no", 1) + length + chunked +
			"\r\n" + chunks, 1},
		"both, in HTTP/1.0": {strings.Replace(line, "HTTP/1.1",
			"HTTP/1.0", 1) + "Connection: keep-alive\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n" + chunked +
			"\r\n" + body, 1},
	} {
		conn := dial(t, s)
		const last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
		_, err := fmt.Fprint(conn, c.sent+last)
		must(t, err)
		got, err := io.ReadAll(conn)
		if n := strings.Count(string(got), "HTTP/1."); n != c.want {
			t.Errorf("%s: %d answers and %v, want %d: %.100q", name, n, err, c.want, got)
		}
	}
}
