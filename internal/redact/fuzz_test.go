package redact_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/internal/redact"
)

func timed(do func()) time.Duration {
	start := time.Now()
	do()
	return time.Since(start)
}

func seeds(f *testing.F, entries string) {
	for _, file := range []string{"testdata/leaks.txtar", "testdata/harmless.txtar"} {
		for _, s := range samples(f, file) {
			if strings.Contains(entries, s.entry) {
				f.Add(s.text)
			}
		}
	}
}

// FuzzText: no panic, and once is enough.
func FuzzText(f *testing.F) {
	seeds(f, "text url header")
	r := redactor(f, redact.Rules{})
	f.Fuzz(func(t *testing.T, s string) { steady(t, r, s) })
}

// FuzzBody: JSON stays JSON, too.
func FuzzBody(f *testing.F) {
	seeds(f, "body value")
	r := redactor(f, redact.Rules{Fields: []string{"xx*"}, Patterns: []string{"b+c"}})
	f.Fuzz(func(t *testing.T, s string) { steady(t, r, s) })
}

// FuzzHAR: an archive of any shape is redacted in place, and a second redaction changes nothing.
func FuzzHAR(f *testing.F) {
	seeds(f, "har value")
	r := redactor(f, redact.Rules{})
	f.Fuzz(func(t *testing.T, s string) {
		var har map[string]any
		if json.Unmarshal([]byte(s), &har) != nil || har == nil {
			return
		}
		r.HAR(har, redact.Counts{})
		once := encode(t, har)
		again := redact.Counts{}
		if r.HAR(har, again); encode(t, har) != once || len(again) > 0 {
			t.Fatalf("%v a second time\n%s\n%s\n%s", again, s, once, encode(t, har))
		}
	})
}

func repeated(unit func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		b.WriteString(unit(i))
	}
	return b.String()
}

func BenchmarkText(b *testing.B) {
	logs := repeated(func(i int) string {
		line := fmt.Sprintf("2026-11-21T03:35:%02d.123Z INFO  [http-nio-8080-exec-%d] c.e.shop.OrderService - GET "+
			"/api/v1/orders/%d?page=2&sort=createdAt took %dms for user 3f2504e0-4f89-41d3-9a0c-0305e82c%04x\n",
			i%60, i%20, i, i%900, i&0xffff)
		if i%50 == 0 {
			line += "TypeError: Cannot read properties of undefined (reading 'token')\n    at f " +
				"(https://cdn.example.com/static/js/main.8f3d2c1a.js:2:413321)\n"
			line += "retrying with Authorization: Bearer abcdef0123456789abcdef and password=hunter2\n"
		}
		return line
	})
	measure(b, logs, func(r *redact.Redactor, c redact.Counts) { r.Text(logs, c) })
}

func record(i int) string {
	return fmt.Sprintf(`{"id":%d,"name":"Item number %d","author":"bob","createdAt":"2026-11-21T03:35:55.123Z","tags":["a","b"],`+
		`"url":"https://example.com/items/%d?page=2","price":%d.99,"description":"A longer text, with \"quotes\" and a few words: `+
		`what people write.","tokenCount":12}`, i, i, i, i%100)
}

func BenchmarkBody(b *testing.B) {
	body := `{"access_token":"abc123","items":[` +
		strings.TrimSuffix(repeated(func(i int) string { return record(i) + "," }), ",") + `]}`
	measure(b, body, func(r *redact.Redactor, c redact.Counts) { r.Body("application/json", body, c) })
}

func BenchmarkHAR(b *testing.B) {
	text := `{"log":{"version":"1.2","entries":[` + strings.TrimSuffix(repeated(func(i int) string {
		body, _ := json.Marshal("[" + record(i) + "," + record(i+1) + "]")
		return fmt.Sprintf(`{"startedDateTime":"2026-11-21T03:00:00.000Z","time":12.5,"request":{"method":"GET","url":"https://example.`+
			`com/items?page=%d","headers":[{"name":"accept","value":"*/*"},{"name":"authorization","value":"Bearer `+
			`abc%d"},{"name":"user-agent","value":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"}],"cookies":[],`+
			`"queryString":[{"name":"page","value":"%d"}]},"response":{"status":200,"headers":[{"name":"etag",`+
			`"value":"\"686897696a7c876b7e\""}],"content":{"size":900,"mimeType":"application/json","text":%s},`+
			`"redirectURL":""},"timings":{"wait":1}},`, i, i, i, body)
	}), ",") + `]}}`
	var har map[string]any
	if err := json.Unmarshal([]byte(text), &har); err != nil {
		b.Fatal(err)
	}
	measure(b, text, func(r *redact.Redactor, c redact.Counts) { r.HAR(har, c) })
}

// measure reports MB/s.
func measure(b *testing.B, text string, do func(*redact.Redactor, redact.Counts)) {
	r := redactor(b, redact.Rules{})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		do(r, redact.Counts{})
	}
}
