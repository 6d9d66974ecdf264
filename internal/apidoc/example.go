package apidoc

import (
	"slices"
	"strings"

	"bugslice/api"
)

// textExamples are the examples of responses that are not JSON, by media type.
var textExamples = map[string]string{
	"text/markdown": "# WEB-42 (slc_01ja8m2c9tf3qb6h0v5r4x7kyz)\n\n" +
		"Everything inside of a fence was written by people or programs outside: …",
	"text/event-stream": "id: evt_01ja8m2c9tf3qb6h0v5r4x7kyz\nevent: slice.created\n" +
		"data: {\"id\":\"evt_01ja8m2c9tf3qb6h0v5r4x7kyz\",\"type\":\"slice.created\", …}\n\n",
}

// exampleID returns an identifier with a prefix.
func exampleID(prefix string) string { return prefix + "_01ja8m2c9tf3qb6h0v5r4x7kyz" }

func exampleProblem(c api.CodeInfo) object {
	return object{"type": "https://bugs.example.com/docs#" + c.Code, "title": c.Title, "status": c.Status,
		"code":   c.Code,
		"detail": c.Title + ".", "requestId": exampleID("req")}
}

// addExamples gives each JSON body of a document an example, made from the examples of its members.
func addExamples(doc object) {
	schemas := schemaExamples(doc["components"].(object)["schemas"].(object))
	for _, part := range []string{"paths", "webhooks"} {
		for _, item := range doc[part].(object) {
			for _, operation := range item.(object) {
				schemas.addTo(operation.(object))
			}
		}
	}
}

// schemaExamples makes examples of the schemas of a document, which it has by name.
type schemaExamples object

// addTo adds examples to the bodies of an operation.
func (e schemaExamples) addTo(operation object) {
	bodies := []any{operation["requestBody"]}
	for _, response := range operation["responses"].(object) {
		bodies = append(bodies, response)
	}
	for _, b := range bodies {
		body, _ := b.(object) // nil for an operation without a request body
		content, _ := body["content"].(object)
		for _, media := range content {
			if m := media.(object); m["example"] == nil {
				m["example"] = e.example(m["schema"].(object))
			}
		}
	}
}

// unique are the members of merge patches whose value no other record may have. The examples of a change omit them,
// because those of a creation have that value.
var unique = map[string]string{"SlicePatch": "externalId", "WorkspacePatch": "key"}

// example returns a value that a schema allows.
func (e schemaExamples) example(s object) any {
	if given, ok := s["examples"].([]any); ok {
		return given[0]
	}
	if ref, ok := s["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		value := e.example(e[name].(object))
		if members, ok := value.(object); ok {
			delete(members, unique[name])
		}
		return value
	}
	if alternatives, ok := s["anyOf"].([]any); ok {
		return e.example(alternatives[0].(object))
	}
	if value, ok := s["default"]; ok {
		return value
	}
	t, nullable := typeAndNullable(s["type"])
	values, _ := s["enum"].([]any)
	switch {
	case values != nil && !nullable:
		return values[0]
	case t == "object":
		return e.objectExample(s)
	case t == "array":
		return []any{e.example(s["items"].(object))}
	case nullable:
		return nil
	}
	return scalarExample(s, t)
}

func scalarExample(s object, t any) any {
	switch {
	case t == "boolean":
		return false
	case t == "integer" || t == "number":
		if minimum, ok := s["minimum"].(int); ok {
			return minimum
		}
		return 1
	case s["format"] == "date-time":
		return "2026-11-20T10:42:07.318Z"
	}
	return "text"
}

// objectExample returns an object without the members that are null and not required.
func (e schemaExamples) objectExample(s object) any {
	properties, isStruct := s["properties"].(object)
	if !isStruct {
		return e.mapExample(s)
	}
	required, _ := s["required"].([]string)
	out := object{}
	for name, p := range properties {
		if v := e.example(p.(object)); v != nil || slices.Contains(required, name) {
			out[name] = v
		}
	}
	if _, isPagination := out["hasMore"]; isPagination { // of the last page
		out["cursor"] = nil
	}
	return out
}

// mapExample returns an object whose names the client chooses.
func (e schemaExamples) mapExample(s object) any {
	values, ok := s["additionalProperties"].(object)
	switch t, _ := typeAndNullable(values["type"]); {
	case !ok:
		return object{}
	case t == nil || t == "string":
		return object{"customer": "4711"}
	}
	return object{"jwt": e.example(values)} // counts of removed secrets
}
