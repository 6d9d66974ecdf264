package intakeapi_test

import (
	"bytes"
	"compress/gzip"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/intake"
	"bugslice/internal/proofofwork"
	"bugslice/internal/token"
)

const plain = `{"report":{"summary":"The basket is empty","metadata":{"plan":"team"}},` +
	`"reporter":{"name":"Ada","email":"ada@example.com"}}`

// TestReport: the report of a visitor is a slice with the mark and the labels of its source, redacted as any; the
// answer says nothing about it. What only members set is left out.
func TestReport(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		body := `{"report":{"summary":"The basket is empty","labels":["spam"],
			"description":"my password=hunter2hunter2",
			"status":"closed","assigneeEmail":"owner@test.example","spaceId":"spc_1","externalId":"x",
			"workspaceId":"` + w.other.WorkspaceID + `",
			"metadata":{"plan":"team"},"environment":{"viewport":"390x844"},
			"evidence":{"console":[{"level":"error","timestamp":"2026-01-02T03:04:05Z","message":"total is null"}]}},
			"reporter":{"id":"u7","name":"Ada","email":"ada@example.com"}}`
		a := w.report(t, w.token(t, request{}), named(1), body)
		if a.status != 201 || len(a.json) != 2 || a.text("receipt") == "" || strings.Contains(a.body, "slc_") {
			t.Fatal(a.status, a.body)
		}
		all := w.filed(t)
		if len(all) != 1 {
			t.Fatal(len(all))
		}
		s := all[0]
		assert.Equal(t, "labels", strings.Join(s.Labels, " "), "shop")
		assert.Equal(t, "status", s.Status, api.Open)
		if s.AssigneeID != nil || s.ExternalID != nil || s.SpaceID != nil || s.Metadata["plan"] != "team" ||
			strings.Contains(*s.Description, "hunter2hunter2") || s.Reporter.Type != "guest" || len(w.files(t,
			s.ID)) != 1 {
			t.Errorf("%+v", s)
		}
		v := s.Visitor
		if v == nil || *v.SourceID != w.source.ID || *v.Origin != shop || v.Verified || *v.UserID != "u7" ||
			*v.Name != "Ada" {
			t.Errorf("%+v", v)
		}
	})
}

// TestNotTaken: an unknown, a paused and a deleted source, and an origin that is not allowed, get one answer, which
// no page of another origin can read.
func TestNotTaken(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for _, path := range []string{"/token", "/reports", "/uploads"} {
			var first string
			ask := func(what string, r request) {
				r.path, r.header = path, map[string]string{"Tus-Resumable": "1.0.0"}
				a := w.send(t, r)
				got := fmt.Sprint(a.status, a.text("code"), a.text("detail"),
					a.header.Get("Access-Control-Allow-Origin"))
				if first == "" {
					first = got
				}
				if got != first || a.status != 404 || a.header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s at %s: %s, first %s", what, path, got, first)
				}
			}
			ask("an unknown key", request{key: token.New(token.Public)})
			ask("no key", request{key: "svc_pub_x"})
			ask("another kind of key", request{key: token.New(token.WST)})
			ask("another origin", request{origin: "https://evil.example"})
			ask("no origin", request{origin: "-"})
			ask("a page in a sandbox", request{origin: "null"})
			w.change(t, func(f *api.SourceFields) { f.Paused = true })
			ask("a paused source", request{})
			w.change(t, func(f *api.SourceFields) { f.Paused = false })
		}
		if n := w.intake.Refused(intake.RefusedOrigin); n < 9 {
			t.Errorf("%d refusals of origins are counted", n)
		}
		if a := w.send(t, request{path: "/token"}); a.status != 200 ||
			a.header.Get("Access-Control-Allow-Origin") != shop ||
			a.header.Get("Access-Control-Allow-Credentials") != "" || !strings.Contains(a.header.Get("Vary"),
			"Origin") {
			t.Error(a.status, a.header)
		}
		preflight := w.send(t, request{method: "OPTIONS", path: "/reports", header: map[string]string{
			"Access-Control-Request-Method":  "POST",
			"Access-Control-Request-Headers": "content-encoding,content-type,idempotency-key,submit-token"}})
		if preflight.header.Get("Access-Control-Allow-Origin") != shop ||
			preflight.header.Get("Access-Control-Allow-Headers") == "" {
			t.Error(preflight.header)
		}
	})
}

