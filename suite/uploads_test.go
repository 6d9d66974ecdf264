package suite

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/internal/assert"
)

// formOf writes parts in order: a name and a text each, or a file when the name has a dot.
func formOf(t *testing.T, parts ...string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		if !strings.Contains(parts[i], ".") {
			must(t, w.WriteField(parts[i], parts[i+1]))
			continue
		}
		f, err := w.CreateFormFile("file", parts[i])
		must(t, err)
		fmt.Fprint(f, parts[i+1])
	}
	must(t, w.Close())
	return b.String(), w.FormDataContentType()
}

// secretHAR holds secrets that only the rules of a HAR find.
const secretHAR = `{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[
	{"startedDateTime":"2026-11-20T10:00:00Z","time":1,"request":{"method":"GET","url":"/","cookies":[{"name":"a",` +
	`"value":"cookie-secret"}]},"response":{"status":500,"content":{"mimeType":"application/json","encoding":"base64",` +
	`"text":"eyJhY2Nlc3NfdG9rZW4iOiJyZXNwMG5zZSJ9"}}}%s]}}`

// TestMultipartFieldOrder: the fields of a form may precede or follow its file.
func TestMultipartFieldOrder(t *testing.T) {
	const line = `{"level":"error","timestamp":"2026-11-20T10:00:00Z","message":"m"}`
	har := fmt.Sprintf(secretHAR, "")
	s := oneEngine(t)
	o := newOrg(t, s, "forms")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	for _, c := range []struct {
		parts  []string
		status int
		want   string // the kind, or a word of the refusal
	}{
		{[]string{"a.png", picture(3, 3), "kind", "screenshot", "name", "b.png"}, 201, "screenshot"},
		{[]string{"a.txt", "words", "kind", "log"}, 201, "log"},
		{[]string{"a.json", line, "kind", "console"}, 201, "console"},
		{[]string{"kind", "console", "a.json", line}, 201, "console"},
		{[]string{"a.har", har, "kind", "other"}, 201, "other"},
		{[]string{"a.json", har, "kind", "network"}, 201, "network"},
		{[]string{"a.har", har}, 201, "network"},
		{[]string{"kind", "log", "a.txt", "words", "kind", "other"}, 400, "must be given once"},
		{[]string{"a.txt", "words", "kind", "nothing"}, 400, "must be one of"},
		{[]string{"a.txt", "words", "b.txt", "words"}, 400, "two files"},
		{[]string{"a.txt", "words", "color", "red"}, 400, "is kind, name or occurrence"},
		{[]string{"a.txt", ""}, 400, "The file is empty"},
		{[]string{"a.txt", "words", "kind", "console"}, 422, "cannot be parsed as console"},
		{[]string{"a.json", "{}", "kind", "console"}, 422, "cannot be parsed as console"},
		{[]string{"a.webm", "\x1aE\xdf\xa3 film", "kind", "screenshot"}, 400, "which is not a valid screenshot"},
		{[]string{"kind", "video", "a.png", picture(3, 3)}, 400, "which is not a valid video"},
	} {
		before := o.want(t, 200, "GET", "/v1/slices/"+id, nil).get(t, "attachmentCount")
		body, kind := formOf(t, c.parts...)
		a := o.do(t, "POST", "/v1/slices/"+id+"/attachments", body, "Content-Type", kind)
		assert.Equal(t, fmt.Sprintf("%q: status", c.parts), a.Status, c.status)
		assert.Contains(t, fmt.Sprintf("%q", c.parts), string(a.Body), c.want)
		assert.NotContains(t, fmt.Sprintf("%q", c.parts), string(a.Body), "JSON object")
		after := o.want(t, 200, "GET", "/v1/slices/"+id, nil).get(t, "attachmentCount")
		if (after != before) != (c.status == 201) {
			t.Errorf("%q: %v files, then %v", c.parts, before, after)
		}
		if c.status == 201 && a.get(t, "kind") != c.want {
			t.Errorf("%q is %s", c.parts, a.Body)
		}
	}
	body, kind := formOf(t, "a.txt", "words", "name", "other.txt")
	o.want(t, 201, "POST", "/v1/slices/"+id+"/attachments", body, "Content-Type", kind).
		has(t, members{"name": "other.txt"})
	film := o.upload(t, 201, id, "a.webm", "video/webm", "\x1aE\xdf\xa3 film")
	o.want(t, 422, "PATCH", "/v1/attachments/"+film.get(t, "id").(string), map[string]any{"kind": "screenshot"})
}

