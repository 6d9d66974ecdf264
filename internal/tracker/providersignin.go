package tracker

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/openid"
	"bugslice/internal/schema"
	"bugslice/internal/store"
	"bugslice/internal/store/identities"
	"bugslice/internal/token"
)

// The times of a sign-in at a provider.
const (
	attemptLifetime      = 10 * time.Minute // in which the browser must return
	confirmationLifetime = 10 * time.Minute // in which a person must prove the account here
	providerProofAge     = 15 * time.Minute // of a sign-in at the provider that is a proof
	freshness            = 2 * time.Minute  // of a sign-in at the provider that was asked for anew
	sessionWithout       = 12 * time.Hour   // of a session whose provider gives no refresh token
)

// The purposes of a sign-in at a provider.
const (
	ToSignIn = "sign-in" // or to join
	ToLink   = "link"    // the account of a session
	ToProve  = "prove"   // that the person of a session is there
	toFinish = "finish"  // a sign-in that waits for the second factor
)

// maxConfirmation is the size of a confirmation with groups: a form has it.
const maxConfirmation = 4000

const (
	attemptPurpose      = "sign-in at a provider"
	confirmationPurpose = "identity at a provider"
)

// begun is a sign-in at a provider as the cookie of the browser has it, sealed.
type begun struct {
	openid.Attempt

	Purpose, Next string
	SessionID     string // to which it belongs; empty for ToSignIn
	Invitation    string // the hash of the token of the link from whose page it began; empty for none
	ExpiresAt     time.Time
}

// SignInPurpose is why a browser goes to a provider, and where it goes afterwards. Invitation is the token of the link from whose
// page it goes; empty for none.
type SignInPurpose struct{ Purpose, Next, Invitation string }

// BeganSignIn is where a browser goes to sign in, and what its cookie remembers.
type BeganSignIn struct{ Location, Cookie string }

// BeginSignIn begins a sign-in at the provider of an organisation. session is that of the browser, needed for all purposes but
// ToSignIn.
func (t *Tracker) BeginSignIn(ctx context.Context, orgID string, in SignInPurpose, session *Session) (
	b BeganSignIn, err error,
) {
	p, s, err := t.signInProvider(ctx, orgID)
	if err != nil {
		return b, err
	}
	started := begun{Attempt: openid.Attempt{State: rand.Text(), Nonce: rand.Text(),
		Verifier: rand.Text() + rand.Text(),
		Fresh:    in.Purpose != ToSignIn}, Purpose: in.Purpose, Next: in.Next, ExpiresAt: t.now().Add(attemptLifetime)}
	if in.Invitation != "" {
		started.Invitation = token.Hash(in.Invitation)
	}
	if in.Purpose != ToSignIn {
		if session == nil || session.Caller.Organization.ID != p.OrgID {
			return b, api.NotFound("provider")
		}
		started.SessionID = session.ID
	}
	if b.Location, err = t.openid.Address(ctx, s, started.Attempt); err != nil {
		return b, providerProblem(err)
	}
	text, err := json.Marshal(started)
	b.Cookie = t.seal(attemptPurpose, orgID, string(text))
	return b, err
}

// Returned is how a browser has returned from a provider.
type Returned struct {
	OrgID, Cookie string
	Answer        openid.Answer
	Session       *Session // of the browser
}

// SignInOutcome is what follows from a sign-in at a provider: a session, or a confirmation that the person must take
// here.
type SignInOutcome struct {
	Purpose, Next string
	Session       *NewSession // that was opened; nil for none
	Step          string      // the token of a sign-in that waits for the second factor; empty for none

	Sealed      string // the confirmation; empty for none
	Email, Name string // of the person at the provider
	Subject     string
	Provider    string // its name

	invitation string // the hash of the token of the link from whose page the person came; empty for none
}

// confirmation is a person whom a provider has confirmed, before an account is linked or a proof recorded.
type confirmation struct {
	UserID, SessionID, Purpose string
	Link                       bool // whether the account is linked with the person, because both were proved
	Issuer                     string
	Person                     openid.Person
	ExpiresAt                  time.Time
}

var errAnswerExpired = refuseSignIn("expired",
	"This sign-in was begun too long ago, in another browser, or was used before. Begin again.")

