package tracker

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/password"
	"bugslice/internal/schema"
	"bugslice/internal/store"
	"bugslice/internal/token"
)

// invitationLifetime is the time for which an invitation works.
const invitationLifetime = 7 * 24 * time.Hour

var errInvitation = api.NewProblem(api.CodeNotFound,
	"This invitation was used or revoked, has expired, or was replaced by a newer one.")

// PendingInvitation is that of the contract.
type PendingInvitation = api.PendingInvitation

// ReceivedInvitation is what somebody with the link of an invitation sees.
type ReceivedInvitation struct {
	Organization, InvitedBy, Email string
	Workspaces                     []string // names
	ExpiresAt                      api.Time

	OrgID, Provider string // of the organisation at whose provider the person can join; empty for none
	PasswordsOff    bool   // whether the person joins there alone
}

// AcceptedInvitation is the input of AcceptInvitation.
type AcceptedInvitation struct{ Name, Password string }

// InviteUser creates an invitation, in place of a former one to the same e-mail address, and returns the token of its
// link, which is shown once. The caller must manage the people of the organisation; an admin of workspaces may invite
// members into these. Its faults name /email, /role, /workspaceRole and /workspaceIds.
func (t *Tracker) InviteUser(ctx context.Context, c access.Caller, v input.Valid[api.InviteUser]) (
	none api.LinkToken, _ error,
) {
	in, err := v.Value(c.Allow(api.OpInvite))
	if err != nil {
		return none, err
	}
	f, faults := checkInvitation(in.Body)
	if in.Body = f; len(faults) > 0 {
		return none, api.NewProblem(api.CodeInvalidBody, faults[0].Detail, faults...)
	}
	return access.Write(ctx, t.access, c, api.OpInvite, func(tx *access.Tx, c access.Caller) (api.LinkToken, error) {
		inviter, err := tx.User(c.ID)
		if err != nil {
			return none, err
		}
		now := t.clock()
		i := store.Invitation{ID: id.New(id.Invitation), OrgID: inviter.OrgID, Email: f.Email, Role: f.Role,
			WorkspaceRole: f.WorkspaceRole,
			Workspaces:    f.WorkspaceIDs, UserID: inviter.ID, CreatedAt: now,
			ExpiresAt: api.At(now.Add(invitationLifetime))}
		if err := checkInviter(tx.Queries, inviter, i, c.RoleIn); err != nil {
			return none, err
		}
		return idempotent(t, tx, c, in, func() (api.LinkToken, error) {
			text, err := t.invite(tx, c, i)
			return api.LinkToken{Token: text}, err
		})
	})
}

// checkInvitation returns the completed fields of an invitation, and their faults.
func checkInvitation(f api.InvitationFields) (_ api.InvitationFields, faults []api.Fault) {
	email, err := ParseEmail(f.Email)
	if err != nil {
		faults = append(faults, api.Fault{Pointer: "/email", Code: "invalid", Detail: err.Error()})
	} else {
		f.Email = email
	}
	if f.Role != api.RoleMember && f.Role != api.RoleAdmin && f.Role != api.RoleOwner {
		faults = append(faults, api.Fault{Pointer: "/role", Code: "unknown",
			Detail: "the role must be owner, admin or member"})
	}
	if f.WorkspaceRole != api.RoleMember && f.WorkspaceRole != api.RoleAdmin {
		faults = append(faults, api.Fault{Pointer: "/workspaceRole", Code: "unknown",
			Detail: "the role must be admin or member"})
	}
	if f.WorkspaceIDs = slices.Compact(slices.Sorted(slices.Values(f.WorkspaceIDs))); len(f.WorkspaceIDs) > 100 {
		faults = append(faults, api.Fault{Pointer: "/workspaceIds", Code: "too_many", Detail: "at most 100 workspaces"})
	}
	return f, faults
}

