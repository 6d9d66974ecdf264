package httpapi

import (
	"context"
	"reflect"
	"time"

	"bugslice/api"
	"bugslice/internal/admission"
	"bugslice/internal/fairshare"
	"bugslice/internal/httpserver"
)

// largeResponse is the size in bytes from which a response in memory is counted, and is encoded and compressed in a
// slot of the caller's organisation. A smaller one fits into the buffer of the connection.
const largeResponse = 64 << 10

// writeLarge calls write, which writes a response of about size bytes. A large response reserves memory until the
// client has received it, and needs a slot while it is encoded. It is refused before write is called when there is
// not enough memory or no slot, unless the operation has stored something.
func (a *API) writeLarge(q *request, op *api.Operation, size int, write func() error) error {
	if size < largeResponse {
		return write()
	}
	stored := op.Effect != api.Reads
	memory, err := a.Tracker.ReserveResponse(q.caller, size, func() { httpserver.InterruptWrite(q.Request) })
	switch {
	case err != nil && stored:
		return write()
	case err != nil:
		return err
	}
	defer memory.Release()
	slot, err := a.Tracker.AcquireSlot(q.Context(), q.caller)
	switch {
	case err != nil && stored:
		return write()
	case err != nil:
		return err
	}
	defer slot.Release()
	memory.StartTransfer()
	info := httpserver.Info(q.Request)
	info.WritePiece = (&pieceWriter{q.Context(), slot, memory}).write
	defer func() { info.WritePiece = nil }()
	return write()
}

// pieceWriter writes the pieces of a large response.
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

// jsonSize estimates the size of a value in JSON by its strings and raw bytes. Other values are small.
func jsonSize(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return quotedSize(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return jsonSize(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Len()
		}
		for i := range v.Len() {
			n += jsonSize(v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			n += jsonSize(it.Key()) + jsonSize(it.Value())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return 0
		}
		for i := range v.NumField() { // v.Fields would allocate a description of each
			n += jsonSize(v.Field(i))
		}
	}
	return n
}

// quotedSize returns how many bytes a string needs in JSON.
func quotedSize(s string) int {
	n := len(s) + 2
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			n++
		case c < 0x20:
			n += 5
		}
	}
	return n
}