// FinishAtProvider takes the answer with which a browser returns from a provider. The answer must be of a sign-in that this
// browser has begun at this provider, and works once. An identity that is known opens a session. Another one joins by an
// invitation to its verified address, or by a domain. An account with its address is not opened: the person must prove
// that one, too.
func (t *Tracker) FinishAtProvider(ctx context.Context, from Client, r Returned) (out SignInOutcome, err error) {
	started, err := t.openAttempt(r)
	if err != nil {
		return out, err
	}
	out.Purpose, out.Next, out.invitation = started.Purpose, started.Next, started.Invitation
	p, s, err := t.signInProvider(ctx, r.OrgID)
	if err != nil {
		return out, err
	}
	if err := access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		return tx.Identities().UseOnce(token.Hash("state "+started.State), api.At(started.ExpiresAt))
	}); err != nil {
		if errors.Is(err, identities.ErrUsed) {
			err = errAnswerExpired
		}
		return out, err
	}
	person, err := t.openid.Exchange(ctx, s, started.Attempt, r.Answer)
	if err != nil {
		return out, providerProblem(err)
	}
	out.Email, out.Name, out.Subject, out.Provider = person.Email, person.Name, person.Subject, p.Name
	if started.Purpose != ToSignIn {
		return t.confirmHere(out, p, started, person)
	}
	return t.enter(ctx, from, p, person, out)
}

// openAttempt returns the sign-in that the browser has begun. For one of a session, the session must still be there.
func (t *Tracker) openAttempt(r Returned) (started begun, err error) {
	text, err := t.unseal(attemptPurpose, r.OrgID, r.Cookie)
	if err == nil {
		err = json.Unmarshal([]byte(text), &started)
	}
	if err != nil || !t.now().Before(started.ExpiresAt) {
		return started, errAnswerExpired
	}
	if started.Purpose != ToSignIn && (r.Session == nil || r.Session.ID != started.SessionID) {
		return started, errAnswerExpired
	}
	return started, nil
}

// confirmHere returns the confirmation of a person who has signed in at the provider anew, for a session.
func (t *Tracker) confirmHere(out SignInOutcome, p identities.Provider, started begun, person openid.Person) (
	SignInOutcome, error,
) {
	if age := t.now().Sub(person.SignedInAt); age > freshness || age < -freshness {
		return out, refuseSignIn("not_fresh",
			"The provider did not ask you to sign in anew, or does not say when you did (auth_time).")
	}
	c := confirmation{SessionID: started.SessionID, Purpose: started.Purpose, Person: person}
	return t.sealConfirmation(out, p, c)
}

func (t *Tracker) sealConfirmation(out SignInOutcome, p identities.Provider, c confirmation) (SignInOutcome, error) {
	c.Issuer, c.ExpiresAt = p.Issuer, t.now().Add(confirmationLifetime)
	text, err := json.Marshal(c)
	if len(text) > maxConfirmation && err == nil { // the groups are applied at the next refresh
		c.Person.Groups, c.Person.HasGroups = nil, false
		text, err = json.Marshal(c)
	}
	out.Sealed = t.seal(confirmationPurpose, p.OrgID, string(text))
	return out, err
}

// openConfirmation returns a confirmation of a person of an organisation for a purpose.
func (t *Tracker) openConfirmation(orgID, sealed, purpose string) (c confirmation, err error) {
	text, err := t.unseal(confirmationPurpose, orgID, sealed)
	if err == nil {
		err = json.Unmarshal([]byte(text), &c)
	}
	if err != nil || !t.now().Before(c.ExpiresAt) || c.Purpose != purpose {
		return c, errAnswerExpired
	}
	return c, nil
}

var (
	errUnverified = refuseSignIn("unverified",
		"The provider does not confirm your e-mail address, so that no account can be found by it.")
	errUninvited = refuseSignIn("uninvited",
		"There is no invitation for your e-mail address. Ask an admin of the organisation for one.")
	errEnded = refuseSignIn("disabled", "Your account here is disabled. Ask an admin of the organisation.")
)

