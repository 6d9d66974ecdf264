package suite

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
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
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n", path, c.token,
		strings.Join(headers, ""))
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
		fmt.Fprintf(&b, `,{"type":3,"timestamp":%d,"data":{"source":2,"text":"lorem ipsum dolor sit amet, consectetur adipiscing `+
			`elit, sed do eiusmod tempor incididunt ut labore et dolore magna aliqua"}}`, i)
		if b.Len() > 14<<20 {
			break
		}
	}
	b.WriteByte(']')
	return b.String()
}

// TestMemoryOfSlowDownloads: a slow client of a large file, or of evidence as one document, costs at most 256 KiB of
// memory.
func TestMemoryOfSlowDownloads(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "off")
	s.start(t)
	o := newOrg(t, s, "slow-readers")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	file := o.want(t, 201, "POST", "/v1/slices/"+id+"/attachments?kind=replay",
		wideReplay(), "Content-Type", "application/json").get(t, "id").(string)
	for _, c := range []struct{ path, header string }{
		{"/v1/attachments/" + file, ""},
		{"/v1/attachments/" + file, "Range: bytes=7000000-\r\n"},
		{"/v1/slices/" + id + "/replay", ""},
		{"/v1/slices/" + id + "/replay", "Accept-Encoding: gzip\r\n"},
		{"/v1/slices/" + id + "/replay", "Accept-Encoding: zstd, gzip\r\n"},
	} {
		s.kill() // so that nothing is left of the upload
		s.start(t)
		conn := o.begin(t, c.path, c.header) // the first reader pays for the code that the system reads from the program's file
		time.Sleep(300 * time.Millisecond)
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

// TestConcurrentDownloadLimit: a key has at most 64 downloads at a time on a node, of files, small pictures and
// evidence as one document together. Others are not concerned, and one that ends makes room.
func TestConcurrentDownloadLimit(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "downloads")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	file := "/v1/attachments/" + o.want(t, 201, "POST", "/v1/slices/"+id+"/attachments?kind=replay",
		wideReplay(), "Content-Type", "application/json").get(t, "id").(string)
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
		a := o.want(t, 429, "GET", path, nil)
		a.has(t, members{"code": "rate_limited"})
		if a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After: %v", path, a.Header)
		}
	}
	o.want(t, 200, "GET", "/v1/slices/"+id+"/console", nil)
	other.want(t, 206, "GET", file, nil, "Range", "bytes=-1")
	_ = open[0].Close()
	eventually(t, "a download that ended makes room",
		func() bool { return o.do(t, "GET", file, nil, "Range", "bytes=-1").Status == 206 })
}

// TestManyRanges: a few ranges are answered as asked, many as if there were none, for each costs a search.
func TestManyRanges(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "ranges")
	id := o.slice(t, o.Workspace, map[string]any{"evidence": captured()})["id"].(string)
	file := o.want(t, 200, "GET", "/v1/slices/"+id+"/attachments?kind=network",
		nil).JSON(t)["data"].([]any)[0].(map[string]any)["id"].(string)
	for n, status := range map[int]int{2: 206, 16: 206, 17: 200, 500: 200} {
		o.want(t, status, "GET", "/v1/attachments/"+file, nil, "Range", "bytes="+strings.Repeat("-1,", n-1)+"-1")
	}
}

// asEarlier packs the evidence in a directory as versions did that kept no index.
func asEarlier(t *testing.T, dir string) {
	t.Helper()
	repacked := 0
	for _, name := range blobs(t, dir) {
		packed, err := os.ReadFile(name)
		must(t, err)
		zip, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			continue
		}
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err = io.Copy(w, zip)
		must(t, err)
		must(t, w.Close())
		must(t, os.WriteFile(name, b.Bytes(), 0o600))
		repacked++
	}
	if repacked == 0 {
		t.Fatal("there is no evidence")
	}
}

