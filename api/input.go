package api

// Input is the input of an operation that returns an Out. Only the input types of this package are one.
type Input[Out any] interface {
	AnyInput
	returns() Out
}

// AnyInput is the input of an operation, whatever it returns.
type AnyInput interface{ output() any }

// Returns says what an operation returns. Each input type embeds it, so that the compiler infers the Out of a call.
type Returns[Out any] struct{}

func (Returns[Out]) returns() (out Out) { return out }

func (Returns[Out]) output() any { return *new(Out) }
