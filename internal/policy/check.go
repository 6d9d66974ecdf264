package policy

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
)

// Bounds of policies.
const (
	MaxHours    = 366 * 24
	MaxDays     = 10 * 366
	MaxNetworks = 200
	MaxDomains  = 50
)

// domainName is a name with a dot, in ASCII.
var domainName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$`)

// IsDomain reports whether a text is the name of a domain, in small letters.
func IsDomain(text string) bool { return len(text) <= 253 && domainName.MatchString(text) }

// Check returns policies as they are stored, and their faults, which name their members. What has two meanings, such
// as a network with bits beyond its prefix, is refused with what may be meant.
func Check(f api.PolicyFields) (_ api.PolicyFields, faults []api.Fault) {
	fault := func(pointer, code, detail string) {
		faults = append(faults, api.Fault{Pointer: pointer, Code: code, Detail: detail})
	}
	for _, limit := range []struct {
		pointer string
		n, most int64
		unit    string
	}{{"/sessionHours", f.SessionHours, MaxHours, "hours"}, {"/sessionIdleHours", f.SessionIdleHours, MaxHours, "hours"},
		{"/personalKeyDays", f.PersonalKeyDays, MaxDays, "days"}, {"/serviceKeyDays", f.ServiceKeyDays, MaxDays, "days"}} {
		if limit.n < 0 || limit.n > limit.most {
			fault(limit.pointer, "out_of_range", fmt.Sprintf("must be 1 to %d %s, or empty for no limit", limit.most, limit.unit))
		}
	}
	if f.PersonalKeyMakers == "" {
		f.PersonalKeyMakers = api.EverybodyMakes
	}
	if !slices.Contains(f.PersonalKeyMakers.Values(), string(f.PersonalKeyMakers)) {
		fault("/personalKeyMakers", "unknown", "must be everybody, admins or nobody")
	}
	var why string
	if f.PersonalKeyScopes, why = checkScopes(f.PersonalKeyScopes); why != "" {
		fault("/personalKeyScopes", "unknown", why)
	}
	if f.KeyNetworks, why = checkAll(f.KeyNetworks, MaxNetworks, "networks", checkNetwork); why != "" {
		fault("/keyNetworks", "invalid", why)
	}
	if f.InvitationDomains, why = checkAll(f.InvitationDomains, MaxDomains, "domains", checkDomain); why != "" {
		fault("/invitationDomains", "invalid", why)
	}
	return f, faults
}

// checkScopes returns the scopes in their order; none when all are allowed.
func checkScopes(scopes []api.Scope) (_ []api.Scope, why string) {
	all := api.AllScopes()
	for _, s := range scopes {
		if !slices.Contains(all, s) {
			return scopes, "there is no scope " + strconv.Quote(string(s))
		}
	}
	sorted := slices.DeleteFunc(slices.Clone(all), func(s api.Scope) bool { return !slices.Contains(scopes, s) })
	if len(sorted) == len(all) {
		sorted = []api.Scope{}
	}
	return sorted, ""
}

// checkAll returns each text once, as check returns it, in order; or why one of them is refused.
func checkAll(texts []string, most int, noun string, check func(string) (string, error)) (_ []string, why string) {
	if len(texts) > most {
		return texts[:most], fmt.Sprintf("at most %d %s, and these are %d", most, noun, len(texts))
	}
	checked := []string{}
	for _, text := range texts {
		c, err := check(strings.ToLower(strings.TrimSpace(text)))
		if err != nil {
			return texts, err.Error()
		}
		checked = append(checked, c)
	}
	slices.Sort(checked)
	return slices.Compact(checked), ""
}

// checkNetwork returns a network in its one form. An address is the network of itself.
func checkNetwork(text string) (string, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		switch {
		case a.Zone() != "":
			return "", fmt.Errorf("%.60s has a zone, which is a name of one machine; write %s", text, a.WithZone(""))
		case a.Is4In6():
			return "", fmt.Errorf("%.60s is an IPv4 address; write %s", text, a.Unmap())
		}
		return netip.PrefixFrom(a, a.BitLen()).String(), nil
	}
	n, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return "", fmt.Errorf("%.60q is no network; write one such as 192.0.2.0/24, 2001:db8::/32 or an address", text)
	case n.Addr().Is4In6():
		return "", fmt.Errorf("%s is a network of IPv4 addresses; write it as one, such as %s", text, asIPv4(n))
	case n.Bits() == 0:
		return "", fmt.Errorf("%s is every address; leave the list empty to admit all", text)
	case n.Masked() != n:
		return "", fmt.Errorf("%s has bits beyond its prefix; write %s for the network, or %s for the address",
			text, n.Masked(), n.Addr())
	}
	return n.String(), nil
}

func asIPv4(n netip.Prefix) netip.Prefix {
	return netip.PrefixFrom(n.Addr().Unmap(), max(n.Bits()-96, 0)).Masked()
}

// checkDomain returns a domain, or *.name for all domains below one.
func checkDomain(text string) (string, error) {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "@"), ".")
	if !IsDomain(strings.TrimPrefix(text, "*.")) {
		return "", fmt.Errorf("%.60q is no domain; write a name such as acme.example, or *.acme.example for those below it", text)
	}
	return text, nil
}
