package main

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/api/wire"
	"bugslice/internal/schema"
)

// patchMethods returns the methods that set the members of the patches of package api.
func patchMethods() ([]byte, error) {
	s, patches, nested := newSource("api"), patchTypes(), map[string]reflect.Type{}
	for _, name := range slices.Sorted(maps.Keys(patches)) {
		s.members(name, patches[name], nested)
	}
	for _, name := range slices.Sorted(maps.Keys(nested)) {
		s.comment(name + " changes a member of another patch, as that one changes its record.")
		s.line("type %s map[string]any", name)
		s.line("")
		s.members(name, nested[name], nested)
	}
	return s.formatted()
}

// patchTypes returns the types that the patches of operations change, by the names of the patches.
func patchTypes() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, op := range api.Operations {
		if f, ok := reflect.TypeOf(op.In).FieldByName("Patch"); ok {
			all[f.Type.Name()], _ = wire.Patched(f.Type)
		}
	}
	return all
}

// members writes a method for each member of the type that a patch changes. It adds the patches of the structs among
// them to nested.
func (s *source) members(patch string, changed reflect.Type, nested map[string]reflect.Type) {
	for _, f := range schema.Documented(changed) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		t, ok := memberType(f.Type)
		if !ok {
			t = f.Type.Name() + "Patch"
			nested[t] = f.Type
		}
		s.comment(f.Name + " sets " + name + ". " + f.Tag.Get("doc"))
		s.line("func (p %s) %s(value %s) %s { return with(p, %q, value) }", patch, f.Name, t, patch, name)
		s.line("")
	}
}

// memberType returns the type of the value of a member: one whose nil is null, when the member may be null. ok is
// false for a struct, whose members a patch of its own changes.
func memberType(t reflect.Type) (name string, ok bool) {
	switch t.Kind() {
	case reflect.Struct:
		return "", t == reflect.TypeFor[api.Time]()
	case reflect.Map:
		return "map[string]*" + local(t.Elem()), true
	}
	return local(t), true
}

// local returns the name of a type in package api.
func local(t reflect.Type) string { return strings.ReplaceAll(t.String(), "api.", "") }
