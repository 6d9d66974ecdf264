package tracker

import (
	"sync"
	"time"
)

// fence is what a process knows of whether its database owns the storage of files. A copy of the
// database knows an older token than the storage, or has another origin, and removes nothing.
type fence struct {
	sync.Mutex
	reason       string    // why nothing is removed; empty when this database owns the storage
	loggedAt     time.Time // when that was last logged
	ownedSince   time.Time // since when this process has found the token to be its database's own
	createdToken bool      // this process wrote the first token: no copy can have it
}

// removal is the work of removing files.
type removal struct {
	sync.Mutex
	wake         chan struct{} // something is due at once
	releasedKeys []string      // keys whose bytes are gone, or were never written
	sweptAt      time.Time
}
