package apidoc

import (
	"maps"
	"reflect"
	"slices"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/schema"
)

// Arguments returns the JSON Schema (2020-12) of the whole input of an operation as one object, which
// input.Binding.Arguments reads: the parameters of the path, the query and the header, and the members of the body. It
// refers to its own $defs alone. It is nil for an operation that stores a file, which takes no arguments.
func Arguments(op *api.Operation) map[string]any {
	in := input.Of(op)
	if !in.TakesArguments() {
		return nil
	}
	set := schema.NewDefinitions(reflect.TypeFor[api.Time]())
	all := object{"type": "object", "additionalProperties": false}
	properties, required := object{}, []string{}
	if b := in.Body; b != nil {
		body := set.Object(b.Type, b.Mode())
		maps.Copy(properties, body["properties"].(object))
		if members, ok := body["required"].([]string); ok && !b.Optional {
			required = members
		}
	}
	for name, of := range in.ArgumentsByName() {
		properties[name] = argumentsSchema(set, of)
		if of[0].In == "path" {
			required = append(required, name)
		}
	}
	all["properties"] = properties
	if len(required) > 0 {
		slices.Sort(required)
		all["required"] = required
	}
	if len(set.Components) > 0 {
		all["$defs"] = set.Components
	}
	return all
}

// argumentsSchema returns the schema of an argument, or of the object that has these arguments.
func argumentsSchema(set *schema.Set, of []*input.Argument) object {
	if of[0].Object == "" {
		return argumentSchema(set, of[0])
	}
	properties := object{}
	for _, a := range of {
		properties[a.Name] = argumentSchema(set, a)
	}
	return object{"type": "object", "properties": properties, "additionalProperties": false}
}

// argumentSchema returns the schema of an argument. No text is empty, and none of a list has a comma.
func argumentSchema(set *schema.Set, a *input.Argument) object {
	s, description := parameterSchema(set, *a.Param)
	if description != "" {
		s["description"] = description
	}
	switch {
	case s["type"] == "array":
		s["items"] = listed(s["items"].(object))
	case s["type"] == "object":
		values := listed(s["additionalProperties"].(object))
		delete(values, "description")
		s["additionalProperties"] = object{"type": "array", "items": values, "minItems": 1, "maxItems": input.MaxValues}
	case a.In == "header":
		s["minLength"], s["pattern"] = 1, "^[ -~]*$"
	case s["type"] == "string" && s["enum"] == nil:
		s["minLength"] = 1
	}
	return s
}

// listed returns the schema of a text in a list.
func listed(s object) object {
	t, _ := typeAndNullable(s["type"])
	if t != "string" || s["enum"] != nil {
		return s
	}
	text := object{"minLength": 1, "pattern": "^[^,]*$"}
	maps.Copy(text, s)
	text["type"] = t
	return text
}
