package redact_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"bugslice/internal/redact"
)

// TestMain draws the same samples in each run: about one of 100,000 drawn texts changes once more when it is redacted
// again. make fuzz draws others.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("BUGSLICE_TEST_FULL") == "" {
		if err := flag.Set("rapid.seed", "1"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

var (
	secretNames = []string{"password", "userPassword", "clientSecret",
		"client-secret", "CLIENT_SECRET", "api_key", "X-Api-Key", "accessToken",
		"refresh_token", "stripeSecretKey", "privateKey", "sessionId", "csrfToken", "DB_PASSWORD", "authorization",
		"credentials"}
	plainNames = []string{"id", "name2", "author", "items", "tokenCount", "keyboard", "secretary", "a b", "ключ", "url",
		"x\"y"}
	// Below a sensitive name, others than these may tell of the secret and be none, such as its id.
	insideNames = []string{"items", "tokenCount", "keyboard", "a b", "ключ", "x\"y"}
	secretText  = rapid.StringMatching(`[A-Za-z]{2}[0-9][A-Za-z][A-Za-z0-9!@%^+_=]{12,30}`)
)

// anything draws decoded JSON without the secret.
func anything(t *rapid.T, depth int) any {
	switch n := rapid.IntRange(0, 6).Draw(t, "kind"); {
	case n == 0 && depth > 0:
		m := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			m[rapid.SampledFrom(plainNames).Draw(t, "name")] = anything(t, depth-1)
		}
		return m
	case n == 1 && depth > 0:
		var l []any
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			l = append(l, anything(t, depth-1))
		}
		return l
	case n == 2:
		return rapid.Float64Range(-1e6, 1e6).Draw(t, "number")
	case n == 3:
		return rapid.Bool().Draw(t, "bool")
	case n == 4:
		return nil
	}
	return rapid.String().Draw(t, "string")
}

// hide puts a value somewhere into drawn JSON, under a name that tells.
func hide(t *rapid.T, secret any) any {
	v := secret
	for range rapid.IntRange(0, 3).Draw(t, "inside") {
		if rapid.Bool().Draw(t, "list") {
			v = []any{anything(t, 1), v}
		} else {
			v = map[string]any{rapid.SampledFrom(insideNames).Draw(t, "name"): v}
		}
	}
	v = map[string]any{rapid.SampledFrom(secretNames).Draw(t, "secret name"): v, "id": anything(t, 1)}
	for range rapid.IntRange(0, 4).Draw(t, "outside") {
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			v = map[string]any{rapid.SampledFrom(plainNames).Draw(t, "name"): v, "other": anything(t, 2)}
		case 1:
			v = map[string]any{"list": []any{anything(t, 2), v, anything(t, 2)}}
		case 2:
			v = map[string]any{"text": encodeString2(v)}
		}
	}
	return v
}