// longEvidence is evidence of many blocks: errors at few places, and texts in every case.
func longEvidence() map[string]any {
	console, entries, actions := []any{}, []any{}, []any{}
	for i := range 3000 {
		at := fmt.Sprintf("2026-11-20T10:%02d:%02dZ", i/60%60, i%60)
		level := "log"
		if i%700 == 650 {
			level = []string{"error", "warn"}[i/700%2]
		}
		console = append(console, map[string]any{"level": level, "timestamp": at,
			"message": fmt.Sprintf("Zeile %d Ärger \"%d\" \x1b[31m %s", i, i*7919, strings.Repeat("a/b ", i%90))})
		actions = append(actions, map[string]any{"type": []string{"click", "input"}[i%2],
			"timestamp": at, "selector": fmt.Sprint("#Button-", i), "text": strings.Repeat("text ", i%20)})
		if i%3 == 0 {
			status := 200
			if i%600 == 300 {
				status = []int{0, 404, 503}[i/600%3]
			}
			entries = append(entries, entry("GET",
				fmt.Sprintf("https://Shop.example.com/%d/%s", i, strings.Repeat("x", i%400)), status))
		}
	}
	return map[string]any{"console": console, "actions": actions, "replay": captured()["replay"],
		"network": map[string]any{"log": map[string]any{"version": "1.2",
			"creator": map[string]any{"name": "test", "version": "1"}, "entries": entries}}}
}

// walk returns the data of all pages of a list.
func (c client) walk(t *testing.T, path string) (all []any) {
	t.Helper()
	for cursor := ""; ; {
		page := c.want(t, 200, "GET", path+cursor, nil)
		all = append(all, page.get(t, "data").([]any)...)
		if page.get(t, "pagination.hasMore") != true {
			return all
		}
		cursor = "&cursor=" + url.QueryEscape(page.get(t, "pagination.cursor").(string))
	}
}

// TestEvidenceWithoutAnIndex: evidence that an earlier version stored without an index is read like evidence with one.
func TestEvidenceWithoutAnIndex(t *testing.T) {
	ownServers(t, []string{"--rate-limit", "off"}, func(t *testing.T, s *server) {
		o := newOrg(t, s, "before")
		path := "/v1/slices/" + o.slice(t, o.Workspace, map[string]any{"evidence": longEvidence()})["id"].(string)
		o.want(t, 201, "POST", path+"/attachments?kind=console",
			`[{"level":"error","timestamp":"2026-11-21T10:00:00Z","message":"the second set"}]`, "Content-Type",
			"application/json")
		answers := func() map[string]string {
			got := map[string]string{}
			for query, rows := range map[string]int{"console?limit=100": 3001,
				"console?level=error,warn&limit=2": 5, "console?q=%C3%84RGER+%22&limit=100": 3000,
				"console?q=zeile+1500&limit=1": 1, "console?q=nowhere&limit=1": 0,
				"console?q=%1B%5B31m+a/b+a/b&level=warn&limit=1": 1, "network?limit=100": 1000,
				"network?status=failed,4xx&limit=1": 4, "network?url=shop.EXAMPLE.com/2997/&limit=1": 1,
				"actions?type=click&limit=100": 1500, "actions?q=button-2999&limit=1": 1} {
				all := o.walk(t, path+"/"+query)
				if len(all) != rows {
					t.Errorf("%s: %d rows, want %d", query, len(all), rows)
				}
				got[query] = fmt.Sprint(all)
			}
			for _, p := range []string{"/network.har", "/replay"} {
				got[p] = string(o.want(t, 200, "GET", path+p, nil).Body)
			}
			for _, tokens := range []string{"500", "4000", "100000"} {
				got[tokens] = string(o.want(t, 200, "GET", path+"?maxTokens="+tokens, nil, "Accept", "text/markdown").
					Body)
			}
			for _, a := range o.walk(t, path+"/attachments?limit=100") {
				file := "/v1/attachments/" + a.(map[string]any)["id"].(string)
				whole := o.want(t, 200, "GET", file, nil).Body
				got[file] = string(whole)
				for _, r := range []string{"-1", "0-0", "70000-140000", "65535-65536"} {
					if a := o.do(t, "GET", file, nil, "Range", "bytes="+r); a.Status == 206 &&
						!bytes.Contains(whole, a.Body) {
						t.Errorf("%s of %s: %d bytes", r, file, len(a.Body))
					} else if a.Status == 206 {
						got[file+r] = string(a.Body)
					}
				}
				several := o.want(t, 206, "GET", file, nil, "Range", "bytes=-3,0-2").Body
				if !bytes.Contains(several, whole[:3]) || !bytes.Contains(several, whole[len(whole)-3:]) {
					t.Errorf("%q", several)
				}
			}
			return got
		}
		now := answers()
		s.kill()
		asEarlier(t, s.dir)
		s.start(t)
		before := answers()
		for what, want := range now {
			if got := before[what]; got != want {
				t.Errorf("%s: with an index %d characters, without %d\n%.300s\n%.300s", what, len(want), len(got), want,
					got)
			}
		}
	})
}
