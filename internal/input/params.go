package input

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/schema"
)

// MaxValues is the limit of values in a filter.
const MaxValues = 100

// bindHeader binds the parameters of the header. An If-Match for an operation without one is a fault, because the operation
// would ignore the condition.
func (b *Binding) bindHeader(header http.Header, in reflect.Value) (faults []api.Fault) {
	conditional := slices.ContainsFunc(b.Params, func(p Param) bool { return p.Name == "If-Match" })
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
		v := strings.Join(values, ", ")
		maxLength, _ := strconv.Atoi(p.Field.Tag.Get("maxLength"))
		switch {
		case v == "":
			faults = append(faults, api.Fault{Parameter: p.Name, Code: "empty", Detail: "must not be empty"})
		case !isPrintable(v):
			faults = append(faults, api.Fault{Parameter: p.Name, Code: "wrong_form", Detail: "must be printable ASCII"})
		case maxLength > 0 && len(values) > 1:
			faults = append(faults, api.Fault{Parameter: p.Name, Code: "repeated", Detail: "must be sent once"})
		case maxLength > 0 && len(v) > maxLength:
			faults = append(faults, api.Fault{Parameter: p.Name, Code: "too_long", Detail: atMost(maxLength, "characters")})
		}
		in.FieldByIndex(p.index).SetString(v)
	}
	return faults
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e })
}

// bindQuery binds the query parameters. An unknown, repeated or empty parameter is a fault, because a mistyped filter would
// return more than was asked for.
func (b *Binding) bindQuery(s Source, in reflect.Value) (faults []api.Fault) {
	fault := func(name, code, detail string) {
		faults = append(faults, api.Fault{Parameter: Quote(name), Code: code, Detail: detail})
	}
	if s.QueryErr != nil {
		fault("query", "malformed", "the query string is not well-formed")
	}
	b.setDefaults(in)
	for _, name := range slices.Sorted(maps.Keys(s.Query)) {
		p := b.query(name)
		switch all := s.Query[name]; {
		case p == nil:
			fault(name, "unknown", "there is no such parameter"+b.suggest(name))
		case len(all) != 1:
			fault(name, "repeated", "must be given once; separate several values with commas where they are allowed")
		case all[0] == "":
			fault(name, "empty", "must not be empty; leave it out instead")
		case !utf8.ValidString(all[0]) || strings.ContainsRune(all[0], 0):
			fault(name, "wrong_form", "must be UTF-8 text without U+0000")
		default:
			if code, detail := setParam(p.Field, in.FieldByIndex(p.index), all[0]); code != "" {
				fault(name, code, detail)
			}
		}
	}
	return faults
}

func (b *Binding) setDefaults(in reflect.Value) {
	for _, p := range b.Params {
		if value, ok := p.Field.Tag.Lookup("default"); ok && p.In == "query" {
			setParam(p.Field, in.FieldByIndex(p.index), value)
		}
	}
}

// setParam parses a parameter as a value of its field's type. It returns the code and the detail of a fault, or "".
func setParam(f reflect.StructField, to reflect.Value, text string) (code, detail string) {
	switch target := to.Addr().Interface().(type) {
	case **api.Time:
		var t api.Time
		if t.UnmarshalText([]byte(text)) != nil {
			return "wrong_form", "must be an RFC 3339 date and time, such as 2026-11-20T10:00:00Z (write + as %2B in a URL)"
		}
		*target = &t
		return "", ""
	case *int:
		return setInt(f, target, text)
	case *bool:
		if *target = text == "true"; text != "true" && text != "false" {
			return "not_allowed", "must be true or false"
		}
		return "", ""
	}
	if to.Kind() != reflect.Slice {
		if code, detail = checkText(f, text); code == "" {
			to.SetString(text)
		}
		return code, detail
	}
	values := strings.Split(text, ",")
	if len(values) > MaxValues {
		return "too_many", atMost(MaxValues, "values")
	}
	list := reflect.MakeSlice(to.Type(), len(values), len(values))
	for i, v := range values {
		if code, detail = checkText(f, v); code != "" {
			return code, detail
		}
		list.Index(i).SetString(v)
	}
	to.Set(list)
	return "", ""
}

func setInt(f reflect.StructField, to *int, text string) (code, detail string) {
	minimum, _ := strconv.Atoi(f.Tag.Get("minimum"))
	maximum, _ := strconv.Atoi(f.Tag.Get("maximum"))
	n, err := strconv.Atoi(text)
	if err != nil || n < minimum || n > maximum || strconv.Itoa(n) != text {
		return "out_of_range", "must be an integer from " + f.Tag.Get("minimum") + " to " + f.Tag.Get("maximum")
	}
	*to = n
	return "", ""
}

// checkText validates a value by the tags of its field.
func checkText(f reflect.StructField, text string) (code, detail string) {
	if text == "" {
		return "empty", "a value between commas is empty"
	}
	if allowed := schema.Enum(f); allowed != nil && !slices.Contains(allowed, text) {
		return "not_allowed", "must be one of " + strings.Join(allowed, ", ")
	}
	if limit, _ := strconv.Atoi(f.Tag.Get("maxLength")); limit > 0 && utf8.RuneCountInString(text) > limit {
		return "too_long", atMost(limit, "characters")
	}
	return "", ""
}