func encodeString2(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// A secret under a telling name is found wherever it is in JSON, however that is sent.
func TestASecretInJSONNeverSurvives(t *testing.T) {
	r := redactor(t, redact.Rules{})
	rapid.Check(t, func(t *rapid.T) {
		secret := secretText.Draw(t, "secret")
		text := encodeString2(hide(t, secret))
		kind := rapid.SampledFrom([]string{"", "application/json", "text/plain",
			"text/html", "application/x-www-form-urlencoded"}).Draw(t, "type")
		outs := []string{r.Body(kind, text, redact.Counts{}), r.Body("", text+"\n"+text, redact.Counts{}),
			r.Text("body: "+text, redact.Counts{})}
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		outs = append(outs, encodeString2(r.Value(v, redact.Counts{})))
		for i, out := range outs {
			if strings.Contains(out, secret) || strings.Contains(out, secret[4:]) {
				t.Fatalf("%d: %s is left of\n%s\nin\n%s", i, secret, text, out)
			}
		}
		if !json.Valid([]byte(outs[0])) {
			t.Fatalf("no longer JSON: %s", outs[0])
		}
	})
}

// The same holds for headers, parameters, variables and the parts of a URL.
func TestASecretUnderANameNeverSurvives(t *testing.T) {
	r := redactor(t, redact.Rules{})
	rapid.Check(t, func(t *rapid.T) {
		secret := secretText.Draw(t, "secret")
		name := rapid.SampledFrom(secretNames).Draw(t, "name")
		escaped := url.QueryEscape(secret)
		other := rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "other")
		c := redact.Counts{}
		for what, out := range map[string]string{
			"header":   r.Header(name, secret, c),
			"url":      r.URL("https://example.com/"+other+"?x=1&"+name+"="+escaped+"&y=2", c),
			"fragment": r.URL("https://example.com/#"+name+"="+escaped, c),
			"form":     r.Body("application/x-www-form-urlencoded", "x="+other+"&"+name+"="+escaped, c),
			"text":     r.Text(other+" "+name+"="+secret+" "+other, c),
			"env":      r.Text("X="+other+"\nexport "+name+"='"+secret+"'\n", c),
			"dump":     r.Text("Host: x\r\n"+name+": "+secret+"\r\nX: "+other, c),
			"link":     r.Text(other+" https://example.com/"+other+"?x=1&"+name+"="+escaped+" "+other, c),
		} {
			if survives(secret, out) != "" || strings.Contains(out, secret[4:]) {
				t.Fatalf("%s: %s=%s is left in %s", what, name, secret, out)
			}
		}
	})
}

var fragments = rapid.SampledFrom([]string{"password", "token", "apiKey",
	"Cookie", "Authorization", "Bearer ", "Basic ", "name", "value", "kind: Secret",
	"data", ":", "=", " ", "\"", "'", "\\", "\\\"", "\n", "{", "}", "[", "]",
	"<", ">", "</", "&", "?", "#", "://", "@", ",", ";", "http", "a", "1",
	"4111111111111111", "AKIAIOSFODNN7EXAMPLE", "ghp_0123456789abcdefghijABCDEFGHIJ012345",
	"[redacted:field]", "REDACTED", "%3D", "%", "-----BEGIN PRIVATE KEY-----",
	"-----END PRIVATE KEY-----", "eyJhbGciOiJub25lIn0.eyJhIjoxfQ.", "|",
	"  ", "- ", "hunter2hunter2", "set-cookie", "--", "password:\n  ",
	"passwords:\n- ", "\"\"\"", "<password>\n", "${A}", "$(", "Private-Lines: 2\n",
	"curl -u", "curl -b ", "login a\n  password ", "\"password\": [\n",
	"setItem('token',", "[[\"token\",", "<input ", "sqlplus a/b@",
	"%5Bpassword%5D=", "4111 ", "`", "*", "is ", "é", "\xff", "null"})

// TestOnceIsEnough: redacting a redacted text changes and counts nothing.
func TestOnceIsEnough(t *testing.T) {
	for _, rules := range []redact.Rules{{}, {Fields: []string{"color", "xx*"},
		Patterns: []string{`INC-\d+`, `a(?P<secret>.)`, `[a-z]+tion`}, Allow: []string{"token"}}} {
		r := redactor(t, rules)
		for _, text := range []string{
			"atoken-----END PRIVATE KEY-----data${A}null[AKIAIOSFODNN7EXAMPLEapiKey",
			"AKIAIOSFODNN7EXAMPLE-----END PRIVATE KEY-----=<-----BEGIN PRIVATE KEY-----}",
			"Bearer ?%5Bpassword%5D=://",
		} {
			steady(t, r, text)
		}
		rapid.Check(t, func(t *rapid.T) {
			steady(t, r, strings.Join(rapid.SliceOfN(fragments, 0, 25).Draw(t, "text"), ""))
		})
	}
}

