package safehttp

import (
	"net"
	"net/netip"
	"slices"
)

// globalUnicast has every IPv6 address of the public internet. Outside of it are, among others, the loopback address,
// local addresses, IPv4-mapped addresses, NAT64 and multicast.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// specialPurpose are the prefixes that are not public: those of the IANA special-purpose address registries for IPv4
// and IPv6 (RFC 6890, in their state of 2025), and multicast. Of IPv6 it has those within globalUnicast.
var specialPurpose = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),         // this network
	netip.MustParsePrefix("10.0.0.0/8"),        // private use
	netip.MustParsePrefix("100.64.0.0/10"),     // shared address space
	netip.MustParsePrefix("127.0.0.0/8"),       // loopback
	netip.MustParsePrefix("169.254.0.0/16"),    // link local, and cloud metadata
	netip.MustParsePrefix("172.16.0.0/12"),     // private use
	netip.MustParsePrefix("192.0.0.0/24"),      // IETF protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),      // documentation
	netip.MustParsePrefix("192.31.196.0/24"),   // AS112
	netip.MustParsePrefix("192.52.193.0/24"),   // AMT
	netip.MustParsePrefix("192.88.99.0/24"),    // 6to4 relays
	netip.MustParsePrefix("192.168.0.0/16"),    // private use
	netip.MustParsePrefix("192.175.48.0/24"),   // AS112
	netip.MustParsePrefix("198.18.0.0/15"),     // benchmarking
	netip.MustParsePrefix("198.51.100.0/24"),   // documentation
	netip.MustParsePrefix("203.0.113.0/24"),    // documentation
	netip.MustParsePrefix("224.0.0.0/4"),       // multicast
	netip.MustParsePrefix("240.0.0.0/4"),       // reserved, and broadcast
	netip.MustParsePrefix("2001::/23"),         // IETF protocol assignments, among them Teredo
	netip.MustParsePrefix("2001:db8::/32"),     // documentation
	netip.MustParsePrefix("2002::/16"),         // 6to4
	netip.MustParsePrefix("2620:4f:8000::/48"), // AS112
	netip.MustParsePrefix("3fff::/20"),         // documentation
}

// isPublic reports whether a plain address is on the public internet.
func isPublic(a netip.Addr) bool {
	if !a.IsValid() || a.Is6() && !globalUnicast.Contains(a) {
		return false
	}
	return !slices.ContainsFunc(specialPurpose, func(p netip.Prefix) bool { return p.Contains(a) })
}

// plain returns an address without a zone, and an IPv4-mapped one as IPv4.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// interfaceAddresses returns the addresses of this machine.
func interfaceAddresses() ([]netip.Addr, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var addresses []netip.Addr
	for _, a := range all {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			addresses = append(addresses, plain(prefix.Addr()))
		}
	}
	return addresses, nil
}
