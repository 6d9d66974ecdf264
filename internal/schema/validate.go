package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Fault is an error in a value: the JSON Pointer (RFC 6901) to it, a code, and a description.
type Fault struct{ Pointer, Code, Detail string }

// Validator validates values by the component schemas of an OpenAPI document.
type Validator struct{ schemas map[string]*jsonschema.Schema }

const resource = "https://bugslice.invalid/openapi.json"

// Compile reads a document, as JSON, and compiles the named components.
func Compile(document []byte, names []string) (*Validator, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource(resource, doc); err != nil {
		return nil, err
	}
	v := &Validator{schemas: map[string]*jsonschema.Schema{}}
	for _, name := range names {
		if v.schemas[name], err = c.Compile(resource + "#/components/schemas/" + name); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// ValidatorOf returns a validator of records that the service may return today, or of rows of an export, by the names of
// their types.
func ValidatorOf(mode Mode, times reflect.Type, types ...reflect.Type) (*Validator, error) {
	set, names := NewSet(times), make([]string, len(types))
	set.closed = true
	for i, t := range types {
		set.Ref(t, mode)
		names[i] = Name(t, mode)
	}
	document, err := json.Marshal(map[string]any{"components": map[string]any{"schemas": set.Components}})
	if err != nil {
		return nil, err
	}
	return Compile(document, names)
}

// Check returns the first hundred faults of a value, in the order of their pointers. The value was decoded with json.Number
// for numbers. Check may truncate a value that has faults.
func (v *Validator) Check(name string, value any) []Fault {
	truncated := &truncation{lengths: map[string]int{}}
	value = truncate(v.schemas[name], value, nil, truncated)
	err := v.schemas[name].Validate(value)
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return nil
	}
	faults := truncated.names
	collect(ve, &faults)
	for i, f := range faults {
		if n, ok := truncated.lengths[f.Pointer]; ok && f.Code == "too_many" {
			faults[i].Detail = f.Detail[:strings.LastIndexByte(f.Detail, ' ')+1] + strconv.Itoa(n)
		}
	}
	slices.SortFunc(faults, func(a, b Fault) int {
		return strings.Compare(a.Pointer+"\x00"+a.Code, b.Pointer+"\x00"+b.Code)
	})
	faults = slices.Compact(faults)
	faults = faults[:min(len(faults), maxFaults)]
	for i, f := range faults {
		if f.Code == "unknown_member" {
			faults[i].Detail += DidYouMean(memberNames(v.schemas[name], f.Pointer))
		}
	}
	return faults
}

// CheckRecord returns the faults of a record as an error, nil for a valid one.
func (v *Validator) CheckRecord(name string, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	var all []error
	for _, f := range v.Check(name, value) {
		all = append(all, fmt.Errorf("%s %s", f.Pointer, f.Detail))
	}
	return errors.Join(all...)
}

// collect adds the faults of a validation error. Of an anyOf, whose second alternative is always null, it adds the faults of
// the first one.
func collect(e *jsonschema.ValidationError, out *[]Fault) {
	if _, ok := e.ErrorKind.(*kind.AnyOf); ok && len(e.Causes) > 0 {
		collect(e.Causes[0], out)
		return
	}
	if _, ok := e.ErrorKind.(*kind.PropertyNames); ok { // truncate has reported them
		return
	}
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			collect(c, out)
		}
		return
	}
	*out = append(*out, describe(Pointer(e.InstanceLocation), e.ErrorKind)...)
}

// Pointer returns the JSON Pointer (RFC 6901) of a path.
func Pointer(path []string) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(s))
	}
	return b.String()
}

// describe returns the faults of an error of the validator at a pointer.
func describe(at string, k jsonschema.ErrorKind) []Fault {
	one := func(code, format string, args ...any) []Fault {
		return []Fault{{at, code, fmt.Sprintf(format, args...)}}
	}
	switch k := k.(type) {
	case *kind.Required:
		return members(at, k.Missing, "required", "this member is required")
	case *kind.AdditionalProperties:
		return members(at, k.Properties, "unknown_member", "no such member")
	case *kind.Type:
		return one("wrong_type", "must be %s, not %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Enum:
		return one("not_allowed", "must be one of %s", words(k.Want))
	case *kind.MinLength:
		if k.Want == 1 {
			return one("empty", "must not be empty")
		}
		return one("too_short", "at least %d characters, but it has %d", k.Want, k.Got)
	case *kind.MaxLength:
		return one("too_long", "at most %d characters, but it has %d", k.Want, k.Got)
	case *kind.MinItems:
		return one("too_few", "at least %d, but there are %d", k.Want, k.Got)
	case *kind.MaxItems:
		return one("too_many", "at most %d, but there are %d", k.Want, k.Got)
	case *kind.MaxProperties:
		return one("too_many", "at most %d, but there are %d", k.Want, k.Got)
	case *kind.UniqueItems:
		return one("repeated", "items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Minimum:
		return one("too_small", "must be at least %s", k.Want.RatString())
	case *kind.Maximum:
		return one("too_large", "must be at most %s", k.Want.RatString())
	case *kind.Pattern:
		if k.Want == `\S` || k.Want == namePattern && !hiddenPattern.MatchString(k.Got) {
			if k.Got == "" { // minLength reports it
				return nil
			}
			return one("blank", "must not be blank")
		}
		if k.Want == namePattern {
			return one("hidden_characters", "must be one line, without control characters, direction marks and other invisible characters")
		}
		if k.Want == `^[^,\x00-\x1f]+$` {
			return one("wrong_form", "must have no comma, which separates the values of a filter, and no line break")
		}
		return one("wrong_form", "must match %s", k.Want)
	case *kind.Format:
		return one("wrong_form", "must be a %s", map[string]string{"date-time": "RFC 3339 date and time"}[k.Want])
	}
	return one("invalid", "is not valid")
}

func members(at string, names []string, code, detail string) []Fault {
	faults := make([]Fault, len(names))
	for i, n := range names {
		faults[i] = Fault{at + Pointer([]string{n}), code, detail}
	}
	return faults
}

func words(values []any) string {
	var list []string
	for _, v := range values {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case nil:
			list = append(list, "null")
		case json.Number:
			list = append(list, v.String())
		default:
			list = append(list, strconv.Quote(fmt.Sprint(v)))
		}
	}
	return strings.Join(list, ", ")
}
