package access

import (
	"sync"
	"time"

	"bugslice/internal/store"
)

// RecheckEvery is the interval at which the rights of a caller are read again during a long response.
const RecheckEvery = 500 * time.Millisecond

// requestRoles are the roles of a user, which a request reads once for all its operations. They are read again after
// RecheckEvery, as the rights of a caller in a long response are, and after a write of the request.
type requestRoles struct {
	mu     sync.Mutex
	readAt time.Time // zero when they must be read
	all    []store.Membership
}

// rolesOf returns the roles of a request that begins with some memberships.
func rolesOf(memberships []store.Membership) *requestRoles {
	return &requestRoles{readAt: time.Now(), all: memberships}
}

func (r *requestRoles) read(q Queries, userID string) ([]store.Membership, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if now.Sub(r.readAt) < RecheckEvery {
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