// TestReaderRedactsAnyText: for any text, the reader returns what Text returns, once the values that it removed are
// removed from the lines before, too.
func TestReaderRedactsAnyText(t *testing.T) {
	rules := redactor(t, redact.Rules{})
	rapid.Check(t, func(t *rapid.T) {
		r := rules.Report()
		s := "x" + strings.Join(rapid.SliceOfN(fragments, 0, 40).Draw(t, "text"), "")
		if strings.Contains(s, "kind: Secret") { // whose data may come before it
			return
		}
		text, read := redact.Counts{}, redact.Counts{}
		want := rules.Text(s, text)
		lines, err := io.ReadAll(r.Reader(strings.NewReader(s), read))
		out := r.RemoveRepeated(string(lines), read)
		if err != nil || out != want || text.Total() != read.Total() {
			t.Fatalf("%v %v %v\n%q\n%q\n%q", err, text, read, s, want, out)
		}
	})
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func steady(t failer, r *redact.Redactor, s string) {
	t.Helper()
	for what, do := range map[string]func(string, redact.Counts) string{
		"text": r.Text, "url": r.URL,
		"json": func(s string, c redact.Counts) string { return r.Body("application/json", s, c) },
		"form": func(s string, c redact.Counts) string {
			return r.Body("application/x-www-form-urlencoded", s,
				c)
		},
		"multipart": func(s string, c redact.Counts) string { return r.Body("multipart/form-data; boundary=a", s, c) },
		"cookie":    func(s string, c redact.Counts) string { return r.Header("Cookie", s, c) },
		"cookies":   func(s string, c redact.Counts) string { return r.Header("Set-Cookie", s, c) },
		"auth":      func(s string, c redact.Counts) string { return r.Header("Authorization", s, c) },
		"header":    func(s string, c redact.Counts) string { return r.Header("X-Other", s, c) },
	} {
		c := redact.Counts{}
		once := do(s, c)
		if once != s && c.Total() == 0 || once == s && c.Total() > 0 {
			t.Fatalf("%s: %v for %q\n%q", what, c, s, once)
		}
		again := redact.Counts{}
		if twice := do(once, again); twice != once || again.Total() > 0 {
			t.Fatalf("%s: %v a second time\n%q\n%q\n%q", what, again, s, once, twice)
		}
		if what == "json" && json.Valid([]byte(s)) && !json.Valid([]byte(once)) {
			t.Fatalf("no longer JSON: %q\n%q", s, once)
		}
	}
}

// TestLongLines: a secret across the boundary of two pieces of a long line is removed.
func TestLongLines(t *testing.T) {
	r := redactor(t, redact.Rules{})
	for _, token := range []string{`"password":"correct horse battery staple"`,
		"ghp_0123456789abcdefghijABCDEFGHIJ012345", "Authorization: Bearer abcdef0123456789abcdef",
		"https://bob:hunter2hunter2@example.com/x"} {
		for at := 1<<20 - 12<<10; at < 1<<20+200; at += 1531 {
			text := strings.Repeat("x ", at/2) + token + strings.Repeat(" y", 40<<10)
			c := redact.Counts{}
			out, err := io.ReadAll(r.Reader(iotest.HalfReader(strings.NewReader(text)), c))
			if err != nil || c.Total() != 1 {
				t.Fatalf("%v, %v at %d", err, c, at)
			}
			for _, secret := range []string{"correct", "battery", "staple", "ghp_", "ABCDEFGHIJ", "abcdef", "hunter2"} {
				if strings.Contains(string(out), secret) {
					t.Fatalf("%s is left of %s at %d", secret, token, at)
				}
			}
			if want := r.Text(text, redact.Counts{}); string(out) != want {
				t.Fatalf("another text at %d: %d bytes, %d", at, len(out), len(want))
			}
		}
	}
	huge := "x password=" + strings.Repeat("Abc1", 1<<20) + " after"
	out, err := io.ReadAll(r.Reader(strings.NewReader(huge), redact.Counts{}))
	if err != nil || strings.Contains(string(out), "Abc1") || !strings.HasSuffix(string(out), " after") {
		t.Errorf("%v, %d bytes of a huge secret: %.80s", err, len(out), out)
	}
}

// A file of JSON is redacted as one, on however many lines it stands and however long these are.
func TestDocuments(t *testing.T) {
	r := redactor(t, redact.Rules{})
	cookies, words := map[string]string{}, []string{}
	for i := range 9000 {
		cookies[fmt.Sprintf("name%d", i)] = fmt.Sprintf("val%dx", i)
		words = append(words, fmt.Sprintf("val%dx", i))
	}
	for _, v := range []any{map[string]any{"cookies": cookies}, map[string]any{"password": words},
		map[string]any{"a": map[string]any{"password": "val1x"}}} {
		flat, pretty := encodeString2(v), ""
		if b, err := json.MarshalIndent(v, "", "\n"); err == nil {
			pretty = strings.ReplaceAll(string(b), ": ", ":\n ")
		}
		for _, text := range []string{flat, pretty, "\ufeff" + flat, "\n\n" + pretty + "\n",
			"10:00 got body=" + flat + " late", flat + "\n" + flat} {
			out, err := io.ReadAll(r.Reader(iotest.HalfReader(strings.NewReader(text)), redact.Counts{}))
			if err != nil || strings.Contains(string(out), "val") || len(out) < len(text)/3 {
				t.Errorf("%v: %d bytes of %.40q leave %d values: %.80s", err, len(text), text,
					strings.Count(string(out), "val"), out)
			}
		}
	}
	var long strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&long, `"n%d":{"v":["val%dx", "val\\"%d,x"]},`, i, i, i)
	}
	for _, text := range []string{`10:00 body={"a":1,"cookies":{` + long.String() + `"n":"val1x"},"b":"kept"} late`,
		`10:00 body={"cookies":{` + long.String()} {
		out, err := io.ReadAll(r.Reader(strings.NewReader(text), redact.Counts{}))
		if err != nil || strings.Contains(string(out), "val") || !strings.HasPrefix(string(out), "10:00 body={") ||
			strings.HasSuffix(text, " late") != strings.HasSuffix(string(out), `,"b":"kept"} late`) {
			t.Errorf("%v: %d bytes leave %d values: %.80s … %s", err, len(text), strings.Count(string(out), "val"), out,
				out[len(out)-80:])
		}
	}
	plain := "{\n\"a\" : [1 ,2]\r\n}\n"
	if out, err := io.ReadAll(r.Reader(strings.NewReader(plain), redact.Counts{})); err != nil || string(out) != plain {
		t.Errorf("%v %s", err, out)
	}
	out, err := io.ReadAll(r.Reader(io.MultiReader(strings.NewReader(`{"password":"val1x",`),
		iotest.ErrReader(io.ErrUnexpectedEOF)),
		redact.Counts{}))
	if !errors.Is(err, io.ErrUnexpectedEOF) || string(out) != `{"password":"[redacted:field]",` {
		t.Errorf("%v %s", err, out)
	}
}

