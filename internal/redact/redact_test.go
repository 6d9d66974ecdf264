package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"bugslice/internal/redact"
)

type sample struct {
	name, entry, arg, text string
	secrets                []string
}

func samples(t testing.TB, file string) []sample {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	for _, f := range archive.Files {
		s := sample{name: f.Name}
		s.entry, _, _ = strings.Cut(f.Name, "/")
		head, text, ok := strings.Cut("\n"+string(f.Data), "\n---\n")
		if !ok {
			t.Fatalf("%s: no line of dashes", f.Name)
		}
		s.text = strings.TrimSuffix(text, "\n")
		if strings.HasSuffix(f.Name, "Windows lines") || strings.Contains(f.Name, "multipart") {
			s.text = strings.ReplaceAll(s.text, "\n", "\r\n")
		}
		for line := range strings.Lines(head) {
			switch key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); key {
			case "arg":
				s.arg = value
			case "secret":
				s.secrets = append(s.secrets, value)
			case "":
			default:
				t.Fatalf("%s: %q", f.Name, line)
			}
		}
		all = append(all, s)
	}
	return all
}

// look redacts a sample by the function that it names.
func look(t testing.TB, r *redact.Redactor, s sample, text string, c redact.Counts) string {
	t.Helper()
	switch s.entry {
	case "text":
		return r.Text(text, c)
	case "url":
		return r.URL(text, c)
	case "header":
		return r.Header(s.arg, text, c)
	case "body":
		return r.Body(s.arg, text, c)
	case "value", "har":
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if s.entry == "har" {
			r.HAR(v.(map[string]any), c)
		} else {
			v = r.Value(v, c)
		}
		return encode(t, v)
	}
	t.Fatalf("no function for %s", s.entry)
	return ""
}

func encode(t testing.TB, v any) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func redactor(t testing.TB, rules redact.Rules) *redact.Redactor {
	t.Helper()
	r, err := redact.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// survives says which form of a secret, or which half of a long one, is in a text.
func survives(secret, text string) string {
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(encodeString(secret), `"`)}
	if len(secret) >= 12 {
		forms = append(forms, secret[:len(secret)/2], secret[len(secret)/2:])
	}
	for shift := range 3 { // in base64, wherever it begins
		if whole := (len(secret) - shift) / 3 * 3; whole >= 6 {
			forms = append(forms, base64.RawStdEncoding.EncodeToString([]byte(secret[shift:shift+whole])))
		}
	}
	for _, form := range forms {
		if strings.Contains(text, form) {
			return form
		}
	}
	return ""
}

func encodeString(s string) string {
	out, _ := json.Marshal(s)
	return string(out)
}

// TestLeaks: every sample of a secret is removed.
func TestLeaks(t *testing.T) {
	r := redactor(t, redact.Rules{})
	all := samples(t, "testdata/leaks.txtar")
	if len(all) < 70 {
		t.Errorf("only %d samples", len(all))
	}
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			c := redact.Counts{}
			out := look(t, r, s, s.text, c)
			if len(s.secrets) == 0 || c.Total() == 0 {
				t.Errorf("%d secrets named, %v counted", len(s.secrets), c)
			}
			for _, secret := range s.secrets {
				if form := survives(secret, out); form != "" {
					t.Errorf("%s is left in\n%s", form, out)
				}
			}
			again := redact.Counts{}
			if twice := look(t, r, s, out, again); twice != out || again.Total() > 0 {
				t.Errorf("a second time %v:\n%s\n%s", again, out, twice)
			}
			t.Logf("%v\n%s", c, out)
		})
	}
}

// TestHarmless: samples without secrets are returned unchanged.
func TestHarmless(t *testing.T) {
	r := redactor(t, redact.Rules{})
	all := samples(t, "testdata/harmless.txtar")
	if len(all) < 70 {
		t.Errorf("only %d samples", len(all))
	}
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			c := redact.Counts{}
			out := look(t, r, s, s.text, c)
			want := s.text
			if s.entry == "value" || s.entry == "har" {
				var v any
				if err := json.Unmarshal([]byte(want), &v); err != nil {
					t.Fatal(err)
				}
				want = encode(t, v)
			}
			if out != want || len(c) > 0 {
				t.Errorf("%v\n%s\n%s", c, want, out)
			}
		})
	}
}

// TestReaderRedactsLikeText: the reader returns what Text returns, with reads of any size.
func TestReaderRedactsLikeText(t *testing.T) {
	r := redactor(t, redact.Rules{})
	for _, file := range []string{"testdata/leaks.txtar", "testdata/harmless.txtar"} {
		for _, s := range samples(t, file) {
			if s.entry != "text" || strings.Contains(s.name, "Kubernetes secret") { // whose data come before the kind
				continue
			}
			text, read := redact.Counts{}, redact.Counts{}
			want := r.Text(s.text, text)
			out, err := io.ReadAll(r.Reader(strings.NewReader(s.text), read))
			if err != nil || string(out) != want || !reflect.DeepEqual(text, read) {
				t.Errorf("%s: %v %v %v\n%s\n%s", s.name, err, text, read, want, out)
			}
		}
	}
}

// TestWrittenKeys: a private key is removed from one text, too, however its lines are colored, quoted or marked.
func TestWrittenKeys(t *testing.T) {
	r := redactor(t, redact.Rules{})
	const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"
	for in, want := range map[string]string{
		"\x1b[32m-----BEGIN PRIVATE KEY-----\x1b[0m\n\x1b[32m" + body +
			"\x1b[0m\n\x1b[32mab==\x1b[m\n\x1b[32m-----END PRIVATE KEY-----\x1b[0m\nafter": "\x1b[32m[redacted:private_key]" +
			"\x1b[0m\nafter",
		"12:00 \x1b[32m-----BEGIN PRIVATE KEY-----\x1b[0m\n12:00 \x1b[32m" +
			body + "\x1b[0m\n12:00 \x1b[32mab==\x1b[0m\n12:00 -----END PRIVATE KEY-----\nafter": "12:00 " +
			"\x1b[32m[redacted:private_key]\nafter",
		"----- BEGIN RSA PRIVATE KEY -----\n" + body +
			"\nab==\n----- END RSA PRIVATE KEY -----\nafter": "[redacted:private_key]\nafter",
		"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n" + body +
			"\n---- END SSH2 ENCRYPTED PRIVATE KEY ----": "[redacted:private_key]",
		"----- BEGIN CERTIFICATE -----\n" + body: "----- BEGIN CERTIFICATE -----\n" + body,
		"BEGIN PRIVATE KEY\n" + body:             "BEGIN PRIVATE KEY\n" + body,
	} {
		if out := r.Text(in, nil); out != want {
			t.Errorf("%q became %q", in, out)
		}
	}
}
