package gateway

import (
	"io"
	"time"

	"bugslice/api"
	"bugslice/internal/operations"
	"bugslice/internal/tracker"
)

// Record carries the operation out and returns the record that it returns. A read that took more than half a second
// reads the rights of the caller again; a write always reports what it stored. It refuses an operation whose input or
// output is a file.
func (c *Call) Record() (any, error) {
	op := c.Operation
	if op.Record == nil {
		return nil, api.NewProblem(api.CodeMediaType,
			"This operation takes or returns a file. Send "+op.Method+" "+op.Path+" over HTTP.")
	}
	return c.run(func() (any, error) { return op.Record(c.ctx, c.Caller, c.Input) })
}

// Store stores a file and returns its record.
func (c *Call) Store(file tracker.Upload) (any, error) {
	file.Memory = c.Memory
	return c.run(func() (any, error) { return c.Operation.StoreFile(c.ctx, c.Caller, c.Input, file) })
}

// run returns the record of an operation, after which a slow client has no memory reserved for its request.
func (c *Call) run(record func() (any, error)) (any, error) {
	started := time.Now()
	out, err := record()
	if err == nil && c.reads() && time.Since(started) > recheckEvery {
		err = c.reauthorize()
	}
	if err != nil {
		return nil, err
	}
	c.Memory.Release()
	return out, nil
}

// File returns the file of the operation, which the front end closes.
func (c *Call) File() (operations.File, error) { return c.Operation.OpenFile(c.ctx, c.Caller, c.Input) }

// JSON writes the output of the operation as JSON while it is read.
func (c *Call) JSON(w io.Writer) error { return c.Operation.WriteJSON(c.ctx, c.Caller, c.Input, w) }

// Text returns the record as Markdown, with the rights of Record.
func (c *Call) Text() (string, error) {
	text, err := c.run(func() (any, error) { return c.Operation.Text(c.ctx, c.Caller, c.Input) })
	if err != nil {
		return "", err
	}
	return text.(string), nil
}

// Events returns the list as a stream, which the front end closes. It refuses a key that has too many open.
func (c *Call) Events() (*tracker.EventStream, error) {
	if err := c.acquire(c.gateway.streams); err != nil {
		return nil, err
	}
	return c.Operation.Events(c.ctx, c.Caller, c.Input)
}
