// Package safehttp sends HTTP requests to addresses that users chose, without letting them
// reach what only this machine can: private, loopback, link-local and metadata addresses,
// the service itself, other ports and protocols. What a URL's text shows is refused when it
// is checked; what its name resolves to is refused when it is dialled, so that a name that
// changes in between gains nothing. It follows no redirect and asks no proxy.
package safehttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// ErrRefused says that a URL, or what it leads to, is not allowed. It is safe to show.
var ErrRefused = errors.New("this address is not allowed")

// Policy says what may be reached. The zero of what is allowed beyond the public internet by
// https is nothing.
type Policy struct {
	hosts map[string]bool // named on purpose: any scheme of the two, any port, any address
	nets  []netip.Prefix  // likewise
	guard *ssrf.Guardian
	dial  net.Dialer
	own   func() []netip.Addr
}

// NewPolicy returns a policy that allows, beside public addresses by https, the named hosts
// (shop.internal, 10.1.2.3) and networks (10.0.0.0/8).
func NewPolicy(allow []string) (*Policy, error) {
	p := &Policy{hosts: map[string]bool{}, guard: ssrf.New(ssrf.WithPorts(443)), own: ownAddresses}
	for _, text := range allow {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			p.nets = append(p.nets, prefix.Masked())
			continue
		}
		if addr, err := netip.ParseAddr(text); err == nil {
			p.nets = append(p.nets, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		host := canonical(text)
		if host == "" || strings.ContainsAny(host, "/:@?# ") {
			return nil, fmt.Errorf("%q is no host name, address or network", text)
		}
		p.hosts[host] = true
	}
	return p, nil
}

// canonical is how host names are compared.
func canonical(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// CheckURL refuses a URL whose text alone shows that it must not be asked.
func (p *Policy) CheckURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.Hostname() == "" {
		return refuse("it is no absolute http or https URL")
	}
	if u.User != nil {
		return refuse("it holds a user name or password")
	}
	host := canonical(u.Hostname())
	if host == "" || strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`%\^|<>"`, r) }) {
		return refuse("its host name is malformed; write international names in their ASCII form")
	}
	port, err := portOf(u)
	if err != nil {
		return err
	}
	addr, isAddr := literal(host)
	if p.hosts[host] || isAddr && p.allowed(addr) {
		return nil
	}
	if u.Scheme != "https" {
		return refuse("only https is allowed")
	}
	if port != 443 {
		return refuse("only port 443 is allowed")
	}
	if isAddr {
		return p.checkAddr(addr)
	}
	return checkName(host)
}

func refuse(why string) error { return fmt.Errorf("%w: %s", ErrRefused, why) }

func portOf(u *url.URL) (uint16, error) {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return 0, refuse("only https is allowed")
	case u.Port() == "" && u.Scheme == "http":
		return 80, nil
	case u.Port() == "":
		return 443, nil
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || n == 0 {
		return 0, refuse("its port is malformed")
	}
	return uint16(n), nil
}

// literal returns the address that a host is written as.
func literal(host string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(host)
	return a.Unmap().WithZone(""), err == nil
}

// checkName refuses names that stand for this machine or its network, and numbers that some
// resolvers take for addresses (2130706433, 0x7f.1, 127.1).
func checkName(host string) error {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" || last[0] >= '0' && last[0] <= '9' {
		return refuse("its host is a number that is no address")
	}
	for _, private := range []string{"localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "localdomain", "home.arpa"} {
		if host == private || strings.HasSuffix(host, "."+private) {
			return refuse("its host name is one of a private network")
		}
	}
	if !strings.Contains(host, ".") {
		return refuse("its host name has no domain")
	}
	return nil
}

func (p *Policy) allowed(a netip.Addr) bool {
	for _, n := range p.nets {
		if n.Contains(a) {
			return true
		}
	}
	return false
}

// checkAddr refuses addresses that are not public, and the service's own.
func (p *Policy) checkAddr(a netip.Addr) error {
	if p.allowed(a) {
		return nil
	}
	if err := p.guard.SafeAddr(a); err != nil {
		return refuse("it leads to an address that is not public")
	}
	if slices.Contains(p.own(), a) {
		return refuse("it leads to this service itself")
	}
	return nil
}

// Public says whether an address is on the public internet, and not this machine's.
func (p *Policy) Public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return p.guard.SafeAddr(a) == nil && !slices.Contains(p.own(), a)
}

// ownAddresses returns the addresses of this machine.
func ownAddresses() []netip.Addr {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var out []netip.Addr
	for _, a := range all {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			out = append(out, prefix.Addr().Unmap().WithZone(""))
		}
	}
	return out
}

// Client returns a client that reaches what the policy allows, within the timeout for the
// whole exchange. A redirect is answered as it is, not followed.
func (p *Policy) Client(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{Proxy: nil, DialContext: p.dialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: timeout,
			ResponseHeaderTimeout: timeout, MaxResponseHeaderBytes: 64 << 10, IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 2},
	}
}

// dialContext checks the address that a name has resolved to, at the moment it is dialled.
func (p *Policy) dialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := p.dial
	if !p.hosts[canonical(host)] {
		d.Control = p.control
	}
	return d.DialContext(ctx, network, address)
}

func (p *Policy) control(network, address string, c syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse("it leads to what is no address")
	}
	a := at.Addr().Unmap().WithZone("")
	if p.allowed(a) {
		return nil
	}
	if err := p.guard.Safe(network, address, c); err != nil {
		return refuse("it leads to an address or a port that is not allowed")
	}
	return p.checkAddr(a)
}
