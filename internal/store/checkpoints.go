package store

import (
	"context"
	"encoding/binary"
	"os"
)

// Pages of the write-ahead log of SQLite.
const (
	checkpointPages = 1000  // after as many, the log is copied into the database
	maxLogPages     = 16000 // a commit copies a log that has more
)

// checkpointer copies the write-ahead log into the database beside the writer, so that commits do not wait for it. A log that grows
// faster than it is copied is copied by commits.
type checkpointer struct {
	db      *pool
	index   string // the file of the index of the log
	commits chan struct{}
	cancel  context.CancelFunc
	done    chan struct{}
}

func newCheckpointer(db *pool, index string) *checkpointer {
	ctx, cancel := context.WithCancel(context.Background())
	c := &checkpointer{db: db, index: index, commits: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	go c.run(ctx)
	return c
}

// committed says that the log may be longer. It does not wait.
func (c *checkpointer) committed() {
	select {
	case c.commits <- struct{}{}:
	default:
	}
}

func (c *checkpointer) stop() {
	c.cancel()
	<-c.done
}

func (c *checkpointer) run(ctx context.Context) {
	defer close(c.done)
	copied := 0 // pages of the log when it was copied last
	for {
		select {
		case <-c.commits:
		case <-ctx.Done():
			return
		}
		pages := c.logPages()
		if pages < copied { // the log has begun again
			copied = 0
		}
		if pages < copied+checkpointPages {
			continue
		}
		if c.db.runEach(ctx, []string{"PRAGMA wal_checkpoint(PASSIVE)"}) == nil { // otherwise the log is copied later
			copied = pages
		}
	}
}

// logPages returns the number of pages in the log, or 0 when it cannot be read. SQLite documents where the index has it
// (https://sqlite.org/walformat.html), and has no statement that returns it and copies nothing.
func (c *checkpointer) logPages() int {
	file, err := os.Open(c.index)
	if err != nil {
		return 0
	}
	defer file.Close()
	var pages [4]byte
	if _, err := file.ReadAt(pages[:], 16); err != nil {
		return 0
	}
	return int(binary.NativeEndian.Uint32(pages[:]))
}
