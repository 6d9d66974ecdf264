package safehttp

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"
)

func policy(t testing.TB, allow ...string) *Policy {
	t.Helper()
	p, err := NewPolicy(allow)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func check(p *Policy, raw string) error {
	_, err := p.Address(raw)
	return err
}

// hostile are URLs that must never be asked.
var hostile = []string{
	"http://example.com/", "ftp://example.com/", "file:///etc/passwd",
	"gopher://example.com/", "https:example.com", "//example.com", "/path", "", "https://",
	"https://127.0.0.1/", "https://127.1/", "https://127.8.8.8/", "https://2130706433/",
	"https://0x7f000001/", "https://0x7f.1/", "https://0177.0.0.1/", "https://017700000001/",
	"https://0/", "https://0.0.0.0/", "https://10.0.0.1/", "https://172.16.0.1/",
	"https://192.168.1.1/", "https://100.64.0.1/", "https://169.254.169.254/latest/meta-data/",
	"https://198.18.0.1/", "https://224.0.0.1/", "https://255.255.255.255/", "https://192.0.2.1/",
	"https://[::1]/", "https://[::]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/",
	"https://[::ffff:169.254.169.254]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
	"https://[2001:0:7f00:1::]/", "https://[fe80::1]/", "https://[fe80::1%25eth0]/",
	"https://[fc00::1]/", "https://[fd00:ec2::254]/", "https://[ff02::1]/",
	"https://localhost/", "https://LOCALHOST/", "https://localhost./",
	"https://foo.localhost/", "https://metadata.google.internal/", "https://printer.local/", "https://intranet/",
	"https://db.corp/",
	"https://user:pw@example.com/", "https://example.com@127.0.0.1/", "https://127.0.0.1#@example.com/",
	"https://example.com:22/", "https://example.com:8443/", "https://example.com:0/", "https://example.com:99999/",
	"https://127。0。0。1/", "https://①②⑦.0.0.1/", "https://exa mple.com/",
	"https://example.com%00.evil/", "https://127.0.0.1\\@example.com/", "https://\n127.0.0.1/",
}

func TestHostileURLs(t *testing.T) {
	p := policy(t)
	for _, u := range hostile {
		if err := check(p, u); !errors.Is(err, ErrNotAllowed) {
			t.Errorf("%q is allowed: %v", u, err)
		}
	}
	for _, u := range []string{"https://example.com/", "https://example.com:443/hook?x=1",
		"https://sub.example.co.uk/", "https://xn--bcher-kva.example/",
		"https://93.184.215.14/", "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/", "https://example.com./"} {
		if err := check(p, u); err != nil {
			t.Errorf("%q: %v", u, err)
		}
	}
	t.Logf("%d hostile URLs", len(hostile))
}

// TestAddresses: an address is stored in the form in which it is dialled, or refused with the reason.
func TestAddresses(t *testing.T) {
	p := policy(t, "bücher.internal")
	for raw, want := range map[string]string{
		"https://example.com": "https://example.com", "  https://example.com/a\n": "https://example.com/a",
		"HTTPS://Example.COM/A":                         "https://example.com/A",
		"https://example.com/my hook?a=b c":             "https://example.com/my%20hook?a=b%20c",
		"https://example.com/größe/日本?q=é&x=1+2":        "https://example.com/gr%C3%B6%C3%9Fe/%E6%97%A5%E6%9C%AC?q=%C3%A9&x=1+2",
		"https://example.com/a%2Fü%20":                  "https://example.com/a%2F%C3%BC%20",
		"https://bücher.example/":                       "https://xn--bcher-kva.example/",
		"https://BÜCHER.example:0443":                   "https://xn--bcher-kva.example:443",
		"https://例え.テスト/x":                              "https://xn--r8jz45g.xn--zckzah/x",
		"https://faß.example/":                          "https://xn--fa-hia.example/",
		"https://example.com:/":                         "https://example.com/",
		"https://example.com?ü":                         "https://example.com?%C3%BC",
		"https://ｅｘａｍｐｌｅ.com/":                          "https://example.com/",
		"https://example.com/{id}|<x>\"^`":              "https://example.com/%7Bid%7D%7C%3Cx%3E%22%5E%60",
		"https://example.com/a/../b//c;d=1,2!$'()*@:[]": "https://example.com/a/../b//c;d=1,2!$'()*@:[]",
		"http://bücher.internal:8080/":                  "http://xn--bcher-kva.internal:8080/",
		"https://example.com/a\u200bb\u202e":            "https://example.com/a%E2%80%8Bb%E2%80%AE",
		"https://example.com/?q=%zz":                    "https://example.com/?q=%zz",
	} {
		if got, err := p.Address(raw); err != nil || got != want {
			t.Errorf("%q becomes %q, and not %q: %v", raw, got, want, err)
		}
		if got, err := p.Address(want); err != nil || got != want {
			t.Errorf("%q becomes %q: %v", want, got, err)
		}
	}
	for raw, reason := range map[string]string{
		"https://example.com/a\tb": "control character", "https://example.com/\nX-Header: 1": "control character",
		"https://example.com/\u0085": "control character", "https://example.com/\x00": "control character",
		"https://example.com\\evil": "backslash", "https://u:p@example.com/": "user name",
		"https://us er@example.com/": "no absolute", "https://exa mple.com/": "no absolute",
		"https://example.com/100%": "percent sign", "https://-ü-.example/": "host name",
		"https://１２７.０.０.１/": "not public", "https://ⓛocalhost/": "private network",
		"example.com/x": "no absolute", "javascript:alert(1)": "no absolute",
		"https://" + strings.Repeat("ü", 400) + ".example/": "host name",
		"https://example.com/" + strings.Repeat("ü", 400):   "2,000 characters",
		"https://example.com/\xff":                          "UTF-8", "https://ex\u202eample.com/": "host name",
	} {
		got, err := p.Address(raw)
		if !errors.Is(err, ErrNotAllowed) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q becomes %q, %v; want %s", raw, got, err, reason)
		}
	}
}

