package access

import (
	"bugslice/api"
	"bugslice/internal/store"
)

// reader is the credential of a user, or of a workspace, for whom the service reads in its background work. It proves the
// authority over a store, and admits what reads alone.
type reader struct {
	roleAccess

	of *store.Store
}

func (r reader) authentic() bool { return r.of != nil }

func (reader) admits(op *api.Operation) error {
	if op.Effect != api.Reads {
		return ErrNoCredential
	}
	return refuseAccount(op)
}

func (reader) current(_ Queries, _ api.Time, c Caller) (Caller, error) { return c, nil }

func (reader) lock(*Tx, *api.Operation, string) error { return ErrNoCredential }

func (reader) valid(*Tx, api.Time, Caller) (bool, error) { return false, nil }

func (reader) expired(api.Time) bool { return false }

func (reader) identify(*store.Actor) {}

// Reader returns a user as a caller who reads what the user may read now, and writes nothing.
func (a *Authority) Reader(userID, orgID string) Caller {
	return Caller{Principal: Principal{Type: UserCaller, ID: userID}, Organization: api.OrganizationRef{ID: orgID},
		Scopes: api.AllScopes(), Credential: reader{of: a.store}}
}

// WorkspaceReader returns a workspace as a caller who reads what is in it, and writes nothing. id is of the user or the
// key for which it reads.
func (a *Authority) WorkspaceReader(workspaceID, orgID, id string) Caller {
	c := a.Reader(id, orgID)
	c.Type, c.WorkspaceID = ServiceCaller, workspaceID
	return c
}
