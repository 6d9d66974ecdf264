package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/schema"
	"bugslice/internal/strictjson"
)

// Arguments returns the Source of an input that is one JSON object: its members are the parameters and the members of
// the body. A list is an array, and the members of a parameter are an object. Faults are those of a request with the
// same content, with a pointer to the argument in the place of the name of a parameter. An operation that stores a file
// is refused.
func (b *Binding) Arguments(object []byte) (Source, error) {
	if !b.TakesArguments() {
		return Source{}, api.NewProblem(api.CodeMediaType,
			"A file cannot be an argument. Send it as the body of "+b.Operation.Method+" "+b.Operation.Path+".")
	}
	params, body, err := b.split(object)
	if err != nil {
		return Source{}, err
	}
	a := &arguments{known: slices.Sorted(maps.Keys(b.arguments)), pointers: map[string]string{}}
	path := map[string]string{}
	s := Source{Path: func(name string) string { return path[name] }, Query: url.Values{}, Header: http.Header{},
		arguments: a}
	if b.Body != nil {
		a.known = append(a.known, b.Body.names()...)
		s.Body = body
	}
	for _, p := range b.Params {
		if _, ok := params[p.Name]; p.In == "path" && !ok {
			a.fault("/"+p.Name, "required", "this member is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		switch of := b.arguments[name]; {
		case of == nil:
			a.unknown([]string{name}, a.known)
		case of[0].Object != "":
			a.addMembers(s, name, of, params[name])
		case of[0].In == "path":
			path[name], _ = a.text("/"+name, params[name])
		default:
			a.add(s, of[0], params[name])
		}
	}
	return s, nil
}

// split returns the members of the arguments that are parameters, and the rest as the body. What machines observed may
// be damaged in the body. Without a body it returns all members.
func (b *Binding) split(object []byte) (params map[string]any, body []byte, err error) {
	if len(bytes.TrimSpace(object)) == 0 {
		object = []byte("{}")
	}
	var forParams, forBody [][]byte
	end := 0
	for name, m := range evidence.Members(object) {
		quoted, _ := json.Marshal(name) // a text can be encoded
		member := slices.Concat(quoted, []byte(":"), m.Raw)
		if b.Body == nil || b.arguments[name] != nil {
			forParams = append(forParams, member)
		} else {
			forBody = append(forBody, member)
		}
		end = m.At + len(m.Raw)
	}
	if end == 0 || string(bytes.TrimSpace(object[end:])) != "}" { // no member, or a damaged object
		if _, fault := strictjson.Object(object); fault != nil {
			return nil, nil, malformedArguments(fault)
		}
	}
	params, fault := strictjson.Object(objectOf(forParams))
	if fault != nil {
		return nil, nil, malformedArguments(fault)
	}
	if b.Body != nil && (forBody != nil || !b.Body.Optional) {
		body = objectOf(forBody)
	}
	return params, body, nil
}

func objectOf(members [][]byte) []byte {
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}"))
}

func malformedArguments(f *strictjson.Fault) error { return (&arguments{}).malformed(malformed(f)) }

// addMembers adds the members of an object that are parameters, such as not[status].
func (a *arguments) addMembers(s Source, object string, of []*Argument, value any) {
	members, ok := value.(map[string]any)
	if !ok {
		a.wrongType("/"+object, "object", value)
		return
	}
	known := make([]string, len(of))
	for i, one := range of {
		known[i] = one.Name
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if i := slices.Index(known, name); i >= 0 {
			a.add(s, of[i], members[name])
		} else {
			a.unknown([]string{object, name}, known)
		}
	}
}

// add adds the value of an argument as the parameter of the query or the header.
func (a *arguments) add(s Source, of *Argument, value any) {
	at := []string{of.Name}
	if of.Object != "" {
		at = []string{of.Object, of.Name}
	}
	pointer := schema.Pointer(at)
	a.pointers[of.Param.Name] = pointer
	switch t := of.Field.Type; {
	case t.Kind() == reflect.Map:
		a.addMap(s.Query, of, at, value)
	case t.Kind() == reflect.Slice:
		a.addList(s.Query, of.Param.Name, pointer, value)
	default:
		text, ok := a.scalar(pointer, t, value)
		switch {
		case !ok:
		case of.In == "header":
			s.Header.Set(of.Param.Name, text)
		default:
			s.Query.Set(of.Param.Name, text)
		}
	}
}

// addMap adds the lists of an object whose names the client chooses, as parameters such as metadata[orderId]. at is the
// path to the object.
func (a *arguments) addMap(query url.Values, of *Argument, at []string, value any) {
	object, ok := value.(map[string]any)
	most, _ := strconv.Atoi(of.Field.Tag.Get("maxProperties"))
	switch {
	case !ok:
		a.wrongType(schema.Pointer(at), "object", value)
	case len(object) > most:
		a.fault(schema.Pointer(at), "too_many", atMost(most, "names"))
	default:
		for _, name := range slices.Sorted(maps.Keys(object)) {
			param, to := of.Param.Name+"["+name+"]", schema.Pointer(append(at, name))
			a.pointers[Quote(param)] = to
			a.addList(query, param, to, object[name])
		}
	}
}

// addList adds the texts of an array to the query.
func (a *arguments) addList(query url.Values, param, pointer string, value any) {
	list, ok := value.([]any)
	switch {
	case !ok:
		a.wrongType(pointer, "array", value)
		return
	case len(list) == 0:
		a.fault(pointer, "empty", "must not be empty; leave it out instead")
		return
	}
	values := make([]string, len(list))
	for i, v := range list {
		at := fmt.Sprint(pointer, "/", i)
		if values[i], ok = a.text(at, v); !ok {
			return
		}
		if strings.Contains(values[i], ",") {
			a.fault(at, "wrong_form", "must not contain a comma, which separates values")
			return
		}
	}
	query[param] = values
}

// scalar returns an argument as the text of its parameter.
func (a *arguments) scalar(pointer string, t reflect.Type, value any) (text string, ok bool) {
	switch t.Kind() {
	case reflect.Int:
		n, ok := value.(json.Number)
		if !ok {
			a.wrongType(pointer, "integer", value)
		}
		return n.String(), ok
	case reflect.Bool:
		is, ok := value.(bool)
		if !ok {
			a.wrongType(pointer, "boolean", value)
		}
		return fmt.Sprint(is), ok
	}
	return a.text(pointer, value)
}

func (a *arguments) text(pointer string, value any) (text string, ok bool) {
	if text, ok = value.(string); !ok {
		a.wrongType(pointer, "string", value)
	}
	return text, ok
}

func (a *arguments) wrongType(pointer, want string, value any) {
	a.fault(pointer, "wrong_type", "must be "+want+", not "+schema.TypeName(value))
}
