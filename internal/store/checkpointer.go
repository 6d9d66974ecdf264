package store

import (
	"context"
	"sync"
)

const (
	checkpointPages = 1000 // of the log, after which it is copied
	maxLogPages     = 8000 // of the log, from which each commit tries to copy it itself
)

// checkpointer copies the write-ahead log of SQLite into the file while others read and write, so that commits need not. A commit is on
// disk before: it is in the log. A copy that fails is made up for by the next one.
type checkpointer struct {
	db  *pool
	due chan struct{}
	end context.CancelFunc
	wg  sync.WaitGroup

	mu    sync.Mutex // held while the log is copied
	pages int        // written since the log was last due; only of the writer
}

// newCheckpointer returns a checkpointer that runs on connections of db, which may be those of readers.
func newCheckpointer(db *pool) *checkpointer {
	ctx, end := context.WithCancel(context.Background())
	c := &checkpointer{db: db, due: make(chan struct{}, 1), end: end}
	c.wg.Go(func() { c.run(ctx) })
	return c
}

// committed notes the pages of a commit. Only the writer calls it.
func (c *checkpointer) committed(pages int) {
	if c.pages += pages; c.pages < checkpointPages {
		return
	}
	c.pages = 0
	select {
	case c.due <- struct{}{}:
	default: // the log is due already
	}
}

func (c *checkpointer) run(ctx context.Context) {
	for {
		select {
		case <-c.due:
			_ = c.exclude(func() error { return c.db.runEach(ctx, []string{"PRAGMA wal_checkpoint(PASSIVE)"}) })
		case <-ctx.Done():
			return
		}
	}
}

// exclude runs fn while the log is not copied.
func (c *checkpointer) exclude(fn func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fn()
}

func (c *checkpointer) stop() {
	c.end()
	c.wg.Wait()
}
