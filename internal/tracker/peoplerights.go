package tracker

import (
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// The codes of the faults of changes to people that are refused: one that would leave an organisation without an
// owner, or a workspace without an admin.
const (
	FaultLastOwner = "last_owner"
	FaultLastAdmin = "last_admin"
	FaultDisabled  = "disabled" // a disabled user gets no link to reset the password
)

// managesPeople reports whether a role in the organisation admits managing its people.
func managesPeople(role api.Role) bool { return role == api.RoleOwner || role == api.RoleAdmin }

// managesUser reports whether a user may change the account of another one: an admin of the organisation not that of
// an owner.
func managesUser(u, other store.User) bool {
	return u.OrgID == other.OrgID && (u.Role == api.RoleOwner || u.Role == api.RoleAdmin && other.Role != api.RoleOwner)
}

// givesRole reports whether a user may give a role in the organisation to others.
func givesRole(u store.User, role api.Role) bool {
	return u.Role == api.RoleOwner || u.Role == api.RoleAdmin && role != api.RoleOwner
}

var errManagersOnly = api.NewProblem(api.CodeForbidden, "Only an owner or an admin of the organisation may do this.")

// managedUser returns a user of the caller's organisation, with a row lock. It refuses a caller who does not manage
// the account.
func managedUser(tx *access.Tx, c access.Caller, userID string) (store.User, error) {
	u, err := lockColleague(tx, c, userID)
	if err != nil || c.IsOperator() {
		return u, err
	}
	self, err := tx.User(c.ID)
	if err == nil && !managesUser(self, u) {
		err = errManagersOnly
	}
	return u, err
}

// lockColleague returns a user of the caller's organisation who is not erased, with a row lock.
func lockColleague(tx *access.Tx, c access.Caller, userID string) (store.User, error) {
	u, err := tx.LockUser(userID)
	if err == nil && (u.OrgID != c.Organization.ID || u.ErasedAt != nil) {
		err = store.ErrNotFound
	}
	return u, access.OrNotFound(err, "user")
}

// requireMemberManager refuses a caller who does not manage the members of a workspace: somebody who neither is its
// admin nor manages the people of its organisation.
func requireMemberManager(q access.Queries, c access.Caller, workspaceID string) error {
	if c.Type == access.UserCaller {
		u, err := q.User(c.ID)
		if err != nil {
			return err
		}
		if managesPeople(u.Role) {
			w, err := q.Workspace(workspaceID)
			if err == nil && w.OrganizationID != u.OrgID {
				err = store.ErrNotFound
			}
			return access.OrNotFound(err, "workspace")
		}
	}
	return c.RequireAdmin(q, workspaceID)
}

// checkOthersRemain refuses a change, which its transaction has made, that leaves the organisation of a user without
// an owner or a workspace of the user without an admin. administered are the workspaces of which the user was an
// admin before.
func checkOthersRemain(tx *access.Tx, u store.User, administered []string) error {
	if err := tx.LockOrganization(u.OrgID); err != nil {
		return err
	}
	n, err := tx.CountOwners(u.OrgID)
	if err == nil && n == 0 {
		err = conflictOf(FaultLastOwner,
			"The last owner of an organisation stays its owner. Make somebody else an owner first.")
	}
	if err != nil {
		return err
	}
	for _, w := range administered {
		if _, err := tx.LockWorkspaceCounters(w); err != nil {
			return err
		}
		if err := checkLastAdmin(tx.Queries, w); err != nil {
			return err
		}
	}
	return nil
}

func conflictOf(code, detail string) error {
	return api.NewProblem(api.CodeConflict, detail, api.Fault{Code: code, Detail: detail})
}

// checkLastAdmin refuses a change that leaves a workspace without an admin. The workspace must be locked.
func checkLastAdmin(q access.Queries, workspaceID string) error {
	n, err := q.CountAdmins(workspaceID)
	if err == nil && n == 0 {
		err = conflictOf(FaultLastAdmin,
			"The last admin of a workspace stays its admin. Give the workspace another admin first.")
	}
	return err
}

// HasFault reports whether an error is a problem with a fault of a code.
func HasFault(err error, code string) bool {
	var p *api.Problem
	if !errors.As(err, &p) {
		return false
	}
	for _, f := range p.Errors {
		if f.Code == code {
			return true
		}
	}
	return false
}

// userSubject is a user as the audit log shows it.
func userSubject(u store.User) map[string]any {
	return map[string]any{"id": u.ID, "name": u.Name, "email": u.Email, "role": u.Role}
}

// callerOf returns a user as the caller of events, without a right.
func callerOf(u store.User, r access.Request) access.Caller {
	p := access.Principal{Type: access.UserCaller, ID: u.ID}
	return access.Caller{Principal: p, Organization: api.OrganizationRef{ID: u.OrgID}, Request: r}
}
