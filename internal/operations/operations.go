// Package operations pairs each row of api.Operations with the method of the tracker that carries it out. A front
// end iterates over the operations, binds an input with Bind and calls the function of the operation's shape.
package operations

import (
	"context"
	"encoding/json"
	"io"
	"reflect"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// Operation is a row of api.Operations with the functions that carry it out. Exactly one of Record, StoreFile,
// OpenFile and WriteJSON is set. Text and Events are further responses of some operations.
//
// Each function takes the input that Bind returned, and authorises the caller itself. Its error is an *api.Problem,
// or the cause of an internal error.
type Operation struct {
	*api.Operation
	Input *input.Binding
	Bind  func(input.Source) (any, error) // returns the input.Valid of the operation's input type

	// Record returns a record: an Out of the row, or a tracker.JSON of it.
	Record func(ctx context.Context, c tracker.Caller, in any) (any, error)
	// StoreFile stores a file and returns its record.
	StoreFile func(ctx context.Context, c tracker.Caller, in any, file tracker.Upload) (any, error)
	// OpenFile returns a file, which the front end closes.
	OpenFile func(ctx context.Context, c tracker.Caller, in any) (File, error)
	// WriteJSON writes an Out of the row as JSON while it reads it.
	WriteJSON func(ctx context.Context, c tracker.Caller, in any, w io.Writer) error

	// Text returns the record as Markdown.
	Text func(ctx context.Context, c tracker.Caller, in any) (string, error)
	// Events returns the list as a stream, which the front end closes.
	Events func(ctx context.Context, c tracker.Caller, in any) (*tracker.EventStream, error)
}

// newOperation returns the operation with this input type. It panics unless Out is the output type of its row.
func newOperation[In, Out any]() Operation {
	b := input.BindingOf[In]()
	if out := reflect.TypeFor[Out](); reflect.TypeOf(b.Operation.Out) != out {
		panic("operations: the method of " + b.Operation.ID + " returns " + out.String())
	}
	return Operation{Operation: b.Operation, Input: b, Bind: func(s input.Source) (any, error) { return input.Bind[In](s) }}
}

// returnsRecord pairs a method that returns a record.
func returnsRecord[In, Out any](method func(context.Context, tracker.Caller, input.Valid[In]) (Out, error)) Operation {
	op := newOperation[In, Out]()
	op.Record = func(ctx context.Context, c tracker.Caller, in any) (any, error) {
		return method(ctx, c, in.(input.Valid[In]))
	}
	return op
}

// returnsJSON pairs a method that returns an Out as JSON.
func returnsJSON[Out, In any, J json.Marshaler](method func(context.Context, tracker.Caller, input.Valid[In]) (J, error)) Operation {
	op := newOperation[In, Out]()
	op.Record = func(ctx context.Context, c tracker.Caller, in any) (any, error) {
		return method(ctx, c, in.(input.Valid[In]))
	}
	return op
}

// storesFile pairs a method that stores a file.
func storesFile[In, Out any](method func(context.Context, tracker.Caller, input.Valid[In], tracker.Upload) (Out, error)) Operation {
	op := newOperation[In, Out]()
	op.StoreFile = func(ctx context.Context, c tracker.Caller, in any, file tracker.Upload) (any, error) {
		return method(ctx, c, in.(input.Valid[In]), file)
	}
	return op
}

// returnsFile pairs a method that opens a file. describe returns the File that front ends send.
func returnsFile[In any](method func(context.Context, tracker.Caller, input.Valid[In]) (tracker.File, error),
	describe func(tracker.File) (File, error),
) Operation {
	op := newOperation[In, api.Nothing]()
	op.OpenFile = func(ctx context.Context, c tracker.Caller, in any) (File, error) {
		f, err := method(ctx, c, in.(input.Valid[In]))
		if err != nil {
			return File{}, err
		}
		return describe(f)
	}
	return op
}

// writesJSON pairs a method that writes an Out as JSON while reading it.
func writesJSON[Out, In any](method func(context.Context, tracker.Caller, input.Valid[In], io.Writer) error) Operation {
	op := newOperation[In, Out]()
	op.WriteJSON = func(ctx context.Context, c tracker.Caller, in any, w io.Writer) error {
		return method(ctx, c, in.(input.Valid[In]), w)
	}
	return op
}

// withText adds a method that returns the record as Markdown.
func withText[In any](op Operation, method func(context.Context, tracker.Caller, input.Valid[In]) (string, error)) Operation {
	op.Text = func(ctx context.Context, c tracker.Caller, in any) (string, error) {
		return method(ctx, c, in.(input.Valid[In]))
	}
	return op
}

// withEvents adds a method that returns the list as a stream.
func withEvents[In any](op Operation,
	method func(context.Context, tracker.Caller, input.Valid[In]) (*tracker.EventStream, error),
) Operation {
	op.Events = func(ctx context.Context, c tracker.Caller, in any) (*tracker.EventStream, error) {
		return method(ctx, c, in.(input.Valid[In]))
	}
	return op
}
