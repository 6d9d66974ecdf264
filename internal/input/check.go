package input

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/schema"
	"bugslice/internal/strictjson"
)

// Check validates an input that was made in Go, and sets its defaults. It is bound like a request with the same content, by
// the same rules. A parameter is left out when it is the zero value, and a member when it is nil, or empty and not required.
// Numbers and booleans of a body are never left out.
func Check[In any](in In) (Valid[In], error) {
	s, err := BindingOf[In]().Source(in)
	if err != nil {
		return Valid[In]{}, err
	}
	return Bind[In](s)
}

// Source encodes an input of the operation as a Source, without validation.
func (b *Binding) Source(input any) (Source, error) {
	in := reflect.ValueOf(input)
	path := map[string]string{}
	s := Source{Path: func(name string) string { return path[name] }, Query: url.Values{}, Header: http.Header{}}
	for _, p := range b.Params {
		v := in.FieldByIndex(p.index)
		if v.IsZero() {
			continue
		}
		if v.Kind() == reflect.Map {
			for _, name := range v.MapKeys() {
				text, err := paramText(p, v.MapIndex(name))
				if err != nil {
					return Source{}, err
				}
				s.Query.Set(p.Name+"["+name.String()+"]", text)
			}
			continue
		}
		text, err := paramText(p, v)
		if err != nil {
			return Source{}, err
		}
		switch {
		case p.In == "path":
			path[p.Name] = text
		case p.In == "header":
			s.Header.Set(p.Name, text)
		case text != "":
			s.Query.Set(p.Name, text)
		}
	}
	if b.Body == nil {
		return s, nil
	}
	v := in.FieldByIndex(b.Body.index)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return s, nil
	}
	var err error
	if s.Body, err = strictjson.Marshal(bodyValue(v)); err != nil {
		return Source{}, malformed(strictjson.Cause(err))
	}
	return s, nil
}

// paramText encodes a parameter. The values of a list are separated by commas, so a value with a comma is refused.
func paramText(p Param, v reflect.Value) (string, error) {
	switch value := v.Interface().(type) {
	case *api.Time:
		return value.String(), nil
	case int:
		return strconv.Itoa(value), nil
	case bool:
		return strconv.FormatBool(value), nil
	}
	if v.Kind() != reflect.Slice {
		return v.String(), nil
	}
	values := make([]string, v.Len())
	for i := range values {
		values[i] = v.Index(i).String()
		if strings.Contains(values[i], ",") {
			return "", api.InvalidParameter(p.Name, "wrong_form", p.Name+": a value must not contain a comma, which separates values")
		}
	}
	if len(values) == 1 && values[0] == "" {
		return ",", nil // Bind refuses an empty value, but "" means no value
	}
	return strings.Join(values, ","), nil
}

// bodyValue returns a value that encodes to JSON like v, without the members of structs that are left out.
func bodyValue(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().Kind() == reflect.Struct {
		v = v.Elem()
	}
	if _, ok := v.Interface().(json.Marshaler); ok {
		return v.Interface()
	}
	switch {
	case v.Kind() == reflect.Struct:
		object := map[string]any{}
		for _, f := range schema.Fields(v.Type()) {
			if member := v.FieldByName(f.Name); !isLeftOut(f, member) {
				object[memberName(f)] = bodyValue(member)
			}
		}
		return object
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = bodyValue(v.Index(i))
		}
		return list
	}
	return v.Interface()
}

func isLeftOut(f reflect.StructField, v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return v.Len() == 0 && f.Tag.Get("create") != "required"
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return v.IsNil()
	case reflect.Struct:
		return v.IsZero()
	}
	return false
}
