package access

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/policy"
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
	GuestCaller    CallerType = "guest"    // a visitor who reports by a source
	OperatorCaller CallerType = "operator" // the operator at the command line of the server
	SystemCaller   CallerType = "system"   // the service itself, in its background work
)

// Principal is the identity of a Caller.
type Principal struct {
	Type  CallerType
	ID    string // of the user; of the API key for a service; of the share; of the source for a guest
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
	WorkspaceID  string // the only workspace of a service or a guest; empty for a user
	Credential   Credential
	Request      Request

	policy       *policy.Policy // of the organisation; nil for a caller without a key or a session
	requestRoles *requestRoles  // of the request; nil to read each role for each operation
}

// Request identifies a caller's request in the audit log. It is empty at the command line.
type Request struct {
	ID            string
	ClientAddress string
}

// Stored returns the request as an event stores it.
func (r Request) Stored() (s store.Request) {
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
	reads(q Queries, c Caller, s store.Slice) error
	// readsFile refuses a file of a slice that the caller sees, like one that does not exist.
	readsFile(q Queries, a store.Attachment) error
	// occurrence is Occurrence of the Caller.
	occurrence(q Queries, s store.Slice, wanted int64) (int64, error)
	// replayFilter is ReplayFilter of the Caller.
	replayFilter() func(evidence.EventPart) bool
	// current returns its caller with the present rights, or refuses it as unauthorized.
	current(q Queries, now api.Time, c Caller) (Caller, error)
	// lock locks the credential, and the key that an operation changes, until its transaction ends.
	lock(tx *Tx, op *api.Operation, changedKeyID string) error
	// valid reports whether the credential, its scopes and the roles that its transaction has read are unchanged.
	valid(tx *Tx, now api.Time, c Caller) (bool, error)
	// expired reports whether a locked credential has expired since it was read.
	expired(now api.Time) bool
	// identify sets the id of the credential in an event.
	identify(*store.Actor)
}

// roleAccess is the access of credentials whose caller has roles: to every slice of a workspace in which it has one.
type roleAccess struct{}

func (roleAccess) reads(q Queries, c Caller, s store.Slice) error {
	_, err := c.RoleIn(q, s.WorkspaceID)
	return err
}

func (roleAccess) readsFile(Queries, store.Attachment) error { return nil }

func (roleAccess) occurrence(_ Queries, s store.Slice, wanted int64) (int64, error) {
	return wanted, CheckOccurrence(s, wanted)
}

func (roleAccess) replayFilter() func(evidence.EventPart) bool { return nil }

// System returns the caller of the service's own events. It has no credential, so every operation and every write
// refuses it.
func System(orgID string) Caller {
	return Caller{Principal: Principal{Type: SystemCaller}, Organization: api.OrganizationRef{ID: orgID}}
}

// Visitor returns the caller of a request without a credential, which every operation refuses.
func Visitor(r Request) Caller { return Caller{Request: r} }

// Account returns what the memory and the requests of a caller count against: its API key, session or share, or the
// network of its address.
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

// Occurrence returns the occurrence of a slice whose evidence the caller gets: the wanted one, and 0 for the newest
// one with evidence when none is wanted. It refuses one that does not exist, or that the caller does not see.
func (c Caller) Occurrence(q Queries, s store.Slice, wanted int64) (int64, error) {
	return c.Credential.occurrence(q, s, wanted)
}

// ReplayFilter returns which events of a replay the caller sees, by what they contain; nil for all.
func (c Caller) ReplayFilter() func(evidence.EventPart) bool { return c.Credential.replayFilter() }

// Allow refuses a caller without a valid credential, a key that is used from a network which the organisation does not
// admit, a caller without the operation's scopes, and a credential that does not admit the operation.
func (c Caller) Allow(operation string) error {
	if c.Credential == nil || !c.Credential.authentic() {
		return ErrNoCredential
	}
	op := api.Lookup(operation)
	k, isKey := c.Credential.(Key)
	if err := c.Admitted(); err != nil && op.ID != api.OpRevokeSelf { // whoever finds a key should be able to end it
		return err
	}
	if c.FilesOnly() { // scopes do not matter for what it refuses
		if err := c.Credential.admits(op); err != nil {
			return err
		}
	}
	for _, s := range op.Scopes() {
		if slices.Contains(c.Scopes, s) {
			continue
		}
		detail := ", which the key does not have."
		if isKey && slices.Contains(k.given, s) {
			detail = ", which the policies of the organisation take from personal access tokens."
		}
		return api.NewProblem(api.CodeScope, "This operation requires the scope "+string(s)+detail)
	}
	if err := c.Credential.admits(op); err != nil {
		return err
	}
	if op.Callers == api.UsersOnly && c.Type != UserCaller {
		return errNoInbox
	}
	return nil
}

var ErrNoCredential = api.NewProblem(api.CodeUnauthorized, "The caller has no valid credential.")