// TestTokens: a token serves one report of its source and page, after the dwell time and before it expires.
func TestTokens(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.change(t, func(f *api.SourceFields) { f.Origins = []string{shop, "https://b.example"} })
		early := w.send(t, request{path: "/token"}).text("token")
		refused := func(what, token, name, code string, change ...func(*request)) {
			t.Helper()
			a := w.report(t, token, name, plain, change...)
			errors, _ := a.json["errors"].([]any)
			if a.status != 400 || len(errors) != 1 || errors[0].(map[string]any)["code"] != code {
				t.Errorf("%s: %d %s", what, a.status, a.body)
			}
		}
		refused("too early", early, named(1), "too_early")
		w.pass(intake.Dwell)
		refused("none", "", named(1), "wrong_form")
		refused("a forged one", early[:len(early)-8]+"AAAAAAAA", named(1), "wrong_form")
		refused("of another origin", early, named(1), "wrong_form", func(r *request) { r.origin = "https://b.example" })
		refused("of another source", w.token(t, request{key: w.other.Key}), named(1), "wrong_form")
		old := w.token(t, request{})
		w.pass(10 * time.Minute)
		refused("an expired one", old, named(1), "expired")
		fresh := w.token(t, request{})
		first := w.report(t, fresh, named(1), plain)
		assert.Equal(t, "the first report", first.status, 201)
		assert.Equal(t, "again", w.report(t, fresh, named(1), plain).status, 201)
		refused("a used one", fresh, named(2), "used")
		assert.Equal(t, "slices", len(w.filed(t)), 1)
		if a := w.report(t, w.token(t, request{}), "short", plain); a.status != 400 {
			t.Errorf("a name that can be guessed: %d", a.status)
		}
	})
}

// TestOnce: a report that is sent at once and again, with other tokens and days later, is filed once, and a used
// limit does not keep its sender from hearing that it is there.
func TestOnce(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		var tokens []string
		for range 4 {
			tokens = append(tokens, w.token(t, request{}))
		}
		var work sync.WaitGroup
		for _, token := range tokens {
			work.Go(func() {
				if a := w.report(t, token, named(7), plain); a.status != 201 {
					t.Errorf("%d %s", a.status, a.body)
				}
			})
		}
		work.Wait()
		w.pass(6 * 24 * time.Hour)
		w.change(t, func(f *api.SourceFields) { f.Limits.PerDay = 1 })
		for n, want := range []int{201, 201, 429} {
			name := named(7)
			if n > 0 {
				name = named(7 + n)
			}
			a := w.report(t, w.token(t, request{}), name, plain)
			if a.status != want || want == 429 && a.header.Get("Retry-After") == "" {
				t.Errorf("report %d: %d %s", n, a.status, a.body)
			}
		}
		assert.Equal(t, "slices", len(w.filed(t)), 2)
	})
}

// TestDayIsExact: of reports that come at once, no more are taken than the limit of the day, also by several servers.
func TestDayIsExact(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.change(t, func(f *api.SourceFields) { f.Limits.PerDay = 3 })
		var tokens []string
		for range 8 {
			tokens = append(tokens, w.token(t, request{}))
		}
		taken := make(chan int, 8)
		var work sync.WaitGroup
		for n, token := range tokens {
			work.Go(func() { taken <- w.report(t, token, named(n), plain).status })
		}
		work.Wait()
		close(taken)
		counts := map[int]int{}
		for status := range taken {
			counts[status]++
		}
		if counts[201] != 3 || counts[429] != 5 || len(w.filed(t)) != 3 {
			t.Error(counts, len(w.filed(t)))
		}
	})
}