// TestDiallerRefuses: the dialler refuses addresses that are not allowed, also of URLs that the check of the text has
// accepted.
func TestDiallerRefuses(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the server was reached") }))
	defer s.Close()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := policy(t).Client(2 * time.Second)
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "[::1]"} {
		res, err := c.Get("http://" + host + ":" + u.Port() + "/")
		if err == nil {
			_ = res.Body.Close()
			t.Errorf("%s was reached", host)
		} else if !errors.Is(err, ErrNotAllowed) && !strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// A public address that is this machine's own is refused too.
func TestOwnAddress(t *testing.T) {
	p := policy(t)
	p.localAddresses = func() ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil }
	if err := check(p, "https://93.184.215.14/"); !errors.Is(err, ErrNotAllowed) {
		t.Errorf("own address: %v", err)
	}
	if err := p.control("tcp4", "93.184.215.14:443", nil); !errors.Is(err, ErrNotAllowed) {
		t.Errorf("own address when dialled: %v", err)
	}
	if err := p.control("tcp4", "93.184.215.15:443", nil); err != nil {
		t.Errorf("its neighbour: %v", err)
	}
	if err := p.control("tcp4", "93.184.215.15:22", nil); !errors.Is(err, ErrNotAllowed) {
		t.Errorf("another port: %v", err)
	}
}

// TestUnknownOwnAddresses: no address is allowed while the addresses of this machine cannot be read.
func TestUnknownOwnAddresses(t *testing.T) {
	p := policy(t)
	p.localAddresses = func() ([]netip.Addr, error) { return nil, syscall.EAFNOSUPPORT }
	for _, err := range []error{check(p, "https://93.184.215.15/"), p.control("tcp4", "93.184.215.15:443", nil)} {
		if !errors.Is(err, ErrNotAllowed) || !errors.Is(err, syscall.EAFNOSUPPORT) {
			t.Errorf("the error is %v, want a refusal with its cause", err)
		}
	}
	if p.Public(netip.MustParseAddr("93.184.215.15")) {
		t.Error("an address that may be of this machine is public")
	}
}

func TestAllowedOnPurpose(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "here")
	}))
	defer s.Close()
	for _, allow := range []string{"127.0.0.0/8", "127.0.0.1"} {
		p := policy(t, allow)
		if err := check(p, s.URL); err != nil {
			t.Errorf("%s: %v", allow, err)
		}
		res, err := p.Client(2 * time.Second).Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		res, err = p.Client(2 * time.Second).Get(s.URL + "/away")
		if err != nil || res.StatusCode != http.StatusFound {
			t.Fatalf("a redirect was followed: %v", err)
		}
		_ = res.Body.Close()
		if err := check(p, "https://10.0.0.1/"); !errors.Is(err, ErrNotAllowed) {
			t.Errorf("%s opens other addresses too: %v", allow, err)
		}
	}
	named := policy(t, "localhost", "Hooks.Example.internal")
	for _, u := range []string{"http://localhost:8080/", "http://hooks.example.INTERNAL:9999/"} {
		if err := check(named, u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	if err := check(named, "http://other.internal/"); !errors.Is(err, ErrNotAllowed) {
		t.Errorf("a name beside the named: %v", err)
	}
	for _, bad := range []string{"", "https://x", "a b", "10.0.0.0/99"} {
		if _, err := NewPolicy([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestNoProxy: no proxy of the environment is used: with a proxy, the dialler would see only its address.
func TestNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://192.0.2.7:3128")
	t.Setenv("HTTPS_PROXY", "http://192.0.2.7:3128")
	if policy(t).Client(time.Second).Transport.(*http.Transport).Proxy != nil {
		t.Error("a proxy may be asked")
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, u := range hostile {
		f.Add(u)
	}
	p := policy(f)
	f.Fuzz(func(t *testing.T, raw string) {
		address, err := p.Address(raw)
		if err != nil {
			return
		}
		if again, err := p.Address(address); err != nil || again != address {
			t.Errorf("%q becomes %q, and then %q: %v", raw, address, again, err)
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" {
			t.Fatalf("%q is allowed, which is no https:// address: %v", raw, err)
		}
		if u.User != nil || u.Port() != "" && u.Port() != "443" {
			t.Errorf("%q is allowed, with credentials or another port", raw)
		}
		if a, err := netip.ParseAddr(u.Hostname()); err == nil &&
			(a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified()) {
			t.Errorf("%q is allowed", raw)
		}
	})
}
