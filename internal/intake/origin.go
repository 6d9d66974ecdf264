package intake

import (
	"net/url"
	"strings"
)

// maxOrigin is the length of an origin that is read at all.
const maxOrigin = 300

// Allows reports whether pages of an origin may report, by the origins that a source allows: exact ones, and such as
// https://*.example.com for every host below a domain. No allowed origin is every page. A page without an origin of
// its own, such as one in a sandbox, may not.
func Allows(allowed []string, origin string) bool {
	scheme, host, port, ok := splitOrigin(origin)
	if !ok || strings.Contains(host, "*") {
		return false
	}
	if len(allowed) == 0 {
		return true
	}
	for _, a := range allowed {
		s, h, p, ok := splitOrigin(a)
		if !ok || s != scheme || p != port {
			continue
		}
		if domain, below := strings.CutPrefix(h, "*."); below && domain != "" {
			if sub, found := strings.CutSuffix(host, "."+domain); found && sub != "" {
				return true
			}
		} else if h == host {
			return true
		}
	}
	return false
}

// splitOrigin returns the parts of an origin of the web in lower case. The default port is none.
func splitOrigin(text string) (scheme, host, port string, ok bool) {
	if len(text) > maxOrigin {
		return "", "", "", false
	}
	u, err := url.Parse(strings.ToLower(text))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" ||
		strings.HasSuffix(text, "#") {
		return "", "", "", false
	}
	if port = u.Port(); u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		port = ""
	}
	return u.Scheme, strings.TrimSuffix(u.Hostname(), "."), port, true
}