// TestMalformedHARs: a HAR by its name or content is validated as one, and refused or stored with the position of its
// fault; a file that only has the words of a HAR is stored like any other.
func TestMalformedHARs(t *testing.T) {
	bad := fmt.Sprintf(secretHAR, `,{"startedDateTime":"2026-11-20T10:00:00Z","request":{"method":"GET","url":"/"},"response":null}`)
	large := strings.Replace(bad, `"time":1`, `"time":1,"comment":"`+strings.Repeat("x", 16<<20)+`"`, 1)
	s := shared(t, tested()[0]) // alone: it takes much of the processor
	o := newOrg(t, s, "archives")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"a.har", bad, 201, `"pointer":"/log/entries/1/response"`},
		{"capture.json", bad, 201, `"pointer":"/log/entries/1/response"`},
		{"a.har", large, 413, "16 MiB"},
		{"capture.json", large, 413, "16 MiB"},
		{"a.har", bad[:len(bad)-9], 422, "JSON is not well-formed"},
		{"capture.json", bad[:len(bad)-9], 422, "JSON is not well-formed"},
		{"a.har", `{"some":"thing"}`, 422, "must be a HAR"},
		{"app.json", `{"log":"x","creator":"y"}`, 201, `"kind":"other"`},
		{"capture.json", strings.Replace(bad, `"creator":{"name":"t","version":"1"},`, "", 1), 201, `"kind":"network"`},
		{"app.ndjson", "{\"log\":{\"level\":\"info\"},\"entries\":1}\n{\"log\":{}}\n", 201, `"kind":"other"`},
		{"app.ndjson", "{\"log\":\"x\",\"creator\":\"y\"}\n{\"log\":\"x\"}\n", 201, `"kind":"other"`},
	} {
		a := o.upload(t, c.status, id, c.name, "application/json", c.body)
		assert.Contains(t, fmt.Sprint(c.name, ": the response"), string(a.Body), c.want)
		assert.NotContains(t, fmt.Sprint(c.name, ": the response"), string(a.Body), ": :")
	}
}

// TestUploadHeaders: a coding, two digests and a key of another file are refused.
func TestUploadHeaders(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "headers")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	o.upload(t, 415, id, "a.txt", "text/plain", "x", "Content-Encoding", "gzip")
	o.want(t, 415, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace, "summary": "x"}, "Content-Encoding",
		"gzip")
	digest := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	}
	o.upload(t, 400, id, "a.txt", "text/plain", "x", "Content-Digest", digest("x")+", "+digest("y"))
	o.upload(t, 201, id, "a.txt", "text/plain", "x", "Content-Digest", "sha-512=:AAAA:, "+digest("x"))
	first := o.upload(t, 201, id, "a.txt", "text/plain", "password=hunter2hunter2", "Idempotency-Key", "k")
	if again := o.upload(t, 201, id, "a.txt", "text/plain", "password=hunter2hunter2",
		"Idempotency-Key", "k"); again.get(t, "id") != first.get(t, "id") {
		t.Error("the same file is added twice")
	}
	o.upload(t, 422, id, "a.txt", "text/plain", "password=correct-horse-1", "Idempotency-Key", "k")
	args := func(secret string) map[string]any {
		return map[string]any{"workspaceId": o.Workspace, "summary": "x",
			"evidence": map[string]any{"console": []any{map[string]any{"level": "log",
				"timestamp": "2026-11-20T10:00:00Z", "message": "m",
				"args": []any{map[string]any{"password": secret}}}}}}
	}
	o.want(t, 201, "POST", "/v1/slices", args("hunter2hunter2"), "Idempotency-Key", "f")
	o.want(t, 201, "POST", "/v1/slices", args("hunter2hunter2"), "Idempotency-Key", "f")
	o.want(t, 422, "POST", "/v1/slices", args("correct-horse-1"), "Idempotency-Key", "f")
}

