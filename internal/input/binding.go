// Package input binds and validates the input of operations, for every front end. The input of an operation is declared once,
// by the tags of its input type in package api. The OpenAPI document is made from the same tags. Bind and Check return one
// problem that names every fault.
//
// The tracker accepts only a Valid[In], which only this package can make.
package input

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/schema"
)

// Binding lists the parameters and the body from which the input of an operation is bound.
type Binding struct {
	Operation *api.Operation
	Params    []Param
	Body      *Body // nil for an operation that takes no JSON

	readOnly map[string]bool // pointers to the members that only the service sets
}

// Param is a parameter of the path, the query or the header.
type Param struct {
	In     string // path, query or header
	Name   string
	Prefix string // of the identifier in a path
	Field  reflect.StructField
	owner  reflect.Type // has the field
	index  []int
}

// Of returns the value of the parameter in an input.
func (p *Param) Of(input reflect.Value) reflect.Value { return input.FieldByIndex(p.index) }

// Documented returns the field with its comment as tags.
func (p *Param) Documented() reflect.StructField { return schema.Document(p.owner, p.Field) }

// Body is a body of JSON.
type Body struct {
	Type     reflect.Type // of the schema
	Patch    bool         // it is a merge patch
	Optional bool
	patches  bool // each of its items has a merge patch, which is validated by itself
	index    []int
	schema   string
}

// Mode returns the mode of the body's schema.
func (b *Body) Mode() schema.Mode {
	if b.Patch {
		return schema.Patch
	}
	return schema.Create
}

// bindings has the Binding of each operation, by its input type.
var bindings = func() map[reflect.Type]*Binding {
	all := map[reflect.Type]*Binding{}
	for i := range api.Operations {
		op := &api.Operations[i]
		in := reflect.TypeOf(op.In)
		if in == nil || all[in] != nil {
			panic(fmt.Sprintf("input: operation %s has no input type of its own", op.ID))
		}
		b := &Binding{Operation: op, readOnly: readOnly(reflect.TypeOf(op.Out()))}
		b.add(in, nil)
		all[in] = b
	}
	return all
}()

// Of returns the binding of an operation.
func Of(op *api.Operation) *Binding { return bindings[reflect.TypeOf(op.In)] }

// BindingOf returns the binding of the operation that has this input type. It panics when there is none.
func BindingOf[In any]() *Binding {
	in := reflect.TypeFor[In]()
	b := bindings[in]
	if b == nil {
		panic(fmt.Sprintf("input: no operation has the input type %s", in))
	}
	return b
}

// add adds the parameters and the body that the fields of a type declare. The type is embedded at an index of the input
// type.
func (b *Binding) add(t reflect.Type, at []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		switch {
		case f.Anonymous:
			b.add(f.Type, index)
		case f.Type.Kind() == reflect.Struct && f.Tag.Get("query") != "":
			b.addMembers(f, index)
		case f.Name == "Body":
			body := f.Type
			if body.Kind() == reflect.Pointer {
				body = body.Elem()
			}
			b.Body = &Body{index: index, Optional: f.Tag.Get("required") == "false", patches: schema.HasPatches(body),
				Type: body, schema: schema.Name(body, schema.Create)}
		case f.Name == "Patch":
			patched, _ := schema.Patched(f.Type)
			b.Body = &Body{index: index, Patch: true, Type: patched, schema: schema.Name(patched, schema.Patch)}
		default:
			b.addParam(t, f, index)
		}
	}
}

// addMembers adds the parameters of a struct in the query, such as not[status].
func (b *Binding) addMembers(of reflect.StructField, at []int) {
	for i := range of.Type.NumField() {
		f := of.Type.Field(i)
		name := of.Tag.Get("query") + "[" + f.Tag.Get("query") + "]"
		b.Params = append(b.Params, Param{In: "query", Name: name, Field: f, owner: of.Type, index: append(slices.Clone(at), i)})
	}
}

func (b *Binding) addParam(owner reflect.Type, f reflect.StructField, index []int) {
	for _, in := range []string{"path", "query", "header"} {
		name := f.Tag.Get(in)
		if name == "" {
			continue
		}
		prefix := f.Tag.Get("id")
		if in == "path" && !id.Valid(prefix, id.New(prefix)) {
			panic(fmt.Sprintf("input: the tag id of %s names no kind of record", name))
		}
		b.Params = append(b.Params, Param{In: in, Name: name, Prefix: prefix, Field: f, owner: owner, index: index})
	}
}

// readOnly returns pointers to the members of a record. A member that the body does not have is set by the service.
func readOnly(record reflect.Type) map[string]bool {
	all := map[string]bool{}
	for _, f := range schema.Fields(record) {
		all["/"+memberName(f)] = true
	}
	return all
}

func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// query returns the query parameter with this name, or nil.
func (b *Binding) query(name string) *Param {
	for i := range b.Params {
		if p := &b.Params[i]; p.In == "query" && p.Name == name && p.Field.Type.Kind() != reflect.Map {
			return p
		}
	}
	return nil
}

// queryMember returns the query parameter that has members, and the member that a name such as metadata[orderId] names.
func (b *Binding) queryMember(name string) (p *Param, member string) {
	for p := range b.withMembers() {
		rest, found := strings.CutPrefix(name, p.Name+"[")
		if member, closed := strings.CutSuffix(rest, "]"); found && closed && member != "" {
			return p, member
		}
	}
	return nil, ""
}

// withMembers returns the query parameters whose members the client names.
func (b *Binding) withMembers() iter.Seq[*Param] {
	return func(yield func(*Param) bool) {
		for i := range b.Params {
			if p := &b.Params[i]; p.In == "query" && p.Field.Type.Kind() == reflect.Map && !yield(p) {
				return
			}
		}
	}
}

// suggest returns the known query parameter that a client may have meant, as the end of a sentence, or "".
func (b *Binding) suggest(name string) string {
	if list, _, isArray := strings.Cut(name, "["); isArray && b.query(list) != nil {
		return "; send several values as " + list + "=a&" + list + "=b or " + list + "=a,b"
	}
	for p := range b.withMembers() {
		if rest, found := strings.CutPrefix(name, p.Name); found && (rest == "" || strings.ContainsAny(rest[:1], ".[")) {
			return "; send " + p.Name + "[name]=value"
		}
	}
	of, _, _ := strings.Cut(strings.ReplaceAll(name, "[", "."), ".")
	var known, members []string
	for _, p := range b.Params {
		if p.In != "query" {
			continue
		}
		known = append(known, p.Name)
		if member, found := strings.CutPrefix(p.Name, of+"["); found {
			members = append(members, strings.TrimSuffix(member, "]"))
		}
	}
	if members != nil {
		return "; send " + of + "[name]=value with one of the names " + strings.Join(members, ", ")
	}
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)) {
	case "page", "offset", "perpage", "pagesize":
		if b.query("cursor") != nil {
			return "; use cursor and limit for pages"
		}
	}
	return schema.DidYouMean(name, known)
}
