package deliver

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/safehttp"
	"bugslice/internal/tracker"
)

func sender(t *testing.T, allow ...string) *Sender {
	t.Helper()
	p, err := safehttp.NewPolicy(allow)
	if err != nil {
		t.Fatal(err)
	}
	return NewSender(p, "test", slog.New(slog.DiscardHandler))
}

// TestResponseBodies: 4 KiB of the text of a response are stored, and only from a public address.
func TestResponseBodies(t *testing.T) {
	body := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))
	defer s.Close()
	for name, c := range map[string]struct {
		body   string
		public bool
		want   string
	}{
		"private":    {"inside", false, ""},
		"public":     {"thank you", true, "thank you"},
		"long":       {strings.Repeat("x", 10_000), true, strings.Repeat("x", 4096)},
		"characters": {strings.Repeat("ü", 3000) + "x", true, strings.Repeat("ü", 2048)},
		"cut":        {"x" + strings.Repeat("ü", 3000), true, "x" + strings.Repeat("ü", 2047)},
		"binary":     {"\x00\x01\xff", true, ""},
		"not UTF-8":  {"a\xffb", true, ""},
	} {
		body = c.body
		sd := sender(t, "127.0.0.1")
		sd.public = func(netip.Addr) bool { return c.public }
		sent := sd.Send(t.Context(), tracker.Message{URL: s.URL, ID: "evt_1", At: time.Now(), Body: []byte("{}")})
		got := ""
		if sent.ResponseBody != nil {
			got = *sent.ResponseBody
		}
		if got != c.want || sent.Error != nil {
			t.Errorf("%s: %q %v", name, got, sent.Error)
		}
	}
}

