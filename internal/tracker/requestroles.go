package tracker

import (
	"slices"
	"sync"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// requestRoles are the roles of a user, which a request reads once for all its operations. They are read again after recheckEvery, as
// the rights of a caller in a long response are, and after a write of the request.
type requestRoles struct {
	mu     sync.Mutex
	readAt time.Time // zero when they must be read
	all    []store.Membership
}

func (r *requestRoles) read(q store.Queries, userID string) ([]store.Membership, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if now.Sub(r.readAt) < recheckEvery {
		return r.all, nil
	}
	all, err := q.MembershipsOf(userID)
	if err == nil {
		r.readAt, r.all = now, all
	}
	return all, err
}

// changed makes the next operation read the roles again. nil roles are read by each operation.
func (r *requestRoles) changed() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readAt = time.Time{}
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
		i := slices.IndexFunc(all, func(m store.Membership) bool { return m.WorkspaceID == workspaceID })
		if i < 0 {
			return "", store.ErrNotFound
		}
		return all[i].Role, nil
	}
}
