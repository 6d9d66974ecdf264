package tracker

import (
	"context"
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/token"
)

// CallerType says what a Caller is.
type CallerType string

// The caller types.
const (
	UserCaller     CallerType = "user"     // by PAT or session
	ServiceCaller  CallerType = "service"  // by WST
	OperatorCaller CallerType = "operator" // at the command line, on the database itself
	SystemCaller   CallerType = "system"   // the service itself, in its background work
)

// Principal is who acts.
type Principal struct {
	Type  CallerType
	ID    string // of the user, or of the key for a service
	Name  string
	Email string
}

// Caller is on whose behalf a method runs. Its rights are read on every request, so that
// a revoked key or a lost membership ends with the next one.
type Caller struct {
	Principal
	Organization api.OrganizationRef
	Scopes       []api.Scope
	ExpiresAt    *api.Time
	WorkspaceID  string // the only one that a service reaches; empty for a user
	Credential   Credential
	Request      Request

	changes string   // another key that its transaction changes
	readSet *readSet // what its transaction relied on; nil outside of one
}

// Request is the request that a caller makes, for the audit log. It is empty at the command line.
type Request struct {
	ID            string
	ClientAddress string
}

func (r Request) stored() (s store.Request) {
	if r.ID != "" {
		s.ID = &r.ID
	}
	if r.ClientAddress != "" {
		s.ClientAddress = &r.ClientAddress
	}
	return s
}

// Credential is what a Caller has proved itself with. Only this package makes a valid one: a caller
// that was put together elsewhere is refused by every operation.
type Credential interface{ authentic() bool }

// Key is the credential of a request with an API key.
type Key struct {
	ID   string
	Name string
	Type api.KeyType

	tokenHash  string
	superseded bool // the token is in its grace period: a newer one stands beside it
}

func (k Key) authentic() bool { return k.tokenHash != "" }

// commandLine is the credential of an operator, who has the database at hand.
type commandLine struct{}

func (commandLine) authentic() bool { return true }

// operatorOf is the caller of the command line: it has every right in the organisation.
func operatorOf(o api.OrganizationRef) Caller {
	p := Principal{Type: OperatorCaller, Name: "operator"}
	return Caller{Principal: p, Organization: o, Scopes: api.AllScopes(), Credential: commandLine{}}
}

// system is the caller in whose name the service writes events of its own. It has no credential: no
// operation and no write accepts it.
func system(orgID string) Caller {
	return Caller{Principal: Principal{Type: SystemCaller}, Organization: api.OrganizationRef{ID: orgID}}
}

// isOperator says whether the caller is an operator. What it says of itself does not count.
func (c Caller) isOperator() bool {
	_, ok := c.Credential.(commandLine)
	return ok
}

// key returns the API key of a caller; ok is false for one that came with another credential.
func (c Caller) key() (k Key, ok bool) {
	k, ok = c.Credential.(Key)
	return k, ok
}

// KeyID returns the id of the caller's API key, empty without one.
func (c Caller) KeyID() string {
	k, _ := c.key()
	return k.ID
}

// keyIDOrNil returns the id of the caller's API key, nil without one.
func (c Caller) keyIDOrNil() *string {
	if k, ok := c.key(); ok {
		return &k.ID
	}
	return nil
}

// Authenticate returns the caller behind a bearer token. A refusal is always a 401 problem.
func (t *Tracker) Authenticate(ctx context.Context, text string) (Caller, error) {
	if _, ok := token.Parse(text); !ok {
		return Caller{}, api.Refuse(api.CodeUnauthorized, "This is not an API key of this service: it should begin with svc_pat_ or svc_wst_ and be copied whole.")
	}
	hash := token.Hash(text)
	cred, err := t.store.Read(ctx).Credential(hash)
	if err != nil {
		return Caller{}, unknownToken(err)
	}
	c, err := t.callerOfKey(cred, hash)
	if err == nil {
		t.keyUsage.record(cred.Key, t.clock())
	}
	return c, err
}

func unknownToken(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.Refuse(api.CodeUnauthorized, "The API key is unknown; it may have been rotated or revoked.")
	}
	return err
}