// enter opens a session of a person whom the provider has confirmed, or asks for the proof of an account.
func (t *Tracker) enter(ctx context.Context, from Client, p identities.Provider, person openid.Person,
	out SignInOutcome) (
	SignInOutcome, error,
) {
	entered, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (*entry, error) {
		i, err := tx.Queries.Identities().Identity(p.OrgID, p.Issuer, person.Subject)
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		u, err := tx.LockUser(i.UserID)
		if err != nil {
			return nil, err
		}
		e, err := t.admitAtProvider(tx, from, u, p, confirmation{Person: person})
		return &e, err
	})
	if err != nil || entered != nil {
		return out.with(entered), err
	}
	email, err := ParseEmail(person.Email)
	if err != nil || !person.EmailVerified {
		return out, errUnverified
	}
	person.Email = email
	u, err := t.userByEmail(ctx, email)
	switch {
	case err != nil:
		return out, err
	case u.ID != "" && u.OrgID == p.OrgID:
		return t.sealConfirmation(out, p, confirmation{UserID: u.ID, Purpose: ToSignIn, Person: person})
	}
	attempt, wait := t.refusalLimits.takenAddresses.Reserve(p.OrgID)
	if wait > 0 {
		problem := api.NewProblem(api.CodeRateLimited,
			"Too many people of this organisation could not join. Try again later.")
		problem.RetryAfter = wait
		return out, problem
	}
	defer attempt.Release() // unless it has failed
	if u.ID != "" {         // of another organisation, which is told to nobody
		attempt.Fail()
		return out, errUninvited
	}
	joined, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (NewSession, error) {
		return t.joinByProvider(tx, from, p, joining{person, out.invitation})
	})
	if HasFault(err, "taken") {
		err = errUninvited
	}
	if err == nil {
		out.Session = &joined
	}
	return out, err
}

// with returns the outcome with a sign-in.
func (o SignInOutcome) with(e *entry) SignInOutcome {
	if e != nil && e.step != "" {
		o.Step = e.step
	} else if e != nil {
		o.Session = &e.session
	}
	return o
}

// admitAtProvider opens a session of a user whom the provider has confirmed, in a transaction that has locked the user. For
// a user with a second factor, it stores a sign-in that waits for it, unless the provider says that it has asked for
// several. What Link says is done with the session.
func (t *Tracker) admitAtProvider(tx *access.Tx, from Client, u store.User, p identities.Provider, c confirmation) (e entry, err error) {
	if u.DisabledAt != nil || u.ErasedAt != nil {
		return e, errEnded
	}
	second := ""
	if c.Person.Multiple {
		second = ByProvider
	}
	has, err := tx.Factors().Counts(u.ID)
	if err != nil {
		return e, err
	}
	if second != "" || !has.HasSecond() {
		e.session, err = t.finishAtProvider(tx, from, p, arrival{c.Person, u, c.Link, second})
		return e, err
	}
	c.UserID, c.Purpose = u.ID, toFinish
	sealed, err := t.sealConfirmation(SignInOutcome{}, p, c)
	if err != nil {
		return e, err
	}
	e.step, err = t.addStep(tx, u, sealed.Sealed)
	return e, err
}

// arrival is a person whom a provider has confirmed, as a user here.
type arrival struct {
	openid.Person

	user   store.User
	link   bool   // whether the account is linked with the person, because both were proved
	second string // the second factor that was proved; empty for none
}

// finishAtProvider opens a session of a user whom the provider has confirmed.
func (t *Tracker) finishAtProvider(tx *access.Tx, from Client, p identities.Provider, a arrival) (opened NewSession, err error) {
	i, err := tx.Queries.Identities().Identity(p.OrgID, p.Issuer, a.Subject)
	if errors.Is(err, store.ErrNotFound) && a.link {
		i, err = t.link(tx, callerOf(a.user, from.Request), a.user, p, a.Person)
	}
	if errors.Is(err, store.ErrNotFound) || err == nil && i.UserID != a.user.ID {
		err = errAnswerExpired
	}
	if err != nil {
		return opened, err
	}
	return t.openAtProvider(tx, from, p, i, a)
}

// finishStep opens the session of a sign-in that has waited for the second factor, after the provider had confirmed it.
func (t *Tracker) finishStep(tx *access.Tx, from Client, u store.User, sealed, second string) (opened NewSession, err error) {
	c, err := t.openConfirmation(u.OrgID, sealed, toFinish)
	if err != nil {
		return opened, err
	}
	p, err := tx.Queries.Identities().Provider(u.OrgID)
	if err != nil {
		return opened, access.OrNotFound(err, "provider")
	}
	if c.UserID != u.ID || c.Issuer != p.Issuer {
		return opened, errAnswerExpired
	}
	return t.finishAtProvider(tx, from, p, arrival{c.Person, u, c.Link, second})
}

// joining is a person without an account, with the hash of the token of the link from which it came.
type joining struct {
	openid.Person

	invitation string
}

