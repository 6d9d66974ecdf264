package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"bugslice/internal/assert"
)

// With BUGSLICE_TEST_RECORD=FILE the suite writes each exchange to a file, one in a line, without the parts that
// differ between two runs of one program: ids, times, secrets, cursors, ports. With BUGSLICE_TEST_BINARY=FILE it
// tests that program instead of building one. `make compare-recordings` compares two versions so.

var recording struct {
	sync.Mutex
	file *os.File
}

func startRecording() error {
	name := os.Getenv("BUGSLICE_TEST_RECORD")
	if name == "" {
		return nil
	}
	var err error
	recording.file, err = os.Create(name)
	return err
}

// record writes an exchange when a recording is on.
func record(req *http.Request, sent []byte, a answer) {
	if recording.file == nil {
		return
	}
	line := exchangeLine(req, sent, a)
	recording.Lock()
	defer recording.Unlock()
	_, _ = recording.file.WriteString(line)
}

// volatile are headers that differ between two runs, or that the transport adds.
var volatile = []string{"Date", "X-Request-Id", "Content-Length", "Ratelimit", "Ratelimit-Policy", "Connection"}

func exchangeLine(req *http.Request, sent []byte, a answer) string {
	var headers []string
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		if !slices.Contains(volatile, name) {
			headers = append(headers, name+": "+strings.Join(a.Header.Values(name), ", "))
		}
	}
	body, _ := a.plain() // of a response that was cut off, what came
	if a.Status >= 400 {
		body = withoutWording(body)
	}
	return fmt.Sprintf("%s %s %s %.200q -> %d %s %s\n", req.Method, steady(req.URL.RequestURI()),
		steady(fmt.Sprintf("%q", asked(req))),
		steady(string(sent)), a.Status, steady(fmt.Sprintf("%q", headers)), steady(fmt.Sprintf("%q", body)))
}

// asked returns the headers of a request on which its response depends. Of a credential it reports whether there is
// one.
func asked(req *http.Request) (headers []string) {
	for _, name := range slices.Sorted(maps.Keys(req.Header)) {
		switch name {
		case "X-Forwarded-For":
		case "Authorization":
			headers = append(headers, name)
		default:
			headers = append(headers, name+": "+req.Header.Get(name))
		}
	}
	return headers
}

// withoutWording drops what people read of a problem.
func withoutWording(body []byte) []byte {
	var p map[string]any
	if json.Unmarshal(body, &p) != nil {
		return body
	}
	delete(p, "title")
	delete(p, "detail")
	faults, _ := p["errors"].([]any)
	for _, f := range faults {
		if f, ok := f.(map[string]any); ok {
			delete(f, "detail")
		}
	}
	out, err := json.Marshal(p)
	if err != nil {
		return body
	}
	return out
}

var unsteady = []struct {
	pattern *regexp.Regexp
	mark    string
}{
	{regexp.MustCompile(`\b([a-z]{3})_[0-9a-z]{26}\b`), "${1}_…"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`), "<time>"},
	{regexp.MustCompile(`\b[A-Z][A-Z0-9]{0,9}-\d+\b`), "<reference>"},
	{regexp.MustCompile(`("key\\*":\\*")[A-Z][A-Z0-9]{0,9}\b`), "${1}…"}, // of a workspace
	{regexp.MustCompile(`\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT`), "<date>"},
	{regexp.MustCompile(`svc_(pat|wst)_[0-9A-Za-z]+`), "svc_${1}_…"},
	{regexp.MustCompile(`whsec_[0-9A-Za-z+/=]+`), "whsec_…"},
	{regexp.MustCompile(`(cursor\\*"?[:=]\\*"?)[0-9A-Za-z_-]{20,}`), "${1}…"},
	{regexp.MustCompile(`(last4|secretLast4)(\\*":\\*")[^"\\]{4}`), "${1}${2}…"},
	{regexp.MustCompile(`(lastUsedAt(\\*"):)null`), "${1}${2}<time>${2}"}, // it is stored a while after the use
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:…"},
	{regexp.MustCompile(`(durationMs|sequence|number|count)(\\*":)\d+`), "${1}${2}…"},
	{regexp.MustCompile(`[0-9a-f]{40,64}`), "<hash>"},
	{regexp.MustCompile(`\b\d{13,}\b`), "<number>"},
}

// steady replaces what differs between two runs.
func steady(line string) string {
	for _, u := range unsteady {
		line = u.pattern.ReplaceAllString(line, u.mark)
	}
	return line
}

// TestRecordedLinesAreStable: two exchanges that differ in ids, times and secrets alone give one line.
func TestRecordedLinesAreStable(t *testing.T) {
	t.Parallel()
	line := func(id, reference, at, token, cursor string) string {
		req, err := http.NewRequest("GET", "http://127.0.0.1:4000/v1/slices/"+id+"?cursor="+cursor, nil)
		must(t, err)
		return exchangeLine(req, nil, answer{Status: 200, Header: http.Header{"Date": {at}, "Etag": {`"1"`}},
			Body: []byte(`{"id":"` + id + `","reference":"` + reference + `","createdAt":"` + at + `","token":"` +
				token + `"}`)})
	}
	one := line("slc_01m7zrevd9e8h8gzp87r1pqtm0", "WEB-1", "2026-01-02T03:04:05.678Z",
		"svc_pat_DOUmOjx64oCPui1UOWUmAgKjOUKn781ZNHfy", strings.Repeat("a", 40))
	two := line("slc_01m7zrevd9e8h8gzp87r1pqtm1", "SHOP2-17", "2027-01-02T03:04:05.678Z",
		"svc_pat_AOUmOjx64oCPui1UOWUmAgKjOUKn781ZNHfy", strings.Repeat("b", 40))
	if one != two {
		t.Errorf("%s\n%s", one, two)
	}
	assert.Contains(t, "the line", one, "slc_…", "Etag")
	assert.NotContains(t, "the line", one, "Date")
}