// callerOfKey returns the caller that a token stands for now, or a 401 problem.
func (t *Tracker) callerOfKey(cred store.Credential, hash string) (Caller, error) {
	now := t.clock()
	switch {
	case cred.RevokedAt != nil:
		return Caller{}, api.Refuse(api.CodeUnauthorized, "The API key was revoked.")
	case cred.ExpiresAt != nil && !now.Before(cred.ExpiresAt.Time):
		return Caller{}, api.Refuse(api.CodeUnauthorized, "The API key expired at "+cred.ExpiresAt.String()+".")
	case cred.TokenExpiresAt != nil && !now.Before(cred.TokenExpiresAt.Time):
		return Caller{}, api.Refuse(api.CodeUnauthorized, "The API key was rotated and this token's grace period is over.")
	case cred.UserDisabled:
		return Caller{}, api.Refuse(api.CodeUnauthorized, "The account behind the API key is disabled.")
	}
	c := Caller{Principal: Principal{Type: ServiceCaller, ID: cred.ID, Name: cred.Name}, Scopes: cred.Scopes, ExpiresAt: cred.ExpiresAt,
		Organization: api.OrganizationRef{ID: cred.OrgID, Name: cred.OrgName},
		Credential:   Key{ID: cred.ID, Name: cred.Name, Type: cred.Type, tokenHash: hash, superseded: cred.TokenExpiresAt != nil}}
	if cred.WorkspaceID != nil {
		c.WorkspaceID = *cred.WorkspaceID
	}
	if cred.UserID != nil {
		c.Principal = Principal{Type: UserCaller, ID: *cred.UserID, Name: cred.UserName, Email: cred.UserEmail}
	}
	return c, nil
}

// Allow refuses a caller without a valid credential, one that lacks the operation's scope, naming it, and a
// superseded token that would do what outlives it.
func (c Caller) Allow(operation string) error {
	if c.Credential == nil || !c.Credential.authentic() {
		return errNoCredential
	}
	op := api.Lookup(operation)
	if op.Scope != api.NoScope && !slices.Contains(c.Scopes, op.Scope) {
		return api.Refuse(api.CodeScope, "This needs the scope "+string(op.Scope)+", which the key was not given.")
	}
	if k, _ := c.key(); k.superseded && op.Effect == api.Lasting {
		return api.Refuse(api.CodeSuperseded, "The key was rotated, and this token works only until its grace period ends. It may read, and write slices, comments and evidence; use the newest token for this.")
	}
	return nil
}

var errNoCredential = api.Refuse(api.CodeUnauthorized, "The caller has no valid credential.")

// principal is whom Idempotency-Keys belong to. It survives the rotation of a key.
func (c Caller) principal() string { return c.ID }

// audience is whom cursors belong to: it is the same for every key of a user or of a workspace.
func (c Caller) audience() string {
	if c.Type == ServiceCaller {
		return c.WorkspaceID
	}
	return c.ID
}

func (c Caller) actor() store.Actor {
	a := store.Actor{Type: string(c.Type), KeyID: c.keyIDOrNil()}
	if c.ID != "" {
		a.ID = &c.ID
	}
	return a
}

// role returns what the caller is in a workspace, or refuses as if there were none.
func (c Caller) role(q store.Queries, workspaceID string) (api.Role, error) {
	switch {
	case c.Type == ServiceCaller:
		if c.WorkspaceID == workspaceID {
			return api.RoleAdmin, nil
		}
		return "", api.NotFound("workspace")
	case c.isOperator():
		w, err := q.Workspace(workspaceID)
		if err == nil && w.OrganizationID != c.Organization.ID {
			err = store.ErrNotFound
		}
		return api.RoleAdmin, orNotFound(err, "workspace")
	}
	read := q.Role
	if c.readSet != nil && c.readSet.lockRole != nil {
		read = c.readSet.lockRole
	}
	role, err := read(workspaceID, c.ID)
	if err == nil && c.readSet != nil {
		c.readSet.roles = append(c.readSet.roles, store.Membership{WorkspaceID: workspaceID, UserID: c.ID, Role: role})
	}
	return role, orNotFound(err, "workspace")
}

// requireAdmin refuses a caller that is no admin of a workspace it sees.
func (c Caller) requireAdmin(q store.Queries, workspaceID string) error {
	role, err := c.role(q, workspaceID)
	if err == nil && role != api.RoleAdmin {
		err = api.Refuse(api.CodeForbidden, "This is for the workspace's admins.")
	}
	return err
}

// workspaceIDs returns every workspace the caller sees.
func (c Caller) workspaceIDs(q store.Queries) ([]string, error) {
	if c.Type == ServiceCaller {
		return []string{c.WorkspaceID}, nil
	}
	return q.WorkspaceIDsOf(c.ID, "")
}

// GetMe tells the caller who it is.
func (t *Tracker) GetMe(_ context.Context, c Caller, v input.Valid[api.GetMe]) (api.Me, error) {
	if _, err := v.Value(c.Allow(api.OpGetMe)); err != nil {
		return api.Me{}, err
	}
	k, _ := c.key()
	me := api.Me{Type: string(c.Type), ID: c.ID, Name: c.Name, Organization: c.Organization,
		Key: api.KeyRef{ID: k.ID, Name: k.Name, Type: k.Type, Scopes: c.Scopes, ExpiresAt: c.ExpiresAt}}
	if c.WorkspaceID != "" {
		me.Key.WorkspaceID = &c.WorkspaceID
	}
	if c.Email != "" {
		me.Email = &c.Email
	}
	return me, nil
}
