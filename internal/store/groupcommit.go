package store

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// writer is the one goroutine that writes to SQLite. It commits the requests that wait in one transaction, so
// that concurrent requests share an fsync. A failed COMMIT acknowledges none of them.
type writer struct {
	db       *pool
	ctx      context.Context
	cancel   context.CancelFunc
	requests chan *writeRequest
	done     chan struct{}
	notify   func() // after a commit that is broadcast

	lastBatch  int           // size of the last batch
	commitTime time.Duration // moving average
}

type writeRequest struct {
	ctx  context.Context
	fn   func(*Tx) error
	err  error
	done chan struct{}
}

const (
	maxBatch = 128
	maxDelay = 2 * time.Millisecond // of a batch that waits for more requests
)

func newWriter(db *pool, notify func()) *writer {
	ctx, cancel := context.WithCancel(context.Background())
	w := &writer{db: db, notify: notify, ctx: ctx, cancel: cancel, requests: make(chan *writeRequest, maxBatch), done: make(chan struct{})}
	go w.run()
	return w
}

// write runs fn in a transaction of the writer and returns after its commit. A request whose context ends
// before its batch begins is dropped; a batch that has begun is completed.
func (w *writer) write(ctx context.Context, fn func(*Tx) error) error {
	r := &writeRequest{ctx: ctx, fn: fn, done: make(chan struct{})}
	select {
	case w.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.ctx.Done():
		return fmt.Errorf("%w: closed", ErrUnavailable)
	}
	select {
	case <-r.done:
		return r.err
	case <-w.done:
		return fmt.Errorf("%w: closed", ErrUnavailable)
	}
}

func (w *writer) stop() {
	w.cancel()
	<-w.done
}

func (w *writer) run() {
	defer close(w.done)
	for {
		select {
		case r := <-w.requests:
			w.commit(w.collect(r))
		case <-w.ctx.Done():
			return
		}
	}
}

// collect returns a batch of first and the waiting requests. The writers of the last batch often come back a
// moment later, so a smaller batch waits for them, at most half as long as a commit takes. A request that
// comes alone never waits.
func (w *writer) collect(first *writeRequest) []*writeRequest {
	batch := w.drain([]*writeRequest{first})
	for before := 0; before < len(batch); {
		before = len(batch)
		runtime.Gosched()
		batch = w.drain(batch)
	}
	delay := time.NewTimer(min(w.commitTime/2, maxDelay))
	defer delay.Stop()
	for len(batch) < min(w.lastBatch, maxBatch) {
		select {
		case r := <-w.requests:
			batch = w.drain(append(batch, r))
		case <-delay.C:
			w.lastBatch = len(batch)
			return batch
		}
	}
	w.lastBatch = len(batch)
	return batch
}

// drain appends the requests in the channel.
func (w *writer) drain(batch []*writeRequest) []*writeRequest {
	for len(batch) < maxBatch {
		select {
		case r := <-w.requests:
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}

// commit runs the batch in one transaction. A request that fails after it has written rolls the whole batch
// back, so the batch is run again with a savepoint around each request. When SQLite ends a transaction by
// itself (a full disk, an I/O error), each request is run in a transaction of its own.
func (w *writer) commit(batch []*writeRequest) {
	outcome, err := w.attempt(batch, false)
	if outcome == retry {
		outcome, err = w.attempt(batch, true)
	}
	if outcome == retry && len(batch) > 1 {
		for _, r := range batch {
			w.commit([]*writeRequest{r})
		}
		return
	}
	for _, r := range batch {
		if err != nil && r.err == nil {
			r.err = err
		}
		close(r.done)
	}
}

type outcome int

const (
	done  outcome = iota // each request has its result, or all of them have the error
	retry                // nothing is committed; the batch is run in another way
)

// attempt runs the batch once.
func (w *writer) attempt(batch []*writeRequest, savepoints bool) (outcome, error) {
	tx := &Tx{Queries: Queries{db: w.db.executor(context.Background())}} // no request's context ends the batch
	if err := tx.db.exec("BEGIN IMMEDIATE"); err != nil {
		return done, err
	}
	for _, r := range batch {
		if r.err = r.ctx.Err(); r.err != nil {
			continue
		}
		tx.db.wrote = false
		if !savepoints {
			r.err = runRecovered(r.fn, tx)
		} else if err := runInSavepoint(r, tx); err != nil {
			r.err = err
			_ = tx.db.exec("ROLLBACK")
			return retry, err
		}
		if r.err != nil && tx.db.wrote && !savepoints {
			err := tx.db.exec("ROLLBACK")
			if len(batch) == 1 {
				return done, err
			}
			return retry, nil
		}
	}
	begin := time.Now()
	defer func() { w.commitTime += (time.Since(begin) - w.commitTime) / 8 }()
	if err := tx.db.exec("COMMIT"); err != nil {
		_ = tx.db.exec("ROLLBACK")
		return done, err
	}
	if tx.notify {
		w.notify()
	}
	return done, nil
}

// runInSavepoint runs a request in a savepoint. After an error the transaction is lost.
func runInSavepoint(r *writeRequest, tx *Tx) error {
	if err := tx.db.exec("SAVEPOINT request"); err != nil {
		return err
	}
	if r.err = runRecovered(r.fn, tx); r.err != nil {
		if err := tx.db.exec("ROLLBACK TO request"); err != nil {
			return err
		}
	}
	return tx.db.exec("RELEASE request")
}
