package page

import (
	"slices"

	"bugslice/api"
)

// KeyPolicy is what the policies of the organisation say about the keys that the user makes in a form.
type KeyPolicy struct {
	api.KeyPolicy
	Without []api.Scope // that personal keys may not have
}

// KeyPolicy returns the policies about the keys of the user.
func (q *Request) KeyPolicy() (p KeyPolicy, err error) {
	p.KeyPolicy, err = Call(q, q.Tracker.GetKeyPolicy, api.GetKeyPolicy{})
	for _, s := range api.AllScopes() {
		if !slices.Contains(p.Scopes, s) {
			p.Without = append(p.Without, s)
		}
	}
	return p, err
}

// Days returns those of the numbers of days, in their order, that a key of one of the types may last, with the longest
// one that it may.
func (p KeyPolicy) Days(days ...int) []int {
	longest := max(p.PersonalDays, p.ServiceDays)
	if p.PersonalDays == 0 || p.ServiceDays == 0 || longest >= int64(days[len(days)-1]) {
		return days
	}
	kept := slices.DeleteFunc(slices.Clone(days), func(n int) bool { return int64(n) >= longest })
	return append(kept, int(longest))
}

// Default returns a number of days, or the fewer ones that a key of every type may last.
func (p KeyPolicy) Default(days int) int {
	for _, limit := range []int64{p.PersonalDays, p.ServiceDays} {
		if limit > 0 {
			days = min(days, int(limit))
		}
	}
	return days
}
