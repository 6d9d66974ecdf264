package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxFaults  = 100 // told of one body
	maxUnknown = 100 // members of one object that its schema does not know
)

// findings are what bound has found.
type findings struct {
	lengths map[string]int
	names   []Fault // the validator's own do not say reliably where they are
}

// bound cuts lists and objects that are longer than their schema allows, before they are
// validated: every fault of a body is told, but nobody may make a million of them. It notes how
// long the lists were, by their pointers, and which names of members are invalid.
func bound(s *jsonschema.Schema, value any, at []string, found *findings) any {
	if s = plain(s); s == nil {
		return value
	}
	switch v := value.(type) {
	case []any:
		if s.MaxItems != nil && len(v) > *s.MaxItems {
			found.lengths[Pointer(at)] = len(v)
			v = v[:*s.MaxItems+1]
		}
		for i := range v {
			v[i] = bound(below(s, ""), v[i], append(at, fmt.Sprint(i)), found)
		}
		return v
	case map[string]any:
		boundObject(s, v, at, found)
	}
	return value
}

func boundObject(s *jsonschema.Schema, v map[string]any, at []string, found *findings) {
	most := len(s.Properties) + maxUnknown
	if s.MaxProperties != nil {
		most = *s.MaxProperties + 1
	}
	if len(v) > most && (s.MaxProperties != nil || s.AdditionalProperties == false) {
		found.lengths[Pointer(at)] = len(v)
		for name := range v {
			if len(v) <= most {
				break
			}
			if s.Properties[name] == nil {
				delete(v, name)
			}
		}
	}
	for name, member := range v {
		if s.PropertyNames != nil && s.PropertyNames.Validate(name) != nil {
			found.names = append(found.names, Fault{Pointer(at), "invalid_name", fmt.Sprintf("the name %q must have 1 to 100 characters", name)})
		}
		v[name] = bound(below(s, name), member, append(at, name), found)
	}
}

// plain returns the schema that a reference or "this or null" stands for.
func plain(s *jsonschema.Schema) *jsonschema.Schema {
	for s != nil && (s.Ref != nil || len(s.AnyOf) > 0) {
		if s.Ref != nil {
			s = s.Ref
		} else {
			s = s.AnyOf[0]
		}
	}
	return s
}

// below returns the schema of a plain schema's items, or of its member.
func below(s *jsonschema.Schema, name string) *jsonschema.Schema {
	if s.Items2020 != nil {
		return s.Items2020
	}
	if known := s.Properties[name]; known != nil {
		return known
	}
	others, _ := s.AdditionalProperties.(*jsonschema.Schema)
	return others
}

// knownBeside returns the name of a member, by the pointer to it, and those that its object may have.
func knownBeside(s *jsonschema.Schema, pointer string) (name string, known []string) {
	steps := strings.Split(pointer, "/")[1:]
	for i, step := range steps {
		if s = plain(s); s == nil {
			return "", nil
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		if i < len(steps)-1 {
			s = below(s, name)
		}
	}
	return name, slices.Sorted(maps.Keys(s.Properties))
}
