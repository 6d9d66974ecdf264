package page

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/schema"
)

// Bind validates the posted form as the input of an API operation. The fields have the names of the body's
// members; once is the Idempotency-Key, and version the If-Match. An empty field is left out.
func Bind[In any](q *Request, form url.Values) (input.Valid[In], error) {
	s := input.Source{Path: q.PathValue, Query: url.Values{}, Header: http.Header{}}
	t := reflect.TypeFor[In]()
	if _, ok := t.FieldByName("IdempotencyKey"); ok && form.Get("once") != "" {
		s.Header.Set("Idempotency-Key", form.Get("once"))
	}
	if _, ok := t.FieldByName("IfMatch"); ok && form.Get("version") != "" {
		s.Header.Set("If-Match", form.Get("version"))
	}
	if body, ok := t.FieldByName("Body"); ok {
		of := body.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		var err error
		if s.Body, err = json.Marshal(members(of, form)); err != nil {
			return input.Valid[In]{}, err
		}
	}
	return input.Bind[In](s)
}

// members returns the fields of a form as members of a body.
func members(body reflect.Type, form url.Values) map[string]any {
	object := map[string]any{}
	for _, f := range schema.Fields(body) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		values := form[name]
		t := f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch {
		case len(values) == 0 || len(values) == 1 && values[0] == "":
		case t.Kind() == reflect.Slice:
			object[name] = values
		case t.Kind() == reflect.Bool || t.Kind() == reflect.Int64 || t.Kind() == reflect.Int:
			object[name] = number(values[0])
		default:
			object[name] = values[0]
		}
	}
	return object
}

// number returns the JSON number or boolean that a text is, or the text, which validation refuses.
func number(text string) any {
	if json.Valid([]byte(text)) && text != "null" && !strings.ContainsAny(text, `"[{`) {
		return json.RawMessage(text)
	}
	return text
}

// Once returns a new value for the hidden field that makes a repeated request harmless.
func Once() string { return rand.Text() }

// FormState is the state of a form that creates one thing, however often it is sent.
type FormState struct {
	Faults Faults
	Code   string // of a refusal of the whole form
	Once   string // the value of the hidden field once
}

// NewFormState returns the state of a form that has no faults.
func NewFormState(form url.Values) FormState {
	s := FormState{Once: form.Get("once")}
	if s.Once == "" {
		s.Once = Once()
	}
	return s
}

// Refuse returns the state of a form that was refused, and the status of the answer. It returns the error itself
// unless that names faults of fields, is a form that was sent before and then changed, which gets a new value of
// once, or has one of the codes.
func Refuse(form url.Values, err error, codes ...string) (s FormState, status int, _ error) {
	s = NewFormState(form)
	p, ok := errors.AsType[*api.Problem](err)
	if !ok {
		return s, 0, err
	}
	faults, invalid := FaultsOf(err)
	switch {
	case invalid:
		s.Faults = faults
	case p.Code == api.CodeIdempotencyKeyReused:
		s.Code, s.Once = p.Code, Once()
	case slices.Contains(codes, p.Code):
		s.Code = p.Code
	default:
		return s, 0, err
	}
	return s, p.Status, nil
}

// Faults are the faults of a form by the name of the field.
type Faults map[string]api.Fault

// FaultsOf returns the faults that a problem names, when it refuses the content of a form.
func FaultsOf(err error) (Faults, bool) {
	p, ok := errors.AsType[*api.Problem](err)
	if !ok || p.Code != api.CodeInvalidBody || len(p.Errors) == 0 {
		return nil, false
	}
	faults := Faults{}
	for _, f := range p.Errors {
		name, _, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
		if _, ok := faults[name]; !ok {
			faults[name] = f
		}
	}
	return faults, true
}

// RetryAfter returns when a request may be tried again that was refused because too many came before; ok is false for
// another error.
func RetryAfter(err error) (wait time.Duration, ok bool) {
	p, ok := errors.AsType[*api.Problem](err)
	if !ok || p.Code != api.CodeRateLimited {
		return 0, false
	}
	return p.RetryAfter, true
}

// HasCode says whether an error is a problem with one of these codes.
func HasCode(err error, codes ...string) bool {
	p, ok := errors.AsType[*api.Problem](err)
	return ok && slices.Contains(codes, p.Code)
}
