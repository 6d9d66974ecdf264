package redact_test

import (
	"strings"
	"testing"

	"bugslice/internal/redact"
)

// TestPublicKeys: the public key of a source is left whole under every name, and what stands beside it is not. No other key of
// this service is, nor a text that only begins as one.
func TestPublicKeys(t *testing.T) {
	r := redactor(t, redact.Rules{})
	const random = "4nS7cVq0RkT2yWbD9xLmZ1pAeHu6gJ3wPd2K"
	const key = "svc_pub_" + random
	forms := []string{`<script async src="https://b.example/capture/v1.js" data-key="%"></script>`, `{"data-key":"%"}`, `{"apiKey":"%"}`,
		`{"token":"%","name":"Shop"}`, `api_key=%`, `api_key: %`, `start({ key: "%" })`, `const apiKey = '%';`, `saw % there`,
		`X-Api-Key: %`, `https://shop.example.com/x?key=%&page=2`, `{"body":"{\"secret\":\"%\"}"}`}
	for _, form := range forms {
		in, c := strings.ReplaceAll(form, "%", key), redact.Counts{}
		if out := r.Text(in, c); out != in || len(c.ByKind()) != 0 {
			t.Errorf("%s\nbecomes %s %v", in, out, c.ByKind())
		}
		for _, other := range []string{"svc_pat_" + random, "svc_wst_" + random, "svc_sgn_" + random + random[:13],
			"svc_pub_" + random + "x9Q"} {
			if form == forms[8] && strings.HasPrefix(other, "svc_pub_") {
				continue // without a name it is a word
			}
			in := strings.ReplaceAll(form, "%", other)
			if out := r.Text(in, redact.Counts{}); strings.Contains(out, other) {
				t.Errorf("%s is kept", in)
			}
		}
	}
	for in, want := range map[string]string{
		`data-key="` + key + `" data-token="hunter2xyz9"`: `data-key="` + key + `" data-token="[redacted:field]"`,
		`{"key":"` + key + `","password":"hunter2"}`:      `{"key":"` + key + `","password":"[redacted:field]"}`,
		`{"password":"` + key + ` hunter2"}`:              `{"password":"[redacted:field]"}`,
	} {
		if out := r.Text(in, redact.Counts{}); out != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, out, want)
		}
	}
	const at = "https://a.example/x?key=" + key
	if out := r.URL(at+"&token=hunter2x", redact.Counts{}); out != at+"&token=REDACTED" {
		t.Errorf("the URL becomes %s", out)
	}
}
