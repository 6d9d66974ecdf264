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

// MaxValues bounds how many values a filter may list.
const MaxValues = 100

// bindHeader binds the parameters of the header. An If-Match that the operation does not know is
// refused: the change must never be made unconditionally.
func (b *Binding) bindHeader(header http.Header, in reflect.Value) (faults []api.Fault) {
	conditional := slices.ContainsFunc(b.Params, func(p Param) bool { return p.Name == "If-Match" })
	if b.Operation.Method != http.MethodGet && !conditional && header.Get("If-Match") != "" {
		faults = append(faults, api.Fault{Parameter: "If-Match", Code: "unknown",
			Detail: "this record has no ETag that a change could be based on; leave it out"})
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
		longest, _ := strconv.Atoi(p.Field.Tag.Get("maxLength"))
		switch {
		case v == "":
			faults = append(faults, api.Fault{Parameter: p.Name, Code: "empty", Detail: "must not be empty"})
		case !printable(v):
			faults = append(faults, api.Fault{Parameter: p.Name, Code: "wrong_form", Detail: "must be printable ASCII"})
		case longest > 0 && len(values) > 1:
			faults = append(faults, api.Fault{Parameter: p.Name, Code: "repeated", Detail: "must be sent once"})
		case longest > 0 && len(v) > longest:
			faults = append(faults, api.Fault{Parameter: p.Name, Code: "too_long", Detail: atMost(longest, "characters")})
		}
		in.FieldByIndex(p.index).SetString(v)
	}
	return faults
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e })
}

// bindQuery binds the parameters of the query. An unknown, repeated or empty parameter is a fault: a
// mistyped filter must never widen a list.
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

// setParam reads one parameter as a value of its field's type. A code says what is wrong with it.
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
		if code, detail = checkWord(f, text); code == "" {
			to.SetString(text)
		}
		return code, detail
	}
	words := strings.Split(text, ",")
	if len(words) > MaxValues {
		return "too_many", atMost(MaxValues, "values")
	}
	list := reflect.MakeSlice(to.Type(), len(words), len(words))
	for i, w := range words {
		if code, detail = checkWord(f, w); code != "" {
			return code, detail
		}
		list.Index(i).SetString(w)
	}
	to.Set(list)
	return "", ""
}

func setInt(f reflect.StructField, to *int, text string) (code, detail string) {
	low, high := f.Tag.Get("minimum"), f.Tag.Get("maximum")
	n, err := strconv.Atoi(text)
	lowest, _ := strconv.Atoi(low)
	highest, _ := strconv.Atoi(high)
	if err != nil || n < lowest || n > highest || strconv.Itoa(n) != text {
		return "out_of_range", "must be a whole number from " + low + " to " + high
	}
	*to = n
	return "", ""
}

func checkWord(f reflect.StructField, w string) (code, detail string) {
	if w == "" {
		return "empty", "a value between commas is empty"
	}
	if allowed := schema.Enum(f); allowed != nil && !slices.Contains(allowed, w) {
		return "not_allowed", "must be one of " + strings.Join(allowed, ", ")
	}
	if longest, _ := strconv.Atoi(f.Tag.Get("maxLength")); longest > 0 && utf8.RuneCountInString(w) > longest {
		return "too_long", atMost(longest, "characters")
	}
	return "", ""
}
