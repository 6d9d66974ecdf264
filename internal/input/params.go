package input

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/api/wire"
	"bugslice/internal/id"
	"bugslice/internal/schema"
)

// MaxValues is the limit of values in a filter.
const MaxValues = 100

// bindHeader binds the parameters of the header. An If-Match for an operation without one is a fault, because the
// operation would ignore the condition.
func (b *Binding) bindHeader(header http.Header, in reflect.Value) (faults []api.Fault) {
	conditional := slices.ContainsFunc(b.Params, func(p wire.Param) bool { return p.Name == "If-Match" })
	if b.Operation.Method != http.MethodGet && !conditional && header.Get("If-Match") != "" {
		faults = append(faults, api.Fault{Parameter: "If-Match", Code: "unknown",
			Detail: "this record has no ETag; leave the header out"})
	}
	for _, p := range b.Params {
		if p.In != "header" {
			continue
		}
		values := header.Values(p.Name)
		if len(values) == 0 {
			continue
		}
		if fault := checkHeader(p, values); fault != nil {
			faults = append(faults, *fault)
		}
		in.FieldByIndex(p.Index).SetString(strings.Join(values, ", "))
	}
	return faults
}

// checkHeader returns the fault of a header, or nil. One with a maxLength must not be repeated; the values of others
// are joined by commas.
func checkHeader(p wire.Param, values []string) *api.Fault {
	maxLength, _ := strconv.Atoi(p.Field.Tag.Get("maxLength"))
	switch value := strings.Join(values, ", "); {
	case value == "":
		return &api.Fault{Parameter: p.Name, Code: "empty", Detail: "must not be empty"}
	case !isPrintable(value):
		return &api.Fault{Parameter: p.Name, Code: "wrong_form", Detail: "must be printable ASCII"}
	case maxLength > 0 && len(values) > 1:
		return &api.Fault{Parameter: p.Name, Code: "repeated", Detail: "must be sent once"}
	case maxLength > 0 && len(value) > maxLength:
		return &api.Fault{Parameter: p.Name, Code: "too_long", Detail: atMost(maxLength, "characters")}
	}
	return nil
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e })
}

// bindQuery binds the query parameters. An unknown, repeated or empty parameter is a fault, because a mistyped filter
// would return more than was asked for.
func (b *Binding) bindQuery(s Source, in reflect.Value) (faults []api.Fault) {
	if s.QueryErr != nil {
		faults = append(faults, api.Fault{Parameter: "query", Code: "malformed",
			Detail: "the query string is not well-formed"})
	}
	b.setDefaults(in)
	for _, name := range slices.Sorted(maps.Keys(s.Query)) {
		if fault := b.bindQueryParam(name, s.Query[name], in); fault != nil {
			fault.Parameter = Quote(name)
			faults = append(faults, *fault)
		}
	}
	return faults
}

// bindQueryParam binds one parameter of the query. It returns its fault, or nil.
func (b *Binding) bindQueryParam(name string, values []string, in reflect.Value) *api.Fault {
	p, member := b.query(name), ""
	if p == nil {
		p, member = b.queryMember(name)
	}
	switch {
	case p == nil:
		return &api.Fault{Code: "unknown", Detail: "there is no such parameter" + b.suggest(name)}
	case len(values) > 1 && p.Field.Type.Kind() != reflect.Slice && member == "":
		return &api.Fault{Code: "repeated", Detail: "must be given once"}
	case len(values) > 1 && slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, ",") }):
		return &api.Fault{Code: "repeated",
			Detail: "repeat the parameter for each value, or separate the values with commas, but not both"}
	case slices.Contains(values, ""):
		return &api.Fault{Code: "empty", Detail: "must not be empty; leave it out instead"}
	}
	text := strings.Join(values, ",")
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return &api.Fault{Code: "wrong_form", Detail: "must be UTF-8 text without U+0000"}
	}
	if member != "" {
		return setMember(p.Field, in.FieldByIndex(p.Index), member, strings.Split(text, ","))
	}
	return setParam(p.Field, in.FieldByIndex(p.Index), text)
}

func (b *Binding) setDefaults(in reflect.Value) {
	for _, p := range b.Params {
		if value, ok := p.Field.Tag.Lookup("default"); ok && p.In == "query" {
			setParam(p.Field, in.FieldByIndex(p.Index), value)
		}
	}
}

// setParam parses a parameter as a value of its field's type, and sets it. It returns the fault of a text that is no
// such value, or nil.
func setParam(f reflect.StructField, to reflect.Value, text string) *api.Fault {
	switch target := to.Addr().Interface().(type) {
	case **api.Time:
		*target = new(api.Time)
		if day, err := time.Parse(time.DateOnly, text); err == nil { // midnight UTC
			text = api.At(day).String()
		}
		if (*target).UnmarshalText([]byte(text)) != nil {
			return &api.Fault{Code: "wrong_form",
				Detail: "must be a date, such as 2026-11-20, or an RFC 3339 date and time, " +
					"such as 2026-11-20T10:00:00Z (write + as %2B in a URL)"}
		}
		return nil
	case *int:
		return setInt(f, target, text)
	case *bool:
		*target = text == "true"
		if text != "true" && text != "false" {
			return &api.Fault{Code: "not_allowed", Detail: "must be true or false"}
		}
		return nil
	}
	if to.Kind() == reflect.Slice {
		return setList(f, to, strings.Split(text, ","))
	}
	to.SetString(text)
	return checkText(f, text)
}

