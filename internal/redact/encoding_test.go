package redact_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"mime/quotedprintable"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"bugslice/internal/redact"
)

func inBase64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func inHex(s string) string { return hex.EncodeToString([]byte(s)) }

func inQuotedPrintable(s string) string {
	var b bytes.Buffer
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

func inUTF16(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune("\ufeff" + s)) {
		b.WriteString(string([]byte{byte(unit), byte(unit >> 8)}))
	}
	return b.String()
}

func deflated(s string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

// readings are the texts that somebody who looks for a secret makes of a text: as it is, and every run of digits of
// base64 and of hexadecimal digits, from each offset, decoded, unpacked and without NUL.
func readings(text string) string {
	all := []string{text, strings.ReplaceAll(text, "=\r\n", "")}
	for _, run := range strings.FieldsFunc(text, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') &&
			!strings.ContainsRune("+/-_\r\n \t", c)
	}) {
		run = strings.NewReplacer("-", "+", "_", "/", "\r", "", "\n", "", " ", "", "\t", "").Replace(run)
		for offset := range min(4, len(run)) {
			digits := run[offset:]
			plain, _ := base64.RawStdEncoding.DecodeString(digits[:len(digits)&^3])
			more, _ := base64.RawStdEncoding.DecodeString(digits)
			bits, _ := hex.DecodeString(digits[:len(digits)&^1])
			all = append(all, string(plain), string(more), string(bits), strings.ReplaceAll(string(plain), "\x00", ""))
			if z, err := zlib.NewReader(bytes.NewReader(plain)); err == nil {
				var b bytes.Buffer
				_, _ = b.ReadFrom(z)
				all = append(all, b.String())
			}
		}
	}
	return strings.Join(all, "\n")
}

const (
	login     = `{"user":"bob@example.com","n":1,"password":"s3cr3tw0rd","more":"text after it"}`
	loginPart = `{"user":"bob@example.com","n":1,"password":"s3cr3tw0rd`
)

// readingsOf returns the readings of the bodies of an entry.
func readingsOf(entry map[string]any) (plain string) {
	for _, side := range []string{"request", "response"} {
		m, _ := entry[side].(map[string]any)
		for _, name := range []string{"postData", "content"} {
			body, _ := m[name].(map[string]any)
			text, _ := body["text"].(string)
			plain += readings(text)
		}
	}
	return plain
}

