package httpserver

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddress returns the address that a request came from: the peer of the connection or, when the peer is a
// trusted proxy, the last address in X-Forwarded-For that is not one.
func clientAddress(r *http.Request, trustedProxies []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	client := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !trusts(trustedProxies, client) {
			break
		}
		address, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		client = address.Unmap()
	}
	return client
}

func trusts(trustedProxies []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(trustedProxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// warnUntrustedProxy logs once that a peer which is no trusted proxy names another client. Behind a proxy that is not
// named, every client has the address of the proxy.
func (s *Server) warnUntrustedProxy(r *http.Request) {
	if r.Header.Get("X-Forwarded-For") == "" && r.Header.Get("Forwarded") == "" {
		return
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || trusts(s.TrustedProxies, peer.Addr().Unmap()) {
		return
	}
	s.untrustedProxy.Do(func() {
		s.Log.Warn("a request has X-Forwarded-For or Forwarded, but its sender is not in --trusted-proxies: "+
			"if it is a reverse proxy of yours, name it there, or all its clients share one address and its limits",
			"sender", peer.Addr().Unmap().String())
	})
}