// TestLongKeys: a private key of any length is removed, and the log after a key without an end stays.
func TestLongKeys(t *testing.T) {
	r := redactor(t, redact.Rules{})
	body := strings.Repeat(strings.Repeat("Ab3+", 16)+"\n", 3000)
	text := "a\n-----BEGIN PRIVATE KEY-----\n" + body + "-----END PRIVATE KEY-----\nb"
	out, err := io.ReadAll(r.Reader(strings.NewReader(text), redact.Counts{}))
	if want := "a\n[redacted:private_key]\nb"; err != nil || string(out) != want || r.Text(text, nil) != want {
		t.Errorf("%v, %d bytes: %.80s", err, len(out), out)
	}
	cut := "-----BEGIN PRIVATE KEY-----\n" + body[:130]
	rest := "10:00 ERROR /usr/lib/shop/checkout/voucher.go:12 failed\n10:01 GET /api/orders/checkout/vouchers/all\n"
	if out := r.Text(cut+rest, nil); out != "[redacted:private_key]\n"+rest {
		t.Errorf("%s", out)
	}
}

// An error of the source is passed on, after what was read before it.
func TestReaderPassesErrors(t *testing.T) {
	r := redactor(t, redact.Rules{})
	out, err := io.ReadAll(r.Reader(io.MultiReader(strings.NewReader("token=abc123\nx"),
		iotest.ErrReader(fmt.Errorf("gone"))),
		redact.Counts{}))
	if err == nil || err.Error() != "gone" || string(out) != "token=[redacted:field]\nx" {
		t.Errorf("%v %s", err, out)
	}
}