// TestPartlyEncodedBodies: a body that is declared to be encoded and is so in part, or otherwise, keeps no secret in
// any reading.
func TestPartlyEncodedBodies(t *testing.T) {
	r := redactor(t, redact.Rules{})
	whole, urlSafe := inBase64(login), base64.RawURLEncoding.EncodeToString([]byte(`{"x":"??>>~~","password":"s3cr3tw0rd"}`))
	for _, c := range []struct{ encoding, text string }{
		{`"base64"`, whole + "…"}, {`"base64"`, whole[:91] + "…"}, {`"base64"`, whole[:90] + "..."},
		{`"base64"`, whole[:89] + " [truncated]"},
		{`"base64"`, inBase64(loginPart) + "… (12 more bytes)"}, {`"base64"`, urlSafe + "…"},
		{`"base64"`, whole[:40] + "\r\n\t" + whole[40:] + "…"},
		{`"base64"`, "…" + whole[21:]}, {`"base64"`, "<cut>" + whole[22:]},
		{`"base64"`, whole[:8] + "…" + whole[10:]}, {`"base64"`, whole[:10] + "*" + whole[10:60] + "*" + whole[60:]},
		{`"base64"`, "data:application/json;base64," + whole},
		{`"base64"`, "data:application/json;base64," + whole[:91] + "…"},
		{`"base64"`, `"` + whole + `"`},
		{`"base64"`, "\ufeff" + whole}, {`"base64"`, login}, {`"base64"`, "password=s3cr3tw0rd"},
		{`"BASE64"`, whole + "…"}, {`"base64url"`, urlSafe + "…"},
		{`"base64; charset=utf-8"`, whole + "…"}, {`["base64"]`, whole + "…"},
		{`"x-unknown"`, whole}, {`"x-unknown"`, inHex(login)}, {`"utf-8"`, login},
		{`"base64"`, inBase64(inUTF16(login))}, {`"base64"`, inBase64(inUTF16(login)) + "…"},
		{`"base64"`, inBase64(deflated(login))}, {`"base64"`, inBase64(deflated(login))[:70] + "…"},
		{`"base64"`, inBase64("see data:application/json;base64," + whole)},
		{`"base64"`, inBase64("see data:text/plain;base64," + inBase64("data:application/json;base64,"+whole))},
		{`"base64"`, inBase64(login[:30]) + whole}, {`"hex"`, inHex(login)},
		{`"hex"`, inHex(login)[:140] + "…"}, {`"HEX"`, strings.ToUpper(inHex(login))},
		{`"quoted-printable"`, inQuotedPrintable("x=y&ü=ü&" + strings.Repeat("a", 50) + "&password=s3cr3tw0rd")},
		{`"quoted-printable"`, "pass=\r\nword=3Ds3cr3t=\r\nw0rd"},
	} {
		for _, shape := range []string{`{"request":{"postData":{"mimeType":"application/json","encoding":%e,"text":%t}}}`,
			`{"response":{"content":{"mimeType":"text/plain","encoding":%e,"text":%t}}}`,
			`{"response":{"content":{"mimeType":"image/png","encoding":%e,"text":%t}}}`} {
			if strings.Contains(c.text, inBase64(inUTF16(login))) &&
				strings.Contains(shape, "image") { // of binary content
				continue
			}
			in := strings.NewReplacer("%e", c.encoding, "%t", encodeString(c.text)).Replace(shape)
			var entry map[string]any
			if err := json.Unmarshal([]byte(in), &entry); err != nil {
				t.Fatal(in, err)
			}
			counts := redact.Counts{}
			r.Entry(entry, counts)
			once, again := encode(t, entry), redact.Counts{}
			plain := readingsOf(entry)
			if strings.Contains(plain, "s3cr3tw0rd") || strings.Contains(plain, "s3cr3t") || counts.Total() == 0 {
				t.Errorf("%v\n%s\n%s", counts, in, once)
			}
			if r.Entry(entry, again); encode(t, entry) != once || again.Total() > 0 {
				t.Errorf("a second time %v\n%s\n%s", again, once, encode(t, entry))
			}
		}
	}
}

// TestMarkWithinBase64: a body in base64 with a mark in its middle keeps no secret, wherever the mark is: in what is
// read on both sides of it, and in what is read over it.
func TestMarkWithinBase64(t *testing.T) {
	r := redactor(t, redact.Rules{})
	whole := inBase64(login)
	for _, mark := range []string{"…", " [truncated] ", "*"} {
		for at := 1; at < len(whole); at++ {
			entry := map[string]any{"response": map[string]any{"content": map[string]any{"mimeType": "application/json",
				"encoding": "base64", "text": whole[:at] + mark + whole[at:]}}}
			r.Entry(entry, redact.Counts{})
			text := entry["response"].(map[string]any)["content"].(map[string]any)["text"].(string)
			if over := readings(strings.ReplaceAll(text, mark, "")); strings.Contains(over+readings(text),
				"s3cr3tw0rd") {
				t.Errorf("%q at %d: %s", mark, at, text)
			}
		}
	}
}

// TestOtherEncodings: what tools declare in other ways is read.
func TestOtherEncodings(t *testing.T) {
	r := redactor(t, redact.Rules{})
	whole, hexed := inBase64(login), inHex(login)
	pairs := regexp.MustCompile("..")
	part := "--XX\r\nContent-Disposition: form-data; name=\"f\"\r\nContent-Type: application/json\r\nContent-Transfer-Encoding: " +
		"base64\r\n\r\n" + whole + "\r\n--XX--\r\n"
	body := func(text, declared string) string {
		return `{"response":{"content":{"mimeType":"application/json","text":` + encodeString(text) + declared + `}}}`
	}
	for _, in := range []string{
		body(whole, `,"base64":true`), body(whole, `,"base64Encoded":true`),
		body(whole, `,"isBase64Encoded":true`), body(whole, `,"_encoding":"base64"`),
		body("0x"+hexed, `,"encoding":"hex"`), body(pairs.ReplaceAllString(hexed, `\x$0`), `,"encoding":"hex"`),
		body(pairs.ReplaceAllString(hexed, `$0,`), `,"encoding":"hex"`),
		body(pairs.ReplaceAllString(hexed, `0x$0, `), `,"encoding":"hex"`),
		`{"request":{"postData":{"mimeType":"multipart/form-data; boundary=XX","text":` + encodeString(part) + `}}}`,
		`{"request":{"queryString":[["password","s3cr3tw0rd"]]}}`,
		`{"request":{"headers":[["Authorization","Bearer s3cr3tw0rd"]]}}`,
		body(inBase64(rawDeflated(login)), `,"encoding":"base64"`),
	} {
		var entry map[string]any
		if err := json.Unmarshal([]byte(in), &entry); err != nil {
			t.Fatal(in, err)
		}
		c := redact.Counts{}
		r.Entry(entry, c)
		out := encode(t, entry)
		if again := readings(out) + readings(regexp.MustCompile(`0x|[\\]+x|, ?`).
			ReplaceAllString(out, "")); c.Total() == 0 ||
			strings.Contains(again, "s3cr3tw0rd") {
			t.Errorf("%v\n%s\n%s", c, in, out)
		}
	}
}

