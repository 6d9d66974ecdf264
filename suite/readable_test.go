package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// readers are all who read the evidence of a slice.
var readers = []string{"/console?limit=100", "/console?q=zzzz", "/network?limit=100",
	"/network?status=5xx", "/actions?limit=100", "/network.har", "/replay", "/attachments", ""}

// readable reads all evidence of a slice in every way.
func (c client) readable(t *testing.T, what, sliceID string) {
	t.Helper()
	path := "/v1/slices/" + sliceID
	for _, reader := range readers {
		if a := c.do(t, "GET", path+reader, nil); a.Status != 200 || !json.Valid(a.Body) {
			t.Errorf("%s: GET %s: %d %s", what, reader, a.Status, a.Body[:min(len(a.Body), 300)])
		}
	}
	if a := c.do(t, "GET", path, nil, "Accept", "text/markdown"); a.Status != 200 {
		t.Errorf("%s: Markdown: %d %s", what, a.Status, a.Body)
	}
}

// TestAcceptedEvidenceIsReadable: evidence that is accepted, with a slice or as a file, is read back in every form;
// other evidence is refused with a reason.
func TestAcceptedEvidenceIsReadable(t *testing.T) {
	const entry = `{"startedDateTime":"2026-11-20T10:00:00Z","time":%s,"request":{"method":"POST","url":"/","postData":%s},` +
		`"response":{"status":500,"content":%s%s}}`
	har := func(time, data, content, more string) string {
		return `{"log":{"creator":{},"entries":[` + fmt.Sprintf(entry, time, data, content, more) + `]}}`
	}
	files := map[string]struct {
		kind, in string
		file     int // the status of an upload
		inline   int // of filing the same
	}{
		"time as text":            {"network", har(`"1"`, `{}`, `{}`, ``), 201, 201},
		"time as object":          {"network", har(`{}`, `{}`, `{}`, ``), 201, 201},
		"huge time":               {"network", har(`1e400`, `{}`, `{}`, ``), 201, 201},
		"error as number":         {"network", har(`1`, `{}`, `{}`, `,"_error":5`), 201, 201},
		"statusText as number":    {"network", har(`1`, `{}`, `{}`, `,"statusText":5`), 201, 201},
		"content as text":         {"network", har(`1`, `{}`, `"x"`, ``), 201, 201},
		"content of wrong types":  {"network", har(`1`, `{}`, `{"text":[1],"mimeType":2,"encoding":{}}`, ``), 201, 201},
		"postData as text":        {"network", har(`1`, `"x"`, `{}`, ``), 201, 201},
		"postData.text an object": {"network", har(`1`, `{"text":{}}`, `{}`, ``), 201, 201},
		"names in another case":   {"network", har(`1`, `{}`, `{}`, `,"STATUS":"x","Content":[]`), 201, 201},
		"huge status":             {"network", strings.Replace(har(`1`, `{}`, `{}`, ``), "500", "1e400", 1), 201, 201},
		"year 10000": {"console",
			`[{"level":"error","message":"m","timestamp":"9999-12-31T23:59:59-23:59"}]`, 422, 422},
		"Data": {"replay",
			`[{"type":3,"timestamp":1,"Data":{"source":5,"id":1,"text":"4111111111111111"}}]`, 201, 201},
	}
	s := oneEngine(t)
	o := newOrg(t, s, "readable")
	for what, f := range files {
		id := o.slice(t, o.Workspace, nil)["id"].(string)
		if a := o.do(t, "POST", "/v1/slices/"+id+"/attachments?kind="+f.kind+"&name=a.har",
			f.in, "Content-Type", "application/json"); a.Status != f.file {
			t.Errorf("%s as a file: %d %s", what, a.Status, a.Body)
		}
		o.readable(t, what+" as a file", id)
		body := `{"workspaceId":"` + o.Workspace + `","summary":"x","evidence":{"` + f.kind + `":` + f.in + `}}`
		a := o.do(t, "POST", "/v1/slices", body, "Content-Type", "application/json")
		if a.Status != f.inline {
			t.Errorf("%s inline: %d %s", what, a.Status, a.Body)
		}
		if a.Status == http.StatusCreated {
			o.readable(t, what+" inline", a.get(t, "id").(string))
		}
		try := `{"evidence":{"` + f.kind + `":` + f.in + `}}`
		if a := o.do(t, "POST", "/v1/workspaces/"+o.Workspace+"/redaction/dry-run",
			try, "Content-Type", "application/json"); a.Status != f.inline && (a.Status != 200 || f.inline != 201) {
			t.Errorf("%s tried: %d %s", what, a.Status, a.Body)
		}
	}
}

