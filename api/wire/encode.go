package wire

import (
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"bugslice/api"
)

// Request is the input of an operation as a request.
type Request struct {
	Path   map[string]string
	Query  url.Values
	Header http.Header
	Body   any // encodes as JSON; nil for none
}

// Target returns the path of an operation with the parameters of the path, and the query. The error is the problem of
// a parameter that names no record.
func (r Request) Target(op *api.Operation) (string, error) {
	path := op.Path
	for name := range placeholders(op.Path) {
		value := r.Path[name]
		if value == "" || value == "." || value == ".." {
			return "", api.InvalidParameter(name, "wrong_form", name+": must be an identifier")
		}
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1)
	}
	if len(r.Query) > 0 {
		path += "?" + r.Query.Encode()
	}
	return path, nil
}

// placeholders yields the names of the parameters of a path.
func placeholders(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for segment := range strings.SplitSeq(path, "/") {
			if name, found := strings.CutPrefix(segment, "{"); found && !yield(strings.TrimSuffix(name, "}")) {
				return
			}
		}
	}
}

// Encode returns an input as a request, without validation. A parameter is left out when it is the zero value, and a
// member of the body when it is nil, or empty and not required. Numbers and booleans of a body are never left out.
// The error is the problem of a list with a value that cannot be sent.
func (l *Layout) Encode(input any) (Request, error) {
	in := reflect.ValueOf(input)
	r := Request{Path: map[string]string{}, Query: url.Values{}, Header: http.Header{}}
	for _, p := range l.Params {
		if err := r.setParam(p, p.Of(in)); err != nil {
			return Request{}, err
		}
	}
	if l.Body == nil {
		return r, nil
	}
	if v := in.FieldByIndex(l.Body.Index); v.Kind() != reflect.Pointer || !v.IsNil() {
		r.Body = bodyValue(v)
	}
	return r, nil
}

func (r *Request) setParam(p Param, v reflect.Value) error {
	if v.IsZero() {
		return nil
	}
	if v.Kind() == reflect.Map {
		for _, name := range v.MapKeys() {
			text, err := paramText(p, v.MapIndex(name))
			if err != nil {
				return err
			}
			r.Query.Set(p.Name+"["+name.String()+"]", text)
		}
		return nil
	}
	text, err := paramText(p, v)
	switch {
	case err != nil:
		return err
	case p.In == "path":
		r.Path[p.Name] = text
	case p.In == "header":
		r.Header.Set(p.Name, text)
	case text != "":
		r.Query.Set(p.Name, text)
	}
	return nil
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
			const detail = ": a value must not contain a comma, which separates values"
			return "", api.InvalidParameter(p.Name, "wrong_form", p.Name+detail)
		}
	}
	if len(values) == 1 && values[0] == "" {
		return ",", nil // the service refuses an empty value, but "" means no value
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
		for _, f := range Members(v.Type()) {
			if member := v.FieldByName(f.Name); !isLeftOut(f, member) {
				object[MemberName(f)] = bodyValue(member)
			}
		}
		return object
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = bodyValue(v.Index(i))
		}
		return list
	case v.Kind() == reflect.Map && v.IsNil():
		return map[string]any{}
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
