package tracker

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/ratelimit"
	"bugslice/internal/store"
)

// CallerType is the type of a Caller.
type CallerType string

// The caller types.
const (
	UserCaller     CallerType = "user"     // a user with a personal access token (PAT) or a session
	ShareCaller    CallerType = "share"    // somebody without an account, with the link of a share
	ServiceCaller  CallerType = "service"  // a program with a workspace service token (WST)
	OperatorCaller CallerType = "operator" // the operator at the command line of the server
	SystemCaller   CallerType = "system"   // the service itself, in its background work
)

// Principal is the identity of a Caller.
type Principal struct {
	Type  CallerType
	ID    string // of the user; of the API key for a service; of the share
	Name  string
	Email string
}

// Caller is the principal on whose behalf a method runs, with its rights. They are read for every request, so that the
// revocation of a key or the removal of a member takes effect with the next one.
type Caller struct {
	Principal
	Organization api.OrganizationRef
	Scopes       []api.Scope
	ExpiresAt    *api.Time
	WorkspaceID  string // the only workspace of a service; empty for a user
	Credential   Credential
	Request      Request

	operation    string        // of its transaction; empty outside of one
	changedKeyID string        // the key that its transaction changes, if any
	readSet      *readSet      // of its transaction; nil outside of one
	requestRoles *requestRoles // of the request; nil to read each role for each operation
}

// Request identifies a caller's request in the audit log. It is empty at the command line.
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

// Credential is the credential with which a Caller was authenticated. Only this package creates a valid one: every
// operation refuses a Caller that another package has assembled.
type Credential interface {
	authentic() bool
	// admits refuses an operation that the credential does not suffice for, whatever its scopes.
	admits(*api.Operation) error
	// reads refuses a slice that the caller does not see, like one that does not exist.
	reads(q store.Queries, c Caller, s store.Slice) error
	// readsFile refuses a file of a slice that the caller sees, like one that does not exist.
	readsFile(q store.Queries, a store.Attachment) error
	// occurrence returns the occurrence of a slice whose evidence the caller gets: the wanted one, and 0 for the newest one with
	// evidence when none is wanted. It refuses one that does not exist, or that the caller does not see.
	occurrence(q store.Queries, s store.Slice, wanted int64) (int64, error)
	// replayFilter returns which events of a replay the caller sees, by what they contain; nil for all.
	replayFilter() func(evidence.EventPart) bool
	// current returns its caller with the present rights, or refuses it as unauthorized.
	current(q store.Queries, now api.Time, c Caller) (Caller, error)
	// lock locks the credential against changes until the transaction of an operation ends.
	lock(*store.Tx, Caller, *api.Operation) error
	// valid reports whether the credential, its scopes and the roles that its transaction has read are unchanged.
	valid(tx *store.Tx, now api.Time, c Caller) (bool, error)
	// expired reports whether a locked credential has expired since it was read.
	expired(now api.Time) bool
	// identify sets the id of the credential in an event.
	identify(*store.Actor)
}

// roleAccess is the access of credentials whose caller has roles: to every slice of a workspace in which it has one.
type roleAccess struct{}

func (roleAccess) reads(q store.Queries, c Caller, s store.Slice) error {
	return errorOf(c.role(q, s.WorkspaceID))
}

func (roleAccess) readsFile(store.Queries, store.Attachment) error { return nil }

func (roleAccess) occurrence(_ store.Queries, s store.Slice, wanted int64) (int64, error) {
	return wanted, checkOccurrence(s, wanted)
}

func (roleAccess) replayFilter() func(evidence.EventPart) bool { return nil }

// Key is the credential of a request with an API key.
type Key struct {
	roleAccess

	ID   string
	Name string
	Type api.KeyType

	tokenHash  string
	expiresAt  *api.Time
	lastUsedAt *api.Time // when it was read
	superseded bool      // the key was rotated, and this token works until its grace period ends

	kept *keptRights
}

