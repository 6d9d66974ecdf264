package input

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/api/wire"
	"bugslice/internal/id"
	"bugslice/internal/schema"
	"bugslice/internal/suggest"
)

// Binding lists the parameters and the body from which the input of an operation is bound.
type Binding struct {
	Operation *api.Operation
	Params    []wire.Param
	Body      *Body // nil for an operation that takes no JSON

	layout    *wire.Layout
	arguments map[string][]*Argument // by the name of the member
	readOnly  map[string]bool        // pointers to the members that only the service sets
}

// Body is a body of JSON.
type Body struct {
	*wire.Body
	patches bool // each of its items has a merge patch, which is validated by itself
	schema  string
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
	for _, table := range [][]api.Operation{api.Operations, api.AccountOperations} {
		for i := range table {
			op := &table[i]
			in := reflect.TypeOf(op.In)
			if in == nil || all[in] != nil {
				panic(fmt.Sprintf("input: operation %s has no input type of its own", op.ID))
			}
			all[in] = newBinding(op, wire.LayoutOf(in))
		}
	}
	return all
}()

func newBinding(op *api.Operation, l *wire.Layout) *Binding {
	b := &Binding{Operation: op, Params: l.Params, layout: l, readOnly: readOnly(reflect.TypeOf(op.Out()))}
	for _, p := range l.Params {
		if prefix := p.Prefix(); p.In == "path" && !id.Valid(prefix, id.New(prefix)) {
			panic(fmt.Sprintf("input: the tag id of %s names no kind of record", p.Name))
		}
	}
	if l.Body != nil {
		b.Body = &Body{Body: l.Body, patches: !l.Body.Patch && schema.HasPatches(l.Body.Type)}
		b.Body.schema = schema.Name(l.Body.Type, b.Body.Mode())
	}
	b.arguments = b.newArguments()
	return b
}

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

// TakesArguments reports whether the input of the operation can be arguments. That of a file cannot.
func (b *Binding) TakesArguments() bool { return !b.Operation.Upload }

// newArguments returns the parameters as arguments. It panics when two arguments would have one name.
func (b *Binding) newArguments() map[string][]*Argument {
	all := map[string][]*Argument{}
	for i := range b.Params {
		a := newArgument(&b.Params[i])
		name := a.Object
		if name == "" {
			name = a.Name
		}
		all[name] = append(all[name], a)
	}
	for name, of := range all {
		taken := len(of) > 1 && of[0].Object == "" || b.Body != nil && slices.Contains(b.Body.names(), name)
		if taken && b.TakesArguments() {
			panic(fmt.Sprintf("input: operation %s has two arguments with the name %s", b.Operation.ID, name))
		}
	}
	return all
}

// ArgumentsByName returns the parameters as arguments, by the name of the member that is one or has them.
func (b *Binding) ArgumentsByName() map[string][]*Argument { return b.arguments }

// names returns the names of the members.
func (b *Body) names() (all []string) {
	for _, f := range wire.Members(b.Type) {
		all = append(all, wire.MemberName(f))
	}
	return all
}

// readOnly returns pointers to the members of a record. A member that the body does not have is set by the service.
func readOnly(record reflect.Type) map[string]bool {
	all := map[string]bool{}
	for _, f := range wire.Members(record) {
		all["/"+wire.MemberName(f)] = true
	}
	return all
}

// query returns the query parameter with this name, or nil.
func (b *Binding) query(name string) *wire.Param {
	for i := range b.Params {
		if p := &b.Params[i]; p.In == "query" && p.Name == name && p.Field.Type.Kind() != reflect.Map {
			return p
		}
	}
	return nil
}

// queryMember returns the query parameter that has members, and the member that a name such as metadata[orderId] names.
func (b *Binding) queryMember(name string) (p *wire.Param, member string) {
	for p := range b.withMembers() {
		rest, found := strings.CutPrefix(name, p.Name+"[")
		if member, closed := strings.CutSuffix(rest, "]"); found && closed && member != "" {
			return p, member
		}
	}
	return nil, ""
}

// withMembers returns the query parameters whose members the client names.
func (b *Binding) withMembers() iter.Seq[*wire.Param] {
	return func(yield func(*wire.Param) bool) {
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
		if rest, found := strings.CutPrefix(name, p.Name); found &&
			(rest == "" || strings.ContainsAny(rest[:1], ".[")) {
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
	return suggest.DidYouMean(name, known)
}