func (c Caller) Actor() store.Actor {
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

// RoleIn returns the caller's role in a workspace. It refuses a workspace that the caller does not see like one that
// does not exist.
func (c Caller) RoleIn(q Queries, workspaceID string) (api.Role, error) {
	switch {
	case c.Type == ServiceCaller:
		if c.WorkspaceID == workspaceID {
			return api.RoleAdmin, nil
		}
		return "", noWorkspace(workspaceID)
	case c.Type == GuestCaller:
		if c.WorkspaceID == workspaceID {
			return api.RoleMember, nil
		}
		return "", noWorkspace(workspaceID)
	case c.IsOperator():
		w, err := q.Workspace(workspaceID)
		if err == nil && w.OrganizationID != c.Organization.ID {
			err = store.ErrNotFound
		}
		return api.RoleAdmin, OrNotFound(err, "workspace")
	}
	return c.userRole(q, workspaceID)
}

// userRole returns the role of a user. A transaction locks the role, or checks before it commits that the role is
// unchanged.
func (c Caller) userRole(q Queries, workspaceID string) (api.Role, error) {
	if q.read != nil && q.read.lockRole == nil {
		if role, ok := q.read.roleOf(workspaceID, c.ID); ok {
			return role, nil
		}
	}
	role, err := c.readRole(q)(workspaceID, c.ID)
	m := store.Membership{WorkspaceID: workspaceID, UserID: c.ID, Role: role}
	if err == nil && q.read != nil && !slices.Contains(q.read.roles, m) {
		q.read.roles = append(q.read.roles, m)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = noWorkspace(workspaceID)
	}
	return role, err
}

// noWorkspace returns the problem of a workspace that the caller does not see, and says so when its id is none, such
// as a name.
func noWorkspace(workspaceID string) error {
	p := api.NotFound("workspace")
	if !id.Valid(id.Workspace, workspaceID) {
		p.Detail += " Its identifier begins with wsp_; GET /v1/workspaces lists them."
	}
	return p
}

// Memberships returns the memberships of a user, by workspace: in a transaction the present ones, else those of its
// request.
func (c Caller) Memberships(q Queries) ([]store.Membership, error) {
	if c.requestRoles == nil || q.read != nil {
		return q.MembershipsOf(c.ID)
	}
	return c.requestRoles.read(q, c.ID)
}

// readRole returns a function that reads the role of a user in a workspace; store.ErrNotFound for a user who is no
// member.
func (c Caller) readRole(q Queries) func(workspaceID, userID string) (api.Role, error) {
	switch {
	case q.read != nil && q.read.lockRole != nil:
		return q.read.lockRole
	case c.requestRoles == nil || q.read != nil:
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

// RequireAdmin refuses a caller that is not an admin of the workspace.
func (c Caller) RequireAdmin(q Queries, workspaceID string) error {
	role, err := c.RoleIn(q, workspaceID)
	if err == nil && role != api.RoleAdmin {
		err = api.NewProblem(api.CodeForbidden, "Only an admin of the workspace may do this.")
	}
	return err
}

// workspaceIDs returns every workspace the caller sees.
func (c Caller) workspaceIDs(q Queries) ([]string, error) {
	if c.Type == ServiceCaller {
		return []string{c.WorkspaceID}, nil
	}
	all, err := c.Memberships(q)
	ids := make([]string, len(all))
	for i, m := range all {
		ids[i] = m.WorkspaceID
	}
	return ids, err
}

// ListedWorkspaces returns the workspaces of a list: the requested one, or every one the caller sees.
func (c Caller) ListedWorkspaces(q Queries, workspaceID string) ([]string, error) {
	if workspaceID == "" {
		return c.workspaceIDs(q)
	}
	_, err := c.RoleIn(q, workspaceID)
	return []string{workspaceID}, err
}

// WorkspaceOrOwn returns the workspace of a create request. A service that names none gets its own, and a user the
// only one.
func (c Caller) WorkspaceOrOwn(q Queries, workspaceID *string) (string, error) {
	switch {
	case workspaceID != nil:
		return *workspaceID, nil
	case c.Type == ServiceCaller || c.Type == GuestCaller:
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

// DefaultWorkspace sets the workspace of a service that names none, and refuses a user who names none.
func (c Caller) DefaultWorkspace(in *api.ListEvents) error {
	if in.WorkspaceID != "" {
		return nil
	}
	if c.Type != ServiceCaller {
		return api.InvalidParameter("workspaceId", "required", workspaceRequired)
	}
	in.WorkspaceID = c.WorkspaceID
	return nil
}

// ReadableEvents returns the requested types of events, or all when none is requested, whose subject the caller may
// read.
func (c Caller) ReadableEvents(requested []api.EventType, role api.Role) []api.EventType {
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

// AdministeredWorkspaces returns the workspaces whose keys and webhooks the caller manages.
func (c Caller) AdministeredWorkspaces(q Queries) ([]string, error) {
	if c.Type == ServiceCaller {
		return []string{c.WorkspaceID}, nil
	}
	all, err := c.Memberships(q)
	ids := []string{}
	for _, m := range all {
		if m.Role == api.RoleAdmin {
			ids = append(ids, m.WorkspaceID)
		}
	}
	return ids, err
}
