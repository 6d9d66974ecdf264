package oauth

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// appSchemes are the schemes of programs that register one without a domain: those of Cursor and of VS Code.
var appSchemes = []string{"cursor", "vscode", "vscode-insiders"}

// reversedDomain is a scheme as RFC 8252 (7.1) has it: a top-level domain of letters, and labels below it.
var reversedDomain = regexp.MustCompile(`^[a-z]{2,}\.[a-z][a-z0-9-]*(\.[a-z0-9-]+)*$`)

const maxRedirect = 2000

// checkRedirect refuses a redirect address that no client may register: a user must see where it leads, and no
// browser may run it. Allowed are https, http on this machine, and the schemes of programs (RFC 8252): appSchemes,
// and those that are a domain in reverse, before a path.
func checkRedirect(text string) error {
	u, err := url.Parse(text)
	malformed := err != nil || len(text) > maxRedirect || u.Fragment != "" || strings.Contains(text, "#") ||
		u.User != nil ||
		strings.ContainsFunc(text, func(r rune) bool {
			return r <= ' ' || r > '~' ||
				strings.ContainsRune(`\"<>^{|}`+"`", r)
		})
	switch {
	case malformed:
		return refuse("invalid_redirect_uri",
			"A redirect_uri must be an absolute address without a fragment and a user.")
	case u.Scheme == "https" && u.Hostname() != "":
	case u.Scheme == "http" && isLoopback(u):
	case slices.Contains(appSchemes, u.Scheme) && u.Host != "":
	case reversedDomain.MatchString(u.Scheme) && strings.HasPrefix(text[len(u.Scheme):], ":/"):
	default:
		return refuse("invalid_redirect_uri",
			"A redirect_uri must have https, http with 127.0.0.1, [::1] or localhost, or the scheme of "+
				"an app: cursor, vscode, vscode-insiders, or a reversed domain such as com.example.app.")
	}
	return nil
}

// isLoopback reports whether an address is one of the machine on which the browser runs, as RFC 8252 has them.
func isLoopback(u *url.URL) bool {
	return slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, u.Hostname())
}

// matches reports whether a request may be sent to an address that a client has registered: the same text, or for an
// address of this machine over http one that differs in its port alone, which a program gets when it starts (RFC
// 8252).
func matches(registered, asked string) bool {
	if registered == asked {
		return true
	}
	r, err := url.Parse(registered)
	a, errAsked := url.Parse(asked)
	malformed := err != nil || errAsked != nil || checkRedirect(asked) != nil
	if malformed || r.Scheme != "http" || !isLoopback(r) || a.Hostname() != r.Hostname() {
		return false
	}
	a.Host = r.Host
	return *a == *r
}

// destination returns what a user is shown of a redirect address: the host; the scheme of a program; nothing for this
// machine.
func destination(redirect string) string {
	u, err := url.Parse(redirect)
	switch {
	case err != nil || u.Scheme == "http":
		return ""
	case u.Scheme == "https":
		return u.Host
	}
	return u.Scheme + ":"
}

// withQuery returns an address with further parameters after those that it has.
func withQuery(address string, further url.Values) string {
	separator := "?"
	if base, query, ok := strings.Cut(address, "?"); ok {
		separator = "&"
		if query == "" {
			address, separator = base, "?"
		}
	}
	return address + separator + further.Encode()
}
