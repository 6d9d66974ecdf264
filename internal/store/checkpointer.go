package store

import (
	"context"
	"sync"
)

const (
	checkpointPages = 1000 // of commits, after which the log is copied
	maxLogPages     = 8000 // of commits, after which the writer waits until the log is copied
)

// checkpointer copies the write-ahead log of SQLite into the file while others read and write, so that commits need not. A commit is on
// disk before: it is in the log. A copy that fails is made up for by the next one. The log is used again from its beginning when all of it
// has been copied before a transaction, which commits without a pause would never let happen: after maxLogPages the writer waits for that.
type checkpointer struct {
	db  *pool // of its own, since all readers may wait for the writer
	due chan struct{}
	end context.CancelFunc
	wg  sync.WaitGroup

	pages int // written since the writer last waited; only of the writer

	mu sync.Mutex // held while the log is copied
}

// newCheckpointer returns a checkpointer that owns db.
func newCheckpointer(db *pool) *checkpointer {
	ctx, end := context.WithCancel(context.Background())
	c := &checkpointer{db: db, due: make(chan struct{}, 1), end: end}
	c.wg.Go(func() { c.run(ctx) })
	return c
}

// committed notes the pages of a commit. Only the writer calls it, between transactions.
func (c *checkpointer) committed(pages int) {
	before := c.pages
	c.pages += pages
	switch {
	case c.pages >= maxLogPages:
		c.copy(context.Background())
		c.pages = 0
	case c.pages/checkpointPages > before/checkpointPages:
		select {
		case c.due <- struct{}{}:
		default: // the log is due already
		}
	}
}

func (c *checkpointer) run(ctx context.Context) {
	for {
		select {
		case <-c.due:
			c.copy(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// copy copies the log, after a copy that has begun before.
func (c *checkpointer) copy(ctx context.Context) {
	_ = c.exclude(func() error { return c.db.runEach(ctx, []string{"PRAGMA wal_checkpoint(PASSIVE)"}) })
}

// exclude runs fn while the log is not copied.
func (c *checkpointer) exclude(fn func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fn()
}

func (c *checkpointer) close() error {
	c.end()
	c.wg.Wait()
	return c.db.close()
}
