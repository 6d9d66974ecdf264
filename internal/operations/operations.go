// Package operations pairs each row of api.Operations with the method of the tracker that carries it out. The
// compiler checks that the method returns what the input type of the row says. A front end iterates over the
// operations, binds an input with Bind and calls the function of the operation's shape.
package operations

import (
	"context"
	"encoding/json"
	"io"

	"bugslice/api"
	"bugslice/internal/access"
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
	Record func(ctx context.Context, c access.Caller, in any) (any, error)
	// StoreFile stores a file and returns its record.
	StoreFile func(ctx context.Context, c access.Caller, in any, file tracker.Upload) (any, error)
	// OpenFile returns a file, which the front end closes.
	OpenFile func(ctx context.Context, c access.Caller, in any) (File, error)
	// WriteJSON writes an Out of the row as JSON while it reads it.
	WriteJSON func(ctx context.Context, c access.Caller, in any, w io.Writer) error

	// Text returns the record as Markdown.
	Text func(ctx context.Context, c access.Caller, in any) (string, error)
	// Events returns the list as a stream, which the front end closes.
	Events func(ctx context.Context, c access.Caller, in any) (*tracker.EventStream, error)
}

// newOperation returns the operation with this input type.
func newOperation[In api.AnyInput]() Operation {
	b := input.BindingOf[In]()
	bind := func(s input.Source) (any, error) { return input.Bind[In](s) }
	return Operation{Operation: b.Operation, Input: b, Bind: bind}
}

// returnsRecord pairs a method that returns a record.
func returnsRecord[In api.Input[Out], Out any](
	method func(context.Context, access.Caller, input.Valid[In]) (Out, error),
) Operation {
	op := newOperation[In]()
	op.Record = func(ctx context.Context, c access.Caller, in any) (any, error) {
		out, err := method(ctx, c, in.(input.Valid[In]))
		if err != nil {
			return nil, err
		}
		return chosen(out, in)
	}
	return op
}

// returnsJSON pairs a method that returns the output as JSON.
func returnsJSON[In api.AnyInput, J json.Marshaler](
	method func(context.Context, access.Caller, input.Valid[In]) (J, error),
) Operation {
	op := newOperation[In]()
	op.Record = func(ctx context.Context, c access.Caller, in any) (any, error) {
		out, err := method(ctx, c, in.(input.Valid[In]))
		if err != nil {
			return nil, err
		}
		return chosen(out, in)
	}
	return op
}

// storesFile pairs a method that stores a file.
func storesFile[In api.Input[Out], Out any](
	method func(context.Context, access.Caller, input.Valid[In], tracker.Upload) (Out, error),
) Operation {
	op := newOperation[In]()
	op.StoreFile = func(ctx context.Context, c access.Caller, in any, file tracker.Upload) (any, error) {
		return method(ctx, c, in.(input.Valid[In]), file)
	}
	return op
}

// returnsFile pairs a method that opens a file. describe returns the File that front ends send.
func returnsFile[In api.Input[api.Bytes]](
	method func(context.Context, access.Caller, input.Valid[In]) (tracker.File, error),
	describe func(tracker.File) (File, error),
) Operation {
	op := newOperation[In]()
	op.OpenFile = func(ctx context.Context, c access.Caller, in any) (File, error) {
		f, err := method(ctx, c, in.(input.Valid[In]))
		if err != nil {
			return File{}, err
		}
		return describe(f)
	}
	return op
}

// writesJSON pairs a method that writes the output as JSON while reading it.
func writesJSON[In api.AnyInput](
	method func(context.Context, access.Caller, input.Valid[In], io.Writer) error,
) Operation {
	op := newOperation[In]()
	op.WriteJSON = func(ctx context.Context, c access.Caller, in any, w io.Writer) error {
		return method(ctx, c, in.(input.Valid[In]), w)
	}
	return op
}

// withText adds a method that returns the record as Markdown.
func withText[In api.AnyInput](op Operation,
	method func(context.Context, access.Caller, input.Valid[In]) (string, error),
) Operation {
	op.Text = func(ctx context.Context, c access.Caller, in any) (string, error) {
		return method(ctx, c, in.(input.Valid[In]))
	}
	return op
}

// withEvents adds a method that returns the list as a stream.
func withEvents[In api.Input[api.Page[api.Event]]](op Operation,
	method func(context.Context, access.Caller, input.Valid[In]) (*tracker.EventStream, error),
) Operation {
	op.Events = func(ctx context.Context, c access.Caller, in any) (*tracker.EventStream, error) {
		return method(ctx, c, in.(input.Valid[In]))
	}
	return op
}

// rendered returns a method that writes the record of another one as Markdown.
func rendered[In api.Input[Out], Out any](
	method func(context.Context, access.Caller, input.Valid[In]) (Out, error), write func(Out) string,
) func(context.Context, access.Caller, input.Valid[In]) (string, error) {
	return func(ctx context.Context, c access.Caller, in input.Valid[In]) (string, error) {
		out, err := method(ctx, c, in)
		if err != nil {
			return "", err
		}
		return write(out), nil
	}
}
