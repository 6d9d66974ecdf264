package sqldb

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// writer is the one goroutine that writes to SQLite. It commits the requests that wait in one transaction, so
// that concurrent requests share an fsync. A failed COMMIT acknowledges none of them.
type writer[P any] struct {
	db        *pool
	last      func(*Tx[P]) error // before each COMMIT
	notify    func()             // after a commit that is broadcast
	committed func()             // after the answers to every commit

	ctx      context.Context
	cancel   context.CancelFunc
	requests chan *writeRequest[P]
	done     chan struct{}

	lastBatch  int           // size of the last batch
	commitTime time.Duration // moving average
}

type writeRequest[P any] struct {
	ctx  context.Context
	fn   func(*Tx[P]) error
	err  error
	done chan struct{}
}

const (
	maxBatch = 128
	maxDelay = 2 * time.Millisecond // of a batch that waits for more requests
)

// start begins to write.
func (w *writer[P]) start() {
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.requests, w.done = make(chan *writeRequest[P], maxBatch), make(chan struct{})
	go w.run()
}

// write runs fn in a transaction of the writer and returns after its commit. A request whose context ends
// before its batch begins is dropped; a batch that has begun is completed.
func (w *writer[P]) write(ctx context.Context, fn func(*Tx[P]) error) error {
	r := &writeRequest[P]{ctx: ctx, fn: fn, done: make(chan struct{})}
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

func (w *writer[P]) stop() {
	w.cancel()
	<-w.done
}

func (w *writer[P]) run() {
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
func (w *writer[P]) collect(first *writeRequest[P]) []*writeRequest[P] {
	batch := w.drain([]*writeRequest[P]{first})
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
func (w *writer[P]) drain(batch []*writeRequest[P]) []*writeRequest[P] {
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

// errRolledBack is the error of a request whose batch was rolled back by another request.
var errRolledBack = errors.New("a request has rolled back its batch")

// commit runs the batch in one transaction. A request that fails after it has written rolls the whole batch
// back, so the batch is run again with a savepoint around each request. When SQLite ends a transaction by
// itself (a full disk, an I/O error), each request is run in a transaction of its own.
func (w *writer[P]) commit(batch []*writeRequest[P]) {
	err := w.attempt(batch, runPlain)
	if errors.Is(err, errRolledBack) && len(batch) > 1 {
		err = w.attempt(batch, runInSavepoint)
		if errors.Is(err, errRolledBack) {
			for _, r := range batch {
				w.commit([]*writeRequest[P]{r})
			}
			return
		}
	}
	for _, r := range batch {
		if r.err == nil {
			r.err = err
		}
		close(r.done)
	}
	if err == nil {
		w.committed()
	}
}

// attempt runs each request of the batch in one transaction, and commits it. After an error nothing is committed;
// errRolledBack means that run has failed for one request, which has its own error.
func (w *writer[P]) attempt(batch []*writeRequest[P], run func(*Tx[P], *writeRequest[P]) error) error {
	tx := &Tx[P]{Executor: w.db.executor(context.Background())} // no request's context ends the batch
	if err := tx.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, r := range batch {
		if r.err = r.ctx.Err(); r.err != nil {
			continue
		}
		if err := run(tx, r); err != nil {
			r.err = err
			_ = tx.Exec("ROLLBACK")
			return errRolledBack
		}
	}
	begin := time.Now()
	defer func() { w.commitTime += (time.Since(begin) - w.commitTime) / 8 }()
	err := w.last(tx)
	if err == nil {
		err = tx.Exec("COMMIT")
	}
	if err != nil {
		_ = tx.Exec("ROLLBACK")
		return err
	}
	if tx.notify {
		w.notify()
	}
	return nil
}

// runPlain runs a request, and sets its error. It returns the error when the request had written before it failed: the
// transaction must be rolled back.
func runPlain[P any](tx *Tx[P], r *writeRequest[P]) error {
	var wrote bool
	if wrote, r.err = tx.Attempt(func() error { return r.fn(tx) }); wrote {
		return r.err
	}
	return nil
}

// runInSavepoint runs a request in a savepoint, and sets its error. After an error of its own the transaction is lost.
func runInSavepoint[P any](tx *Tx[P], r *writeRequest[P]) (err error) {
	r.err, err = tx.Savepoint(func() error { return r.fn(tx) })
	return err
}
