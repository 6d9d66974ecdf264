package suite

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// resident returns the memory that a server takes now, in KiB.
func (s *server) resident(t *testing.T) (kib int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	must(t, err)
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	_, err = fmt.Sscan(string(rest), &kib)
	must(t, err)
	return kib
}

// begin sends a GET and reads the first bytes of its answer. It takes no more of it.
func (c client) begin(t *testing.T, path string, headers ...string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.URL, "http://"))
	must(t, err)
	must(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	must(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n", path, c.token, strings.Join(headers, ""))
	must(t, err)
	first := make([]byte, 12)
	_, err = io.ReadFull(conn, first)
	must(t, err)
	if string(first) != "HTTP/1.1 200" && string(first) != "HTTP/1.1 206" {
		t.Fatalf("%s", first)
	}
	return conn
}

// wideReplay is a replay of about 14 MiB: a snapshot of the page in one line, and many small events.
func wideReplay() string {
	var b strings.Builder
	noise := rand.New(rand.NewPCG(1, 2))
	b.WriteString(`[{"type":2,"timestamp":1,"data":{"node":"`)
	for b.Len() < 7<<20 {
		fmt.Fprintf(&b, "<p>%d lorem %d</p>", noise.Int32(), noise.Int32())
	}
	b.WriteString(`"}}`)
	for i := range 40_000 {
		fmt.Fprintf(&b, `,{"type":3,"timestamp":%d,"data":{"source":2,"text":"lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna aliqua"}}`, i)
		if b.Len() > 14<<20 {
			break
		}
	}
	b.WriteByte(']')
	return b.String()
}

// TestSlowReadersHoldLittle: clients that take little of a large file, or of evidence as one
// document, cost at most 256 KiB of memory each, whatever they ask for.
func TestSlowReadersHoldLittle(t *testing.T) {
	s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "off")
	s.start(t)
	o := newOrg(t, s, "slow-readers")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	file := o.want(t, 201, "POST", "/v1/slices/"+id+"/attachments?kind=replay", wideReplay(), "Content-Type", "application/json").get(t, "id").(string)
	for _, c := range []struct{ path, header string }{
		{"/v1/attachments/" + file, ""},
		{"/v1/attachments/" + file, "Range: bytes=7000000-\r\n"},
		{"/v1/slices/" + id + "/replay", ""},
		{"/v1/slices/" + id + "/replay", "Accept-Encoding: gzip\r\n"},
		{"/v1/slices/" + id + "/replay", "Accept-Encoding: zstd, gzip\r\n"},
	} {
		s.kill() // so that nothing is left of the upload
		s.start(t)
		conn := o.begin(t, "/v1/slices/"+id)
		before := s.resident(t)
		const readers = 49
		for range readers {
			defer o.begin(t, c.path, c.header).Close()
		}
		time.Sleep(300 * time.Millisecond)
		each := (s.resident(t) - before) / readers
		t.Logf("%s %q: %d KiB a reader", c.path, c.header, each)
		if each > 256 {
			t.Errorf("%s %q: %d KiB a reader", c.path, c.header, each)
		}
		_ = conn.Close()
	}
	s.kill()
}

// TestDownloadsAtOnce: a key has at most 64 downloads at a time on a node, of files, small pictures and
// evidence as one document together. Others are not concerned, and one that ends makes room.
func TestDownloadsAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "downloads")
		id := o.slice(t, o.Workspace, nil)["id"].(string)
		file := "/v1/attachments/" + o.want(t, 201, "POST", "/v1/slices/"+id+"/attachments?kind=replay", wideReplay(), "Content-Type", "application/json").get(t, "id").(string)
		other, _ := o.newKey(t, map[string]any{"name": "other", "type": "pat", "scopes": []string{"slices:read"}})
		var open []net.Conn
		defer func() {
			for _, c := range open {
				_ = c.Close()
			}
		}()
		for i := range 64 {
			open = append(open, o.begin(t, []string{file, "/v1/slices/" + id + "/replay"}[i%2]))
		}
		for _, path := range []string{file, "/v1/slices/" + id + "/network.har", file + "/thumbnail"} {
			if a := o.want(t, 429, "GET", path, nil); a.get(t, "code") != "rate_limited" || a.Header.Get("Retry-After") == "" {
				t.Errorf("%v %s", a.Header, a.Body)
			}
		}
		o.want(t, 200, "GET", "/v1/slices/"+id+"/console", nil)
		other.want(t, 206, "GET", file, nil, "Range", "bytes=-1")
		_ = open[0].Close()
		for tries := 0; ; tries++ {
			a := o.do(t, "GET", file, nil, "Range", "bytes=-1")
			if a.Status == 206 {
				break
			}
			if tries == 100 {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
}

// TestManyRanges: a few ranges are answered as asked, many as if there were none, for each costs a search.
func TestManyRanges(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "ranges")
		id := o.slice(t, o.Workspace, map[string]any{"evidence": captured()})["id"].(string)
		file := o.want(t, 200, "GET", "/v1/slices/"+id+"/attachments?kind=network", nil).JSON(t)["data"].([]any)[0].(map[string]any)["id"].(string)
		for n, status := range map[int]int{2: 206, 16: 206, 17: 200, 500: 200} {
			o.want(t, status, "GET", "/v1/attachments/"+file, nil, "Range", "bytes="+strings.Repeat("-1,", n-1)+"-1")
		}
	})
}
