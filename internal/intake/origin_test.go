package intake_test

import (
	"testing"

	"bugslice/internal/intake"
)

// TestOrigins: a page reports from an origin that is allowed, by its scheme, host and port.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		allowed, origin string
		want            bool
	}{
		{"https://shop.example.com", "https://shop.example.com", true},
		{"https://shop.example.com", "https://SHOP.example.com", true},
		{"https://shop.example.com:443", "https://shop.example.com", true},
		{"https://shop.example.com", "http://shop.example.com", false},
		{"https://shop.example.com", "https://shop.example.com:8443", false},
		{"https://shop.example.com", "https://shop.example.com.evil.example", false},
		{"https://shop.example.com", "https://evil.example/https://shop.example.com", false},
		{"https://shop.example.com", "https://shop.example.com@evil.example", false},
		{"http://localhost:3000", "http://localhost:3000", true},
		{"http://localhost:3000", "http://localhost:3001", false},
		{"https://*.example.com", "https://a.example.com", true},
		{"https://*.example.com", "https://a.b.example.com", true},
		{"https://*.example.com", "https://example.com", false},
		{"https://*.example.com", "https://evilexample.com", false},
		{"https://*.example.com", "https://*.example.com", false},
		{"https://*.example.com", "https://.example.com", false},
		{"https://*.example.com:8443", "https://a.example.com:8443", true},
		{"https://*.example.com:8443", "https://a.example.com", false},
		{"https://[::1]:8080", "https://[::1]:8080", true},
		{"https://shop.example.com", "null", false},
		{"https://shop.example.com", "", false},
		{"", "https://anything.example", true},
		{"", "null", false},
		{"", "", false},
		{"", "file://", false},
		{"", "chrome-extension://abc", false},
	} {
		var allowed []string
		if c.allowed != "" {
			allowed = []string{"https://first.example", c.allowed}
		}
		if got := intake.Allows(allowed, c.origin); got != c.want {
			t.Errorf("%q from %q: %t", c.allowed, c.origin, got)
		}
	}
}

// FuzzOrigins: an origin that one exact origin allows is that origin, up to the case of letters and the default port.
func FuzzOrigins(f *testing.F) {
	for _, origin := range []string{"https://shop.example.com", "https://shop.example.com:443", "http://[::1]",
		"null", "https://x#"} {
		f.Add(origin)
	}
	f.Fuzz(func(t *testing.T, origin string) {
		if intake.Allows([]string{"https://shop.example.com"}, origin) && !intake.Allows([]string{origin},
			"https://shop.example.com") {
			t.Errorf("%q is allowed", origin)
		}
	})
}