// checkInviter refuses an invitation that its inviter has no right to, and one to an address that the policy of the
// organisation does not admit: when it is made, and when it is used. role returns the role of the inviter in a workspace.
func checkInviter(q access.Queries, inviter store.User, i store.Invitation,
	role func(access.Queries, string) (api.Role, error),
) error {
	manages := managesPeople(inviter.Role)
	mayGive := manages && givesRole(inviter, i.Role) || !manages && i.Role == api.RoleMember && len(i.Workspaces) > 0
	if inviter.DisabledAt != nil || !mayGive {
		return errManagersOnly
	}
	if err := checkDomain(q, i); err != nil {
		return err
	}
	for _, workspaceID := range i.Workspaces {
		if manages {
			w, err := q.Workspace(workspaceID)
			if err == nil && w.OrganizationID != inviter.OrgID {
				err = store.ErrNotFound
			}
			if err != nil {
				return access.OrNotFound(err, "workspace")
			}
			continue
		}
		r, err := role(q, workspaceID)
		if err == nil && r != api.RoleAdmin {
			err = errManagersOnly
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkDomain refuses an invitation to an address that the policy of the organisation does not admit.
func checkDomain(q access.Queries, i store.Invitation) error {
	p, err := q.Policies().Of(i.OrgID)
	if err == nil && !p.AdmitsEmail(i.Email) {
		err = api.InvalidMember("/email", "domain", "your organisation invites addresses of these domains only: "+
			strings.Join(p.InvitationDomains, ", "))
	}
	return err
}

// invite stores an invitation. It refuses the e-mail address of a user of the organisation, and that of an invitation
// that the caller may not revoke.
func (t *Tracker) invite(tx *access.Tx, c access.Caller, i store.Invitation) (string, error) {
	u, err := tx.UserByEmail(i.Email)
	if err == nil && u.OrgID == i.OrgID {
		return "", api.InvalidMember("/email", "taken", "somebody with this address is in the organisation already")
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	if err := t.checkReplaced(tx.Queries, c, i); err != nil {
		return "", err
	}
	text := rand.Text()
	if err := tx.InsertInvitation(i, token.Hash(text)); err != nil {
		return "", err
	}
	return text, t.recordAudit(tx, c, event{Type: api.EventInvitationCreated, ID: i.ID, Subject: invitationSubject(i)})
}

// checkReplaced refuses to replace an invitation that the caller may not revoke.
func (t *Tracker) checkReplaced(q access.Queries, c access.Caller, i store.Invitation) error {
	r, err := newPeopleReader(q, c)
	if err != nil {
		return err
	}
	pending, err := q.Invitations(i.OrgID, t.clock())
	for _, former := range pending {
		if former.Email == i.Email && !r.managesInvitation(former) {
			return api.InvalidMember("/email", "invited", "somebody else has invited this address already")
		}
	}
	return err
}

func invitationSubject(i store.Invitation) map[string]any {
	return map[string]any{"id": i.ID, "email": i.Email, "role": i.Role, "workspaceRole": i.WorkspaceRole,
		"workspaceIds": i.Workspaces,
		"expiresAt":    i.ExpiresAt}
}

// RevokeInvitation ends an invitation that the caller sees in ListPeople.
func (t *Tracker) RevokeInvitation(ctx context.Context, c access.Caller, v input.Valid[api.RevokeInvitation]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpRevokeInvitation))
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpRevokeInvitation, func(tx *access.Tx, c access.Caller) error {
		r, err := newPeopleReader(tx.Queries, c)
		if err != nil {
			return err
		}
		i, err := tx.Invitation(in.InvitationID)
		if err == nil && !r.managesInvitation(i) {
			err = store.ErrNotFound
		}
		if err == nil {
			err = tx.DeleteInvitation(i.ID)
		}
		if err != nil {
			return access.OrNotFound(err, "invitation")
		}
		return t.recordAudit(tx, c, event{Type: api.EventInvitationRevoked, ID: i.ID, Subject: invitationSubject(i)})
	})
}

// managesInvitation reports whether the caller may see and revoke an invitation: its inviter, those who manage the
// people of the organisation, and the admins of one of its workspaces.
func (r peopleReader) managesInvitation(i store.Invitation) bool {
	if i.OrgID != r.self.OrgID {
		return false
	}
	return i.UserID == r.self.ID || managesPeople(r.self.Role) ||
		slices.ContainsFunc(i.Workspaces, func(id string) bool { return r.workspaces[id].Managed })
}

// pendingInvitations returns the invitations that a caller manages, oldest first.
func (t *Tracker) pendingInvitations(r peopleReader) (pending []PendingInvitation, err error) {
	all, err := r.q.Invitations(r.self.OrgID, t.clock())
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(i store.Invitation) bool { return !r.managesInvitation(i) })
	inviters := make([]string, len(all))
	for n, i := range all {
		inviters[n] = i.UserID
	}
	names, err := r.q.NamesOf(inviters)
	for _, i := range all {
		p := PendingInvitation{ID: i.ID, Email: i.Email, Role: i.Role, WorkspaceRole: i.WorkspaceRole,
			InvitedBy: names[i.UserID],
			CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt}
		for _, id := range i.Workspaces {
			if w, ok := r.workspaces[id]; ok {
				p.Workspaces = append(p.Workspaces, w.Name)
			}
		}
		pending = append(pending, p)
	}
	return pending, err
}

// Invitation returns the invitation of a token. It refuses an invitation that was used or revoked, has expired, or
// whose inviter has lost the right to it, with not_found.
func (t *Tracker) Invitation(ctx context.Context, text string) (ReceivedInvitation, error) {
	q := t.access.Read(ctx)
	i, inviter, err := t.validInvitation(q, text, q.User)
	if err != nil {
		return ReceivedInvitation{}, err
	}
	received := ReceivedInvitation{InvitedBy: inviter.Name, Email: i.Email, ExpiresAt: i.ExpiresAt}
	for _, workspaceID := range i.Workspaces {
		w, err := q.Workspace(workspaceID)
		if err != nil {
			return ReceivedInvitation{}, err
		}
		received.Workspaces = append(received.Workspaces, w.Name)
	}
	p, err := providerOf(q, i.OrgID)
	if err != nil {
		return received, err
	}
	if p.Issuer != "" {
		received.OrgID, received.Provider, received.PasswordsOff = i.OrgID, p.Name, p.PasswordsOff
	}
	o, err := q.Organization(i.OrgID)
	received.Organization = o.Name
	return received, err
}

