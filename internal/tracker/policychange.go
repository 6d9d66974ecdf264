package tracker

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/policy"
	"bugslice/internal/store"
	"bugslice/internal/store/policies"
)

// policyChange is a change of the policies of an organisation, at one moment.
type policyChange struct {
	q             access.Queries
	orgID         string
	before, after *policy.Policy
	limits        access.SessionLimits // of the service
	now           api.Time
	session       string // of who makes the change
}

const shownRecords = 20 // of a list of a preview

// add adds a record to a list, which has the first ones.
func add[T any](l *api.PolicyList[T], of T) {
	if l.Count++; len(l.First) < shownRecords {
		l.First = append(l.First, of)
	}
}

// preview returns what the change ends, and the invitations, which are to be revoked. What it lists is what is refused
// once the change is stored: both ask the functions of package policy.
func (p policyChange) preview() (shown api.PolicyPreview, revoked []store.Invitation, err error) {
	shown.Policies, shown.Version = p.after.PolicyFields, p.before.Version
	sessions, err := p.q.Policies().Sessions(p.orgID)
	if err != nil {
		return shown, nil, err
	}
	p.previewSessions(&shown, sessions)
	keys, err := p.q.Policies().Keys(p.orgID)
	if err != nil {
		return shown, nil, err
	}
	p.previewKeys(&shown, keys)
	if revoked, err = p.previewInvitations(&shown); err != nil {
		return shown, nil, err
	}
	if p.after.SecondFactor && !p.before.SecondFactor {
		if shown.People.First, err = p.q.Policies().WithoutFactor(p.orgID, shownRecords); err == nil {
			_, shown.People.Count, err = p.q.Factors().CountWithout(p.orgID)
		}
	}
	return shown, revoked, err
}

func (p policyChange) previewSessions(shown *api.PolicyPreview, all []policies.Session) {
	lives := func(of *policy.Policy, s policies.Session) bool {
		end := p.limits.Within(of).End(store.Session{CreatedAt: s.CreatedAt, LastUsedAt: s.LastUsedAt, EndsAt: s.EndsAt})
		return p.now.Before(end)
	}
	var person api.PolicyPerson // of the sessions that were counted last, which are ordered by user
	flush := func() {
		if person.Sessions > 0 {
			add(&shown.Sessions.People, person)
		}
	}
	for _, s := range all {
		before, after := lives(p.before, s), lives(p.after, s)
		switch {
		case after && !before:
			shown.RestoredSessions++
		case before && !after:
			if s.UserID != person.ID {
				flush()
				person = api.PolicyPerson{ID: s.UserID, Name: s.Name, Email: s.Email}
			}
			person.Sessions++
			shown.Sessions.Count++
			shown.Sessions.Own = shown.Sessions.Own || s.ID == p.session
		}
	}
	flush()
}

func (p policyChange) previewKeys(shown *api.PolicyPreview, all []policies.Key) {
	owners := map[string]bool{} // of personal keys, who could make none any more
	for _, k := range all {
		before, after := p.before.KeyEnd(k.Type, k.CreatedAt, k.ExpiresAt), p.after.KeyEnd(k.Type, k.CreatedAt, k.ExpiresAt)
		lived, lives := before == nil || p.now.Before(before.Time), after == nil || p.now.Before(after.Time)
		row := k.PolicyKey
		row.EndsAt, row.EndedAt = after, before
		switch {
		case lives && !lived:
			shown.RestoredKeys++
		case lived && !lives:
			add(&shown.EndedKeys, row)
		case lives && after != nil && (before == nil || after.Before(before.Time)):
			add(&shown.EndingKeys, row)
		}
		if !lives {
			continue
		}
		if row.Scopes = p.lost(k); len(row.Scopes) > 0 {
			add(&shown.LosingKeys, row)
		}
		if k.Address != "" && p.before.AdmitsKeyFrom(k.Address, k.FilesOnly) && !p.after.AdmitsKeyFrom(k.Address, k.FilesOnly) {
			add(&shown.DistantKeys, row)
		}
		if k.Type == api.PAT && p.before.MakesPersonalKeys(k.Role) && !p.after.MakesPersonalKeys(k.Role) {
			owners[k.UserID] = true
		}
	}
	shown.OtherMakers = int64(len(owners))
}

// lost returns the scopes that a key loses.
func (p policyChange) lost(k policies.Key) (lost []api.Scope) {
	kept := p.after.KeyScopes(k.Type, k.Scopes)
	for _, s := range p.before.KeyScopes(k.Type, k.Scopes) {
		if !slices.Contains(kept, s) {
			lost = append(lost, s)
		}
	}
	return lost
}

// previewInvitations returns the invitations that the change revokes.
func (p policyChange) previewInvitations(shown *api.PolicyPreview) (revoked []store.Invitation, err error) {
	if len(p.after.InvitationDomains) == 0 {
		return nil, nil
	}
	pending, err := p.q.Invitations(p.orgID, p.now)
	if err != nil {
		return nil, err
	}
	names, err := p.q.NamesOf(convert(pending, func(i store.Invitation) string { return i.UserID }))
	for _, i := range pending {
		if !p.after.AdmitsEmail(i.Email) {
			revoked = append(revoked, i)
			add(&shown.Invitations, api.Invitee{ID: i.ID, Email: i.Email, InvitedBy: names[i.UserID]})
		}
	}
	return revoked, err
}
