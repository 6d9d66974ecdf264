package tracker

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/store"
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

	operation string   // that its transaction carries out; empty outside of one
	changes   string   // another key that its transaction changes
	readSet   *readSet // what its transaction relied on; nil outside of one
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
		return api.Refuse(api.CodeSuperseded,
			"The key was rotated, and this token works only until its grace period ends. It may read, and write slices, comments and "+
				"evidence; use the newest token for this.")
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

// listedWorkspaces returns the workspaces a list reads: the one asked for, else all the caller sees.
func (c Caller) listedWorkspaces(q store.Queries, workspaceID string) ([]string, error) {
	if workspaceID == "" {
		return c.workspaceIDs(q)
	}
	_, err := c.role(q, workspaceID)
	return []string{workspaceID}, err
}

// resolveMe puts the caller's own id where a filter says me.
func (c Caller) resolveMe(ids []string) []string {
	return convert(ids, func(v string) string {
		if v == "me" {
			return c.ID
		}
		return v
	})
}

// workspaceOrOwn returns the workspace a creation names; a service may leave its own out.
func (c Caller) workspaceOrOwn(workspaceID *string) (string, error) {
	switch {
	case workspaceID != nil:
		return *workspaceID, nil
	case c.Type == ServiceCaller:
		return c.WorkspaceID, nil
	}
	return "", api.InvalidMember("/workspaceId", "required", "workspaceId is required: a personal access token reaches several workspaces")
}

func (c Caller) reporter() api.Reporter {
	r := api.Reporter{Type: string(c.Type), ID: &c.ID, Name: c.Name}
	if c.Type == OperatorCaller {
		r.Type, r.ID = "service", nil
	}
	return r
}

// isAuthor says whether the caller is who wrote a comment.
func (c Caller) isAuthor(m api.Comment) bool { return m.Author.ID != nil && *m.Author.ID == c.ID }

// defaultWorkspace fills in a service's workspace, and refuses a user who names none.
func (c Caller) defaultWorkspace(in *api.ListEvents) error {
	if in.WorkspaceID != "" {
		return nil
	}
	if c.Type != ServiceCaller {
		return api.InvalidParameter("workspaceId", "required",
			"workspaceId is required: a personal access token reaches several workspaces")
	}
	in.WorkspaceID = c.WorkspaceID
	return nil
}

// readableEvents returns the types, of those asked for or of all, whose subject the caller may read.
func (c Caller) readableEvents(asked []api.EventType, role api.Role) []api.EventType {
	var types []api.EventType
	for _, e := range api.PublicEvents() {
		admins := e.Scope == api.KeysManage || e.Scope == api.WebhooksManage // only they see a workspace's keys and webhooks
		switch {
		case len(asked) > 0 && !slices.Contains(asked, e.Type):
		case !slices.Contains(c.Scopes, e.Scope):
		case admins && role != api.RoleAdmin:
		default:
			types = append(types, e.Type)
		}
	}
	return types
}

func (c Caller) creator() (m api.KeyMaker) {
	if c.Type == UserCaller {
		m.UserID = &c.ID
	}
	m.KeyID = c.keyIDOrNil()
	return m
}

// administeredWorkspaces returns the workspaces whose WSTs the caller sees.
func (c Caller) administeredWorkspaces(q store.Queries) ([]string, error) {
	if c.Type == ServiceCaller {
		return []string{c.WorkspaceID}, nil
	}
	return q.WorkspaceIDsOf(c.ID, api.RoleAdmin)
}

// isBounded says whether limits hold for the caller: for those of the API. The operator and the service itself are not held to what the
// operator has set.
func (c Caller) isBounded() bool { return c.Type == UserCaller || c.Type == ServiceCaller }

// readSet is what a transaction relied on: the locks it holds, or the roles it found.
type readSet struct {
	lockRole func(workspaceID, userID string) (api.Role, error) // nil unless the credential and each role are locked
	roles    []store.Membership
}