// validInvitation returns an invitation that works, with its inviter, whom readUser reads.
func (t *Tracker) validInvitation(q access.Queries, text string, readUser func(string) (store.User, error)) (
	i store.Invitation, inviter store.User, err error,
) {
	if i, err = q.InvitationOfToken(token.Hash(text), t.clock()); err == nil {
		inviter, err = readUser(i.UserID)
	}
	if err == nil {
		role := func(q access.Queries, workspaceID string) (api.Role, error) { return q.Role(workspaceID, inviter.ID) }
		err = checkInviter(q, inviter, i, role)
	}
	if errors.Is(err, store.ErrNotFound) || access.IsRefusal(err) {
		err = errInvitation
	}
	return i, inviter, err
}

// AcceptInvitation uses an invitation: it creates the user with its memberships, and opens a session. Its faults name
// /name and /password.
func (t *Tracker) AcceptInvitation(ctx context.Context, from Client, text string, in AcceptedInvitation) (
	NewSession, error,
) {
	i, _, err := t.validInvitation(t.access.Read(ctx), text, t.access.Read(ctx).User) // before the costly hash
	if err != nil {
		return NewSession{}, err
	}
	in.Name = strings.TrimSpace(in.Name)
	if faults := in.faults(); len(faults) > 0 {
		return NewSession{}, api.NewProblem(api.CodeInvalidBody, faults[0].Detail, faults...)
	}
	attempt, wait := t.refusalLimits.takenAddresses.Reserve(i.OrgID)
	if wait > 0 {
		p := api.NewProblem(api.CodeRateLimited,
			"Too many invitations of this organisation could not be used. Try again later.")
		p.RetryAfter = wait
		return NewSession{}, p
	}
	defer attempt.Release() // unless it has failed
	hash, err := t.passwords.Hash(ctx, in.Password)
	if err != nil {
		return NewSession{}, NewPasswordProblem(err, "/password")
	}
	opened, err := t.accept(ctx, from, text, in.Name, hash)
	if HasFault(err, "taken") {
		attempt.Fail()
	}
	return opened, err
}

// accept is AcceptInvitation with a valid name and the hash of the password.
func (t *Tracker) accept(ctx context.Context, from Client, text, name, hash string) (NewSession, error) {
	return access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (NewSession, error) {
		i, _, err := t.validInvitation(tx.Queries, text, tx.LockUser)
		if err != nil {
			return NewSession{}, err
		}
		if err := tx.DeleteInvitation(i.ID); err != nil {
			return NewSession{}, maskInvitation(err)
		}
		u := store.User{ID: id.New(id.User), OrgID: i.OrgID, Email: i.Email, Name: name, Role: i.Role,
			PasswordHash: hash,
			CreatedAt:    t.clock()}
		return t.join(tx, from, u, i)
	})
}

// join stores the user of an invitation with its memberships, and opens a session.
func (t *Tracker) join(tx *access.Tx, from Client, u store.User, i store.Invitation) (NewSession, error) {
	if err := t.createUser(tx, u, from, i); err != nil {
		return NewSession{}, err
	}
	return t.openSession(tx, u, from, "")
}

// createUser stores a user with the memberships of an invitation.
func (t *Tracker) createUser(tx *access.Tx, u store.User, from Client, i store.Invitation) error {
	err := tx.InsertUser(u)
	var taken *store.UniqueViolationError
	if errors.As(err, &taken) && taken.Index == store.IndexEmail {
		return api.InvalidMember("/email", "taken", "this e-mail address has an account already")
	}
	if err != nil {
		return err
	}
	c := callerOf(u, from.Request)
	if err := t.recordAudit(tx, c, event{Type: api.EventUserCreated, ID: u.ID, Subject: userSubject(u)}); err != nil {
		return err
	}
	for _, workspaceID := range i.Workspaces { // in the order of their ids; the workspaces are locked last
		m := store.Membership{WorkspaceID: workspaceID, UserID: u.ID, Role: i.WorkspaceRole}
		if err := t.storeMember(tx, c, u, m); err != nil {
			return err
		}
	}
	return nil
}

func maskInvitation(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return errInvitation
	}
	return err
}

func (in AcceptedInvitation) faults() (all []api.Fault) {
	if err := schema.CheckName(in.Name); err != nil {
		all = append(all, api.Fault{Pointer: "/name", Code: "invalid", Detail: err.Error()})
	}
	if err := password.CheckLength(in.Password); err != nil {
		all = append(all, api.Fault{Pointer: "/password", Code: "length", Detail: err.Error()})
	}
	return all
}
