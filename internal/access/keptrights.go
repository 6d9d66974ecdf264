package access

import (
	"sync"

	"bugslice/internal/store"
)

// keyRights are the credential of a token and the memberships of its user, as they were at an epoch of the rights.
type keyRights struct {
	epoch       int64
	credential  store.Credential
	memberships []store.Membership
}

// size is the number of tokens and memberships.
func (r keyRights) size() int { return 1 + len(r.memberships) }

// keptRights keep rights by the hashes of tokens. Each request reads the epoch, so that no rights are used that have
// changed before it began, whichever process has changed them.
type keptRights struct {
	mu     sync.Mutex
	byHash map[string]keyRights
	size   int // tokens and memberships
}

const maxKeptRights = 100_000

// get returns the rights of a token if they were read at the epoch.
func (k *keptRights) get(hash string, epoch int64) (keyRights, bool) {
	if k == nil { // of a Key that another package has made
		return keyRights{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.byHash[hash]
	return r, ok && r.epoch == epoch
}

// put keeps the rights of a token, and drops all others when they are too many.
func (k *keptRights) put(hash string, r keyRights) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if former, ok := k.byHash[hash]; ok {
		k.size -= former.size()
	}
	if k.size += r.size(); k.byHash == nil || k.size > maxKeptRights {
		k.byHash, k.size = map[string]keyRights{}, r.size()
	}
	k.byHash[hash] = r
}
