package webhook

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// message returns the headers of a signed message.
func message(t testing.TB, id string, at time.Time, body string, secrets ...string) http.Header {
	t.Helper()
	signature, err := Sign(id, at, []byte(body), secrets...)
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	h.Set(HeaderID, id)
	h.Set(HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(HeaderSignature, signature)
	return h
}

// The example of the standard's own libraries.
func TestKnownSignature(t *testing.T) {
	got, err := Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0),
		[]byte(`{"test": 2432232314}`), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("%s %v", got, err)
	}
}

func TestVerify(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	secret, former := NewSecret(), NewSecret()
	verifier := func(secrets ...string) *Verifier {
		v, err := NewVerifier(secrets...)
		if err != nil {
			t.Fatal(err)
		}
		v.now = func() time.Time { return now }
		return v
	}
	with := func(name, value string) http.Header {
		h := message(t, "msg_1", now, "body", secret)
		h.Set(name, value)
		return h
	}
	good := message(t, "msg_1", now, "body", secret)
	for what, c := range map[string]struct {
		v    *Verifier
		h    http.Header
		body string
		want error
	}{
		"good": {verifier(secret), good, "body", nil},
		"five minutes old": {verifier(secret), message(t, "m", now.Add(-5*time.Minute), "body", secret), "body",
			nil},
		"rotated, both sent": {verifier(former), message(t, "m", now, "body", secret, former), "body", nil},
		"rotated, both kept": {verifier(secret, former), message(t, "m", now, "body", former), "body", nil},
		"unknown version beside": {verifier(secret), with(HeaderSignature, "v1a,xyz v2, "+good.Get(HeaderSignature)),
			"body", nil},
		"altered body":   {verifier(secret), good, "body2", ErrSignature},
		"another id":     {verifier(secret), with(HeaderID, "msg_2"), "body", ErrSignature},
		"another time":   {verifier(secret), with(HeaderTimestamp, "1800000001"), "body", ErrSignature},
		"another secret": {verifier(former), good, "body", ErrSignature},
		"another version": {verifier(secret),
			with(HeaderSignature, strings.Replace(good.Get(HeaderSignature), "v1,", "v2,", 1)),
			"body", ErrSignature},
		"no version": {verifier(secret), with(HeaderSignature, strings.TrimPrefix(good.Get(HeaderSignature), "v1,")),
			"body", ErrSignature},
		"too old": {verifier(secret), message(t, "m", now.Add(-5*time.Minute-time.Second), "body", secret),
			"body", ErrTimestamp},
		"from the future": {verifier(secret), message(t, "m", now.Add(5*time.Minute+time.Second), "body", secret),
			"body", ErrTimestamp},
		"no id":              {verifier(secret), with(HeaderID, ""), "body", ErrHeaders},
		"no signature":       {verifier(secret), with(HeaderSignature, ""), "body", ErrHeaders},
		"no number":          {verifier(secret), with(HeaderTimestamp, "now"), "body", ErrHeaders},
		"not as a number is": {verifier(secret), with(HeaderTimestamp, "+1800000000"), "body", ErrHeaders},
	} {
		if err := c.v.Verify(c.h, []byte(c.body)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
}

func TestSecrets(t *testing.T) {
	for _, bad := range []string{"", "whsec_", "whsec_c2hvcnQ=", "whsec_!!!", "whsec_" + strings.Repeat("A", 88)} {
		if _, err := NewVerifier(bad); !errors.Is(err, ErrSecret) {
			t.Errorf("%q: %v", bad, err)
		}
		if _, err := Sign("m", time.Now(), nil, bad); !errors.Is(err, ErrSecret) {
			t.Errorf("%q signs: %v", bad, err)
		}
	}
	if _, err := NewVerifier(); !errors.Is(err, ErrSecret) {
		t.Errorf("no secret at all: %v", err)
	}
	for _, id := range []string{"", "a.b", "a b"} {
		if _, err := Sign(id, time.Now(), nil, NewSecret()); !errors.Is(err, ErrHeaders) {
			t.Errorf("the id %q: %v", id, err)
		}
	}
}

// TestAlterationIsSeen: a message is verified unchanged, and refused in any altered form.
func TestAlterationIsSeen(t *testing.T) {
	secret := NewSecret()
	v, err := NewVerifier(secret)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		body := rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(r, "body")
		h := message(t, rapid.StringMatching(`[A-Za-z0-9_]{1,30}`).Draw(r, "id"), time.Now(), string(body), secret)
		if err := v.Verify(h, body); err != nil {
			r.Fatal(err)
		}
		altered := append([]byte{}, body...)
		altered[rapid.IntRange(0, len(body)-1).Draw(r, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(r, "bit")
		if err := v.Verify(h, altered); !errors.Is(err, ErrSignature) {
			r.Fatalf("altered, and %v", err)
		}
	})
}

func TestHandler(t *testing.T) {
	secret := NewSecret()
	v, err := NewVerifier(secret)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	h := v.Handler(func(_ *http.Request, id string, body []byte) error {
		if string(body) == "fail" {
			return errors.New("no")
		}
		got = append(got, id+" "+string(body))
		return nil
	})
	try := func(method, body string, headers http.Header) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(method, "/", strings.NewReader(body))
		r.Header = headers
		h.ServeHTTP(w, r)
		return w.Code
	}
	large := strings.Repeat("x", MaxBody+1)
	for what, c := range map[string][2]int{
		"good":      {try("POST", "body", message(t, "m1", time.Now(), "body", secret)), 204},
		"failing":   {try("POST", "fail", message(t, "m2", time.Now(), "fail", secret)), 500},
		"forged":    {try("POST", "body", message(t, "m3", time.Now(), "body", NewSecret())), 401},
		"unsigned":  {try("POST", "body", http.Header{}), 400},
		"too large": {try("POST", large, message(t, "m4", time.Now(), large, secret)), 413},
		"a GET":     {try("GET", "", http.Header{}), 405},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %d, want %d", what, c[0], c[1])
		}
	}
	if len(got) != 1 || got[0] != "m1 body" {
		t.Errorf("%v", got)
	}
}

// TestStandardLibraryVerifies: the standardwebhooks package of npm verifies our signatures, and refuses altered
// messages.
func TestStandardLibraryVerifies(t *testing.T) {
	secret := NewSecret()
	for body, want := range map[string]string{`{"type":"ping"}`: "verified", `{"type":"pong"}`: "refused"} {
		h := message(t, "evt_1", time.Now(), `{"type":"ping"}`, NewSecret(), secret)
		cmd := exec.Command("node", "../examples/receiver-node/verify.js",
			secret, h.Get(HeaderID), h.Get(HeaderTimestamp), h.Get(HeaderSignature))
		cmd.Stdin = strings.NewReader(body)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %v %s, want %s (make test installs node and standardwebhooks)", body, err, out, want)
		}
	}
}

func FuzzVerify(f *testing.F) {
	secret := NewSecret()
	v, err := NewVerifier(secret)
	if err != nil {
		f.Fatal(err)
	}
	now := strconv.FormatInt(time.Now().Unix(), 10)
	f.Add("m", now, "v1,", "body")
	f.Add("", "", " ", "")
	f.Fuzz(func(t *testing.T, id, timestamp, signature, body string) {
		h := http.Header{}
		h.Set(HeaderID, id)
		h.Set(HeaderTimestamp, timestamp)
		h.Set(HeaderSignature, signature)
		if v.Verify(h, []byte(body)) == nil {
			t.Errorf("verified: %q %q %q %q", id, timestamp, signature, body)
		}
	})
}