// TestRates: a source takes as many reports a minute as it says, an address as many an hour, and an origin leaves
// others their half. What did not arrive does not count.
func TestRates(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.change(t, func(f *api.SourceFields) {
			f.Limits.PerAddressHour, f.Origins = 2, []string{shop,
				"https://b.example"}
		})
		n := 0
		send := func(from, origin string, body ...string) int {
			n++
			token, work := w.tokenAndWork(t, request{address: from, origin: origin})
			return w.report(t, token, named(n), plain, func(q *request) {
				q.address, q.origin, q.header["Submit-Work"] = from, origin, work
				if len(body) > 0 {
					q.body = []byte(body[0])
					q.header["Content-Encoding"] = "gzip"
				}
			}).status
		}
		for range 3 { // they did not arrive
			assert.Equal(t, "a damaged report", send("192.0.2.1", shop, "no gzip"), 400)
		}
		assert.Equal(t, "the first", send("192.0.2.1", shop), 201)
		assert.Equal(t, "the second", send("192.0.2.1", shop), 201)
		assert.Equal(t, "the third", send("192.0.2.1", shop), 429)
		assert.Equal(t, "of another address", send("192.0.2.2", shop), 201)
		assert.Equal(t, "of an IPv6 network", send("2001:db8::1", shop), 201)
		assert.Equal(t, "of the same", send("2001:db8::2", shop), 201)
		assert.Equal(t, "of the same once more", send("2001:db8::3", shop), 429)
		w.pass(time.Hour)
		assert.Equal(t, "an hour later", send("192.0.2.1", shop), 201)
		w.pass(time.Minute)
		w.change(t, func(f *api.SourceFields) { f.Limits.PerMinute, f.Limits.PerAddressHour = 4, 100 })
		w.pass(time.Minute)
		statuses := map[string]int{}
		for range 4 {
			statuses[fmt.Sprint(shop, send("192.0.2.9", shop))]++
		}
		if statuses[shop+"201"] < 2 || statuses[shop+"429"] < 1 {
			t.Error(statuses)
		}
		assert.Equal(t, "the other origin", send("192.0.2.9", "https://b.example"), 201)
	})
}

// TestWork: when a source is asked much, a token has a puzzle, and a report without its answer is refused.
func TestWork(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.change(t, func(f *api.SourceFields) { f.Limits.PerMinute = 12 })
		if a := w.send(t, request{path: "/token"}); a.json["work"] != nil {
			t.Error("a quiet source asks for work")
		}
		var a answer
		for i := range 6 {
			a = w.send(t, request{path: "/token", address: fmt.Sprint("192.0.2.", i)})
		}
		work, _ := a.json["work"].(map[string]any)
		if work == nil {
			t.Fatal(a.body)
		}
		p := proofofwork.Puzzle{Salt: work["salt"].(string), Bits: int(work["bits"].(float64))}
		w.pass(intake.Dwell)
		for what, c := range map[string]struct {
			answer string
			status int
		}{"no answer": {"", 400}, "a wrong one": {"x", 400}, "the answer": {solve(p), 201}} {
			if got := w.report(t, a.text("token"), named(1), plain,
				func(r *request) { r.header["Submit-Work"] = c.answer }); got.status != c.status {
				t.Errorf("%s: %d %s", what, got.status, got.body)
			}
		}
	})
}

func solve(p proofofwork.Puzzle) string {
	for n := 0; ; n++ {
		if answer := strconv.Itoa(n); p.SolvedBy(answer) {
			return answer
		}
	}
}

// TestIdentity: what the site has signed is marked as verified; a signature that does not hold is refused, and so is
// a report without one where the source wants it.
func TestIdentity(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		mac := hmac.New(sha256.New, []byte(signed))
		mac.Write([]byte("u7"))
		good := fmt.Sprintf(`{"report":{"summary":"x"},"reporter":{"id":"u7","name":"Eve",`+
			`"email":"eve@example.com","signature":%q}}`,
			hex.EncodeToString(mac.Sum(nil)))
		bad := strings.Replace(good, `"u7"`, `"u8"`, 1)
		n := 0
		send := func(body string) int { n++; return w.report(t, w.token(t, request{}), named(n), body).status }
		assert.Equal(t, "a wrong signature", send(bad), 403)
		assert.Equal(t, "a signed identity", send(good), 201)
		w.change(t, func(f *api.SourceFields) { f.Reporters = api.ReportersSigned })
		assert.Equal(t, "nobody", send(plain), 403)
		assert.Equal(t, "a wrong signature, again", send(bad), 403)
		assert.Equal(t, "a signed identity, again", send(good), 201)
		s := w.filed(t)[0]
		if v := s.Visitor; !v.Verified || *v.UserID != "u7" || v.Name != nil || v.Email != nil ||
			s.Metadata["reporter.email"] != "eve@example.com" {
			t.Errorf("%+v %v", v, s.Metadata)
		}
		assert.Equal(t, "refusals", w.intake.Refused(intake.RefusedIdentity), int64(3))
	})
}

