package safehttp

import (
	"errors"
	"net/netip"
	"testing"
)

// registered are the rows of the IANA special-purpose address registries for IPv4 and IPv6, in their state of 2025,
// with multicast and the deprecated forms of local and IPv4-compatible addresses.
var registered = []string{
	"0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32", "192.0.0.170/32", "192.0.0.171/32",
	"192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.88.99.2/32", "192.168.0.0/16",
	"192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"255.255.255.255/32",

	"::1/128", "::/128", "::/96", "::ffff:0:0/104", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64",
	"2001::/23", "2001::/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32",
	"2001:4:112::/48", "2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32", "2002::/16",
	"2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
}

// last returns the last address of a prefix.
func last(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// TestSpecialAddresses: the first and the last address of each special prefix are refused, in the text of a URL and
// when they are dialled.
func TestSpecialAddresses(t *testing.T) {
	p := policy(t)
	for _, text := range registered {
		prefix := netip.MustParsePrefix(text)
		for _, a := range []netip.Addr{prefix.Addr(), last(prefix)} {
			target := netip.AddrPortFrom(a, 443).String()
			if err := check(p, "https://"+target+"/"); !errors.Is(err, ErrNotAllowed) {
				t.Errorf("%s of %s is allowed in a URL: %v", a, prefix, err)
			}
			if err := p.control("tcp6", target, nil); !errors.Is(err, ErrNotAllowed) {
				t.Errorf("%s of %s is dialled: %v", a, prefix, err)
			}
			if p.Public(a) {
				t.Errorf("%s of %s is public", a, prefix)
			}
		}
	}
}

// TestEmbeddedAddresses: a local IPv4 address is refused in each form in which IPv6 carries it.
func TestEmbeddedAddresses(t *testing.T) {
	p := policy(t)
	for form, text := range map[string]string{
		"IPv4-mapped": "::ffff:169.254.169.254", "IPv4-mapped in hexadecimal": "::ffff:a9fe:a9fe",
		"IPv4-compatible": "::10.0.0.1",
		"IPv4-translated": "::ffff:0:10.0.0.1", "NAT64": "64:ff9b::10.0.0.1", "local NAT64": "64:ff9b:1::10.0.0.1",
		"6to4": "2002:a00:1::1", "Teredo": "2001:0:a00:1::1", "with a zone": "fe80::1%eth0",
	} {
		a := netip.MustParseAddr(text)
		if p.Public(a) {
			t.Errorf("%s is public: %s", form, a)
		}
		if err := p.control("tcp6", netip.AddrPortFrom(a, 443).String(), nil); !errors.Is(err, ErrNotAllowed) {
			t.Errorf("%s is dialled: %v", form, err)
		}
	}
	if p.Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// TestPublicAddresses: the neighbours of the special prefixes are public, unless they are special themselves.
func TestPublicAddresses(t *testing.T) {
	p := policy(t)
	for _, text := range []string{
		"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"169.253.255.255",
		"169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.31.195.255",
		"192.31.197.0",
		"192.52.192.255", "192.52.194.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0",
		"192.175.47.255",
		"192.175.49.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0",
		"223.255.255.255",
		"2000::", "2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::", "2620:4f:7fff::", "2620:4f:8001::",
		"3ffe:ffff::", "3fff:1000::",
		"::ffff:8.8.8.8",
	} {
		if a := netip.MustParseAddr(text); !p.Public(a) {
			t.Errorf("%s is not public", a)
		}
	}
}
