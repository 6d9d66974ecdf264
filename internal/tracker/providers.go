package tracker

import (
	"context"
	"errors"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/openid"
	"bugslice/internal/policy"
	"bugslice/internal/schema"
	"bugslice/internal/store"
	"bugslice/internal/store/identities"
)

// The codes of faults of the settings of a provider.
const (
	FaultNotTried  = "not_tried"  // nobody has signed in by these settings
	FaultOwnerOnly = "owner_only" // an owner decides that there are no passwords
)

// GetProvider returns the OpenID provider of the organisation. The caller must manage its people.
func (t *Tracker) GetProvider(ctx context.Context, c access.Caller, v input.Valid[api.GetProvider]) (
	api.Provider, error,
) {
	if _, err := v.Value(c.Allow(api.OpGetProvider)); err != nil {
		return api.Provider{}, err
	}
	q := t.access.Read(ctx)
	u, err := peopleManager(q, c)
	if err != nil {
		return api.Provider{}, err
	}
	p, err := providerOf(q, u.OrgID)
	if err != nil {
		return api.Provider{}, err
	}
	return t.showProvider(q, u, p)
}

// GetOwnProvider returns the OpenID provider of the organisation of the user.
func (t *Tracker) GetOwnProvider(ctx context.Context, c access.Caller, v input.Valid[api.GetOwnProvider]) (
	own api.OwnProvider, _ error,
) {
	if _, err := v.Value(c.Allow(api.OpGetOwnProvider)); err != nil {
		return own, err
	}
	q := t.access.Read(ctx)
	p, err := providerOf(q, c.Organization.ID)
	if err != nil || p.Issuer == "" {
		return own, err
	}
	own = api.OwnProvider{Name: p.Name, PasswordsOff: p.PasswordsOff}
	i, err := q.Identities().IdentityOf(c.ID, p.Issuer)
	if errors.Is(err, store.ErrNotFound) {
		return own, nil
	}
	own.Linked, own.Email = err == nil, i.Email
	return own, err
}

// peopleManager returns the user of a caller who manages the people of the organisation.
func peopleManager(q access.Queries, c access.Caller) (store.User, error) {
	u, err := q.User(c.ID)
	if err == nil && !managesPeople(u.Role) {
		err = errManagersOnly
	}
	return u, err
}

// showProvider returns a provider as those who manage people see it.
func (t *Tracker) showProvider(q access.Queries, u store.User, p identities.Provider) (
	shown api.Provider, err error,
) {
	base := t.baseURL + ProviderPath + u.OrgID
	shown = api.Provider{ProviderFields: api.ProviderFields{Name: p.Name, Issuer: p.Issuer, ClientID: p.ClientID,
		Domains:     p.Domains,
		GroupsClaim: p.GroupsClaim, Rules: p.Rules, PasswordsOff: p.PasswordsOff},
		Configured: p.Issuer != "", HasSecret: p.Sealed != "", RedirectURL: base + "/callback",
		BackChannelURL:  base + "/back-channel",
		FrontChannelURL: base + "/front-channel", TriedAt: p.TriedAt, Version: p.Version}
	if _, err = q.Identities().IdentityOf(u.ID, p.Issuer); err == nil {
		shown.Linked = true
	} else if !errors.Is(err, store.ErrNotFound) {
		return shown, err
	}
	if shown.Users, shown.LinkedUsers, err = q.Identities().CountLinked(u.OrgID, p.Issuer); err != nil {
		return shown, err
	}
	shown.Sessions, shown.SessionUsers, err = q.Identities().CountSessionsWithout(u.OrgID)
	return shown, err
}

// UpdateProvider stores the OpenID provider of the organisation. The caller must manage its people, and be an owner to
// switch passwords off; before that, somebody has signed in by the settings and the caller's account is linked. Another
// issuer or client switches passwords on again, because nobody has tried it. Its faults name the members.
func (t *Tracker) UpdateProvider(ctx context.Context, c access.Caller, v input.Valid[api.UpdateProvider]) (
	api.Provider, error,
) {
	in, err := v.Value(c.Allow(api.OpUpdateProvider))
	if err != nil {
		return api.Provider{}, err
	}
	f, faults := t.checkProvider(in.Body)
	return access.Write(ctx, t.access, c, api.OpUpdateProvider, func(tx *access.Tx, c access.Caller) (api.Provider,
		error) {
		u, err := peopleManager(tx.Queries, c)
		if err != nil {
			return api.Provider{}, err
		}
		if len(faults) > 0 {
			return api.Provider{}, api.NewProblem(api.CodeInvalidBody, faults[0].Detail, faults...)
		}
		if err := tx.LockOrganization(u.OrgID); err != nil {
			return api.Provider{}, err
		}
		former, err := providerOf(tx.Queries, u.OrgID)
		if err == nil {
			err = checkIfMatch("provider", in.IfMatch, former.Version)
		}
		if err != nil {
			return api.Provider{}, err
		}
		next := t.changeProvider(former, f)
		if err := checkPasswordsOff(tx.Queries, u, former, next); err != nil {
			return api.Provider{}, err
		}
		if err := checkGroupRules(tx.Queries, u, next.Rules); err != nil {
			return api.Provider{}, err
		}
		if err := tx.Identities().PutProvider(next); err != nil {
			return api.Provider{}, err
		}
		next.Version++
		if err := t.recordAudit(tx, c, event{Type: api.EventProviderUpdated, ID: u.OrgID,
			Subject:  providerSubject(next),
			Previous: providerSubject(former)}); err != nil {
			return api.Provider{}, err
		}
		return t.showProvider(tx.Queries, u, next)
	})
}