// TestEvidenceTooLargeAfterRedaction: a file of evidence that redaction makes too large is refused.
// TestLargeBodiesAreRedactedInTurn sends the same inline.
func TestEvidenceTooLargeAfterRedaction(t *testing.T) {
	event := `{"type":4,"timestamp":1,"data":{"secrets":["a"` + strings.Repeat(`,"a"`, 2_250_000) + `]}}`
	s := shared(t, tested()[0]) // alone: it takes much of the processor
	o := newOrg(t, s, "grown")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	o.upload(t, 413, id, "replay.json", "application/json", "["+event+"]")
	o.readable(t, "nothing", id)
}

// TestUploadTooLarge says how large a file may be.
func TestUploadTooLarge(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "off", "--max-upload", "1")
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "large")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	a := o.upload(t, 413, id, "a.bin", "application/octet-stream", strings.Repeat("\x80", 1<<20+1))
	var p struct{ Detail string }
	if must(t, json.Unmarshal(a.Body, &p)); p.Detail != "A file may have at most 1 MiB." {
		t.Errorf("%s", a.Body)
	}
}

// peak is the most memory that the server has held.
func (s *server) peak(t *testing.T) (kib int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	must(t, err)
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscan(after, &kib)
	must(t, err)
	return kib
}

// TestLargeBodiesAreRedactedInTurn: large bodies are redacted one after the other. Four at once, twelve in make sizes,
// take little more memory than one.
func TestLargeBodiesAreRedactedInTurn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory is read from /proc")
	}
	for name, c := range map[string]struct {
		status int
		body   func(o org) (path, body string)
	}{
		"a report": {413, func(o org) (string, string) {
			return "/v1/slices", `{"workspaceId":"` + o.Workspace +
				`","summary":"x","evidence":{"console":[{"level":"log","message":"m","timestamp":"2026-11-20T10:00:00Z",` +
				`"args":[{"secrets":["a"` + strings.Repeat(`,"a"`, 2_250_000) + `]}]}]}}`
		}},
		"a file": {201, func(o org) (string, string) {
			return "/v1/slices/" + o.slice(t, o.Workspace, nil)["id"].(string) +
					"/attachments?kind=other&name=list.json",
				`{"list":["a"` + strings.Repeat(`,"a"`, 3_500_000) + `]}`
		}},
	} {
		s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "off")
		s.start(t)
		o := newOrg(t, s, "large-bodies")
		path, body := c.body(o)
		if a := o.want(t, c.status, "POST", path, body, "Content-Type", "application/json"); c.status == 413 {
			assert.Contains(t, "the refusal of "+name, string(a.Body), "32 MiB")
		}
		one := s.peak(t)
		var work sync.WaitGroup
		atOnce := sized(4, 12)
		for range atOnce {
			work.Go(func() {
				if a := o.do(t, "POST", path, body, "Content-Type", "application/json"); a.Status != c.status {
					t.Errorf("%d, want %d: %s", a.Status, c.status, a.Body)
				}
			})
		}
		work.Wait()
		waiting := 2 * atOnce * len(body) >> 10 // they are there already, and some of what was there is still collected
		many := s.peak(t)
		t.Logf("%s takes %d MiB, %d take %d", name, one>>10, atOnce, many>>10)
		if many > 2*one+waiting {
			t.Errorf("%s takes %d MiB, %d take %d", name, one>>10, atOnce, many>>10)
		}
		s.kill()
	}
}

// TestSlowReaderReleasesItsSlot: a client that reads no response delays no other large body.
func TestSlowReaderReleasesItsSlot(t *testing.T) {
	s := shared(t, tested()[0]) // alone: it takes much of the processor
	o := newOrg(t, s, "reader")
	evidence := `{"console":[{"level":"log","message":"m","timestamp":"2026-11-20T10:00:00Z","args":["` +
		strings.Repeat("lorem ipsum ", 6<<20/12) + `"]}]}`
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	must(t, err)
	defer conn.Close()
	must(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	body := `{"evidence":` + evidence + `}`
	_, err = fmt.Fprintf(conn, "POST /v1/workspaces/%s/redaction/dry-run HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+
		"%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", o.Workspace, o.token, len(body), body)
	must(t, err)
	first := make([]byte, 12)
	_, err = io.ReadFull(conn, first) // the answer has begun, and no more of it is taken
	must(t, err)
	if string(first) != "HTTP/1.1 200" {
		t.Fatalf("%s", first)
	}
	began := time.Now()
	o.want(t, 201, "POST", "/v1/slices", `{"workspaceId":"`+o.Workspace+`","summary":"x","evidence":`+evidence+`}`)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
