package redact_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bugslice/internal/redact"
)

func packed(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// whole is an entry with its bodies decoded, to look for secrets in.
func whole(t *testing.T, entry map[string]any) string {
	t.Helper()
	text := encode(t, entry)
	for _, side := range []string{"request", "response"} {
		m, _ := entry[side].(map[string]any)
		for _, name := range []string{"postData", "content"} {
			body, _ := m[name].(map[string]any)
			encoded, _ := body["text"].(string)
			raw, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				continue
			}
			text += string(raw)
			if z, err := gzip.NewReader(bytes.NewReader(raw)); err == nil {
				var plain bytes.Buffer
				_, _ = plain.ReadFrom(z)
				text += plain.String()
			}
		}
	}
	return text
}

// TestArchiveShapes: a member with a type other than that of HAR is redacted like any JSON, by its name.
func TestArchiveShapes(t *testing.T) {
	r := redactor(t, redact.Rules{})
	const login = `{"user":"bob","password":"s3cr3tw0rd"}`
	plain := base64.StdEncoding.EncodeToString([]byte(login))
	quote := func(s string) string { return encodeString(s) }
	for _, in := range []string{
		`{"request":{"postData":` + quote(login) + `}}`,
		`{"request":{"postData":[` + login + `]}}`,
		`{"request":{"postData":{"text":` + login + `}}}`,
		`{"request":{"postData":{"mimeType":"application/json","encoding":"base64","text":"` + plain + `"}}}`,
		`{"request":{"postData":{"params":[{"name":"password","value":["s3cr3tw0rd"]}]}}}`,
		`{"request":{"postData":{"params":{"password":"s3cr3tw0rd"}}}}`,
		`{"request":{"postData":{"params":"a=b&password=s3cr3tw0rd"}}}`,
		`{"request":{"queryString":{"password":"s3cr3tw0rd"}}}`,
		`{"request":[{"password":"s3cr3tw0rd"}]}`,
		`{"request":` + quote(login) + `}`,
		`{"request":{"url":{"password":"s3cr3tw0rd"}}}`,
		`{"response":{"content":[` + login + `]}}`,
		`{"response":{"content":` + quote(login) + `}}`,
		`{"response":{"content":{"text":` + login + `}}}`,
		`{"response":{"content":{"encoding":"Base64","text":"` + plain + `"}}}`,
		`{"response":{"content":{"encoding":["base64"],"text":"` + plain + `"}}}`,
		`{"response":{"content":{"encoding":1,"text":"password=s3cr3tw0rd"}}}`,
		`{"response":{"content":{"encoding":"base64","text":"` + strings.TrimRight(plain, "=") + `"}}}`,
		`{"response":{"content":{"encoding":"base64","text":"` +
			base64.RawURLEncoding.EncodeToString([]byte(`{"x":"??>>~~","password":"s3cr3tw0rd"}`)) + `"}}}`,
		`{"response":{"content":{"encoding":"base64","text":"` + plain[:10] + `\r\n` + plain[10:] + `"}}}`,
		`{"response":{"content":{"encoding":"base64","text":"` +
			base64.StdEncoding.EncodeToString([]byte("{\"city\":\"K\xf6ln\",\"password\":\"s3cr3tw0rd\"}")) + `"}}}`,
		`{"response":{"content":{"encoding":"base64","mimeType":"image/svg+xml","text":"` +
			base64.StdEncoding.EncodeToString([]byte(`<svg><!-- password=s3cr3tw0rd --></svg>`)) + `"}}}`,
		`{"response":{"content":{"encoding":"base64","mimeType":"image/png","text":"` + plain + `"}}}`,
		`{"response":{"content":{"encoding":"base64","mimeType":"application/json","text":"` + packed(login) + `"}}}`,
		`{"response":{"content":{"encoding":"base64","text":"` + packed(login+strings.Repeat(" ", 4<<20)) + `"}}}`,
		`{"request":{"headers":[{"name":"Authorization","value":["s3cr3tw0rd"]}]}}`,
		`{"request":{"headers":[{"name":"X-Api-Key","value":{"a":"s3cr3tw0rd"}}]}}`,
		`{"request":{"headers":[{"name":"X-Other","value":{"password":"s3cr3tw0rd"}}]}}`,
		`{"request":{"headers":{"X-Session":"s3cr3tw0rd"}}}`,
		`{"request":{"headers":{"X-Session":["s3cr3tw0rd"]}}}`,
		`{"request":{"headers":"Authorization: Bearer s3cr3tw0rd\r\nAccept: */*"}}`,
		`{"request":{"cookies":["foo=s3cr3tw0rd"]}}`,
		`{"request":{"cookies":{"foo":"s3cr3tw0rd"}}}`,
		`{"request":{"cookies":"foo=s3cr3tw0rd"}}`,
		`{"request":{"cookies":[["foo","s3cr3tw0rd"]]}}`,
		`{"request":{"cookies":[{"name":"foo","value":["s3cr3tw0rd"]}]}}`,
		`{"response":{"cookies":[{"name":"foo","value":"","raw":"foo=s3cr3tw0rd; Path=/"}]}}`,
		`{"response":{"cookies":[{"name":"foo","rawValue":"s3cr3tw0rd"}]}}`,
		`{"response":{"cookies":["foo=s3cr3tw0rd; Path=/"]}}`,
		`{"_webSocketMessages":[{"type":"send","data":` + login + `}]}`,
		`{"_webSocketMessages":[{"type":"send","opcode":2,"data":"` + plain + `"}]}`,
		`{"_webSocketMessages":` + login + `}`,
		`{"_webSocketMessages":[` + quote(login) + `]}`,
	} {
		var entry map[string]any
		if err := json.Unmarshal([]byte(in), &entry); err != nil {
			t.Fatal(in, err)
		}
		c := redact.Counts{}
		r.Entry(entry, c)
		if out := whole(t, entry); strings.Contains(out, "s3cr3tw0rd") || strings.Contains(out, plain) ||
			c.Total() == 0 {
			t.Errorf("%v\n%s\n%s", c, in, out)
		}
		once, again := encode(t, entry), redact.Counts{}
		if r.Entry(entry, again); encode(t, entry) != once || again.Total() > 0 {
			t.Errorf("a second time %v\n%s\n%s", again, once, encode(t, entry))
		}
	}
	for _, in := range []string{`{"request":{"cookies":[{"name":"a","value":4711}]}}`,
		`{"request":{"cookies":[4711]}}`, `{"request":{"headers":[{"name":"X-Pin-Password","value":4711}]}}`} {
		var entry map[string]any
		if err := json.Unmarshal([]byte(in), &entry); err != nil {
			t.Fatal(in, err)
		}
		if r.Entry(entry, redact.Counts{}); strings.Contains(encode(t, entry), "4711") {
			t.Errorf("%s\n%s", in, encode(t, entry))
		}
	}
}

