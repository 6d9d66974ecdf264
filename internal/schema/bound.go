package schema

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxFaults  = 100 // told of one body
	maxUnknown = 100 // members of one object that its schema does not know
)

// bound cuts lists and objects that are longer than their schema allows, before they are
// validated: every fault of a body is told, but nobody may make a million of them. It notes how
// long the lists were, by their pointers.
func bound(s *jsonschema.Schema, value any, at []string, lengths map[string]int) any {
	for s != nil && s.Ref != nil {
		s = s.Ref
	}
	if s == nil {
		return value
	}
	if len(s.AnyOf) > 0 {
		return bound(s.AnyOf[0], value, at, lengths)
	}
	switch v := value.(type) {
	case []any:
		if s.MaxItems != nil && len(v) > *s.MaxItems {
			lengths[Pointer(at)] = len(v)
			v = v[:*s.MaxItems+1]
		}
		for i := range v {
			v[i] = bound(s.Items2020, v[i], append(at, fmt.Sprint(i)), lengths)
		}
		return v
	case map[string]any:
		boundObject(s, v, at, lengths)
	}
	return value
}

func boundObject(s *jsonschema.Schema, v map[string]any, at []string, lengths map[string]int) {
	most := len(s.Properties) + maxUnknown
	others, _ := s.AdditionalProperties.(*jsonschema.Schema)
	if s.MaxProperties != nil {
		most = *s.MaxProperties + 1
	}
	if len(v) > most && (s.MaxProperties != nil || s.AdditionalProperties == false) {
		lengths[Pointer(at)] = len(v)
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
		known := s.Properties[name]
		if known == nil {
			known = others
		}
		v[name] = bound(known, member, append(at, name), lengths)
	}
}
