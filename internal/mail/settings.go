package mail

import (
	"errors"
	"fmt"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Settings are those of a mail server. They are printed without the password.
type Settings struct {
	host     string
	port     int
	user     string
	password string
	security security
	from     netmail.Address
	replyTo  *netmail.Address // nil: answers are not read
}

// security says how a connection is encrypted.
type security int

const (
	startTLS security = iota // required
	implicit                 // TLS from the first byte
	none
)

// Format writes the settings without the password, for any verb.
func (s Settings) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, s.Describe()) }

// Describe says to which server mails are given, how the connection is encrypted, and from which address they are.
func (s Settings) Describe() string {
	how := map[security]string{startTLS: "STARTTLS", implicit: "TLS", none: "not encrypted"}[s.security]
	return fmt.Sprintf("%s:%d (%s), from %s", s.host, s.port, how, s.from.Address)
}

// Parse returns the settings of a server: smtp://user:password@host:port with STARTTLS, which is required unless the host is
// this machine, smtps:// with TLS, or smtp+insecure:// without encryption. A password that is given apart takes the place of
// that of the URL. replyTo is empty when answers are not read. No error has the password.
func Parse(server, from, replyTo, password string) (s Settings, err error) {
	u, err := url.Parse(server)
	if err != nil { // its error may have the password
		return s, errors.New("the server must be smtp://user:password@host:port, " +
			"with special characters of the password escaped (%40 for @)")
	}
	ports := map[string]int{"smtp": 587, "smtps": 465, "smtp+insecure": 25}
	s.host, s.port, s.user = u.Hostname(), ports[u.Scheme], u.User.Username()
	if s.port == 0 || s.host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return s, errors.New("the server must be smtp://, smtps:// or smtp+insecure://, with a host and nothing after its port")
	}
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return s, fmt.Errorf("%q is no port", u.Port())
		}
	}
	s.password, _ = u.User.Password()
	if password != "" {
		s.password = password
	}
	switch {
	case u.Scheme == "smtps":
		s.security = implicit
	case u.Scheme == "smtp+insecure" || isLoopback(s.host):
		s.security = none
	}
	address, err := netmail.ParseAddress(from)
	if err != nil {
		return s, fmt.Errorf("the sender must be an address such as Bugslice <bugs@example.com>, not %q", from)
	}
	s.from = *address
	if replyTo == "" {
		return s, nil
	}
	if s.replyTo, err = netmail.ParseAddress(replyTo); err != nil {
		return s, fmt.Errorf("the address of answers must be an e-mail address, not %q", replyTo)
	}
	return s, nil
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
