package api

import (
	"reflect"
	"strings"
)

// Chosen lets a list return items with some of their members alone.
type Chosen[M ~string] struct {
	// Return items with these members alone, such as reference,summary,environment.release, and without others that their
	// schema requires. Every member by default.
	Fields []M `query:"fields" json:"-"`
}

// ChosenMembers returns the paths of the members that the items have; none means all.
func (c Chosen[M]) ChosenMembers() []string {
	paths := make([]string, len(c.Fields))
	for i, m := range c.Fields {
		paths[i] = string(m)
	}
	return paths
}

// memberPaths returns the members of a record, and those of its members that are records, as paths.
func memberPaths(t reflect.Type) (paths []string) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || len(f.Index) > 1 && !isEmbedded(t, f.Index) || f.Tag.Get("input") == "only" {
			continue
		}
		paths = append(paths, name)
		below := f.Type
		if below.Kind() == reflect.Struct && below != reflect.TypeFor[Time]() {
			for _, inner := range reflect.VisibleFields(below) {
				if member, _, _ := strings.Cut(inner.Tag.Get("json"), ","); member != "" && member != "-" &&
					inner.Tag.Get("input") != "only" {
					paths = append(paths, name+"."+member)
				}
			}
		}
	}
	return paths
}

// isEmbedded reports whether the fields on the way to one are embedded.
func isEmbedded(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		f := t.Field(i)
		if !f.Anonymous {
			return false
		}
		t = f.Type
	}
	return true
}