func rawDeflated(s string) string {
	zipped := deflated(s)
	return zipped[2 : len(zipped)-4]
}

// TestCutHarmlessBodies come back as they were.
func TestCutHarmlessBodies(t *testing.T) {
	r := redactor(t, redact.Rules{})
	image := inBase64("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR password=s3cr3tw0rd")
	for _, text := range []string{inBase64("just words, and more of them") + "…",
		image[:40] + "…", inHex("just words"), "no base64 at all: just words",
		inBase64(deflated("just words")), inBase64(inUTF16("just words")),
		"data:text/plain;base64," + inBase64("just words"), "x^y"} {
		entry := map[string]any{"response": map[string]any{"content": map[string]any{"mimeType": "image/png",
			"encoding": "base64", "text": text}}}
		want, c := encode(t, entry), redact.Counts{}
		if r.Entry(entry, c); encode(t, entry) != want || c.Total() > 0 {
			t.Errorf("%v\n%s\n%s", c, want, encode(t, entry))
		}
	}
}

func unescaped(s string) string {
	out, _ := url.QueryUnescape(s)
	return s + out
}

// TestDataURLs: a secret in a data URL is removed wherever the URL is.
func TestDataURLs(t *testing.T) {
	r := redactor(t, redact.Rules{})
	jwt := "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	address := "data:application/json;charset=utf-8;base64," + inBase64(login)
	for name, out := range map[string]string{
		"text":        r.Text("//# sourceMappingURL="+address+" in a log", nil),
		"cut":         r.Text("<script src='"+address[:len(address)-25]+"…'>", nil),
		"URL":         r.URL(address, nil),
		"escaped URL": r.URL(strings.ReplaceAll(address, "=", "%3D"), nil),
		"JSON":        r.Body("", `{"node":{"attributes":{"src":`+encodeString(address)+`}}}`, nil),
		"nested":      r.Text("data:text/html;base64,"+inBase64("<img src='"+address+"'>"), nil),
		"SVG":         r.Text("data:image/svg+xml;base64,"+inBase64("<svg><!-- password=s3cr3tw0rd --></svg>"), nil),
		"not encoded": r.Text("data:text/plain,password=s3cr3tw0rd", nil),
		"escaped":     r.Text("data:application/json,%7B%22password%22:%22s3cr3tw0rd%22%7D", nil),
		"all escaped": unescaped(r.Text("see data:application/json,"+url.QueryEscape(login)+" in a log", nil)),
		"no type":     r.Text("data:;base64,"+inBase64("password=s3cr3tw0rd"), nil),
		"bytes":       r.Text("data:application/octet-stream;base64,"+inBase64("password=s3cr3tw0rd"), nil),
		"URL alphabet": r.Text("data:application/json;base64,"+base64.RawURLEncoding.EncodeToString([]byte(login)),
			nil),
		"a token, encoded": strings.ReplaceAll(r.Text("token in base64: "+inBase64(jwt)+" was sent", nil),
			inBase64(jwt)[40:80], "s3cr3tw0rd"),
	} {
		if strings.Contains(readings(out), "s3cr3tw0rd") || !strings.Contains(strings.ToLower(out), "redacted") {
			t.Errorf("%s: %s", name, out)
		}
	}
	for _, in := range []string{"data:text/plain;base64," + inBase64("just words"),
		"data:image/png;base64,iVBORw0KGgo= and text", "data:,just words", "the data: a, b", "ZXlKanVzdCB3b3Jkcw=="} {
		if out := r.Text(in, nil); out != in {
			t.Errorf("%s became %s", in, out)
		}
	}
}
