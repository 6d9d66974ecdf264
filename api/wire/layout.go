// Package wire says how the input of an operation is a request: which of its fields are parameters of the path, the
// query and the header, and which is the body. The service binds requests by the same layout by which clients encode
// them. The package imports only the standard library and package api.
package wire

import (
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"

	"bugslice/api"
)

// Layout lists the parameters and the body of an input type.
type Layout struct {
	Params []Param
	Body   *Body // nil for an operation that takes no JSON
}

// Param is a parameter of the path, the query or the header.
type Param struct {
	In    string // path, query or header
	Name  string
	Owner reflect.Type // has the field
	Field reflect.StructField
	Index []int // of the field in the input type
}

// Of returns the value of the parameter in an input.
func (p *Param) Of(input reflect.Value) reflect.Value { return input.FieldByIndex(p.Index) }

// Prefix returns the prefix of the identifier in a path.
func (p *Param) Prefix() string { return p.Field.Tag.Get("id") }

// Body is a body of JSON: the field Body, or Patch for a merge patch.
type Body struct {
	Type     reflect.Type // of the members; those that the patch changes
	Patch    bool
	Optional bool
	Index    []int // of the field in the input type
}

// operations has the operations by their input types.
var operations = sync.OnceValue(func() map[reflect.Type]*operation {
	all := make(map[reflect.Type]*operation, len(api.Operations))
	for i := range api.Operations {
		t := reflect.TypeOf(api.Operations[i].In)
		all[t] = &operation{&api.Operations[i], LayoutOf(t)}
	}
	return all
})

type operation struct {
	*api.Operation
	layout *Layout
}

// Of returns the operation that has the type of an input, and the layout of that; nil when there is none.
func Of(input api.AnyInput) (*api.Operation, *Layout) {
	if op := operations()[reflect.TypeOf(input)]; op != nil {
		return op.Operation, op.layout
	}
	return nil, nil
}

// LayoutOf returns the layout of an input type.
func LayoutOf(input reflect.Type) *Layout {
	l := &Layout{}
	l.add(input, nil)
	return l
}

// add adds the parameters and the body that the fields of a type declare. The type is embedded at an index of the
// input type.
func (l *Layout) add(t reflect.Type, at []int) {
	for i := range t.NumField() {
		f, index := t.Field(i), append(slices.Clone(at), i)
		switch {
		case f.Anonymous:
			l.add(f.Type, index)
		case f.Type.Kind() == reflect.Struct && f.Tag.Get("query") != "":
			l.addMembers(f, index)
		case f.Name == "Body":
			l.Body = &Body{Type: pointed(f.Type), Optional: f.Tag.Get("required") == "false", Index: index}
		case f.Name == "Patch":
			patched, _ := Patched(f.Type)
			l.Body = &Body{Type: patched, Patch: true, Index: index}
		default:
			l.addParam(t, f, index)
		}
	}
}

// addMembers adds the parameters of a struct in the query, such as not[status].
func (l *Layout) addMembers(of reflect.StructField, at []int) {
	for i := range of.Type.NumField() {
		f := of.Type.Field(i)
		name := of.Tag.Get("query") + "[" + f.Tag.Get("query") + "]"
		index := append(slices.Clone(at), i)
		l.Params = append(l.Params, Param{In: "query", Name: name, Owner: of.Type, Field: f, Index: index})
	}
}

func (l *Layout) addParam(owner reflect.Type, f reflect.StructField, index []int) {
	for _, in := range []string{"path", "query", "header"} {
		if name := f.Tag.Get(in); name != "" {
			l.Params = append(l.Params, Param{In: in, Name: name, Owner: owner, Field: f, Index: index})
		}
	}
}

// Has reports whether an input type has a parameter.
func (l *Layout) Has(in, name string) bool {
	return slices.ContainsFunc(l.Params, func(p Param) bool { return p.In == in && p.Name == name })
}

func pointed(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// Members yields the fields of a struct that are members in JSON, with those of embedded structs. Each follows the
// type that has it.
func Members(t reflect.Type) iter.Seq2[reflect.Type, reflect.StructField] {
	return func(yield func(reflect.Type, reflect.StructField) bool) {
		for f := range t.Fields() {
			switch name := f.Tag.Get("json"); {
			case f.Anonymous && name == "":
				for owner, member := range Members(f.Type) {
					if !yield(owner, member) {
						return
					}
				}
			case f.IsExported() && name != "-" && name != "" && !yield(t, f):
				return
			}
		}
	}
}

// MemberName returns the name of a field in JSON.
func MemberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// Patched returns the type whose members a merge patch changes. ok is false for a type that is no merge patch.
func Patched(t reflect.Type) (fields reflect.Type, ok bool) {
	patch, ok := reflect.Zero(t).Interface().(interface{ Of() reflect.Type })
	if !ok {
		return nil, false
	}
	return patch.Of(), true
}