// providerSubject is a provider as the audit log shows it, without its secret.
func providerSubject(p identities.Provider) map[string]any {
	return map[string]any{"id": p.OrgID, "name": p.Name, "issuer": p.Issuer, "clientId": p.ClientID,
		"domains":     p.Domains,
		"groupsClaim": p.GroupsClaim, "rules": p.Rules, "passwordsOff": p.PasswordsOff}
}

// Bounds of the settings of a provider.
const (
	maxDomains = 50
	maxRules   = 200
)

// checkProvider returns the completed settings of a provider, and their faults.
func (t *Tracker) checkProvider(f api.ProviderFields) (_ api.ProviderFields, faults []api.Fault) {
	fault := func(pointer, code, detail string) {
		faults = append(faults, api.Fault{Pointer: pointer, Code: code, Detail: detail})
	}
	f.Name, f.Issuer, f.ClientID = strings.TrimSpace(f.Name), strings.TrimSpace(f.Issuer),
		strings.TrimSpace(f.ClientID)
	f.GroupsClaim, f.ClientSecret = strings.TrimSpace(f.GroupsClaim), strings.TrimSpace(f.ClientSecret)
	if err := schema.CheckName(f.Name); err != nil {
		fault("/name", "invalid", err.Error())
	}
	if _, err := t.openid.Allowed(f.Issuer); err != nil {
		fault("/issuer", "invalid", err.Error())
	}
	if f.ClientID == "" || len(f.ClientID) > 500 {
		fault("/clientId", "length", "the client id must have 1 to 500 characters")
	}
	if len(f.ClientSecret) > 2000 {
		fault("/clientSecret", "length", "the secret must have at most 2,000 characters")
	}
	if len(f.GroupsClaim) > 200 {
		fault("/groupsClaim", "length", "the name of the claim must have at most 200 characters")
	}
	for i, d := range f.Domains {
		f.Domains[i] = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(d), "@"))
		if !policy.IsDomain(f.Domains[i]) {
			fault("/domains", "invalid", "each domain must be a name such as acme.example")
		}
	}
	f.Domains = slices.Compact(slices.Sorted(slices.Values(f.Domains)))
	if len(f.Domains) > maxDomains {
		fault("/domains", "too_many", "at most 50 domains")
	}
	if len(f.Rules) > maxRules {
		fault("/rules", "too_many", "at most 200 rules")
	}
	for _, r := range f.Rules {
		if r.Role != api.RoleAdmin && (r.Role != api.RoleMember || r.WorkspaceID == "") {
			fault("/rules", "unknown",
				"a group gives the role admin of the organisation, or admin or member of a workspace")
		}
		if r.Group != "*" && f.GroupsClaim == "" {
			fault("/groupsClaim", "missing", "rules for groups need the name of the claim that has the groups")
		}
	}
	return f, faults
}

// changeProvider returns a provider with other settings.
func (t *Tracker) changeProvider(p identities.Provider, f api.ProviderFields) identities.Provider {
	if f.Issuer != p.Issuer || f.ClientID != p.ClientID || f.ClientSecret != "" {
		p.TriedAt = nil
	}
	if f.Issuer != p.Issuer || f.ClientID != p.ClientID {
		f.PasswordsOff = f.PasswordsOff && !p.PasswordsOff // otherwise refused below, since nobody has tried it
		p.Sealed = ""
	}
	if f.ClientSecret != "" {
		p.Sealed = t.seal(providerPurpose, p.OrgID, f.ClientSecret)
	}
	p.Name, p.Issuer, p.ClientID, p.Domains, p.GroupsClaim, p.Rules, p.PasswordsOff = f.Name, f.Issuer, f.ClientID,
		f.Domains,
		f.GroupsClaim, f.Rules, f.PasswordsOff
	if p.Rules == nil {
		p.Rules = []api.GroupRule{}
	}
	return p
}

// checkPasswordsOff refuses everybody but an owner to switch passwords off or on, and to switch them off before the owner
// has signed in by the settings.
func checkPasswordsOff(q access.Queries, u store.User, former, next identities.Provider) error {
	switch {
	case next.PasswordsOff == former.PasswordsOff:
		return nil
	case u.Role != api.RoleOwner:
		return api.InvalidMember("/passwordsOff", FaultOwnerOnly,
			"only an owner of the organisation may switch passwords off or on, and change the provider while they are off")
	case !next.PasswordsOff:
		return nil
	}
	_, err := q.Identities().IdentityOf(u.ID, next.Issuer)
	if errors.Is(err, store.ErrNotFound) || err == nil && next.TriedAt == nil {
		return api.InvalidMember("/passwordsOff", FaultNotTried,
			"try the sign-in and link your own account first, so that you are not locked out")
	}
	return err
}

