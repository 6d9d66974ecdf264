package page

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"bugslice/api"
)

// TestCurl: the command for a new key needs no scope that the key lacks.
func TestCurl(t *testing.T) {
	workspace := "wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"
	for scope, path := range map[api.Scope]string{
		api.SlicesRead: "/v1/slices", api.WorkspacesRead: "/v1/workspaces", api.UserRead: "/v1/me",
		api.KeysManage:  "/v1/api-keys",
		api.SlicesWrite: "", api.SpacesRead: "/v1/workspaces/" + workspace + "/spaces", api.SlicesDelete: "",
	} {
		k := api.NewKey{Token: "svc_wst_x"}
		k.Scopes, k.WorkspaceID = []api.Scope{scope}, &workspace
		got := Curl("http://bugs.example", k)
		if path == "" && got != "" || path != "" && !strings.HasSuffix(got, path+"'") {
			t.Errorf("%s: %s", scope, got)
		}
	}
}

// TestBind: a form becomes the body of the operation, and its faults name the fields.
func TestBind(t *testing.T) {
	q := &Request{Request: httptest.NewRequest("POST", "/", nil)}
	q.SetPathValue("keyId", "key_01ja8m2c9tf3qb6h0v5r4x7kyz")
	v, err := Bind[api.RotateKey](q, url.Values{"gracePeriodSeconds": {"3600"}, "once": {"a"}, "other": {"x"}})
	if err != nil {
		t.Fatal(err)
	}
	in, err := v.Value(nil)
	if err != nil || in.KeyID != "key_01ja8m2c9tf3qb6h0v5r4x7kyz" || in.IdempotencyKey != "a" ||
		in.Body.GracePeriodSeconds != 3600 {
		t.Errorf("%+v, %v", in, err)
	}
	for _, text := range []string{"1h", "null", `"1"`, "[1]", "1 2"} {
		_, err := Bind[api.RotateKey](q, url.Values{"gracePeriodSeconds": {text}})
		if faults, ok := FaultsOf(err); !ok || faults["gracePeriodSeconds"].Code == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
	_, err = Bind[api.CreateKey](q, url.Values{"name": {"x"}, "type": {"pat"}, "scopes": {"slices:read", "none"}})
	if faults, ok := FaultsOf(err); !ok || faults["scopes"].Code == "" {
		t.Errorf("a scope that does not exist: %v", err)
	}
}

func TestStateOf(t *testing.T) {
	now := time.Now()
	at := func(d time.Duration) *api.Time { a := api.At(now.Add(d)); return &a }
	for _, c := range []struct {
		expires, former *api.Time
		want            KeyState
	}{
		{nil, nil, KeyActive}, {at(time.Hour * 24 * 30), nil, KeyActive},
		{at(time.Hour), nil, KeyExpiring}, {at(-time.Hour), at(time.Hour), KeyExpired},
		{nil, at(time.Hour), KeyGrace}, {nil, at(-time.Hour), KeyActive},
	} {
		var k api.Key
		k.ExpiresAt = c.expires
		if got := StateOf(k, KeyDetail{FormerUntil: c.former}, now); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0:00.000", -198 * time.Millisecond: "−0:00.198", 59*time.Minute + 59*time.Second +
			999*time.Millisecond: "59:59.999",
		9*time.Hour + 2*time.Minute + 3*time.Second + 4*time.Millisecond: "9:02:03.004",
		-99*time.Hour - time.Second:                                      "−99:00:01",
		100 * time.Hour:                                                  "4d", -60428 * time.Hour: "−2517d",
	} {
		if got := clock(d); got != want {
			t.Errorf("%v is shown as %q, and not as %q", d, got, want)
		}
	}
}
