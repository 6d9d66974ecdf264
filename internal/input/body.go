package input

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"sync"

	"bugslice/api"
	"bugslice/api/wire"
	"bugslice/internal/evidence"
	"bugslice/internal/schema"
	"bugslice/internal/strictjson"
)

// schemas validates bodies by the schemas of the OpenAPI document.
var schemas = sync.OnceValues(func() (*schema.Validator, error) {
	set := schema.NewSet(reflect.TypeFor[api.Time]())
	var names []string
	for _, b := range bindings {
		if b.Body != nil {
			set.Ref(b.Body.Type, b.Body.Mode())
			names = append(names, b.Body.schema)
		}
	}
	document, err := json.Marshal(map[string]any{"components": map[string]any{"schemas": set.Components}})
	if err != nil {
		return nil, err
	}
	return schema.Compile(document, names)
})

// Prepare compiles the schemas of all bodies. Otherwise the first input with a body compiles them.
func Prepare() error {
	_, err := schemas()
	return err
}

// bindBody validates a body and decodes it into in. It returns the faults of a JSON object, and an error for a body
// that is none. What machines observed is repaired.
func (b *Binding) bindBody(raw []byte, in reflect.Value) ([]api.Fault, error) {
	if len(raw) == 0 && b.Body.Optional {
		return nil, nil
	}
	faults, err := b.bindStrict(raw, in)
	if err != nil || len(faults) > 0 {
		if remaining, ok := b.bindObserved(raw, in); ok {
			return remaining, nil
		}
	}
	return faults, err
}

// observed are the members of a body that machines observed, beside evidence: errors are those of a draft. Their
// characters are repaired.
var observed = []string{"environment", "metadata", "errors"}

// isObserved reports whether a body may have members that machines observed.
func (b *Body) isObserved() bool {
	return slices.ContainsFunc(schema.Fields(b.Type), func(f reflect.StructField) bool {
		return f.Name == "Evidence" || slices.Contains(observed, wire.MemberName(f))
	})
}

// bindObserved binds a body that was refused again, with the repairs of what machines observed in it: a person who
// files a report cannot repair that. ok is false when there is nothing to repair, or evidence cannot be repaired.
func (b *Binding) bindObserved(raw []byte, in reflect.Value) (faults []api.Fault, ok bool) {
	target := in.FieldByIndex(b.Body.Index)
	if !b.Body.isObserved() {
		return nil, false
	}
	var all []api.Repair
	var captured *api.Evidence
	rest, copied := []byte{}, 0
	for name, member := range evidence.Members(raw) {
		var with []byte
		var repairs []api.Repair
		switch {
		case name == "evidence" && member.Raw[0] == '{':
			var err error
			if captured, repairs, err = evidence.Decode(member.Raw); err != nil {
				return nil, false
			}
			with = []byte("{}")
		case slices.Contains(observed, name):
			with, repairs = evidence.RepairCharacters(name, member.Raw)
		default:
			continue
		}
		rest = slices.Concat(rest, raw[copied:member.At], with)
		copied, all = member.At+len(member.Raw), append(all, repairs...)
	}
	target.SetZero()
	faults, err := b.bindStrict(bytes.Join([][]byte{rest, raw[copied:]}, nil), in)
	if err != nil {
		return nil, false
	}
	_, answersRepairs := b.Body.Type.FieldByName("Repairs")
	if len(faults) == 0 && answersRepairs {
		body := reflect.Indirect(target)
		body.FieldByName("Repairs").Set(reflect.ValueOf(all))
		if captured != nil {
			body.FieldByName("Evidence").Set(reflect.ValueOf(captured))
		}
	}
	return faults, true
}

// bindStrict validates a body as it is, and decodes it into in.
func (b *Binding) bindStrict(raw []byte, in reflect.Value) ([]api.Fault, error) {
	value, fault := strictjson.Object(raw)
	if fault != nil {
		return nil, malformed(fault)
	}
	faults, err := b.checkBody(raw, b.Body.withoutPatches(value))
	if err != nil || len(faults) > 0 {
		return faults, err
	}
	target := in.FieldByIndex(b.Body.Index)
	if b.Body.Patch {
		target.Set(reflect.ValueOf(value).Convert(target.Type()))
		return nil, nil
	}
	if err := strictjson.Unmarshal(raw, target.Addr().
		Interface()); err != nil { // such as the number 1e3 for an integer
		f := strictjson.Cause(err)
		return []api.Fault{{Pointer: Quote(f.Pointer), Code: f.Code, Detail: f.Detail}}, nil
	}
	setBodyDefaults(target, value)
	return nil, nil
}

// withoutPatches returns the value of a body with an empty object in the place of the patch of each item. The patch is
// validated with the operation on the item, so that its faults are those of the item alone.
func (b *Body) withoutPatches(value map[string]any) map[string]any {
	items, ok := value["items"].([]any)
	if !b.patches || !ok {
		return value
	}
	outline := maps.Clone(value)
	outlines := slices.Clone(items)
	for i, item := range items {
		if object, ok := item.(map[string]any); ok {
			if _, ok := object["patch"].(map[string]any); ok {
				object = maps.Clone(object)
				object["patch"] = map[string]any{}
				outlines[i] = object
			}
		}
	}
	outline["items"] = outlines
	return outline
}

func malformed(f *strictjson.Fault) error {
	return api.NewProblem(api.CodeMalformedBody, "The body must be one JSON object: "+f.Detail+".",
		api.Fault{Pointer: Quote(f.Pointer), Code: f.Code, Detail: f.Detail})
}

// checkNul refuses U+0000 in the texts of an object, whose JSON is raw.
func checkNul(raw []byte, value map[string]any) (faults []api.Fault) {
	if bytes.Contains(raw, []byte(`\u0000`)) {
		for _, at := range strictjson.Nul(value) {
			faults = append(faults, api.Fault{Pointer: at, Code: "nul_character", Detail: "must not hold U+0000"})
		}
	}
	return faults
}

// checkBody validates an object, whose JSON is raw.
func (b *Binding) checkBody(raw []byte, value map[string]any) ([]api.Fault, error) {
	faults := checkNul(raw, value)
	valid, err := schemas()
	if err != nil {
		return nil, err
	}
	for _, f := range valid.Check(b.Body.schema, value) {
		if f.Code == "unknown_member" && b.readOnly[f.Pointer] {
			f.Code, f.Detail = "read_only", "this member is set by the service; leave it out"
			if b.Body.Patch {
				f.Detail = "this member cannot be changed; leave it out"
			}
		}
		faults = append(faults, api.Fault{Pointer: Quote(f.Pointer), Code: f.Code, Detail: f.Detail})
	}
	return faults, nil
}

// setBodyDefaults sets absent and null members to the defaults of their tags, which are JSON but for texts.
func setBodyDefaults(target reflect.Value, value map[string]any) {
	if target.Kind() == reflect.Pointer {
		target = target.Elem()
	}
	for _, f := range schema.Fields(target.Type()) {
		name := wire.MemberName(f)
		if text := f.Tag.Get("default"); text != "" && value[name] == nil {
			member := target.FieldByName(f.Name)
			if member.Kind() == reflect.String {
				member.SetString(text)
				continue
			}
			if err := strictjson.Unmarshal([]byte(text), member.Addr().Interface()); err != nil {
				panic("input: the default of " + name + " cannot be read: " + err.Error())
			}
		}
	}
}