// TestHarmlessArchives come back as they were.
func TestHarmlessArchives(t *testing.T) {
	r := redactor(t, redact.Rules{})
	image := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR password=s3cr3tw0rd"))
	for _, in := range []string{
		`{"response":{"status":200,"content":{"size":3,"encoding":"base64","mimeType":"image/png","text":"` + image +
			`"}}}`,
		`{"response":{"content":{"encoding":"base64","mimeType":"text/plain","text":"` + packed("just words") + `"}}}`,
		`{"response":{"content":{"encoding":"base64","text":"anVzdCB3b3Jkcw"}}}`,
		`{"response":{"cookies":[{"name":"a","value":"","path":"/","domain":"x.example","expires":"2026-11-20T10:00:00Z",` +
			`"httpOnly":true,"secure":false,"sameSite":"Lax","size":12,"priority":"Medium"}]}}`,
		`{"request":{"headers":[{"name":"Content-Length","value":42},{"name":"Sec-WebSocket-Key","value":"dGhlIHNhbXBsZSBub25jZQ=="},` +
			`{"name":"Idempotency-Key","value":"run-8123"},{"name":"Sec-WebSocket-Protocol","value":"graphql-ws, ` +
			`v12.stomp"},{"name":"Surrogate-Key","value":"product-12 category-4"},{"name":"Authentication-Info","value":""}]}}`,
		`{"response":{"headers":[{"name":"set-cookie","value":"a=; Path=/; HttpOnly; Secure; Partitioned; SameSite=None"}]}}`,
		`{"request":{"postData":{"mimeType":"text/plain","text":5}},"_webSocketMessages":[{"opcode":2,"data":"AAEC"}]}`,
	} {
		var entry map[string]any
		if err := json.Unmarshal([]byte(in), &entry); err != nil {
			t.Fatal(in, err)
		}
		want := encode(t, entry)
		c := redact.Counts{}
		if r.Entry(entry, c); encode(t, entry) != want || c.Total() > 0 {
			t.Errorf("%v\n%s\n%s", c, want, encode(t, entry))
		}
	}
}

