package tracker

import (
	"context"
	"errors"
	"reflect"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/policy"
	"bugslice/internal/store"
)

// GetPolicies returns the policies of the organisation of the caller. The caller must manage its people.
func (t *Tracker) GetPolicies(ctx context.Context, c access.Caller, v input.Valid[api.GetPolicies]) (
	all api.Policies, _ error,
) {
	if _, err := v.Value(c.Allow(api.OpGetPolicies)); err != nil {
		return all, err
	}
	q := t.access.Read(ctx)
	u, err := peopleManager(q, c)
	if err != nil {
		return all, err
	}
	p, err := q.Policies().Of(u.OrgID)
	if err != nil {
		return all, err
	}
	all.PolicyFields, all.Version = p.PolicyFields, p.Version
	all.Users, all.WithoutFactor, err = q.Factors().CountWithout(u.OrgID)
	return all, err
}

// PreviewPolicies returns what policies would end that the caller could save. It changes nothing.
func (t *Tracker) PreviewPolicies(ctx context.Context, c access.Caller, v input.Valid[api.PreviewPolicies]) (
	none api.PolicyPreview, _ error,
) {
	in, err := v.Value(c.Allow(api.OpPreviewPolicies))
	if err != nil {
		return none, err
	}
	change, err := t.policyChange(t.access.Read(ctx), c, in.Body)
	if err != nil {
		return none, err
	}
	p, _, err := change.preview()
	return p, err
}

// UpdatePolicies changes the policies of the organisation of the caller, who must manage its people. Only an owner who
// has proved a second factor in the session requires one of others, and only an owner ends that. It returns what it has
// ended. Sessions and keys that end are not deleted: they are refused as long as the policies require it. Invitations
// are revoked.
func (t *Tracker) UpdatePolicies(ctx context.Context, c access.Caller, v input.Valid[api.UpdatePolicies]) (
	none api.PolicyPreview, _ error,
) {
	in, err := v.Value(c.Allow(api.OpUpdatePolicies))
	if err != nil {
		return none, err
	}
	return access.Write(ctx, t.access, c, api.OpUpdatePolicies,
		func(tx *access.Tx, c access.Caller) (api.PolicyPreview, error) {
			if _, err := peopleManager(tx.Queries, c); err != nil {
				return none, err
			}
			if err := tx.LockOrganization(c.Organization.ID); err != nil {
				return none, err
			}
			change, err := t.policyChange(tx.Queries, c, in.Body)
			if err == nil {
				err = checkIfMatch("policies", in.IfMatch, change.before.Version)
			}
			if err != nil {
				return none, err
			}
			p, revoked, err := change.preview()
			if err != nil || reflect.DeepEqual(change.before.PolicyFields, change.after.PolicyFields) {
				return p, err
			}
			if err := tx.Policies().Put(c.Organization.ID, change.after.PolicyFields); err != nil {
				return none, err
			}
			for _, i := range revoked {
				if err := errors.Join(tx.DeleteInvitation(i.ID), t.recordAudit(tx, c,
					event{Type: api.EventInvitationRevoked, ID: i.ID, Subject: invitationSubject(i)})); err != nil {
					return none, err
				}
			}
			return p, t.recordPolicies(tx, c, change, p)
		})
}

// policyChange returns the change of the policies of the caller's organisation to others, completed. It refuses policies
// with faults, and those that the caller may not save.
func (t *Tracker) policyChange(q access.Queries, c access.Caller, f api.PolicyFields) (change policyChange, err error) {
	u, err := peopleManager(q, c)
	if err != nil {
		return change, err
	}
	f, faults := policy.Check(f)
	if len(faults) > 0 {
		return change, api.NewProblem(api.CodeInvalidBody, faults[0].Detail, faults...)
	}
	before, err := q.Policies().Of(u.OrgID)
	if err != nil {
		return change, err
	}
	if f.SecondFactor != before.SecondFactor {
		if err := checkRequiresFactor(q, c, u, f.SecondFactor); err != nil {
			return change, err
		}
	}
	own, _ := c.Credential.(access.SessionCredential)
	return policyChange{q: q, orgID: u.OrgID, before: before, after: policy.New(f, before.Version+1), limits: t.sessionLimits,
		now: t.clock(), session: own.ID}, nil
}

// checkRequiresFactor refuses everybody but an owner to require a second factor or not, and an owner who has proved none.
func checkRequiresFactor(q access.Queries, c access.Caller, u store.User, required bool) error {
	if u.Role != api.RoleOwner {
		return api.InvalidMember("/secondFactor", FaultOwnerOnly,
			"only an owner of the organisation may require a second factor, or not")
	}
	own, _ := c.Credential.(access.SessionCredential)
	session, err := q.SessionCredential(own.TokenHash())
	if err == nil && required && session.SecondFactor == "" {
		err = api.InvalidMember("/secondFactor", FaultNoFactor, "set up a second factor for yourself first, on the page Security")
	}
	return err
}

// recordPolicies records a change of policies: the second factor in an event of its own.
func (t *Tracker) recordPolicies(tx *access.Tx, c access.Caller, change policyChange, p api.PolicyPreview) error {
	before, after := policySubject(change.before.PolicyFields), policySubject(change.after.PolicyFields)
	subject, previous := map[string]any{"id": change.orgID}, map[string]any{}
	for name, value := range after {
		subject[name] = value
		if !reflect.DeepEqual(before[name], value) {
			previous[name] = before[name]
		}
	}
	if f := change.after.SecondFactor; f != change.before.SecondFactor {
		err := t.recordAudit(tx, c, event{Type: api.EventSignInPolicyChanged, ID: change.orgID,
			Subject:  map[string]any{"id": change.orgID, "secondFactor": f},
			Previous: map[string]any{"secondFactor": !f}})
		if err != nil {
			return err
		}
	}
	if len(previous) == 0 {
		return nil
	}
	subject["ended"] = map[string]int64{"sessions": p.Sessions.Count, "keys": p.EndedKeys.Count, "invitations": p.Invitations.Count}
	return t.recordAudit(tx, c, event{Type: api.EventPoliciesChanged, ID: change.orgID, Subject: subject, Previous: previous})
}

// policySubject is the policies as the audit log shows them, without the second factor.
func policySubject(f api.PolicyFields) map[string]any {
	return map[string]any{"sessionHours": f.SessionHours, "sessionIdleHours": f.SessionIdleHours,
		"personalKeyDays": f.PersonalKeyDays, "serviceKeyDays": f.ServiceKeyDays, "personalKeyMakers": f.PersonalKeyMakers,
		"personalKeyScopes": join(f.PersonalKeyScopes), "keyNetworks": strings.Join(f.KeyNetworks, " "),
		"filingAnywhere": f.FilingAnywhere, "invitationDomains": strings.Join(f.InvitationDomains, " ")}
}
