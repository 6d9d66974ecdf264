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

// largeAnswerSize is the size from which an answer is encoded and compressed in the organisation's share of
// the processor, and counted as memory until the client has taken it. What is smaller fits into the
// connection's buffer, so that nothing of it stays with a slow client.
const largeAnswerSize = 64 << 10

// largeAnswer is a response in memory.
type largeAnswer struct {
	ctx    context.Context
	slot   *fairshare.Slot
	memory *admission.Reservation
}

// whenLarge calls write, which writes a response of about size bytes. A large one has memory reserved for it
// and is written in the organisation's share of the processor; it is refused before write is called when
// there is no room for it. A response to what the request has stored is never refused.
func (a *API) whenLarge(q *request, op *api.Operation, size int, write func() error) error {
	if size < largeAnswerSize || op.Effect != api.Reads {
		return write()
	}
	memory, err := a.Tracker.ReserveAnswer(q.caller, size, func() { httpserver.InterruptWrite(q.Request) })
	if err != nil {
		return err
	}
	defer memory.Release()
	slot, err := a.Tracker.AcquireSlot(q.Context(), q.caller)
	if err != nil {
		return err
	}
	defer slot.Release()
	memory.Await()
	info := httpserver.Info(q.Request)
	info.WritePiece = (&largeAnswer{q.Context(), slot, memory}).writePiece
	defer func() { info.WritePiece = nil }()
	return write()
}

// writePiece writes a piece of the response to the client, without the slot. The reservation is asked after
// the deadline of the write was set, which InterruptWrite brings forward.
func (l *largeAnswer) writePiece(write func() (int, error)) (n int, err error) {
	if err := l.memory.Arrived(0); err != nil {
		return 0, err
	}
	again := l.slot.Aside(l.ctx, func() { n, err = write() })
	_ = l.memory.Arrived(n)
	if err == nil {
		err = again
	}
	return n, err
}

// weigh returns about how many bytes the texts in a value take in JSON.
func weigh(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return quoted(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return weigh(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Len()
		}
		for i := range v.Len() {
			n += weigh(v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			n += weigh(it.Key()) + weigh(it.Value())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return 0
		}
		for i := range v.NumField() {
			n += weigh(v.Field(i))
		}
	}
	return n
}

// quoted returns how many bytes a text takes in JSON.
func quoted(s string) int {
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
