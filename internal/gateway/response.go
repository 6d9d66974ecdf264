package gateway

import (
	"context"

	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/fairshare"
)

// LargeResponse is the size in bytes from which a response in memory is counted, and is encoded and compressed in a
// slot of the caller's organisation. A smaller one fits into the buffer of the connection.
const LargeResponse = 64 << 10

// streamMemory is the most that a response has in memory which is written while it is read.
const streamMemory = 256 << 10

// Bounds bound the memory and the work of responses. The tracker implements it.
type Bounds interface {
	// ReserveResponse reserves memory for a response to the caller until the client has received it. interrupt makes
	// the pending write of the response return.
	ReserveResponse(c access.Caller, size int, interrupt func()) (*admission.Reservation, error)
	// AcquireSlot waits for a slot of the caller's organisation, or refuses the request.
	AcquireSlot(context.Context, access.Caller) (*fairshare.Slot, error)
}

// Connection is the way to the client of a response: an httpserver.RequestInfo, or a Pipe.
type Connection interface {
	// InterruptWrite makes the pending write of the response return. It does not block.
	InterruptWrite()
	// SetWritePiece has each piece of the response written by write, which calls send. nil ends that.
	SetWritePiece(write func(send func() (int, error)) (int, error))
}

// Response is a response within bounds. It is refused before anything is written when there is not enough memory or no
// slot, unless the request has stored something.
type Response struct {
	Bounds  Bounds
	Context context.Context // of the request
	To      Connection
	Caller  access.Caller
	Stored  bool // whether the request has stored something
}

// Response returns the bounds of the response to a call.
func (c *Call) Response(to Connection) Response {
	return Response{Bounds: c.gateway.Tracker, Context: c.ctx, To: to, Caller: c.Caller, Stored: !c.reads()}
}

// Write calls write, which writes a response of about size bytes. A large response reserves memory until the client has
// received it, and needs a slot while it is encoded.
func (o Response) Write(size int, write func() error) error {
	if size < LargeResponse {
		return write()
	}
	memory, err := o.reserve(size)
	if err != nil {
		return o.refuse(err, write)
	}
	defer memory.Release()
	slot, err := o.Bounds.AcquireSlot(o.Context, o.Caller)
	if err != nil {
		return o.refuse(err, write)
	}
	defer slot.Release()
	return o.transfer(slot, memory, write)
}

// Render calls render, which returns the body of a response of about size bytes, in a slot and with their memory, and
// then write with the body. A large body has the bounds of Write.
func (o Response) Render(size int, render func() ([]byte, error), write func(body []byte) error) error {
	slot, err := o.Bounds.AcquireSlot(o.Context, o.Caller)
	if err != nil && !o.Stored {
		return err
	}
	defer slot.Release()
	body, err := o.rendered(size, render)
	if err != nil {
		return err
	}
	send := func() error { return write(body) }
	if len(body) < LargeResponse {
		slot.Release()
		return send()
	}
	memory, err := o.reserve(len(body))
	if err != nil {
		slot.Release()
		return o.refuse(err, send)
	}
	defer memory.Release()
	return o.transfer(slot, memory, send)
}

// rendered returns what render returns, with memory reserved meanwhile.
func (o Response) rendered(size int, render func() ([]byte, error)) ([]byte, error) {
	if size >= LargeResponse {
		memory, err := o.reserve(size)
		if err == nil {
			defer memory.Release()
		} else if !o.Stored {
			return nil, err
		}
	}
	return render()
}

// Stream calls write, which writes a response while it is read and acquires the slots that it needs.
func (o Response) Stream(write func() error) error {
	memory, err := o.reserve(streamMemory)
	if err != nil {
		return o.refuse(err, write)
	}
	defer memory.Release()
	return o.transfer(&fairshare.Slot{}, memory, write)
}

func (o Response) reserve(size int) (*admission.Reservation, error) {
	return o.Bounds.ReserveResponse(o.Caller, size, o.To.InterruptWrite)
}

// refuse returns the error, unless the request has stored something: then it calls write all the same.
func (o Response) refuse(err error, write func() error) error {
	if o.Stored {
		return write()
	}
	return err
}

// transfer calls write, whose pieces are written while the slot is released.
func (o Response) transfer(slot *fairshare.Slot, memory *admission.Reservation, write func() error) error {
	memory.StartTransfer()
	o.To.SetWritePiece((&pieceWriter{o.Context, slot, memory}).write)
	defer o.To.SetWritePiece(nil)
	return write()
}

// pieceWriter writes the pieces of a response.
type pieceWriter struct {
	ctx    context.Context
	slot   *fairshare.Slot
	memory *admission.Reservation
}

// write writes a piece while the slot is released. The server has set the deadline of the write before, so that an
// interrupt of the reservation is noticed here or by the write.
func (p *pieceWriter) write(send func() (int, error)) (n int, err error) {
	if err := p.memory.Err(); err != nil {
		return 0, err
	}
	reacquired := p.slot.WhileReleased(p.ctx, func() { n, err = send() })
	_ = p.memory.Transferred(n) // an eviction is noticed before the next piece
	if err == nil {
		err = reacquired
	}
	return n, err
}
