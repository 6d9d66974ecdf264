package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"bugslice/api"
	"bugslice/internal/suggest"
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
	c.RegisterFormat(&jsonschema.Format{Name: "date-time", Validate: checkTime})
	c.UseRegexpEngine(compilePattern)
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

// checkTime refuses a text that api.Time cannot hold, such as a leap second.
func checkTime(v any) error {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	return new(api.Time).UnmarshalText([]byte(text))
}

// ValidatorOf returns a validator of records that the service may return today, or of rows of an export, by the names
// of their types.
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

// Check returns the first hundred faults of a value, in the order of their pointers. The value was decoded with
// json.Number for numbers. Check may truncate a value that has faults.
func (v *Validator) Check(name string, value any) []Fault {
	truncated := &truncation{lengths: map[string]int{}}
	value = truncate(v.schemas[name], value, nil, truncated)
	err := v.schemas[name].Validate(value)
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return nil
	}
	faults := append(truncated.names, truncated.faults(invalid)...)
	slices.SortFunc(faults, func(a, b Fault) int {
		return strings.Compare(a.Pointer+"\x00"+a.Code, b.Pointer+"\x00"+b.Code)
	})
	faults = slices.Compact(faults)
	faults = faults[:min(len(faults), maxFaults)]
	for i, f := range faults {
		if f.Code == "unknown_member" {
			faults[i].Detail += suggest.DidYouMean(memberNames(v.schemas[name], f.Pointer))
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

// faults returns the faults of a validation error. Of an anyOf, whose second alternative is always null, it returns the
// faults of the first one.
func (t *truncation) faults(e *jsonschema.ValidationError) (all []Fault) {
	causes := e.Causes
	switch e.ErrorKind.(type) {
	case *kind.PropertyNames: // reported in t.names
		return nil
	case *kind.AnyOf:
		causes = causes[:min(len(causes), 1)]
	}
	if len(causes) == 0 {
		return t.describe(Pointer(e.InstanceLocation), e.ErrorKind)
	}
	for _, cause := range causes {
		all = append(all, t.faults(cause)...)
	}
	return all
}

// Pointer returns the JSON Pointer (RFC 6901) of a path.
func Pointer(path []string) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(s))
	}
	return b.String()
}

// describe returns the faults of one error of the validator. at is the pointer to the invalid value.
func (t *truncation) describe(at string, k jsonschema.ErrorKind) []Fault {
	fault := func(code, format string, args ...any) []Fault {
		return []Fault{{at, code, fmt.Sprintf(format, args...)}}
	}
	switch k := k.(type) {
	case *kind.Required:
		return members(at, k.Missing, "required", "this member is required")
	case *kind.AdditionalProperties:
		return members(at, k.Properties, "unknown_member", "no such member")
	case *kind.Type:
		return fault("wrong_type", "must be %s, not %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Enum:
		return fault("not_allowed", "must be one of %s", words(k.Want))
	case *kind.MinLength:
		if k.Want == 1 {
			return fault("empty", "must not be empty")
		}
		return fault("too_short", "at least %d characters, but it has %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fault("too_long", "at most %d characters, but it has %d", k.Want, k.Got)
	case *kind.MinItems:
		return fault("too_few", "at least %d, but there are %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fault("too_many", "at most %d, but there are %d", k.Want, cmp.Or(t.lengths[at], k.Got))
	case *kind.MaxProperties:
		return fault("too_many", "at most %d, but there are %d", k.Want, cmp.Or(t.lengths[at], k.Got))
	case *kind.UniqueItems:
		return fault("repeated", "items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Minimum:
		return fault("too_small", "must be at least %s", k.Want.RatString())
	case *kind.Maximum:
		return fault("too_large", "must be at most %s", k.Want.RatString())
	case *kind.Pattern:
		return patternFaults(at, k)
	case *kind.Format:
		return fault("wrong_form", "must be %s", map[string]string{"date-time": "an RFC 3339 date and time"}[k.Want])
	}
	return fault("invalid", "is not valid")
}

// patternFaults returns the fault of a text that does not match its pattern, in words where the pattern is known.
func patternFaults(at string, k *kind.Pattern) []Fault {
	isBlank := k.Want == notBlank || k.Want == textPattern || k.Want == namePattern && !hiddenPattern.MatchString(k.Got)
	switch {
	case isBlank && k.Got == "": // minLength reports it
		return nil
	case isBlank:
		return []Fault{{at, "blank", "must not be blank"}}
	case k.Want == namePattern:
		return []Fault{{at, "hidden_characters",
			"must be one line, without control characters, direction marks and other invisible characters"}}
	}
	return []Fault{{at, "wrong_form", "must " + cmp.Or(patternRules[k.Want], "match "+k.Want)}}
}

// patternRules says in words which texts match the patterns of package api. A test requires a rule of each pattern.
var patternRules = map[string]string{
	`^[^,\x00-\x1f]+$`:             "have no comma, which separates the values of a filter, and no line break",
	`^[^/\\\x00-\x1f\x7f]+$`:       "have no slash, backslash, line break or other control character",
	`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`: "be a date, such as 2026-11-01",
	`^[A-Z][A-Z0-9]*$`:             "be capital letters and digits, and begin with a letter, such as WEB",
	`^[A-Za-z0-9_./-]+$`:           "be letters, digits, and the characters _ . / and -, without spaces, such as orderId",
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

// TypeName returns the type of a value in a JSON Schema.
func TypeName(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}
