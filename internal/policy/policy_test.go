package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/policy"
)

// TestNetworks: a network has one form, what has two meanings is refused with what may be meant, and an address is the
// same in every form that it comes in.
func TestNetworks(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.0/24":                           "192.0.2.0/24",
		" 192.0.2.7 ":                            "192.0.2.7/32",
		"2001:DB8::/32":                          "2001:db8::/32",
		"2001:db8::1":                            "2001:db8::1/128",
		"0.0.0.0/1":                              "0.0.0.0/1",
		"10.0.0.1/8":                             "10.0.0.0/8 for the network, or 10.0.0.1 for the address",
		"2001:db8::1/32":                         "2001:db8::/32 for the network",
		"0.0.0.0/0":                              "leave the list empty",
		"::/0":                                   "leave the list empty",
		"::ffff:192.0.2.1":                       "write 192.0.2.1",
		"::ffff:10.0.0.0/104":                    "such as 10.0.0.0/8",
		"fe80::1%eth0":                           "write fe80::1",
		"fe80::1%" + strings.Repeat("e", 10_000): "write fe80::1",
		"fe80::%eth0/64":                         "has a zone",
		"10.0.0.0/33":                            "is no network",
		"010.0.0.1":                              "is no network",
		"10.0.0":                                 "is no network",
		"office.example":                         "is no network",
		"10.0.0.0/8,192.168.0.0/16":              "is no network",
		"192.0.2.0/24/24":                        "is no network",
		strings.Repeat("1", 10_000):              "is no network",
		"192.0.2.0/24\x00":                       "is no network",
		"<script>alert(1)</script>/256":          "is no network",
	} {
		f, faults := policy.Check(api.PolicyFields{KeyNetworks: []string{text}})
		got := strings.Join(f.KeyNetworks, " ")
		if len(faults) > 0 {
			got = faults[0].Detail
			if faults[0].Pointer != "/keyNetworks" || len(got) > 300 {
				t.Errorf("%.40q: %+v", text, faults)
			}
		}
		if got != want && (len(faults) == 0 || !strings.Contains(got, want)) {
			t.Errorf("%.40q: %s, want %s", text, got, want)
		}
	}
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprintf("10.%d.%d.0/24", i/256, i%256)
	}
	if _, faults := policy.Check(api.PolicyFields{KeyNetworks: many}); len(faults) != 1 ||
		!strings.Contains(faults[0].Detail, "at most 200 networks") {
		t.Errorf("%+v", faults)
	}
	f, faults := policy.Check(api.PolicyFields{KeyNetworks: []string{"192.0.2.0/24", "10.0.0.1", "192.0.2.0/24"}})
	if len(faults) > 0 || !slices.Equal(f.KeyNetworks, []string{"10.0.0.1/32", "192.0.2.0/24"}) {
		t.Errorf("%v %v", f.KeyNetworks, faults)
	}

	p := policy.New(api.PolicyFields{KeyNetworks: []string{"192.0.2.0/24", "2001:db8::/32", "fe80::/10"}}, 1)
	for address, want := range map[string]bool{"192.0.2.1": true, "::ffff:192.0.2.1": true, "192.0.3.1": false,
		"::ffff:192.0.3.1": false, "2001:db8::9": true, "2001:db9::9": false, "fe80::1%eth0": true, "": false,
		"invalid IP":  false,
		"::192.0.2.1": false} {
		if got := p.AdmitsKeyFrom(address, false); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
	p = policy.New(api.PolicyFields{KeyNetworks: []string{"192.0.2.0/24"}, FilingAnywhere: true}, 1)
	if !p.AdmitsKeyFrom("198.51.100.1", true) || p.AdmitsKeyFrom("198.51.100.1", false) {
		t.Error("a key that files only is used from everywhere, and no other")
	}
	if p := policy.New(api.PolicyFields{KeyNetworks: []string{"damaged"}}, 1); p.AdmitsKeyFrom("192.0.2.1", false) {
		t.Error("a damaged network admits somebody")
	}
}

// TestDomains: a domain is a name, with or without those below it, and an address is of one of them or not.
func TestDomains(t *testing.T) {
	for text, want := range map[string]string{"Acme.Example": "acme.example", "@acme.example": "acme.example",
		"*.acme.example": "*.acme.example", "acme.example.": "acme.example", "*": "", "*.example": "", "localhost": "",
		"a@acme.example": "", "*.*.example": "", "acme..example": "", "münchen.example": "", "-acme.example": ""} {
		f, faults := policy.Check(api.PolicyFields{InvitationDomains: []string{text}})
		if want == "" && len(faults) == 0 || want != "" && strings.Join(f.InvitationDomains, " ") != want {
			t.Errorf("%s: %v %v", text, f.InvitationDomains, faults)
		}
	}
	p := policy.New(api.PolicyFields{InvitationDomains: []string{"acme.example", "*.corp.example"}}, 1)
	for email, want := range map[string]bool{"a@acme.example": true, "a@ACME.example": true, "a@x.acme.example": false,
		"a@corp.example": false, "a@x.corp.example": true, "a@y.x.corp.example": true, "a@evilcorp.example": false,
		"a@.corp.example": false, "acme.example@evil.example": false, `"a@acme.example"@evil.example`: false} {
		if got := p.AdmitsEmail(email); got != want {
			t.Errorf("%s: %t", email, got)
		}
	}
	if !policy.New(api.PolicyFields{}, 0).AdmitsEmail("a@everywhere.example") {
		t.Error("no domains admit nobody")
	}
}

// TestLimits: a limit shortens what a record was given, and never lengthens it.
func TestLimits(t *testing.T) {
	created := api.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	early, late := api.At(created.Add(time.Hour)), api.At(created.Add(1000*time.Hour))
	p := policy.New(api.PolicyFields{PersonalKeyDays: 30, SessionHours: 8, SessionIdleHours: 9000}, 1)
	limit := api.At(created.AddDate(0, 0, 30))
	for given, want := range map[*api.Time]*api.Time{nil: &limit, &early: &early, &late: &limit} {
		if got := p.KeyEnd(api.PAT, created, given); !got.Equal(want.Time) {
			t.Errorf("given %v: %v", given, got)
		}
	}
	if p.KeyEnd(api.WST, created, nil) != nil || p.KeyEnd(api.WST, created, &late) != &late {
		t.Error("a limit of personal keys limits others")
	}
	if idle, lifetime := p.Sessions(time.Hour, 90*24*time.Hour); idle != time.Hour || lifetime != 8*time.Hour {
		t.Error(idle, lifetime)
	}
	for _, f := range []api.PolicyFields{{SessionHours: -1}, {SessionIdleHours: policy.MaxHours + 1},
		{PersonalKeyDays: 1 << 40},
		{ServiceKeyDays: -5}, {PersonalKeyMakers: "some"}, {PersonalKeyScopes: []api.Scope{"slices:fly"}}} {
		if _, faults := policy.Check(f); len(faults) != 1 {
			t.Errorf("%+v: %v", f, faults)
		}
	}
	if f, faults := policy.Check(api.PolicyFields{PersonalKeyScopes: api.AllScopes()}); len(faults) > 0 ||
		len(f.PersonalKeyScopes) > 0 {
		t.Errorf("all scopes are a limit: %v", f.PersonalKeyScopes)
	}
}
