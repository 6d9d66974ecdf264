package tracker

import (
	"context"
	"errors"
	"slices"

	"bugslice/api"
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

// Caller is on whose behalf a method runs. Its rights are read on every request, so that
// a revoked key or a lost membership ends with the next one.
type Caller struct {
	Type         CallerType
	ID           string // of the user, or of the key for a service
	Name         string
	Email        string
	Organization api.OrganizationRef
	Key          api.KeyRef // zero without a key
}

// Operator is the caller of the command line: it acts on the database of its own machine,
// with every right in the organisation.
func Operator(o api.OrganizationRef) Caller {
	return Caller{Type: OperatorCaller, Name: "operator", Organization: o, Key: api.KeyRef{Scopes: api.AllScopes()}}
}

// system is whom the service's own events are by.
func system(orgID string) Caller {
	return Caller{Type: SystemCaller, Organization: api.OrganizationRef{ID: orgID}}
}

// Authenticate returns the caller behind a bearer token. A refusal is always a 401 problem.
func (t *Tracker) Authenticate(ctx context.Context, text string) (Caller, error) {
	if _, ok := token.Parse(text); !ok {
		return Caller{}, api.Refuse(api.CodeUnauthorized, "This is not an API key of this service: it should begin with svc_pat_ or svc_wst_ and be copied whole.")
	}
	cred, err := t.store.Read(ctx).Credential(token.Hash(text))
	if errors.Is(err, store.ErrNotFound) {
		return Caller{}, api.Refuse(api.CodeUnauthorized, "The API key is unknown; it may have been rotated or revoked.")
	}
	if err != nil {
		return Caller{}, err
	}
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
	t.used.note(cred.Key, now)
	c := Caller{Type: ServiceCaller, ID: cred.ID, Name: cred.Name, Key: cred.KeyRef,
		Organization: api.OrganizationRef{ID: cred.OrgID, Name: cred.OrgName}}
	if cred.UserID != nil {
		c.Type, c.ID, c.Name, c.Email = UserCaller, *cred.UserID, cred.UserName, cred.UserEmail
	}
	return c, nil
}

// Allow refuses a caller that lacks the operation's scope, naming it.
func (c Caller) Allow(operation string) error {
	scope := api.Lookup(operation).Scope
	if scope == api.NoScope || slices.Contains(c.Key.Scopes, scope) {
		return nil
	}
	return api.Refuse(api.CodeScope, "This needs the scope "+string(scope)+", which the key was not given.")
}

// principal is whom Idempotency-Keys belong to. It survives the rotation of a key.
func (c Caller) principal() string { return c.ID }

// audience is whom cursors belong to: it is the same for every key of a user or of a workspace.
func (c Caller) audience() string {
	if c.Type == ServiceCaller {
		return *c.Key.WorkspaceID
	}
	return c.ID
}

func (c Caller) actor() store.Actor {
	a := store.Actor{Type: string(c.Type)}
	if c.ID != "" {
		a.ID = &c.ID
	}
	if c.Key.ID != "" {
		a.KeyID = &c.Key.ID
	}
	return a
}

// role returns what the caller is in a workspace, or refuses as if there were none.
func (c Caller) role(tx *store.Tx, workspaceID string) (api.Role, error) {
	switch c.Type {
	case ServiceCaller:
		if *c.Key.WorkspaceID == workspaceID {
			return api.RoleAdmin, nil
		}
		return "", api.NotFound("workspace")
	case OperatorCaller:
		w, err := tx.Workspace(workspaceID)
		if err == nil && w.OrganizationID != c.Organization.ID {
			err = store.ErrNotFound
		}
		return api.RoleAdmin, orNotFound(err, "workspace")
	}
	role, err := tx.Role(workspaceID, c.ID)
	return role, orNotFound(err, "workspace")
}

// administer refuses a caller that is no admin of a workspace it sees.
func (c Caller) administer(tx *store.Tx, workspaceID string) error {
	role, err := c.role(tx, workspaceID)
	if err == nil && role != api.RoleAdmin {
		err = api.Refuse(api.CodeForbidden, "This is for the workspace's admins.")
	}
	return err
}

// workspaces returns every workspace the caller sees.
func (c Caller) workspaces(tx *store.Tx) ([]string, error) {
	if c.Type == ServiceCaller {
		return []string{*c.Key.WorkspaceID}, nil
	}
	return tx.WorkspaceIDsOf(c.ID, "")
}

// GetMe tells the caller who it is.
func (t *Tracker) GetMe(_ context.Context, c Caller, _ api.GetMe) (api.Me, error) {
	if err := c.Allow(api.OpGetMe); err != nil {
		return api.Me{}, err
	}
	me := api.Me{Type: string(c.Type), ID: c.ID, Name: c.Name, Organization: c.Organization, Key: c.Key}
	if c.Email != "" {
		me.Email = &c.Email
	}
	return me, nil
}
