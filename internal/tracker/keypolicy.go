package tracker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
)

// FaultPolicy is the code of the faults of keys that the policies of the organisation do not admit.
const FaultPolicy = "policy"

// GetKeyPolicy returns which keys the caller may make by the policies of the organisation.
func (t *Tracker) GetKeyPolicy(ctx context.Context, c access.Caller, v input.Valid[api.GetKeyPolicy]) (
	made api.KeyPolicy, _ error,
) {
	if _, err := v.Value(c.Allow(api.OpGetKeyPolicy)); err != nil {
		return made, err
	}
	q := t.access.Read(ctx)
	u, err := q.User(c.ID)
	if err != nil {
		return made, err
	}
	p, err := q.Policies().Of(u.OrgID)
	if err != nil {
		return made, err
	}
	return api.KeyPolicy{Personal: p.MakesPersonalKeys(u.Role), Scopes: p.KeyScopes(api.PAT, api.AllScopes()),
		PersonalDays: p.PersonalKeyDays, ServiceDays: p.ServiceKeyDays, Networks: len(p.KeyNetworks)}, nil
}

// applyKeyPolicy refuses a new key that the policy of the organisation does not admit. A key that was given no expiry gets
// the last one that the policy admits. The policy stays as it is until the transaction ends.
func (t *Tracker) applyKeyPolicy(tx *access.Tx, c access.Caller, f api.KeyFields, givenExpiry bool) (api.KeyFields, error) {
	p, err := tx.Policies().Keep(c.Organization.ID)
	if err != nil {
		return f, err
	}
	if f.Type == api.PAT {
		u, err := tx.User(c.ID)
		if err != nil {
			return f, err
		}
		if !p.MakesPersonalKeys(u.Role) {
			who := "nobody"
			if p.PersonalKeyMakers == api.AdminsMake {
				who = "its owners and admins alone"
			}
			return f, api.NewProblem(api.CodeForbidden, "By the policies of your organisation, personal access tokens are made by "+
				who+".", api.Fault{Pointer: "/type", Code: FaultPolicy, Detail: "made by " + who})
		}
		allowed := p.KeyScopes(api.PAT, f.Scopes)
		lost := slices.DeleteFunc(slices.Clone(f.Scopes), func(s api.Scope) bool { return slices.Contains(allowed, s) })
		if len(lost) > 0 {
			return f, api.InvalidMember("/scopes", FaultPolicy,
				"the policies of your organisation admit no personal access tokens with "+join(lost))
		}
	}
	last := p.KeyEnd(f.Type, t.clock(), nil)
	switch {
	case last == nil:
	case !givenExpiry:
		f.ExpiresAt = p.KeyEnd(f.Type, t.clock(), f.ExpiresAt)
	case f.ExpiresAt.After(last.Time):
		return f, api.InvalidMember("/expiresAt", FaultPolicy, fmt.Sprintf("by the policies of your organisation, the key may last "+
			"for %d days, until %s", int(p.KeyLifetime(f.Type).Hours()/24), last))
	}
	return f, nil
}

// join returns scopes as words.
func join(scopes []api.Scope) string {
	return strings.Join(convert(scopes, func(s api.Scope) string { return string(s) }), " ")
}
