package suite

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/internal/assert"
)

// wordy returns a text of about size bytes.
func wordy(size int) string { return strings.Repeat("lorem ipsum dolor sit amet ", size/27) }

// fat files a slice of which the lists are large: 5 MiB of console, 3 of comments and of events.
func fat(t *testing.T, o org) (path string) {
	t.Helper()
	path = "/v1/slices/" + o.slice(t, o.Workspace, nil)["id"].(string)
	rows := make([]any, 45)
	for i := range rows {
		rows[i] = map[string]any{"level": "log", "timestamp": "2026-11-20T10:00:00Z", "message": wordy(60 << 10),
			"stack": wordy(60 << 10)}
	}
	o.want(t, 201, "POST", path+"/attachments?kind=console", rows)
	for range 45 {
		o.want(t, 201, "POST", path+"/comments", map[string]any{"body": wordy(64 << 10)})
	}
	return path
}

// slowReader asks for something and takes no more of the answer than its status, which it returns.
func (c client) slowReader(t *testing.T, path, header string) (conn net.Conn, status int) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.URL, "http://"))
	must(t, err)
	must(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	must(t, conn.SetDeadline(time.Now().Add(3*time.Minute)))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n", path, c.token,
		header)
	must(t, err)
	head := textproto.NewReader(bufio.NewReaderSize(conn, 16))
	line, err := head.ReadLine()
	must(t, err)
	_, err = fmt.Sscanf(line, "HTTP/1.1 %d", &status)
	must(t, err)
	if h, err := head.ReadMIMEHeader(); err != nil || status == 503 && h.Get("Retry-After") == "" {
		t.Errorf("%s: %v %v", line, h, err)
	}
	return conn, status
}

// readers opens n slow readers, counts their statuses, and returns the connections of those that are answered 200.
func (c client) readers(t *testing.T, n int, path, header string) (conns []net.Conn, statuses map[int]int) {
	statuses = map[int]int{}
	var mu sync.Mutex
	var work sync.WaitGroup
	for range n {
		work.Go(func() {
			conn, status := c.slowReader(t, path, header)
			mu.Lock()
			defer mu.Unlock()
			if statuses[status]++; status == 200 {
				conns = append(conns, conn)
			} else {
				_ = conn.Close()
			}
		})
	}
	work.Wait()
	return conns, statuses
}

// status asks for something, and leaves the answer.
func (c client) status(t *testing.T, path, header string) int {
	conn, status := c.slowReader(t, path, header)
	must(t, conn.Close())
	return status
}

// TestMemoryOfSlowListReaders: slow clients of large lists or events take bounded memory together. Beyond it large
// responses are refused, and small ones continue.
func TestMemoryOfSlowListReaders(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "off")
	s.start(t)
	defer func() { s.kill() }()
	o := newOrg(t, s, "slow-lists")
	path := fat(t, o)
	events := "/v1/events?workspaceId=" + o.Workspace
	for _, c := range []struct {
		path, header string
		most         int // MiB of all
	}{
		{path + "/console?limit=100", "", 250},
		{path + "/comments?limit=100", "Accept-Encoding: gzip\r\n", 250},
		{events + "&limit=100", "", 250},
		{events, "Accept: text/event-stream\r\n", 80},
	} {
		s.kill() // so that nothing is left of what was before
		s.start(t)
		o.want(t, 200, "GET", path, nil)
		before, readers := s.resident(t), sized(30, 49)
		if strings.Contains(c.header, "stream") {
			readers = 20
		}
		conns, statuses := o.readers(t, readers, c.path, c.header)
		time.Sleep(300 * time.Millisecond)
		grown := (s.resident(t) - before) >> 10
		t.Logf("%s %q: %d MiB, %v", c.path, c.header, grown, statuses)
		if grown > c.most {
			t.Errorf("%s %q: the readers take %d MiB, want at most %d", c.path, c.header, grown, c.most)
		}
		if statuses[200] == 0 {
			t.Errorf("%s %q: no reader was answered: %v", c.path, c.header, statuses)
		}
		assert.Equal(t, c.path+": readers answered 200 or 503", statuses[200]+statuses[503], readers)
		o.want(t, 200, "GET", path+"/comments?limit=1", nil)
		for _, conn := range conns {
			must(t, conn.Close())
		}
		for deadline := time.Now().Add(10 * time.Second); o.status(t, c.path,
			c.header) != 200; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: no room after all have gone", c.path)
			}
		}
	}
}

// TestTortureSlowReaders: while many clients of one key take large lists at 1 KiB a second, another key of
// the organisation gets its own, since the slow ones are ended; and another organisation notices nothing.
// Under make slow-clients each of the slow ones is ended within 75 s, also those that nobody needs to make room.
func TestTortureSlowReaders(t *testing.T) {
	t.Parallel()
	for _, engine := range sized([]string{"sqlite"}, []string{"sqlite", "postgres"}) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, engine, t.TempDir(), "--rate-limit", "off")
			s.start(t)
			defer s.kill()
			o := newOrg(t, s, "readers")
			list := fat(t, o) + "/comments?limit=100"
			greedy, _ := o.newKey(t, map[string]any{"name": "greedy", "type": "pat", "scopes": []string{"slices:read"}})
			other := newOrg(t, s, "neighbours")
			theirs := "/v1/slices/" + other.slice(t, other.Workspace, nil)["id"].(string)
			conns, statuses := greedy.readers(t, 49, list, "")
			ended := make(chan time.Duration, len(conns))
			begin := time.Now()
			for _, conn := range conns {
				go func() {
					_, _ = io.Copy(io.Discard, &drop{conn, time.Second})
					ended <- time.Since(begin)
				}()
			}
			for o.status(t, list, "") != 200 {
				if time.Since(begin) > 25*time.Second {
					t.Fatalf("%v: another key of the organisation is not answered", statuses)
				}
				other.want(t, 200, "GET", theirs, nil)
				time.Sleep(100 * time.Millisecond)
			}
			if t.Logf("%v; the other key was answered after %v", statuses, time.Since(begin)); !full() {
				return
			}
			for range conns {
				if took := <-ended; took > 90*time.Second {
					t.Errorf("a client that takes 1 KiB a second went on for %v", took)
				}
			}
		})
	}
}

// drop takes at most 1 KiB after each pause.
type drop struct {
	io.Reader
	pause time.Duration
}

func (d *drop) Read(b []byte) (int, error) {
	time.Sleep(d.pause)
	return d.Reader.Read(b[:min(len(b), 1<<10)])
}