func setInt(f reflect.StructField, to *int, text string) *api.Fault {
	minimum, _ := strconv.Atoi(f.Tag.Get("minimum"))
	maximum, _ := strconv.Atoi(f.Tag.Get("maximum"))
	n, err := strconv.Atoi(text)
	if err != nil || n < minimum || n > maximum || strconv.Itoa(n) != text {
		return &api.Fault{Code: "out_of_range",
			Detail: "must be an integer from " + f.Tag.Get("minimum") + " to " + f.Tag.Get("maximum")}
	}
	*to = n
	return nil
}

// setList sets a list of texts. It returns the first fault of a value.
func setList(f reflect.StructField, to reflect.Value, values []string) *api.Fault {
	if len(values) > MaxValues {
		return &api.Fault{Code: "too_many", Detail: atMost(MaxValues, "values")}
	}
	to.Set(reflect.MakeSlice(to.Type(), len(values), len(values)))
	for i, v := range values {
		if fault := checkText(f, v); fault != nil {
			if f.Name == "Fields" {
				fault.Detail = "there is no member " + Quote(v) + "; " + fault.Detail
			}
			return fault
		}
		to.Index(i).SetString(v)
	}
	return nil
}

// setMember sets a member of a map of lists. It returns the fault of the name, or the first fault of a value.
func setMember(f reflect.StructField, to reflect.Value, name string, values []string) *api.Fault {
	if limit, _ := strconv.Atoi(f.Tag.Get("nameLength")); utf8.RuneCountInString(name) > limit {
		return &api.Fault{Code: "too_long", Detail: "the name has " + atMost(limit, "characters")}
	}
	if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return &api.Fault{Code: "wrong_form", Detail: "the name must be UTF-8 text without U+0000"}
	}
	if limit, _ := strconv.Atoi(f.Tag.Get("maxProperties")); to.Len() >= limit {
		return &api.Fault{Code: "too_many", Detail: atMost(limit, "names")}
	}
	list := reflect.New(to.Type().Elem()).Elem()
	if fault := setList(f, list, values); fault != nil {
		return fault
	}
	if to.IsNil() {
		to.Set(reflect.MakeMap(to.Type()))
	}
	to.SetMapIndex(reflect.ValueOf(name), list)
	return nil
}

// checkID returns the fault of a value that is no identifier, for a field with the tag ids. It has the prefixes of
// identifiers, and the tag also has the words that are allowed beside them.
func checkID(f reflect.StructField, text string) *api.Fault {
	prefixes, words := tagList(f, "ids"), tagList(f, "also")
	isID := func(prefix string) bool { return id.Valid(prefix, text) }
	if len(prefixes) == 0 || slices.ContainsFunc(prefixes, isID) || slices.Contains(words, text) {
		return nil
	}
	return &api.Fault{Code: "wrong_form", Detail: IDForm(text, prefixes, words)}
}

// IDForm says what a text that is no identifier must be: an identifier with one of the prefixes, or one of the words.
func IDForm(text string, prefixes, words []string) string {
	detail := "must be an identifier, which begins with " + strings.Join(prefixes, "_ or ") + "_"
	if len(words) > 0 {
		detail += ", or " + strings.Join(words, " or ")
	}
	if strings.Contains(text, "@") && slices.Contains(prefixes, id.User) {
		detail += "; GET /v1/workspaces/{workspaceId}/members?email=… finds the one of an e-mail address"
	}
	if _, _, isReference := api.ParseReference(text); isReference && slices.Contains(prefixes, id.Slice) {
		detail += "; GET /v1/slices?reference=" + strings.ToUpper(text) + " finds the one of a reference"
	}
	return detail
}

// tagList returns the values of a tag, which are separated by commas.
func tagList(f reflect.StructField, tag string) []string {
	return strings.FieldsFunc(f.Tag.Get(tag), func(r rune) bool { return r == ',' })
}

// checkText validates a value by the tags of its field. It returns the fault, or nil.
func checkText(f reflect.StructField, text string) *api.Fault {
	if text == "" {
		return &api.Fault{Code: "empty", Detail: "a value between commas is empty"}
	}
	if allowed := schema.Enum(f); allowed != nil && !slices.Contains(allowed, text) {
		return &api.Fault{Code: "not_allowed", Detail: "must be one of " + strings.Join(allowed, ", ")}
	}
	if fault := checkID(f, text); fault != nil {
		return fault
	}
	if limit, _ := strconv.Atoi(f.Tag.Get("maxLength")); limit > 0 && utf8.RuneCountInString(text) > limit {
		return &api.Fault{Code: "too_long", Detail: atMost(limit, "characters")}
	}
	return nil
}
