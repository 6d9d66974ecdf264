package schema

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxFaults  = 100 // reported of one value
	maxUnknown = 100 // unknown members of one object that are validated
)

// truncation describes the value that truncate has truncated.
type truncation struct {
	lengths map[string]int // former lengths of lists and objects, by their pointers
	names   []Fault        // invalid names of members; the validator reports them at unreliable pointers
}

// truncate truncates lists and objects that are longer than their schema allows, before they are validated, so that a
// value cannot have a million faults. A truncated list or object is still too long.
func truncate(s *jsonschema.Schema, value any, path []string, done *truncation) any {
	if s = resolve(s); s == nil {
		return value
	}
	switch v := value.(type) {
	case []any:
		if s.MaxItems != nil && len(v) > *s.MaxItems {
			done.lengths[Pointer(path)] = len(v)
			v = v[:*s.MaxItems+1]
		}
		for i := range v {
			v[i] = truncate(schemaOf(s, ""), v[i], append(path, fmt.Sprint(i)), done)
		}
		return v
	case map[string]any:
		truncateObject(s, v, path, done)
	}
	return value
}

// truncateObject truncates the members of an object. It deletes unknown members of an object that has too many.
func truncateObject(s *jsonschema.Schema, v map[string]any, path []string, done *truncation) {
	limit := math.MaxInt
	switch {
	case s.MaxProperties != nil:
		limit = *s.MaxProperties + 1
	case s.AdditionalProperties == false:
		limit = len(s.Properties) + maxUnknown
	}
	if excess := len(v) - limit; excess > 0 {
		done.lengths[Pointer(path)] = len(v)
		maps.DeleteFunc(v, func(name string, _ any) bool {
			isExcess := excess > 0 && s.Properties[name] == nil
			if isExcess {
				excess--
			}
			return isExcess
		})
	}
	for name, member := range v {
		if s.PropertyNames != nil && s.PropertyNames.Validate(name) != nil {
			done.names = append(done.names, Fault{Pointer(path), "invalid_name",
				fmt.Sprintf("the name %q must have 1 to 100 characters", name)})
		}
		v[name] = truncate(schemaOf(s, name), member, append(path, name), done)
	}
}

// resolve follows the references of a schema, and the first alternative of each anyOf, whose second one is null.
func resolve(s *jsonschema.Schema) *jsonschema.Schema {
	for s != nil && (s.Ref != nil || len(s.AnyOf) > 0) {
		if s.Ref != nil {
			s = s.Ref
		} else {
			s = s.AnyOf[0]
		}
	}
	return s
}

// schemaOf returns the schema of the items of a list, or of a member of an object.
func schemaOf(s *jsonschema.Schema, name string) *jsonschema.Schema {
	if s.Items2020 != nil {
		return s.Items2020
	}
	if known := s.Properties[name]; known != nil {
		return known
	}
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	return additional
}

// memberNames returns the name of the member at a pointer, and the names of the members that its object may have.
func memberNames(s *jsonschema.Schema, pointer string) (name string, allowed []string) {
	steps := strings.Split(pointer, "/")[1:]
	for i, step := range steps {
		if s = resolve(s); s == nil {
			return "", nil
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		if i < len(steps)-1 {
			s = schemaOf(s, name)
		}
	}
	return name, slices.Sorted(maps.Keys(s.Properties))
}