// commandLine is the credential of the operator.
type commandLine struct{ roleAccess }

func (commandLine) authentic() bool { return true }

func (commandLine) admits(op *api.Operation) error { return refuseAccount(op) }

func (commandLine) current(_ store.Queries, _ api.Time, c Caller) (Caller, error) { return c, nil }

func (commandLine) lock(*store.Tx, Caller, *api.Operation) error { return nil }

func (commandLine) valid(*store.Tx, api.Time, Caller) (bool, error) { return true, nil }

func (commandLine) expired(api.Time) bool { return false }

func (commandLine) identify(*store.Actor) {}

// refuseAccount refuses an operation on an account to a credential that is no session.
func refuseAccount(op *api.Operation) error {
	if op.Callers == api.SessionsOnly {
		return api.NewProblem(api.CodeForbidden, "Only a user who has signed in may do this, in the web application.")
	}
	return nil
}

// operatorOf returns the operator as a caller with every right in an organisation.
func operatorOf(o api.OrganizationRef) Caller {
	p := Principal{Type: OperatorCaller, Name: "operator"}
	return Caller{Principal: p, Organization: o, Scopes: api.AllScopes(), Credential: commandLine{}}
}

// system returns the caller of the service's own events. It has no credential, so every operation and every write
// refuses it.
func system(orgID string) Caller {
	return Caller{Principal: Principal{Type: SystemCaller}, Organization: api.OrganizationRef{ID: orgID}}
}

// isOperator decides by the credential and not by the caller's type, which any package can set.
func (c Caller) isOperator() bool {
	_, ok := c.Credential.(commandLine)
	return ok
}

// key returns the API key of a caller; ok is false when it has another credential.
func (c Caller) key() (k Key, ok bool) {
	k, ok = c.Credential.(Key)
	return k, ok
}

// Visitor returns the caller of a request without a credential, which every operation refuses.
func Visitor(r Request) Caller { return Caller{Request: r} }

