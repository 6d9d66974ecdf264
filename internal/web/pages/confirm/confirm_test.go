package confirm

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// TestAsk: the form repeats the request with its query and fields, without passwords, and leads back to the page that
// it was made from, also after a wrong password.
func TestAsk(t *testing.T) {
	q := &page.Request{Request: httptest.NewRequest("POST", "/settings/keys?workspace=WEB&x=1", nil),
		Session: &page.Session{},
		IsPage:  func(path string) bool { return path == "/settings/keys/new" }}
	q.PostForm = url.Values{"name": {"CI"}, "password": {"wrong"}, "newPassword": {"secret"}}
	for from, back := range map[string]string{"/settings/keys/new?preset=ci": "/settings/keys/new?preset=ci",
		"/settings/keys/key_1/rotate": "/", "//evil.example/settings/keys/new": "/"} {
		d := Ask(q, from, api.ProofChoice{}, nil).Data.(data)
		if d.Action != "/settings/keys?workspace=WEB&x=1" || d.Back != back || len(d.Fields) != 1 ||
			d.Fields[0] != (field{"name", "CI"}) {
			t.Errorf("from %s: %+v", from, d)
		}
	}
	q.PostForm.Set("back", "/settings/keys/new?preset=ci")
	if d := Ask(q, "/settings/keys", api.ProofChoice{}, nil).Data.(data); d.Back != "/settings/keys/new?preset=ci" ||
		len(d.Fields) != 1 {
		t.Errorf("asked again: %+v", d)
	}
}
