package redact_test

import (
	"slices"
	"strings"
	"testing"

	"bugslice/internal/redact"
	"bugslice/internal/token"
)

// TestPublicKeyStays: the key of a source stays in texts, elements, bodies and addresses, whatever its name is: it is an address. Another
// key, one with a wrong checksum, and what stands beside it go.
func TestPublicKeyStays(t *testing.T) {
	r := redactor(t, redact.Rules{})
	public, secret := token.New(token.Public), token.New(token.PAT)
	end := "a"
	if strings.HasSuffix(public, end) {
		end = "b"
	}
	wrong := public[:len(public)-1] + end
	for _, f := range slices.Concat(namedForms, aloneForms) {
		for _, name := range []string{"data-key", "key", "apiKey", "secret_key"} {
			if got := f.redact(r, name, public); f.name != "option" && !strings.Contains(got, public) {
				t.Errorf("%s of %s: %s", f.name, name, got)
			}
		}
		if got := f.redact(r, "apiKey", secret); strings.Contains(got, secret) {
			t.Errorf("%s: %s", f.name, got)
		}
	}
	for _, f := range namedForms {
		if got := f.redact(r, "apiKey", wrong); strings.Contains(got, wrong) {
			t.Errorf("%s with a wrong checksum: %s", f.name, got)
		}
	}
	text := `<script src="x.js" data-key="` + public + `" data-secret="` + secret + `"></script>`
	if got := r.Text(text, nil); !strings.Contains(got, public) || strings.Contains(got, secret) {
		t.Error(got)
	}
}
