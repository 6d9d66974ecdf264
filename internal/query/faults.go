package query

// Fault is a part of a text that is refused, with the reason.
type Fault struct {
	At     Span
	Code   string
	Detail string
	Better string // the text to write in place of the part; empty when none is known
}

// Faults is the error of a text that is refused.
type Faults []Fault

func (f Faults) Error() string { return f[0].Detail }