// checkGroupRules refuses rules about workspaces of which there are none in the organisation.
func checkGroupRules(q access.Queries, u store.User, rules []api.GroupRule) error {
	for _, r := range rules {
		if r.WorkspaceID == "" {
			continue
		}
		w, err := q.Workspace(r.WorkspaceID)
		if err == nil && w.OrganizationID != u.OrgID {
			err = store.ErrNotFound
		}
		if errors.Is(err, store.ErrNotFound) {
			return api.InvalidMember("/rules", "unknown",
				"a rule names a workspace that the organisation does not have")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// RemoveProvider removes the OpenID provider of the organisation. The sessions that began there end, and passwords work
// again. The caller must manage its people, and be an owner where there are no passwords.
func (t *Tracker) RemoveProvider(ctx context.Context, c access.Caller, v input.Valid[api.RemoveProvider]) (
	none api.Nothing, _ error,
) {
	if _, err := v.Value(c.Allow(api.OpRemoveProvider)); err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpRemoveProvider, func(tx *access.Tx, c access.Caller) error {
		u, err := peopleManager(tx.Queries, c)
		if err != nil {
			return err
		}
		if err := tx.LockOrganization(u.OrgID); err != nil {
			return err
		}
		p, err := tx.Queries.Identities().Provider(u.OrgID)
		switch {
		case err != nil:
			return access.OrNotFound(err, "provider")
		case p.PasswordsOff && u.Role != api.RoleOwner:
			return errManagersOnly
		}
		if err := errors.Join(tx.Identities().EndSessions(u.OrgID),
			tx.Identities().DeleteProvider(u.OrgID)); err != nil {
			return err
		}
		return t.recordAudit(tx, c, event{Type: api.EventProviderRemoved, ID: u.OrgID, Subject: providerSubject(p)})
	})
}

// CheckProvider asks the OpenID provider of the organisation for its document and its keys. The caller must manage the
// people of the organisation.
func (t *Tracker) CheckProvider(ctx context.Context, c access.Caller, v input.Valid[api.CheckProvider]) (
	api.ProviderReport, error,
) {
	if _, err := v.Value(c.Allow(api.OpCheckProvider)); err != nil {
		return api.ProviderReport{}, err
	}
	q := t.access.Read(ctx)
	u, err := peopleManager(q, c)
	if err != nil {
		return api.ProviderReport{}, err
	}
	p, err := q.Identities().Provider(u.OrgID)
	if err != nil {
		return api.ProviderReport{}, access.OrNotFound(err, "provider")
	}
	report, err := t.openid.Check(ctx, p.Issuer, p.GroupsClaim)
	var refused *openid.Error
	if errors.As(err, &refused) {
		return api.ProviderReport{Problem: refused.Detail}, nil
	}
	return api.ProviderReport{NoRefresh: report.NoRefresh, BackChannel: report.BackChannel,
		FrontChannel: report.FrontChannel,
		EndsSessions: report.EndsSessions, ClaimsUnlisted: report.ClaimsUnlisted}, err
}

// UnlinkIdentity ends the link between the account of a user and the provider, with the sessions that began there. The
// caller must manage the user, or be the user where there are passwords, and who can sign in otherwise.
func (t *Tracker) UnlinkIdentity(ctx context.Context, c access.Caller, v input.Valid[api.UnlinkIdentity]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpUnlinkIdentity))
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpUnlinkIdentity, func(tx *access.Tx, c access.Caller) error {
		u, err := lockColleague(tx, c, in.UserID)
		if err == nil && u.ID != c.ID {
			u, err = managedUser(tx, c, in.UserID)
		}
		if err != nil {
			return err
		}
		p, err := providerOf(tx.Queries, u.OrgID)
		switch {
		case err != nil:
			return err
		case u.ID == c.ID && p.PasswordsOff:
			return conflictOf("passwords_off", "You sign in at the provider alone. Somebody else can end the link.")
		}
		i, err := tx.Queries.Identities().IdentityOf(u.ID, p.Issuer)
		if err != nil {
			return access.OrNotFound(err, "link")
		}
		if err := errors.Join(tx.Identities().Unlink(u.ID), tx.Identities().EndSessionsOf(i)); err != nil {
			return err
		}
		if u.ID == c.ID && u.PasswordHash == "" {
			if err := checkPasswordless(tx.Queries, u); err != nil {
				return err
			}
		}
		return t.recordAudit(tx, c, event{Type: api.EventIdentityUnlinked, ID: u.ID, Subject: identitySubject(u, i)})
	})
}

// identitySubject is who a user is at a provider, as the audit log shows it.
func identitySubject(u store.User, i identities.Identity) map[string]any {
	subject := userSubject(u)
	subject["issuer"], subject["subject"] = i.Issuer, i.Subject
	return subject
}