// TestBodies: bodies are bounded as they come and unpacked; the field that people do not see must be empty; faults
// are named where the sender has them; what the source does not record is not stored.
func TestBodies(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		n := 0
		send := func(body string, change ...func(*request)) answer {
			n++
			return w.report(t, w.token(t, request{}), named(n), body, change...)
		}
		packed := func(body string) func(*request) {
			return func(r *request) {
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				_, _ = z.Write([]byte(body))
				must(t, z.Close())
				r.body, r.header["Content-Encoding"] = b.Bytes(), "gzip"
			}
		}
		assert.Equal(t, "a packed report", send("", packed(plain)).status, 201)
		bomb := `{"report":{"summary":"x","description":"` + strings.Repeat("a", 64<<20) + `"}}`
		if a := send("", packed(bomb)); a.status != 413 {
			t.Errorf("a bomb: %d %s", a.status, a.body)
		}
		if a := send(bomb[:11<<20]); a.status != 413 {
			t.Errorf("a large report: %d", a.status)
		}
		w.change(t, func(f *api.SourceFields) { f.MaxReportBytes = 65536 })
		if a := send(bomb[:70_000]); a.status != 413 {
			t.Errorf("a report that is large for its source: %d", a.status)
		}
		for what, c := range map[string]struct {
			body   string
			status int
		}{"no object": {`[]`, 422}, "no report": {`{}`, 422}, "no JSON": {`{"report":`, 422},
			"a text": {`{"report":"x"}`, 400},
			"null":   {`{"report":null}`, 400}, "no summary": {`{"report":{}}`, 422},
			"a program":   {`{"report":{"summary":"x"},"website":"https://spam.example"}`, 422},
			"no evidence": {`{"report":{"summary":"x","evidence":7}}`, 422}} {
			if a := send(c.body); a.status != c.status {
				t.Errorf("%s: %d %s", what, a.status, a.body)
			}
		}
		if a := send(`{"report":{"summary":7}}`); !strings.Contains(a.body, `"/report/summary"`) {
			t.Error(a.body)
		}
		if a := send(plain,
			func(r *request) { r.header["Content-Type"] = "text/plain" }); a.status != http.StatusUnsupportedMediaType {
			t.Errorf("another media type: %d", a.status)
		}
		if a := send(plain,
			func(r *request) { r.header["Content-Encoding"] = "br" }); a.status != http.StatusUnsupportedMediaType {
			t.Errorf("another coding: %d", a.status)
		}
		w.change(t, func(f *api.SourceFields) { f.Captures, f.Labels = []api.CapturePart{api.CaptureActions}, nil })
		evidence := `{"report":{"summary":"Parts","metadata":{"a":"b"},"evidence":{
			"console":[{"level":"error","timestamp":"2026-01-02T03:04:05Z","message":"x"}],
			"actions":[{"type":"click","timestamp":"2026-01-02T03:04:05Z","url":"https://shop.example"}]}}}`
		assert.Equal(t, "a report with parts", send(evidence).status, 201)
		s := w.filed(t)[0]
		if files := w.files(t, s.ID); len(files) != 1 || files[0].Kind != api.KindActions || len(s.Metadata) != 0 {
			t.Errorf("%v %v", files, s.Metadata)
		}
		if n := w.intake.Refused(intake.RefusedHoneypot); n != 1 {
			t.Errorf("%d programs", n)
		}
	})
}
