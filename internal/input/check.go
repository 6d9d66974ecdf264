package input

import "bugslice/internal/strictjson"

// Check validates an input that was made in Go, and sets its defaults. It is bound like a request with the same
// content, by the same rules. A parameter is left out when it is the zero value, and a member when it is nil, or
// empty and not required. Numbers and booleans of a body are never left out.
func Check[In any](in In) (Valid[In], error) {
	s, err := BindingOf[In]().Source(in)
	if err != nil {
		return Valid[In]{}, err
	}
	return Bind[In](s)
}

// Source encodes an input of the operation as a Source, without validation.
func (b *Binding) Source(input any) (Source, error) {
	r, err := b.layout.Encode(input)
	if err != nil {
		return Source{}, err
	}
	s := Source{Path: func(name string) string { return r.Path[name] }, Query: r.Query, Header: r.Header}
	if r.Body == nil {
		return s, nil
	}
	if s.Body, err = strictjson.Marshal(r.Body); err != nil {
		return Source{}, malformed(strictjson.Cause(err))
	}
	return s, nil
}
