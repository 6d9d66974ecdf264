// Package policy decides what the policies of an organisation admit: how long a session and a key work, which scopes a
// personal key has and who makes one, from where keys are used, and who is invited. Its functions are pure: whoever
// enforces a policy and whoever shows what a policy would end ask the same ones.
//
//	p := policy.New(fields, version) // as it is stored
//	ends := p.KeyEnd(key.Type, key.CreatedAt, key.ExpiresAt)
//	fields, faults := policy.Check(fields) // before it is stored
//
// A policy without a limit admits everything. What a policy takes from a record is not stored in the record, which has
// it again when the policy ends.
package policy

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"bugslice/api"
)

// Policy is what an organisation requires. The zero Policy requires nothing.
type Policy struct {
	api.PolicyFields
	Version int64 // grows with each change

	networks []netip.Prefix
}

// New returns the policy of stored fields. A network that is none admits nobody.
func New(f api.PolicyFields, version int64) *Policy {
	p := &Policy{PolicyFields: f, Version: version}
	for _, text := range f.KeyNetworks {
		n, _ := netip.ParsePrefix(text)
		p.networks = append(p.networks, n)
	}
	return p
}

// Sessions returns the shorter of the limits of sessions and those of the policy.
func (p *Policy) Sessions(idle, lifetime time.Duration) (_, _ time.Duration) {
	return shorter(idle, p.SessionIdleHours), shorter(lifetime, p.SessionHours)
}

func shorter(limit time.Duration, hours int64) time.Duration {
	if of := time.Duration(hours) * time.Hour; of > 0 && of < limit {
		return of
	}
	return limit
}

// KeyLifetime returns the longest lifetime of a key, or 0 without a limit.
func (p *Policy) KeyLifetime(t api.KeyType) time.Duration {
	days := p.ServiceKeyDays
	if t == api.PAT {
		days = p.PersonalKeyDays
	}
	return time.Duration(days) * 24 * time.Hour
}

// KeyEnd returns when a key expires that was created at a time, with the expiry that it was given; nil for never.
func (p *Policy) KeyEnd(t api.KeyType, created api.Time, given *api.Time) *api.Time {
	lifetime := p.KeyLifetime(t)
	if lifetime == 0 {
		return given
	}
	ends := api.At(created.Add(lifetime))
	if given != nil && given.Before(ends.Time) {
		return given
	}
	return &ends
}

// KeyScopes returns those of the scopes of a key that it has.
func (p *Policy) KeyScopes(t api.KeyType, given []api.Scope) []api.Scope {
	if t != api.PAT || len(p.PersonalKeyScopes) == 0 {
		return given
	}
	has := []api.Scope{}
	for _, s := range given {
		if slices.Contains(p.PersonalKeyScopes, s) {
			has = append(has, s)
		}
	}
	return has
}

// MakesPersonalKeys reports whether a user with a role in the organisation may make personal keys.
func (p *Policy) MakesPersonalKeys(role api.Role) bool {
	switch p.PersonalKeyMakers {
	case api.NobodyMakes:
		return false
	case api.AdminsMake:
		return role == api.RoleOwner || role == api.RoleAdmin
	}
	return true
}

// AdmitsKeyFrom reports whether a key is used from an address. An address that is not known is in no network.
func (p *Policy) AdmitsKeyFrom(address string, filesOnly bool) bool {
	if len(p.networks) == 0 || filesOnly && p.FilingAnywhere {
		return true
	}
	a, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	a = a.Unmap().WithZone("") // ::ffff:192.0.2.1 is 192.0.2.1, and a zone is one of this machine
	return slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(a) })
}

// AdmitsEmail reports whether somebody with an e-mail address is invited.
func (p *Policy) AdmitsEmail(email string) bool {
	domain := strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
	return len(p.InvitationDomains) == 0 || slices.ContainsFunc(p.InvitationDomains, func(d string) bool {
		below, wild := strings.CutPrefix(d, "*")
		return domain == d || wild && len(domain) > len(below) && strings.HasSuffix(domain, below)
	})
}
