package tracker

import (
	"sync"
	"time"
)

// fence records whether this database owns the storage of its files, by the fencing token in both. A copy of the
// database has an older token or another origin, and must not delete files.
type fence struct {
	sync.Mutex
	reason       string    // why deletion is suspended; empty when this database owns the storage
	loggedAt     time.Time // when the suspension was last logged
	ownedSince   time.Time // since when each check has found this database to be the owner
	createdToken bool      // this process wrote the first token, so no copy can have it
}

// removal is the state of RemoveFiles.
type removal struct {
	sync.Mutex
	wake         chan struct{} // receives when a file is due at once
	releasedKeys []string      // reserved keys without a blob
	sweptAt      time.Time     // when broken uploads were last deleted
}
