package redact

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// sample is a line of the corpus. How says by which function it comes; type is the content
// type of a body and the name of a header.
type sample struct {
	How, Type, In string
	Secrets       []string
}

func corpus(t testing.TB, file string) []sample {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 60 {
		t.Fatalf("%d samples", len(all))
	}
	return all
}

func redactor(t testing.TB, r Rules) *Redactor {
	t.Helper()
	d, err := New(r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (s sample) run(t testing.TB, d *Redactor, in string, c Counts) string {
	t.Helper()
	switch s.How {
	case "text":
		return d.Text(in, c)
	case "url":
		return d.URL(in, c)
	case "body":
		return d.Body(s.Type, in, c)
	case "header":
		return d.Header(s.Type, in, c)
	case "har":
		var har map[string]any
		if err := json.Unmarshal([]byte(in), &har); err != nil {
			t.Fatal(err)
		}
		d.HAR(har, c)
		out, err := json.Marshal(har)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	t.Fatalf("no way %q", s.How)
	return ""
}

// TestLeaks: no secret of the corpus survives, and a second pass finds nothing more.
func TestLeaks(t *testing.T) {
	d := redactor(t, Rules{})
	for _, s := range corpus(t, "leaks.json") {
		c := Counts{}
		out := s.run(t, d, s.In, c)
		for _, secret := range s.Secrets {
			if secret == "" || strings.Contains(out, secret) {
				t.Errorf("%s %s: %q survives in\n%s", s.How, s.Type, secret, out)
			}
		}
		if len(c) == 0 {
			t.Errorf("nothing was counted of %s", s.In)
		}
		again := Counts{}
		if twice := s.run(t, d, out, again); twice != out || len(again) > 0 {
			t.Errorf("%s: not the same again (%v):\n%s\n%s", s.How, again, out, twice)
		}
	}
}

// TestHarmless: what holds no secret comes back byte for byte.
func TestHarmless(t *testing.T) {
	d := redactor(t, Rules{})
	for _, s := range corpus(t, "harmless.json") {
		c := Counts{}
		if out := s.run(t, d, s.In, c); out != s.In || len(c) > 0 {
			t.Errorf("%s %s: %v\n%s\n%s", s.How, s.Type, c, s.In, out)
		}
	}
}

// TestRules: a workspace's own names and patterns go, and what it allows stays.
func TestRules(t *testing.T) {
	d := redactor(t, Rules{Fields: []string{"customerNumber", "iban*", "*_ref"}, Allow: []string{"sessionId"},
		Patterns: []Pattern{{Expression: `CUST-[0-9]{6}`}, {Expression: `order (?P<secret>[0-9]+) of`, Mask: "#"}}})
	for in, want := range map[string]string{
		`{"customer_number":"77","sessionId":"stays","ibanSE":"SE35","payment_ref":"x1"}`: `{"customer_number":"[redacted:field]","sessionId":"stays","ibanSE":"[redacted:field]","payment_ref":"[redacted:field]"}`,
		"about CUST-123456 again":      "about [redacted:rule] again",
		"order 4711 of three, order 5": "order # of three, order 5",
	} {
		c := Counts{}
		if got := d.Body("", in, c); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
		if again := d.Body("", want, Counts{}); again != want {
			t.Errorf("again: %s", again)
		}
	}
	for name, r := range map[string]Rules{"bad expression": {Patterns: []Pattern{{Expression: "("}}}, "empty match": {Patterns: []Pattern{{Expression: "x*"}}},
		"too many": {Fields: make([]string, 51)}, "no name": {Fields: []string{"**"}}, "too long": {Patterns: []Pattern{{Expression: strings.Repeat("a", 201)}}}} {
		if _, err := New(r); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// TestReader: a stream comes out like the text, however it arrives, and keys that span pieces go.
func TestReader(t *testing.T) {
	d := redactor(t, Rules{})
	var text, want strings.Builder
	for i := range 40_000 {
		line := "2026-11-20 10:42:07 request done in 12 ms\n"
		if i%1000 == 7 {
			line = "2026-11-20 10:42:07 login password=hunter2 ok\n"
		}
		text.WriteString(line)
		want.WriteString(strings.Replace(line, "hunter2", "[redacted:field]", 1))
	}
	c := Counts{}
	for _, r := range []io.Reader{strings.NewReader(text.String()), iotest.HalfReader(strings.NewReader(text.String()))} {
		got, err := io.ReadAll(d.Reader(r, c))
		if err != nil || string(got) != want.String() {
			t.Errorf("%v: %d bytes, want %d", err, len(got), want.Len())
		}
	}
	if c["field"] != 80 {
		t.Errorf("%v", c)
	}
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEowIBAAKCAQEAwJXm2vKqMIIEowIBAAKCAQEAwJXm2vKqMIIEowIBAAKC\n", 40) + "-----END RSA PRIVATE KEY-----\n"
	for _, before := range []int{pieceSize - 100, pieceSize - 1500, 10} {
		in := strings.Repeat("x", before-1) + "\n" + key + "after\n"
		got, err := io.ReadAll(d.Reader(strings.NewReader(in), Counts{}))
		if err != nil || strings.Contains(string(got), "MIIEow") || !strings.HasSuffix(string(got), "after\n") {
			t.Errorf("a key at %d: %v", before, err)
		}
	}
	long := strings.Repeat("word ", 400_000) + "password=hunter2 " + strings.Repeat("word ", 400_000)
	got, err := io.ReadAll(d.Reader(strings.NewReader(long), Counts{}))
	if err != nil || strings.Contains(string(got), "hunter2") || len(got) != len(long)-len("hunter2")+len("[redacted:field]") {
		t.Errorf("one long line: %v, %d bytes", err, len(got))
	}
	if _, err := io.ReadAll(d.Reader(iotest.ErrReader(io.ErrClosedPipe), Counts{})); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the source's error is %v", err)
	}
}

// TestSecretUnderAName: whatever stands under a secret name goes, wherever in JSON it is.
func TestSecretUnderAName(t *testing.T) {
	d := redactor(t, Rules{})
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9+/_\-]{8,40}Zq9`).Draw(t, "secret")
		name := rapid.SampledFrom([]string{"password", "accessToken", "client_secret", "X-Api-Key", "newPassword2", "stripeSecretKey", "csrfToken", "card-number"}).Draw(t, "name")
		var v any = map[string]any{name: secret, "other": rapid.String().Draw(t, "other")}
		for range rapid.IntRange(0, 6).Draw(t, "depth") {
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				v = []any{"x", v}
			case 1:
				v = map[string]any{"inner": v}
			case 2:
				text, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				v = map[string]any{"payload": string(text)}
			}
		}
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out := d.Body("text/plain", string(raw), Counts{})
		if strings.Contains(out, secret) || !json.Valid([]byte(out)) {
			t.Fatalf("%s\n%s", raw, out)
		}
		if v, err := json.Marshal(d.Value(v, Counts{})); err != nil || strings.Contains(string(v), secret) {
			t.Fatalf("%s", v)
		}
	})
}

// TestIdempotent: a second pass changes nothing, whatever the text.
func TestIdempotent(t *testing.T) {
	d := redactor(t, Rules{})
	parts := rapid.SampledFrom([]string{"password=", "token: ", "Bearer ", "\"secret\":\"", "\"", " ", "\n", "&", "abc123XYZ99", "4111111111111111", "https://a:b@c/", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", "[redacted:field]", "=", ":", "\\\"", "--api-key ", "Cookie: a=b; c=d", "{", "}", ","})
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(parts, 0, 12).Draw(t, "parts"), "")
		once := d.Text(in, Counts{})
		c := Counts{}
		if twice := d.Text(once, c); twice != once {
			t.Fatalf("%q\n%q\n%q %v", in, once, twice, c)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, s := range corpus(f, "leaks.json") {
		f.Add(s.In)
	}
	d := redactor(f, Rules{})
	f.Fuzz(func(t *testing.T, in string) { d.Text(in, Counts{}); d.URL(in, Counts{}); d.Header(in, in, Counts{}) })
}

func FuzzBody(f *testing.F) {
	for _, s := range corpus(f, "leaks.json") {
		f.Add(s.Type, s.In)
	}
	d := redactor(f, Rules{})
	f.Fuzz(func(t *testing.T, kind, in string) {
		out := d.Body(kind, in, Counts{})
		if json.Valid([]byte(in)) && !json.Valid([]byte(out)) {
			t.Errorf("%q became %q", in, out)
		}
		var har map[string]any
		if json.Unmarshal([]byte(in), &har) == nil && har != nil {
			d.HAR(har, Counts{})
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("2026-11-20 10:42:07.318 INFO [http-nio-8080-exec-3] c.e.shop.CartController - user 4711 put item SKU-991 in cart 42, total 129.90 EUR, took 12 ms\n", 7000)
	d := redactor(b, Rules{})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		d.Body("text/plain", text, Counts{})
	}
}

func BenchmarkJSON(b *testing.B) {
	text := "[" + strings.TrimSuffix(strings.Repeat(`{"level":"error","timestamp":"2026-11-20T10:42:07.318Z","message":"TypeError: cart.total is undefined","stack":"TypeError: cart.total is undefined\n    at checkout (https://shop.example.com/checkout.js:42:17)","args":[{"id":4711,"sku":"A-1"}]},`, 4000), ",") + "]"
	d := redactor(b, Rules{})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		d.Body("application/json", text, Counts{})
	}
}
