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

// hostile are URLs that must never be asked.
var hostile = []string{
	"http://example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "https:example.com", "//example.com", "/path", "", "https://",
	"https://127.0.0.1/", "https://127.1/", "https://127.8.8.8/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://0177.0.0.1/", "https://017700000001/",
	"https://0/", "https://0.0.0.0/", "https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/", "https://100.64.0.1/", "https://169.254.169.254/latest/meta-data/",
	"https://198.18.0.1/", "https://224.0.0.1/", "https://255.255.255.255/", "https://192.0.2.1/",
	"https://[::1]/", "https://[::]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[::ffff:169.254.169.254]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
	"https://[2001:0:7f00:1::]/", "https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[fc00::1]/", "https://[fd00:ec2::254]/", "https://[ff02::1]/",
	"https://localhost/", "https://LOCALHOST/", "https://localhost./", "https://foo.localhost/", "https://metadata.google.internal/", "https://printer.local/", "https://intranet/", "https://db.corp/",
	"https://user:pw@example.com/", "https://example.com@127.0.0.1/", "https://127.0.0.1#@example.com/", "https://example.com:22/", "https://example.com:8443/", "https://example.com:0/", "https://example.com:99999/",
	"https://127。0。0。1/", "https://①②⑦.0.0.1/", "https://exa mple.com/", "https://example.com%00.evil/", "https://127.0.0.1\\@example.com/", "https://\n127.0.0.1/",
}

func TestHostileURLs(t *testing.T) {
	p := policy(t)
	for _, u := range hostile {
		if err := p.CheckURL(u); !errors.Is(err, ErrNotAllowed) {
			t.Errorf("%q is allowed: %v", u, err)
		}
	}
	for _, u := range []string{"https://example.com/", "https://example.com:443/hook?x=1", "https://sub.example.co.uk/", "https://xn--bcher-kva.example/", "https://93.184.215.14/", "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/", "https://example.com./"} {
		if err := p.CheckURL(u); err != nil {
			t.Errorf("%q: %v", u, err)
		}
	}
	t.Logf("%d hostile URLs", len(hostile))
}

// TestDiallerRefuses: the dialler refuses addresses that are not allowed, also of URLs that the check of the text has accepted.
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
	if err := p.CheckURL("https://93.184.215.14/"); !errors.Is(err, ErrNotAllowed) {
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
	for _, err := range []error{p.CheckURL("https://93.184.215.15/"), p.control("tcp4", "93.184.215.15:443", nil)} {
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
		if err := p.CheckURL(s.URL); err != nil {
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
		if err := p.CheckURL("https://10.0.0.1/"); !errors.Is(err, ErrNotAllowed) {
			t.Errorf("%s opens other addresses too: %v", allow, err)
		}
	}
	named := policy(t, "localhost", "Hooks.Example.internal")
	for _, u := range []string{"http://localhost:8080/", "http://hooks.example.INTERNAL:9999/"} {
		if err := named.CheckURL(u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	if err := named.CheckURL("http://other.internal/"); !errors.Is(err, ErrNotAllowed) {
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
		if p.CheckURL(raw) != nil {
			return
		}
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "https" {
			t.Fatalf("%q is allowed, which is no https:// address: %v", raw, err)
		}
		if u.User != nil || u.Port() != "" && u.Port() != "443" {
			t.Errorf("%q is allowed, with credentials or another port", raw)
		}
		if a, err := netip.ParseAddr(u.Hostname()); err == nil && (a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified()) {
			t.Errorf("%q is allowed", raw)
		}
	})
}
