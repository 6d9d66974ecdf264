package safehttp

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// parseURL parses an absolute http or https URL without credentials, in the form in which it is dialled: without
// blanks around it and without a fragment, which is never sent, with its host in ASCII, and with other characters of
// its path and query in percent-encoding.
func parseURL(raw string) (*url.URL, error) {
	raw = strings.Trim(raw, " \t\r\n\f")
	switch {
	case strings.ContainsFunc(raw, unicode.IsControl):
		return nil, notAllowed("it has a line break or another control character")
	case strings.Contains(raw, `\`):
		return nil, notAllowed("it has a backslash")
	case !utf8.ValidString(raw):
		return nil, notAllowed("it is not UTF-8")
	}
	raw, _, _ = strings.Cut(raw, "#")
	origin, rest := cutOrigin(raw)
	u, err := url.Parse(origin + encode(rest))
	if err != nil && strings.Contains(rest, "%") {
		if _, plain := url.Parse(origin); plain == nil {
			return nil, notAllowed("a percent sign in its path is not followed by two digits; write %25")
		}
	}
	if err != nil || u.Opaque != "" || u.Hostname() == "" {
		return nil, notAllowed("it is no absolute http or https URL")
	}
	if u.User != nil {
		return nil, notAllowed("it has a user name or password")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, notAllowed("only https is allowed")
	}
	return u, normalizeHost(u)
}

// cutOrigin cuts a URL before its path or query.
func cutOrigin(raw string) (origin, rest string) {
	scheme, behind, ok := strings.Cut(raw, "://")
	if !ok {
		return raw, ""
	}
	n := strings.IndexAny(behind, "/?")
	if n < 0 {
		return raw, ""
	}
	return scheme + "://" + behind[:n], behind[n:]
}

// encode percent-encodes the characters that the path and the query of a URL cannot have as they are.
func encode(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>^`{|}", c) >= 0 {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// normalizeHost gives a URL its host in small ASCII letters, of which an international name has its form in punycode,
// and its port without zeros before it.
func normalizeHost(u *url.URL) error {
	const malformed = "its host name is malformed"
	name, port := u.Hostname(), u.Port()
	if !isASCII(name) {
		ascii, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return notAllowed(malformed)
		}
		name = ascii
	}
	const maxLabel = 63
	isLong := func(label string) bool { return len(label) > maxLabel }
	host := canonicalHost(name)
	if host == "" || strings.ContainsFunc(host, isMalformed) || slices.ContainsFunc(strings.Split(host, "."), isLong) {
		return notAllowed(malformed)
	}
	name = strings.ToLower(name)
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if u.Host = name; port == "" {
		return nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return notAllowed("its port is malformed")
	}
	u.Host += ":" + strconv.FormatUint(n, 10)
	return nil
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// isMalformed reports whether a host name may not have a character.
func isMalformed(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`%\^|<>"`, r) }

// canonicalHost returns the form in which host names are compared.
func canonicalHost(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// privateDomains are names of a machine or a private network.
var privateDomains = []string{"localhost", "local", "internal", "intranet", "lan", "home", "corp", "private",
	"localdomain", "home.arpa"}

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
