// Package safehttp sends HTTP requests to addresses that users chose, and only to the public internet: not to
// private, loopback, link-local and metadata addresses, this machine, other ports or other protocols. A URL is checked
// by its text, and the address that its name resolves to is checked when it is dialled, so that a name cannot change
// between the two. No redirect is followed and no proxy is used.
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

	"golang.org/x/net/idna"
)

// ErrNotAllowed is the error for a URL that is not allowed, or that leads to an address that is not. Its text may be
// shown to users.
var ErrNotAllowed = errors.New("this address is not allowed")

func notAllowed(reason string) error { return fmt.Errorf("%w: %s", ErrNotAllowed, reason) }

// Policy allows public addresses by https on port 443, and the exceptions that the operator names.
type Policy struct {
	hosts          map[string]bool // allowed with any address and port, by http too
	networks       []netip.Prefix  // allowed with any port, by http too
	dialer         net.Dialer
	localAddresses func() ([]netip.Addr, error)
}

// NewPolicy returns a Policy whose exceptions are host names (shop.internal), addresses (10.1.2.3) and networks
// (10.0.0.0/8).
func NewPolicy(exceptions []string) (*Policy, error) {
	p := &Policy{hosts: map[string]bool{}, localAddresses: interfaceAddresses}
	for _, text := range exceptions {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			p.networks = append(p.networks, prefix.Masked())
			continue
		}
		if addr, err := netip.ParseAddr(text); err == nil {
			p.networks = append(p.networks, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		host := canonicalHost(text)
		if ascii, err := idna.Lookup.ToASCII(host); err == nil && !isASCII(host) {
			host = ascii
		}
		if host == "" || strings.ContainsAny(host, "/:@?# ") {
			return nil, fmt.Errorf("%q is no host name, address or network", text)
		}
		p.hosts[host] = true
	}
	return p, nil
}

// maxURL is the length of a URL in the form in which it is dialled.
const maxURL = 2000

// Address returns the form in which a URL is stored, shown and dialled. It refuses a URL whose text shows that it is
// not allowed.
func (p *Policy) Address(raw string) (string, error) {
	u, err := parseURL(raw)
	if err == nil {
		err = p.checkURL(u)
	}
	if err != nil {
		return "", err
	}
	address := u.String()
	if len(address) > maxURL {
		return "", notAllowed("it has more than 2,000 characters in percent-encoding")
	}
	return address, nil
}

// checkURL refuses a URL that is not allowed.
func (p *Policy) checkURL(u *url.URL) error {
	host := canonicalHost(u.Hostname())
	parsed, notAddress := netip.ParseAddr(host)
	addr := plain(parsed)
	if p.hosts[host] || p.isException(addr) {
		return nil
	}
	if u.Scheme != "https" {
		return notAllowed("only https is allowed")
	}
	if n, _ := strconv.Atoi(u.Port()); u.Port() != "" && n != 443 {
		return notAllowed("only port 443 is allowed")
	}
	if notAddress != nil {
		return checkName(host)
	}
	return p.checkAddr(addr)
}

// Public reports whether an address is on the public internet, and not one of this machine.
func (p *Policy) Public(a netip.Addr) bool {
	a = plain(a)
	return p.checkAddr(a) == nil
}

// Client returns a client that reaches only allowed addresses. The timeout is that of a whole exchange. It returns a
// redirect instead of following it.
func (p *Policy) Client(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{Proxy: nil, DialContext: p.dialContext, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: timeout,
			DisableCompression:  true, ResponseHeaderTimeout: timeout, MaxResponseHeaderBytes: 64 << 10,
			IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 2},
	}
}

func (p *Policy) dialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := p.dialer
	if !p.hosts[canonicalHost(host)] {
		d.Control = p.control
	}
	return d.DialContext(ctx, network, address)
}

// control refuses an address that is not allowed. The dialer calls it with the address that a name has resolved to.
func (p *Policy) control(network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return notAllowed("it leads to no address")
	}
	addr := plain(target.Addr())
	if p.isException(addr) {
		return nil
	}
	if network != "tcp4" && network != "tcp6" {
		return notAllowed("only TCP is allowed")
	}
	if target.Port() != 443 {
		return notAllowed("only port 443 is allowed")
	}
	return p.checkAddr(addr)
}

func (p *Policy) isException(a netip.Addr) bool {
	return slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(a) })
}

// checkAddr refuses an address that is not public, one of this machine, and every address while those of this machine
// are unknown.
func (p *Policy) checkAddr(a netip.Addr) error {
	if !isPublic(a) {
		return notAllowed("it leads to an address that is not public")
	}
	local, err := p.localAddresses()
	if err != nil { // in a sandbox without AF_NETLINK
		return fmt.Errorf("%w: the addresses of this machine cannot be read: %w", ErrNotAllowed, err)
	}
	if slices.Contains(local, a) {
		return notAllowed("it leads to this service itself")
	}
	return nil
}