// TestResponseHeaders: the headers that every response has.
func TestResponseHeaders(t *testing.T) {
	r := redactor(t, redact.Rules{})
	header := func(name, value string) string {
		entry := map[string]any{"request": map[string]any{"headers": []any{map[string]any{"name": name,
			"value": value}}}}
		r.Entry(entry, redact.Counts{})
		return encode(t, entry)
	}
	for _, name := range strings.Fields("Authentication X-JWT-Assertion X-Session X-Cookie X-Appwrite-Key DD-APPLICATION-KEY " +
		"DD-API-KEY X-Admin-Key X-Sentry-Auth X-Auth X-User-Session X-Vault-Token Ocp-Apim-Subscription-Key X-Amz-Security-Token " +
		"X-Goog-IAP-JWT-Assertion Cf-Access-Jwt-Assertion") {
		for _, value := range []string{"abc", "s3cr3tw0rd"} {
			if out := header(name, value); strings.Contains(out, `"`+value) {
				t.Errorf("%s: %s", name, out)
			}
		}
	}
	for _, name := range []string{"Idempotency-Key", "Sec-WebSocket-Key", "X-Cache-Key", "X-Sessions-Left",
		"Keep-Alive"} {
		if out := header(name, "run-8123"); !strings.Contains(out, "run-8123") {
			t.Errorf("%s: %s", name, out)
		}
	}
	if out := r.Header("jira-key", "SHOP-123", redact.Counts{}); out != "SHOP-123" { // of metadata
		t.Error(out)
	}
	for _, x := range [][3]string{
		{"Sec-WebSocket-Protocol", "bearer, x", "bearer, [redacted:authorization]"},
		{"Sec-WebSocket-Protocol", "bearer ,\tx ", "bearer ,\t[redacted:authorization] "},
		{"Sec-WebSocket-Protocol", "graphql-ws, access_token, a1b2",
			"graphql-ws, access_token, [redacted:authorization]"},
		{"Sec-WebSocket-Protocol", "base64url.bearer.authorization.k8s.io.czNjcjN0, base64.binary.k8s.io",
			"base64url.bearer.authorization.k8s.io.[redacted:authorization], base64.binary.k8s.io"},
		{"Set-Cookie", "x; Path=/", "[redacted:cookie]; Path=/"},
		{"Set-Cookie", "x", "[redacted:cookie]"},
		{"Set-Cookie", `a="x;y"; Path=/`, `a="[redacted:cookie]"; Path=/`},
		{"Cookie", `a="x;y"; b=z`, `a="[redacted:cookie]"; b=[redacted:cookie]`},
		{"Set-Cookie", "a=x; Path=/; Secure; HttpOnly; Partitioned\nb; Max-Age=5",
			"a=[redacted:cookie]; Path=/; Secure; HttpOnly; Partitioned\n[redacted:cookie]; Max-Age=5"},
		{"Cookie", `a="x; b=z`, `a=[redacted:cookie]; b=[redacted:cookie]`},
	} {
		out := r.Header(x[0], x[1], redact.Counts{})
		if again := (redact.Counts{}); out != x[2] || r.Header(x[0], out, again) != out || again.Total() > 0 {
			t.Errorf("%s: %s\n%s, want\n%s", x[0], x[1], out, x[2])
		}
	}
}

