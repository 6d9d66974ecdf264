package sqldb

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	checkpointPages = 1000 // of commits, after which the log is copied
	maxLogPages     = 8000 // of the log, from which the writer waits until it is copied

	checkpointWait = 100 * time.Millisecond // for a lock, while writers wait
)

// checkpointer copies the write-ahead log of SQLite into the file while others read and write, so that commits need
// not. A commit is on disk before: it is in the log. A copy that fails is made up for by the next one. SQLite begins
// the log again only if all of it was copied before a transaction begins. Commits without a pause would prevent that,
// so from maxLogPages the writer waits for the copy.
type checkpointer struct {
	db  *pool // of its own, since all readers may wait for the writer
	due chan struct{}
	end context.CancelFunc
	wg  sync.WaitGroup

	pages int          // written since the log was last due; only of the writer
	log   atomic.Int64 // pages of the log, as far as known

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
	c.pages += pages
	if c.log.Add(int64(pages)) >= maxLogPages {
		_, _ = c.checkpoint(context.Background(), "PASSIVE")
		c.pages = 0
		c.log.Store(0) // the next commit begins the log again, unless others read it
	}
	if c.pages < checkpointPages {
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
			if done, err := c.checkpoint(ctx, "PASSIVE"); err == nil && !done.isBusy {
				c.log.Store(done.pages)
			}
		case <-ctx.Done():
			return
		}
	}
}

// checkpoint is what SQLite says of a checkpoint.
type checkpoint struct {
	isBusy bool  // others copy the log, or keep it from being emptied
	pages  int64 // of the log
}

// checkpoint copies the log in a mode of SQLite, one caller at a time.
func (c *checkpointer) checkpoint(ctx context.Context, mode string) (checkpoint, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return One(c.db.executor(ctx), func(r Row) (done checkpoint, err error) {
		var copied int64
		return done, r.Scan(&done.isBusy, &done.pages, &copied)
	}, "PRAGMA wal_checkpoint("+mode+")")
}

// truncate copies the log, and empties it. While readers hold it, it tries again for a minute; then the error is an
// ErrUnavailable. An attempt keeps writers waiting for checkpointWait at most.
func (c *checkpointer) truncate(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, fmt.Errorf("%w: the log is in use", ErrUnavailable))
	defer cancel()
	for {
		done, err := c.checkpoint(ctx, "TRUNCATE")
		if err == nil && !done.isBusy {
			return nil
		}
		if err := cmp.Or(context.Cause(ctx), err); err != nil {
			return err
		}
		select {
		case <-time.After(checkpointWait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (c *checkpointer) close() error {
	c.end()
	c.wg.Wait()
	return c.db.close()
}
