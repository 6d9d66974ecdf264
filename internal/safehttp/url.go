package safehttp

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// parseURL parses an absolute http or https URL without credentials.
func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.Hostname() == "" {
		return nil, notAllowed("it is no absolute http or https URL")
	}
	if u.User != nil {
		return nil, notAllowed("it has a user name or password")
	}
	if host := canonicalHost(u.Hostname()); host == "" || strings.ContainsFunc(host, isMalformed) {
		return nil, notAllowed("its host name is malformed; write international names in their ASCII form")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, notAllowed("only https is allowed")
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || n == 0) {
		return nil, notAllowed("its port is malformed")
	}
	return u, nil
}

// isMalformed reports whether a host name may not have a character.
func isMalformed(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`%\^|<>"`, r) }

// canonicalHost returns the form in which host names are compared.
func canonicalHost(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// privateDomains are names of a machine or a private network.
var privateDomains = []string{"localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "localdomain", "home.arpa"}

// checkName refuses the names of private networks, and numbers that some resolvers parse as addresses (2130706433,
// 0x7f.1, 127.1).
func checkName(host string) error {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" || last[0] >= '0' && last[0] <= '9' {
		return notAllowed("its host is a number that is no address")
	}
	if slices.ContainsFunc(privateDomains, func(d string) bool { return host == d || strings.HasSuffix(host, "."+d) }) {
		return notAllowed("its host name is one of a private network")
	}
	if !strings.Contains(host, ".") {
		return notAllowed("its host name has no domain")
	}
	return nil
}