// Account returns what the memory and the requests of a caller count against: its API key, session or share, or the network of its address.
func (c Caller) Account() string {
	var a store.Actor
	if c.Credential != nil {
		c.Credential.identify(&a)
	}
	switch {
	case a.KeyID != nil:
		return *a.KeyID
	case a.SessionID != nil:
		return *a.SessionID
	case c.Type == ShareCaller:
		return c.ID
	}
	address, err := netip.ParseAddr(c.Request.ClientAddress)
	if err != nil {
		return ""
	}
	return ratelimit.ClientKey(address)
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

// Allow refuses a caller without a valid credential, a caller without the operation's scopes, and a credential that does
// not admit the operation.
func (c Caller) Allow(operation string) error {
	if c.Credential == nil || !c.Credential.authentic() {
		return errNoCredential
	}
	op := api.Lookup(operation)
	for _, s := range op.Scopes() {
		if !slices.Contains(c.Scopes, s) {
			return api.NewProblem(api.CodeScope, "This operation requires the scope "+string(s)+", which the key does not have.")
		}
	}
	return c.Credential.admits(op)
}

var errNoCredential = api.NewProblem(api.CodeUnauthorized, "The caller has no valid credential.")

// idempotencyOwner identifies the owner of Idempotency-Keys. It does not change when a key is rotated.
func (c Caller) idempotencyOwner() string { return c.ID }

// cursorOwner identifies the owner of cursors. It is the same for every key of a user or of a workspace.
func (c Caller) cursorOwner() string {
	if c.Type == ServiceCaller {
		return c.WorkspaceID
	}
	return c.ID
}

func (c Caller) actor() store.Actor {
	a := store.Actor{Type: string(c.Type)}
	if c.Credential != nil {
		c.Credential.identify(&a)
	}
	if c.ID != "" {
		userID := c.ID // a pointer into the caller would copy all of it to the heap
		a.ID = &userID
	}
	return a
}

// role returns the caller's role in a workspace. It refuses a workspace that the caller does not see like one that does
// not exist.
func (c Caller) role(q store.Queries, workspaceID string) (api.Role, error) {
	switch {
	case c.Type == ServiceCaller:
		if c.WorkspaceID == workspaceID {
			return api.RoleAdmin, nil
		}
		return "", noWorkspace(workspaceID)
	case c.isOperator():
		w, err := q.Workspace(workspaceID)
		if err == nil && w.OrganizationID != c.Organization.ID {
			err = store.ErrNotFound
		}
		return api.RoleAdmin, orNotFound(err, "workspace")
	}
	return c.userRole(q, workspaceID)
}

// userRole returns the role of a user. A transaction locks the role, or checks before it commits that the role is
// unchanged.
func (c Caller) userRole(q store.Queries, workspaceID string) (api.Role, error) {
	if c.readSet != nil && c.readSet.lockRole == nil {
		if role, ok := c.readSet.roleOf(workspaceID, c.ID); ok {
			return role, nil
		}
	}
	role, err := c.readRole(q)(workspaceID, c.ID)
	m := store.Membership{WorkspaceID: workspaceID, UserID: c.ID, Role: role}
	if err == nil && c.readSet != nil && !slices.Contains(c.readSet.roles, m) {
		c.readSet.roles = append(c.readSet.roles, m)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = noWorkspace(workspaceID)
	}
	return role, err
}

// noWorkspace returns the problem of a workspace that the caller does not see, and says so when its id is none, such as a name.
func noWorkspace(workspaceID string) error {
	p := api.NotFound("workspace")
	if !id.Valid(id.Workspace, workspaceID) {
		p.Detail += " Its identifier begins with wsp_; GET /v1/workspaces lists them."
	}
	return p
}

// memberships returns the memberships of a user, by workspace: in a transaction the present ones, else those of its request.
func (c Caller) memberships(q store.Queries) ([]store.Membership, error) {
	if c.requestRoles == nil || c.readSet != nil {
		return q.MembershipsOf(c.ID)
	}
	return c.requestRoles.read(q, c.ID)
}

// readRole returns a function that reads the role of a user in a workspace; store.ErrNotFound for a user who is no member.
func (c Caller) readRole(q store.Queries) func(workspaceID, userID string) (api.Role, error) {
	switch {
	case c.readSet != nil && c.readSet.lockRole != nil:
		return c.readSet.lockRole
	case c.requestRoles == nil || c.readSet != nil:
		return q.Role
	}
	return func(workspaceID, userID string) (api.Role, error) {
		all, err := c.requestRoles.read(q, userID)
		if err != nil {
			return "", err
		}
		i, ok := slices.BinarySearchFunc(all, workspaceID, func(m store.Membership, id string) int {
			return strings.Compare(m.WorkspaceID, id)
		})
		if !ok {
			return "", store.ErrNotFound
		}
		return all[i].Role, nil
	}
}

// requireAdmin refuses a caller that is not an admin of the workspace.
func (c Caller) requireAdmin(q store.Queries, workspaceID string) error {
	role, err := c.role(q, workspaceID)
	if err == nil && role != api.RoleAdmin {
		err = api.NewProblem(api.CodeForbidden, "Only an admin of the workspace may do this.")
	}
	return err
}

// workspaceIDs returns every workspace the caller sees.
func (c Caller) workspaceIDs(q store.Queries) ([]string, error) {
	if c.Type == ServiceCaller {
		return []string{c.WorkspaceID}, nil
	}
	all, err := c.memberships(q)
	return convert(all, func(m store.Membership) string { return m.WorkspaceID }), err
}

// listedWorkspaces returns the workspaces of a list: the requested one, or every one the caller sees.
func (c Caller) listedWorkspaces(q store.Queries, workspaceID string) ([]string, error) {
	if workspaceID == "" {
		return c.workspaceIDs(q)
	}
	_, err := c.role(q, workspaceID)
	return []string{workspaceID}, err
}

// resolveMe replaces "me" in a filter by the caller's id.
func (c Caller) resolveMe(ids []string) []string {
	return convert(ids, func(v string) string {
		if v == "me" {
			return c.ID
		}
		return v
	})
}

// workspaceOrOwn returns the workspace of a create request. A service that names none gets its own, and a user the only one.
func (c Caller) workspaceOrOwn(q store.Queries, workspaceID *string) (string, error) {
	switch {
	case workspaceID != nil:
		return *workspaceID, nil
	case c.Type == ServiceCaller:
		return c.WorkspaceID, nil
	}
	all, err := c.workspaceIDs(q)
	switch {
	case err != nil:
		return "", err
	case len(all) == 1:
		return all[0], nil
	}
	return "", api.InvalidMember("/workspaceId", "required", workspaceRequired)
}

const workspaceRequired = "workspaceId is required, because a personal access token may reach several workspaces"

func (c Caller) reporter() api.Reporter {
	r := api.Reporter{Type: string(c.Type), ID: &c.ID, Name: c.Name}
	if c.Type == OperatorCaller {
		r.Type, r.ID = "service", nil
	}
	return r
}

func (c Caller) isAuthor(m api.Comment) bool { return m.Author.ID != nil && *m.Author.ID == c.ID }

// defaultWorkspace sets the workspace of a service that names none, and refuses a user who names none.
func (c Caller) defaultWorkspace(in *api.ListEvents) error {
	if in.WorkspaceID != "" {
		return nil
	}
	if c.Type != ServiceCaller {
		return api.InvalidParameter("workspaceId", "required", workspaceRequired)
	}
	in.WorkspaceID = c.WorkspaceID
	return nil
}

// readableEvents returns the requested types of events, or all when none is requested, whose subject the caller may read.
func (c Caller) readableEvents(requested []api.EventType, role api.Role) []api.EventType {
	var types []api.EventType
	for _, e := range api.PublicEvents() {
		adminOnly := e.Scope == api.KeysManage || e.Scope == api.WebhooksManage
		switch {
		case len(requested) > 0 && !slices.Contains(requested, e.Type):
		case !slices.Contains(c.Scopes, e.Scope):
		case adminOnly && role != api.RoleAdmin:
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

// administeredWorkspaces returns the workspaces whose keys and webhooks the caller manages.
func (c Caller) administeredWorkspaces(q store.Queries) ([]string, error) {
	if c.Type == ServiceCaller {
		return []string{c.WorkspaceID}, nil
	}
	all, err := c.memberships(q)
	administered := slices.DeleteFunc(slices.Clone(all), func(m store.Membership) bool { return m.Role != api.RoleAdmin })
	return convert(administered, func(m store.Membership) string { return m.WorkspaceID }), err
}

// isLimited reports whether the operator's limits apply to the caller: to users and services, not to the operator and the
// service itself.
func (c Caller) isLimited() bool { return c.Type == UserCaller || c.Type == ServiceCaller }

// readSet is the authority that a transaction depends on. Either it has locked the credential, and locks every role it
// reads, or verifyRights compares both at its end.
type readSet struct {
	lockRole func(workspaceID, userID string) (api.Role, error) // reads and locks a role; nil without locks
	roles    []store.Membership
	proof    bool // whether a session needs a proof of the password
}

// needsProof decides by what the transaction changes whether a session needs a proof of the password. Otherwise the row of the
// operation decides.
func (c Caller) needsProof(needed bool) {
	if c.readSet != nil { // of the operator, who has no session
		c.readSet.proof = needed
	}
}

// roleOf returns the role that was read.
func (s *readSet) roleOf(workspaceID, userID string) (role api.Role, ok bool) {
	i := slices.IndexFunc(s.roles, func(m store.Membership) bool { return m.WorkspaceID == workspaceID && m.UserID == userID })
	if i < 0 {
		return "", false
	}
	return s.roles[i].Role, true
}
