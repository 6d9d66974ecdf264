package cause_test

import (
	"strings"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/ci/cause"
)

// TestNormal: what differs between runs and machines goes, and the rest stays.
func TestNormal(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"expected 3, got -2.5e+7", "expected <n>, got <n>"},
		{"basket at 0x2b97b5540908 has 2 lamps", "basket at <address> has <n> lamps"},
		{"no price for java.lang.Object@11fc564b", "no price for java.lang.Object<address>"},
		{"key not found: #<Object:0x00007fa640ad7530>", "key not found: #<Object:<address>>"},
		{"user 6f9619ff-8b86-d011-b42d-00cf4fc964ff is gone", "user <uuid> is gone"},
		{"commit 0b05c14d, and 1234567 more of the defaced facade", "commit <id>, and <n> more of the defaced facade"},
		{"timed out after 1m2.5s (limit 30 seconds, 5ms)", "timed out after <duration> (limit <duration>, <duration>)"},
		{"cannot connect to 127.0.0.1:40084 or [::1]:5432 or localhost:99",
			"cannot connect to <host> or <host> or localhost:<n>"},
		{"at 2026-11-26T09:43:04.123Z, 2026-11-26 09:45:20.900070035 +0000 UTC m=+0.000845017 and 2026-11-26",
			"at <time>, <time> and <time>"},
		{"at Thu, 26 Nov 2026 09:43:04 GMT or Nov 26, 2026 or Thu Nov 26 09:43:04 2026 or 11/26/26 09:43:52.433",
			"at <time> or <time> or <time> or <time> <time>"},
		{"open '/home/runner/work/shop/src/orders.json': no such file", "open '<path>orders.json': no such file"},
		{`in C:\Users\ci\shop\Basket.cs:line 12`, "in <path>Basket.cs:line <n>"},
		{"/tmp/pytest-of-root/pytest-1/test_fails0/order.json is missing", "<path>order.json is missing"},
		{"/tmp/shop/tmpab3x_9z is missing", "<path> is missing"},
		{"open src/shop/basket.js or ../shop/basket.js", "open src/shop/basket.js or ../shop/basket.js"},
		{"GET https://example.com/orders/17?x=1 failed", "GET https://example.com/orders/<n>?x=<n> failed"},
		{"</div> 1 / 2 / 3", "</div> <n> / <n> / <n>"},
		{"  two\n\n  lines\t", "two lines"},
		{"", ""},
	} {
		assert.Equal(t, c.text, cause.Normal(c.text), c.want)
	}
	long := cause.Normal(strings.Repeat("line 5ms\n", 10_000))
	assert.Equal(t, "a long text", long, strings.TrimSpace(strings.Repeat("line <duration> ", 20)))
}

// FuzzNormal: a normal text stays as it is, and it has no digits.
func FuzzNormal(f *testing.F) {
	for _, seed := range []string{"a 1 0x2 3ms /a/b/c.go:4 C:\\a\\b", "2026-11-26 09:45:20.9 +0000 UTC",
		"deadbeef1 1.2.3.4:5 [::1]:6", "May 5 1m2s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		normal := cause.Normal(text)
		if again := cause.Normal(normal); again != normal {
			t.Errorf("%q is normal as %q, and that as %q", text, normal, again)
		}
		if strings.ContainsAny(normal, "0123456789") {
			t.Errorf("%q is normal as %q, with digits", text, normal)
		}
	})
}