// joinByProvider creates the account of a person with a verified address who has an invitation, or whose domain the
// organisation accepts.
func (t *Tracker) joinByProvider(tx *access.Tx, from Client, p identities.Provider, person joining) (
	NewSession, error,
) {
	i, err := t.invitationTo(tx, p, person)
	if err != nil {
		return NewSession{}, err
	}
	name := person.Name
	if schema.CheckName(name) != nil {
		name = nameOfAddress(person.Email)
	}
	u := store.User{ID: id.New(id.User), OrgID: p.OrgID, Email: person.Email, Name: name, Role: i.Role,
		CreatedAt: t.clock()}
	if err := t.createUser(tx, u, from, i); err != nil {
		return NewSession{}, err
	}
	linked, err := t.link(tx, callerOf(u, from.Request), u, p, person.Person)
	if err != nil {
		return NewSession{}, err
	}
	second := ""
	if person.Multiple {
		second = ByProvider
	}
	return t.openAtProvider(tx, from, p, linked, arrival{person.Person, u, false, second})
}

var errOwnerLink = refuseSignIn("owner",
	"You are invited as an owner of the organisation. Open the link of the invitation, and join from there.")

// invitationTo uses up the invitation to the address of a person, or returns that of its domain: a member of no workspace. That of an
// owner needs its link as well, because admins choose the provider, which says who has an address, and make no owners.
func (t *Tracker) invitationTo(tx *access.Tx, p identities.Provider, person joining) (store.Invitation, error) {
	email := person.Email
	pending, err := tx.Queries.Invitations(p.OrgID, t.clock())
	if err != nil {
		return store.Invitation{}, err
	}
	for _, i := range pending {
		if i.Email != email {
			continue
		}
		inviter, err := tx.LockUser(i.UserID)
		if err == nil {
			role := func(q access.Queries, workspaceID string) (api.Role, error) {
				return q.Role(workspaceID, inviter.ID)
			}
			err = checkInviter(tx.Queries, inviter, i, role)
		}
		if err == nil && i.Role == api.RoleOwner {
			opened, err := tx.InvitationOfToken(person.invitation, t.clock())
			if errors.Is(err, store.ErrNotFound) || err == nil && opened.ID != i.ID {
				err = errOwnerLink
			}
			if err != nil {
				return i, err
			}
		}
		if err == nil {
			return i, tx.DeleteInvitation(i.ID)
		}
		if !errors.Is(err, store.ErrNotFound) && !access.IsRefusal(err) {
			return i, err
		}
	}
	if !acceptsDomain(p.Domains, email) {
		return store.Invitation{}, errUninvited
	}
	return store.Invitation{OrgID: p.OrgID, Email: email, Role: api.RoleMember}, nil
}

// link stores who a user is at a provider.
func (t *Tracker) link(tx *access.Tx, c access.Caller, u store.User, p identities.Provider, person openid.Person) (
	identities.Identity, error,
) {
	i := identities.Identity{OrgID: p.OrgID, Issuer: p.Issuer, Subject: person.Subject, UserID: u.ID,
		Email:    person.Email,
		LinkedAt: t.clock(), ConfirmedAt: t.clock()}
	err := tx.Identities().Link(i)
	var taken *store.UniqueViolationError
	if errors.As(err, &taken) {
		return i, refuseSignIn("linked",
			"This account, or the one at the provider, is linked with another one already.")
	}
	if err != nil {
		return i, err
	}
	return i, t.recordAudit(tx, c, event{Type: api.EventIdentityLinked, ID: u.ID, Subject: identitySubject(u, i)})
}

// openAtProvider opens a session of an identity, with the roles that its groups give, in a transaction that has locked the
// user.
func (t *Tracker) openAtProvider(tx *access.Tx, from Client, p identities.Provider, i identities.Identity, a arrival) (
	NewSession, error,
) {
	person, now := a.Person, t.clock()
	o := opening{provedAt: api.At(time.UnixMilli(0)), provider: p.Name, second: a.second}
	if age := now.Sub(person.SignedInAt); age >= 0 && age < providerProofAge {
		o.provedAt = api.At(person.SignedInAt)
	}
	if person.RefreshToken == "" {
		o.endsAt = new(api.Time)
		*o.endsAt = api.At(now.Add(sessionWithout))
	}
	opened, s, err := t.openSessionAs(tx, a.user, from, o)
	if err != nil {
		return opened, err
	}
	err = tx.Identities().InsertSession(identities.Session{ID: s.ID, OrgID: p.OrgID, Issuer: p.Issuer,
		Subject: i.Subject,
		SID:     person.SessionID, Sealed: t.sealRefresh(s.ID, person.RefreshToken), DueAt: t.nextRefresh(person),
		ConfirmedAt: now})
	if err != nil {
		return opened, err
	}
	return opened, t.confirmIdentity(tx, from.Request, p, i, person)
}
