package input

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
)

// Source is where the input of an operation comes from: a request, or what another front end was given,
// put into the same form. A form of HTML and the arguments of a tool become a body of JSON.
type Source struct {
	Path     func(name string) string // the parameters of the path
	Query    url.Values
	QueryErr error // why the query string could not be parsed as a whole
	Header   http.Header
	Body     []byte
}

// Valid is the input of an operation, validated. Only Bind and Check make one.
type Valid[In any] struct{ in *In }

// errUnchecked refuses the zero value of Valid.
var errUnchecked = errors.New("input: it was validated neither by Bind nor by Check")

// Value returns the input. It takes the error of the authorisation, and returns that first: whoever may
// not carry out an operation learns nothing about its input. The maps and lists of the input belong to
// whoever bound it, and are not changed.
func (v Valid[In]) Value(unauthorized error) (In, error) {
	switch {
	case unauthorized != nil:
		return *new(In), unauthorized
	case v.in == nil:
		return *new(In), errUnchecked
	}
	return *v.in, nil
}

// Bind validates what a source holds for an operation, or refuses it with a problem. Faults of the
// body's form (400) come before those of its members (422). Any fault of a parameter makes it 400. The
// identifiers in the path are checked last: a malformed one is like one that does not exist.
func Bind[In any](s Source) (Valid[In], error) {
	in := new(In)
	if err := BindingOf[In]().bind(s, reflect.ValueOf(in).Elem()); err != nil {
		return Valid[In]{}, err
	}
	return Valid[In]{in}, nil
}

func (b *Binding) bind(s Source, in reflect.Value) error {
	faults := append(b.bindQuery(s, in), b.bindHeader(s.Header, in)...)
	code := api.CodeInvalidParameter
	if b.Body != nil {
		bad, err := b.bindBody(s.Body, in)
		if err != nil {
			return err
		}
		if len(faults) == 0 {
			code = api.CodeInvalidBody
		}
		faults = append(faults, bad...)
	}
	if len(faults) > 0 {
		return api.Refuse(code, summary(faults), faults...)
	}
	return b.bindPath(s, in)
}

func (b *Binding) bindPath(s Source, in reflect.Value) error {
	for _, p := range b.Params {
		if p.In != "path" {
			continue
		}
		v := s.Path(p.Name)
		if !id.Valid(p.Prefix, v) {
			return api.NotFound(strings.TrimSuffix(p.Name, "Id"))
		}
		in.FieldByIndex(p.index).SetString(v)
	}
	return nil
}

// summary describes the first fault in a sentence, and says how many more there are.
func summary(faults []api.Fault) string {
	f := faults[0]
	at := f.Parameter
	if at == "" {
		at = f.Pointer
	}
	text := at + ": " + f.Detail
	if n := len(faults) - 1; n == 1 {
		text += " (and 1 more fault)"
	} else if n > 1 {
		text += " (and more: see errors)"
	}
	return strings.TrimPrefix(text, ": ")
}

// Quote shortens a piece of a request that is repeated in the answer.
func Quote(s string) string {
	if s = strings.ToValidUTF8(s, "?"); len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

func atMost(n int, what string) string { return "at most " + strconv.Itoa(n) + " " + what }
