package input

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
)

// Source is the unvalidated input of an operation: an HTTP request, or the input of another front end in the same
// form. The fields of an HTML form become a JSON body, and the arguments of a tool are read by Binding.Arguments.
type Source struct {
	Path     func(name string) string // returns a parameter of the path
	Query    url.Values
	QueryErr error // of a query string that cannot be parsed
	Header   http.Header
	Body     []byte

	arguments *arguments // of which the source was made; nil for a request
}

// Valid is a validated input of an operation. Only Bind and Check make one.
type Valid[In any] struct{ in *In }

// errNotValidated is the error of the zero value of Valid.
var errNotValidated = errors.New("input: validated neither by Bind nor by Check")

// Value returns the input, or the error of the authorisation: a caller that may not call an operation learns nothing
// about its input. The maps and lists of the input must not be changed.
func (v Valid[In]) Value(unauthorized error) (In, error) {
	switch {
	case unauthorized != nil:
		return *new(In), unauthorized
	case v.in == nil:
		return *new(In), errNotValidated
	}
	return *v.in, nil
}

// Size returns how many requests an input stands for: the items of a batch, and otherwise one.
func (v Valid[In]) Size() int {
	if v.in != nil {
		if b, ok := any(*v.in).(api.Batch); ok {
			return b.Size()
		}
	}
	return 1
}

// ChosenMembers returns the paths of the members that the items of a list have; none means all.
func (v Valid[In]) ChosenMembers() []string {
	if v.in != nil {
		if list, ok := any(*v.in).(interface{ ChosenMembers() []string }); ok {
			return list.ChosenMembers()
		}
	}
	return nil
}

// Bind validates the input of an operation and returns it. The error is a problem with every fault. A body that is
// not JSON is 400, and its members are validated only after that. Faults of members are 422, unless a parameter has a
// fault, which is 400. The identifiers in the path are validated last: a malformed one is like one that does not
// exist.
func Bind[In any](s Source) (Valid[In], error) {
	in := new(In)
	if err := BindingOf[In]().bind(s, reflect.ValueOf(in).Elem()); err != nil {
		return Valid[In]{}, err
	}
	return Valid[In]{in}, nil
}

func (b *Binding) bind(s Source, in reflect.Value) error {
	faults := slices.Concat(s.arguments.refused(), b.bindQuery(s, in), b.bindHeader(s.Header, in))
	code := api.CodeInvalidParameter
	if b.Body != nil {
		bodyFaults, err := b.bindBody(s.Body, in)
		if err != nil {
			return s.arguments.malformed(err)
		}
		if len(faults) == 0 {
			code = api.CodeInvalidBody
		}
		faults = append(faults, bodyFaults...)
	}
	if len(faults) > 0 {
		s.arguments.name(faults)
		return api.NewProblem(code, summary(faults), faults...)
	}
	return b.bindPath(s, in)
}

func (b *Binding) bindPath(s Source, in reflect.Value) error {
	for _, p := range b.Params {
		if p.In != "path" {
			continue
		}
		v := s.Path(p.Name)
		if !id.Valid(p.Prefix(), v) && (p.Prefix() != id.Slice || !isReference(v)) {
			return api.NotFound(strings.TrimSuffix(p.Name, "Id"))
		}
		in.FieldByIndex(p.Index).SetString(v)
	}
	return nil
}

func isReference(text string) bool {
	_, _, ok := api.ParseReference(text)
	return ok
}