// TestLongResponse: a tracker reads the whole answer of a chat, also when it is longer than what is stored of it.
func TestLongResponse(t *testing.T) {
	body := `{"embeds":["` + strings.Repeat("\\u00fc", 8000) + `"],"id":"1"}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))
	defer s.Close()
	sd := sender(t, "127.0.0.1")
	sd.public = func(netip.Addr) bool { return true }
	sent := sd.Send(t.Context(), tracker.Message{URL: s.URL, ID: "evt_1", At: time.Now(), Body: []byte("{}")})
	assert.Equal(t, "the answer", string(sent.Response), body)
	assert.Equal(t, "what is stored", *sent.ResponseBody, body[:4096])
}

// TestCompressedResponse: a response is not asked for compressed, and what its body is does not change its status.
func TestCompressedResponse(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("asked for %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		fmt.Fprint(w, "no gzip")
	}))
	defer s.Close()
	sent := sender(t, "127.0.0.1").Send(t.Context(),
		tracker.Message{URL: s.URL, ID: "evt_1", At: time.Now(), Body: []byte("{}")})
	if sent.Error != nil || sent.Status == nil || *sent.Status != 200 {
		t.Errorf("%+v", sent.Attempt)
	}
}

// TestLocalAddressesAreNotPublic: no address of this machine is public.
func TestLocalAddressesAreNotPublic(t *testing.T) {
	p := sender(t, "127.0.0.1").policy
	for text, want := range map[string]bool{"127.0.0.1": false, "::1": false,
		"10.1.2.3": false, "169.254.169.254": false, "::ffff:127.0.0.1": false,
		"93.184.216.34": true, "2606:2800:21f:cb07:6820:80da:af6b:8b2c": true} {
		if got := p.Public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestRetryAfter: how long no message is sent to a receiver.
func TestRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		status    int
		after     string
		low, high time.Duration
	}{
		"server error":    {500, "", 0, 0},
		"too many":        {429, "", time.Minute, time.Minute},
		"bad gateway":     {502, "", time.Minute, time.Minute},
		"gateway timeout": {504, "", time.Minute, time.Minute},
		"seconds":         {503, "7", 7 * time.Second, 7 * time.Second},
		"nothing":         {429, "0", 0, 0},
		"a day":           {429, "86400", time.Hour, time.Hour},
		"a date": {429, time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat), 15 * time.Second,
			20 * time.Second},
		"a past date": {429, "Mon, 02 Jan 2006 15:04:05 GMT", 0, 0},
		"nonsense":    {429, "soon", time.Minute, time.Minute},
		"negative":    {429, "-5", time.Minute, time.Minute},
	} {
		got := retryAfter(&http.Response{StatusCode: c.status, Header: http.Header{"Retry-After": {c.after}}})
		if got < c.low || got > c.high {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestFormsOfAddresses: a message arrives at the path and query of each accepted form of an address, also of one that
// a former version has stored as it was typed.
func TestFormsOfAddresses(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked = append(asked,
			r.Host+r.RequestURI)
	}))
	defer s.Close()
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	sender := sender(t, "127.0.0.1", "localhost")
	for raw, want := range map[string]string{
		"http://127.0.0.1:%s/my hook?a=b c": "127.0.0.1:%s/my%%20hook?a=b%%20c",
		" http://127.0.0.1:%s/größe?q=é\n":  "127.0.0.1:%s/gr%%C3%%B6%%C3%%9Fe?q=%%C3%%A9",
		"http://127.0.0.1:%s/a%%2Fü":        "127.0.0.1:%s/a%%2F%%C3%%BC",
		"HTTP://ＬＯＣＡＬＨＯＳＴ:%s/日本":            "localhost:%s/%%E6%%97%%A5%%E6%%9C%%AC",
		"http://127.0.0.1:%s":               "127.0.0.1:%s/",
		"http://127.0.0.1:%s/x#part":        "127.0.0.1:%s/x", "http://127.0.0.1:%s/?a=b#": "127.0.0.1:%s/?a=b",
	} {
		raw, want = fmt.Sprintf(raw, port), fmt.Sprintf(want, port)
		address, err := sender.Address(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, url := range []string{address, raw} {
			asked = nil
			sent := sender.Send(t.Context(), tracker.Message{URL: url, ID: "evt_1", At: time.Now(), Body: []byte("{}")})
			assert.Equal(t, url+": error", sent.Error, (*api.AttemptError)(nil))
			assert.Equal(t, url, asked, []string{want})
		}
		if stored := "http://" + want; address != stored && address+"/" != stored {
			t.Errorf("%q is stored as %q, and %q is asked", raw, address, stored)
		}
	}
}

// TestRefusalsSayWhoMayAllow: a refusal of an address that the operator may allow says how, and another one does not.
func TestRefusalsSayWhoMayAllow(t *testing.T) {
	for raw, want := range map[string]string{
		"http://127.0.0.1:9000/hook": "--webhook-allow 127.0.0.1", "https://10.1.2.3/": "--webhook-allow 10.1.2.3",
		"http://hooks.internal/": "--webhook-allow hooks.internal", "ftp://127.0.0.1/": "", "https://me:pw@127.0.0.1/": "",
		"https://hooks.example.com:8443/": "--webhook-allow hooks.example.com", "not a URL": "",
	} {
		_, err := sender(t).Address(raw)
		if err == nil {
			t.Fatalf("%s is not refused", raw)
		}
		if text := err.Error(); !strings.HasSuffix(text, want) || want == "" && strings.Contains(text, "operator") {
			t.Errorf("%s is refused with %q, want %q at its end", raw, text, want)
		}
	}
}

// TestRefusedAtSending: an address that is no longer allowed is not dialled, even if the webhook was created when it
// was; faults of TLS have a code of their own.
func TestRefusedAtSending(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("reached") }))
	defer plain.Close()
	secure := httptest.NewTLSServer(plain.Config.Handler)
	defer secure.Close()
	for name, c := range map[string]struct {
		sender *Sender
		url    string
		want   api.AttemptError
	}{
		"not allowed": {sender(t), plain.URL, api.AttemptAddress},
		"by name":     {sender(t), "https://localhost/", api.AttemptAddress},
		"unknown CA":  {sender(t, "127.0.0.1"), secure.URL, api.AttemptTLS},
		"not TLS":     {sender(t, "127.0.0.1"), strings.Replace(plain.URL, "http:", "https:", 1), api.AttemptTLS},
		"no name":     {sender(t), "https://nobody.invalid/", api.AttemptAddress},
	} {
		sent := c.sender.Send(t.Context(), tracker.Message{URL: c.url, ID: "evt_1", At: time.Now(), Body: []byte("{}")})
		assert.Equal(t, name+": error", sent.Error, &c.want)
		assert.Equal(t, name+": status", sent.Status, (*int64)(nil))
	}
}

// TestInternalNamesLookUnknown: an attempt has the same result and duration for a name with an internal address and
// for one without an address. The log tells them apart.
func TestInternalNamesLookUnknown(t *testing.T) {
	was := net.DefaultResolver
	defer func() { net.DefaultResolver = was }()
	net.DefaultResolver = nameServer(t, map[string][4]byte{"inside.example.": {10, 1, 2, 3},
		"here.example.": {127, 0, 0, 1}})
	var work sync.WaitGroup
	for _, host := range []string{"inside.example", "here.example", "nobody.example"} {
		work.Go(func() {
			var log bytes.Buffer
			s := sender(t)
			s.log = slog.New(slog.NewJSONHandler(&log, nil))
			began := time.Now()
			sent := s.Send(t.Context(), tracker.Message{URL: "https://" + host + "/secret-path",
				ID: "evt_1", At: began, Body: []byte("{}")})
			if took := time.Since(began); took < addressDelay || took > addressDelay+addressDelay/2 {
				t.Errorf("%s took %v, want %v", host, took, addressDelay)
			}
			want := sent
			refused := api.AttemptAddress
			want.Error, want.DurationMs, want.Status, want.RetryAfter, want.ResponseBody = &refused, 0, nil, 0, nil
			assert.Equal(t, host, sent, want)
			assert.Contains(t, "the log", log.String(), host)
			assert.NotContains(t, "the log", log.String(), "secret-path")
			assert.Equal(t, "the log tells that there is no such host",
				strings.Contains(log.String(), "no such host"), host == "nobody.example")
		})
	}
	work.Wait()
}

// nameServer returns a resolver that knows some names, and that there are no others.
func nameServer(t *testing.T, known map[string][4]byte) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		query := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(query)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(resolved(query[:n], known), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// resolved answers a DNS query (RFC 1035, section 4) for one name.
func resolved(query []byte, known map[string][4]byte) []byte {
	const header, typeA = 12, 1
	name, at := "", header
	for query[at] > 0 {
		name += string(query[at+1:at+1+int(query[at])]) + "."
		at += 1 + int(query[at])
	}
	end := at + 5
	address, found := known[name]
	answer := slices.Clone(query[:end])
	binary.BigEndian.PutUint16(answer[2:], 0x8180) // a response, recursion available
	binary.BigEndian.PutUint16(answer[10:], 0)     // no additional records
	switch {
	case !found:
		answer[3] |= 3 // no such name
	case binary.BigEndian.Uint16(query[at+1:]) == typeA:
		binary.BigEndian.PutUint16(answer[6:], 1)
		answer = append(answer, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4)
		answer = append(answer, address[:]...)
	}
	return answer
}