// TestCompressionBombsAreDropped: a body that unpacks to far more than its size is removed and not unpacked.
func TestCompressionBombsAreDropped(t *testing.T) {
	entry := map[string]any{"response": map[string]any{"content": map[string]any{"encoding": "base64",
		"text": packed(strings.Repeat("a ", 32<<20))}}}
	c := redact.Counts{}
	took := timed(func() { redactor(t, redact.Rules{}).Entry(entry, c) })
	if c.ByKind()["body"] != 1 || took.Seconds() > 2 {
		t.Errorf("%v in %s", c, took)
	}
}

// TestPackedBodiesOfAnArchive: the packed bodies of an archive unpack to a bounded size together, and those beyond it
// are removed.
func TestPackedBodiesOfAnArchive(t *testing.T) {
	text := make([]byte, 0, 3<<20)
	for i := range cap(text) / 8 { // of which gzip makes a tenth at best
		text = fmt.Appendf(text, "%07x ", i*7919%(1<<28))
	}
	body := packed(string(text))
	entries, c := make([]any, 8), redact.Counts{}
	for i := range entries {
		entries[i] = map[string]any{"response": map[string]any{"content": map[string]any{"encoding": "base64",
			"text": body}}}
	}
	redactor(t, redact.Rules{}).HAR(map[string]any{"log": map[string]any{"entries": entries}}, c)
	if c.ByKind()["body"] != 3 {
		t.Errorf("of 8 bodies with 24 MiB, %v are removed", c)
	}
	r, alone := redactor(t, redact.Rules{}).Unpacking(), redact.Counts{}
	for range 8 {
		r.Entry(map[string]any{"response": map[string]any{"content": map[string]any{"encoding": "base64",
			"text": body}}}, alone)
	}
	if alone.ByKind()["body"] != 3 {
		t.Errorf("of 8 entries with 24 MiB, %v are removed", alone)
	}
}

// TestFields: a field is recognised as secret by its selector or by any attribute, also with suffixes.
func TestFields(t *testing.T) {
	r := redactor(t, redact.Rules{Fields: []string{"badge"}})
	for _, selector := range []string{"#password", "#password-input", "#passwordInput",
		".password-field input", `[data-testid="password-field"]`, "#cardNumberInput",
		"#cvc-input", "#pass", "input.pass", "#pin", "#token", `input[autocomplete="one-time-code"]`,
		"input[type=password]", "new-password", "cc-number", "cc-exp",
		"#login_pass", "#txtPass", "#pin2", "#password_confirm_input",
		"form > input[name='user[password]']", "#badge-field", "otp-input-3", "page.getByLabel('Password')",
		"#apiKeyTextbox"} {
		if r.Field(selector) == "" || strings.Contains(r.Input(selector, "abc", redact.Counts{}), "abc") {
			t.Errorf("%s tells nothing", selector)
		}
	}
	if kept := redactor(t, redact.Rules{Allow: []string{"sitePass"}}); kept.Field("#site-pass") != "" ||
		kept.Field("#password") == "" {
		t.Error("what a workspace allows is not")
	}
	for _, selector := range []string{"", "#email", "input.name", "#quantity-input",
		"#shipping", "#compass", "button#checkout", "#address-line-2",
		"#author", "#keyboard", "text-input", "#search-field", "#spin", "#pinned", "-", "__"} {
		if kind := r.Field(selector); kind != "" || r.Input(selector, "abc", redact.Counts{}) != "abc" {
			t.Errorf("%s tells %s", selector, kind)
		}
	}
}