// TestFaultsOfEvidence: a fault of evidence has its position, and says what to do.
func TestFaultsOfEvidence(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "faults")
	for in, want := range map[string][2]string{
		`"replay":["text"]`: {"/evidence/replay/0", "evidence/replay/0 must be an rrweb event"},
		`"network":[]`:      {"/evidence/network", "evidence/network must be a HAR"},
		`"network":{"log":{"entries":[{"request":{}}]}}`: {"/evidence/network/log/entries/0",
			"evidence/network/log/entries/0 must have a request"},
		`"console":[{"level":"log","message":"m","timestamp":"9999-12-31T23:59:59-23:59"}]`: {"/evidence/console/0/timestamp",
			"/evidence/console/0/timestamp: "},
	} {
		a := o.want(t, 422, "POST", "/v1/slices", `{"workspaceId":"`+o.Workspace+`","summary":"x","evidence":{`+in+`}}`,
			"Content-Type", "application/json")
		a.has(t, members{"errors.0.pointer": want[0]})
		assert.Contains(t, "detail", a.get(t, "detail").(string), want[1])
	}
}

// TestEvidencePagesAreBounded: a page is made from at most 8 MiB of evidence. A walk yields each row once, and a
// report names the evidence that it did not read.
func TestEvidencePagesAreBounded(t *testing.T) {
	s := shared(t, tested()[0]) // alone: it takes much of the processor
	o := newOrg(t, s, "sets")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	const sets, rows = 4, 140 // 36 MiB: a report looks at 32
	long := strings.Repeat("lorem ipsum ", 65_000/12)
	for set := range sets {
		var lines strings.Builder
		for row := range rows {
			fmt.Fprintf(&lines, `{"level":"error","timestamp":"2026-11-20T10:00:00Z","message":"row %03d of %d %s"}`+
				"\n", row, set, long)
		}
		o.upload(t, 201, id, "console.ndjson", "application/x-ndjson", lines.String(), "Idempotency-Key",
			fmt.Sprint(set))
	}
	path := "/v1/slices/" + id
	for query, want := range map[string]int{"/console?limit=100": sets * rows,
		"/console?limit=100&q=zzzz": 0, "/console?limit=70&q=of+3": rows} {
		seen, pages := map[string]bool{}, 0
		for cursor := ""; ; pages++ {
			a := o.want(t, 200, "GET", path+query+cursor, nil)
			for _, row := range a.get(t, "data").([]any) {
				message := row.(map[string]any)["message"].(string)[:12]
				if seen[message] {
					t.Errorf("%s: %s comes twice", query, message)
				}
				seen[message] = true
			}
			if a.get(t, "pagination.hasMore") == false {
				break
			}
			cursor = "&cursor=" + a.get(t, "pagination.cursor").(string)
		}
		if len(seen) != want {
			t.Errorf("%s: %d rows on %d pages, want %d", query, len(seen), pages+1, want)
		}
		if pages < 4 {
			t.Errorf("%s: %d pages, want at least 5 of 8 MiB each", query, pages+1)
		}
	}
	text := string(o.want(t, 200, "GET", path, nil, "Accept", "text/markdown").Body)
	assert.Contains(t, "the end of the report", text[max(0, len(text)-1000):],
		"files of kind console: /attachments?kind=console")
}

// TestUploadedHARIsReadBack: an uploaded HAR is read back as a HAR, with the announced size, digest and tag.
func TestUploadedHARIsReadBack(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "har-file")
	id := o.slice(t, o.Workspace, map[string]any{"evidence": map[string]any{"network": captured()["network"]}})["id"].(string)
	o.upload(t, 201, id, "shop.har", "application/json", fmt.Sprintf(secretHAR, ""))
	o.upload(t, 201, id, "empty.har", "application/json", `{"log":{"entries":[]}}`)
	rows := o.want(t, 200, "GET", "/v1/slices/"+id+"/attachments", nil).get(t, "data").([]any)
	for i, want := range []struct {
		name    string
		entries int
	}{{"network.har", 4}, {"shop.har", 1}, {"empty.har", 0}} {
		a := rows[i].(map[string]any)
		got := o.want(t, 200, "GET", "/v1/attachments/"+a["id"].(string), nil, "Accept-Encoding", "identity")
		sum := sha256.Sum256(got.Body)
		tag := `"` + hex.EncodeToString(sum[:]) + `"`
		wantMembers(t, "the file", a, members{"name": want.name, "contentType": "application/json",
			"size": len(got.Body), "sha256": strings.Trim(tag, `"`)})
		assert.Equal(t, want.name+": ETag", got.Header.Get("ETag"), tag)
		got.has(t, members{"log.entries.#": want.entries})
		assert.NotContains(t, want.name, string(got.Body), "cookie-secret")
	}
}
