package tracker

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/openid"
	"bugslice/internal/store"
	"bugslice/internal/store/identities"
)

// everybody is the group of a rule about all users of the provider.
const everybody = "*"

// acceptsDomain reports whether one of the domains is that of an address.
func acceptsDomain(domains []string, email string) bool {
	return slices.Contains(domains, email[strings.LastIndexByte(email, '@')+1:])
}

// nameOfAddress returns a name for a person whose provider gives none.
func nameOfAddress(email string) string {
	name, _, _ := strings.Cut(email, "@")
	return name
}

// wanted are the roles that the groups of a person give by the rules of a provider.
func wanted(rules []api.GroupRule, groups []string) (admin bool, workspaces map[string]api.Role) {
	workspaces = map[string]api.Role{}
	for _, r := range rules {
		switch {
		case r.Group != everybody && !slices.Contains(groups, r.Group):
		case r.WorkspaceID == "":
			admin = true
		case workspaces[r.WorkspaceID] != api.RoleAdmin:
			workspaces[r.WorkspaceID] = r.Role
		}
	}
	return admin, workspaces
}

// confirmIdentity records that the provider has confirmed an identity, and gives and takes the roles of its groups. A
// provider that does not say the groups changes no role.
func (t *Tracker) confirmIdentity(tx *access.Tx, from access.Request, p identities.Provider, i identities.Identity,
	person openid.Person) error {
	u, err := tx.LockUser(i.UserID)
	if err != nil {
		return err
	}
	i.ConfirmedAt = t.clock()
	if person.HasGroups || p.GroupsClaim == "" {
		c := access.System(p.OrgID)
		c.Request = from
		admin, workspaces := wanted(p.Rules, person.Groups)
		want := identities.Granted{Admin: admin, Workspaces: grants(workspaces)}
		if i.Granted, err = t.grantByGroups(grantee{tx, c, u}, i.Granted, want); err != nil {
			return err
		}
	}
	return tx.Identities().Confirm(i)
}

func grants(roles map[string]api.Role) map[string]identities.Grant {
	all := map[string]identities.Grant{}
	for w, role := range roles {
		all[w] = identities.Grant{Role: role}
	}
	return all
}

// grantee is a user to whom groups give roles in a transaction, on behalf of the service.
type grantee struct {
	tx   *access.Tx
	c    access.Caller
	user store.User
}

// grantByGroups gives a user the roles that groups give and takes those that they gave before. What somebody gave by hand
// stays, and so do the role of an owner, and the last admin of a workspace. It returns what groups have given now.
func (t *Tracker) grantByGroups(to grantee, former, want identities.Granted) (now identities.Granted, err error) {
	tx, c, u := to.tx, to.c, to.user
	now.Workspaces = map[string]identities.Grant{}
	role := u.Role
	switch {
	case want.Admin && u.Role == api.RoleMember:
		role, now.Admin = api.RoleAdmin, true
	case want.Admin:
		now.Admin = former.Admin && u.Role == api.RoleAdmin
	case former.Admin && u.Role == api.RoleAdmin:
		role = api.RoleMember
	}
	if role != u.Role {
		previous := u.Role
		u.Role = role
		err := errors.Join(tx.SetOrganizationRole(u.ID, role), t.recordAudit(tx, c,
			event{Type: api.EventUserRoleChanged, ID: u.ID,
				Subject: userSubject(u), Previous: map[string]any{"role": previous}}))
		if err != nil {
			return now, err
		}
	}
	all := maps.Clone(want.Workspaces)
	maps.Copy(all, former.Workspaces)
	for _, workspaceID := range slices.Sorted(maps.Keys(all)) {
		g, err := t.grantWorkspace(to, workspaceID, former.Workspaces[workspaceID], want.Workspaces[workspaceID].Role)
		if err != nil {
			return now, err
		}
		if g.Role != "" {
			now.Workspaces[workspaceID] = g
		}
	}
	return now, nil
}

// grantWorkspace is grantByGroups for one workspace.
func (t *Tracker) grantWorkspace(to grantee, workspaceID string, former identities.Grant, want api.Role) (
	now identities.Grant, err error,
) {
	tx, c, u := to.tx, to.c, to.user
	w, err := tx.Queries.Workspace(workspaceID)
	if errors.Is(err, store.ErrNotFound) || err == nil && w.OrganizationID != u.OrgID {
		return now, nil
	}
	if err != nil {
		return now, err
	}
	current, err := tx.Queries.Role(workspaceID, u.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return now, err
	}
	byGroup := former.Role != "" && former.Role == current
	next := current
	switch {
	case byGroup && want == "":
		next = former.Before
	case byGroup:
		next, now = want, identities.Grant{Role: want, Before: former.Before}
		if former.Before == api.RoleAdmin {
			next = current
		}
	case want == api.RoleAdmin && current != api.RoleAdmin, want != "" && current == "":
		next, now = want, identities.Grant{Role: want, Before: current}
	}
	if next == current {
		return now, nil
	}
	if current == api.RoleAdmin {
		if _, err := tx.LockWorkspaceCounters(workspaceID); err != nil {
			return now, err
		}
		if n, err := tx.Queries.CountAdmins(workspaceID); err != nil || n <= 1 {
			return former, err
		}
	}
	if next == "" {
		return now, t.endMembership(tx, c, workspaceID, u)
	}
	return now, t.storeMember(tx, c, u, store.Membership{WorkspaceID: workspaceID, UserID: u.ID, Role: next})
}
