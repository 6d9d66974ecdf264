package httpapi

import (
	"bytes"
	"errors"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"

	"bugslice/api"
	"bugslice/internal/schema"
	"bugslice/internal/strictjson"
)

// fillBody checks a body against the published schema and decodes it. err refuses its form.
func (a *API) fillBody(rt route, raw []byte, in reflect.Value) (faults []api.Fault, err error) {
	b := rt.plan.body
	if len(raw) == 0 && b.optional {
		return nil, nil
	}
	value, bad := strictjson.Object(raw)
	if bad != nil {
		return nil, api.Refuse(api.CodeMalformedBody, "The body must be one JSON object: "+bad.Detail+".",
			api.Fault{Pointer: clip(bad.Pointer), Code: bad.Code, Detail: bad.Detail})
	}
	if bytes.Contains(raw, []byte(`\u0000`)) {
		for _, at := range strictjson.Nul(value) {
			faults = append(faults, api.Fault{Pointer: at, Code: "nul_character", Detail: "must not hold U+0000"})
		}
	}
	for _, f := range a.schemas.Check(b.schema, value) {
		if f.Code == "unknown_member" && readOnly(rt.out)[f.Pointer] {
			f.Code, f.Detail = "read_only", "this member is set by the service; leave it out"
			if b.patch {
				f.Detail = "this member cannot be changed; leave it out"
			}
		}
		f.Pointer = clip(f.Pointer)
		faults = append(faults, toFault(f))
	}
	if len(faults) > 0 {
		return faults, nil
	}
	target := in.FieldByIndex(b.index)
	if b.patch {
		target.Set(reflect.ValueOf(value).Convert(target.Type()))
		return nil, nil
	}
	if err := json.Unmarshal(raw, target.Addr().Interface()); err != nil { // a number such as 1e3 where the type wants digits
		f := api.Fault{Code: "unreadable", Detail: "the value cannot be read"}
		var where *json.SemanticError
		if errors.As(err, &where) {
			f.Pointer = clip(string(where.JSONPointer))
		}
		return []api.Fault{f}, nil
	}
	bodyDefaults(target, value)
	return nil, nil
}

// bodyDefaults gives members that a body left out, or has as null, the values the document says.
func bodyDefaults(target reflect.Value, value map[string]any) {
	if target.Kind() == reflect.Pointer {
		target = target.Elem()
	}
	for _, f := range schema.Fields(target.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if text, ok := f.Tag.Lookup("default"); ok && value[name] == nil {
			if err := json.Unmarshal([]byte(text), target.FieldByName(f.Name).Addr().Interface()); err != nil {
				panic("httpapi: the default of " + name + " cannot be read: " + err.Error())
			}
		}
	}
}

func toFault(f schema.Fault) api.Fault {
	return api.Fault{Pointer: f.Pointer, Code: f.Code, Detail: f.Detail}
}

// readOnly returns pointers to the members of a record that its input does not have.
func readOnly(record reflect.Type) map[string]bool {
	if record.Kind() != reflect.Struct {
		return nil
	}
	all := map[string]bool{}
	for _, f := range schema.Fields(record) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all["/"+name] = true
	}
	return all
}
