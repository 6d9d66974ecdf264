package httpapi

import "strings"

// fillExamples gives every JSON body of the document an example, put together from those of
// its members.
func fillExamples(doc object) {
	components := doc["components"].(object)["schemas"].(object)
	for _, part := range []string{"paths", "webhooks"} {
		fillPart(components, doc[part].(object))
	}
}

func fillPart(components, part object) {
	for _, item := range part {
		for _, one := range item.(object) {
			o := one.(object)
			if b, ok := o["requestBody"].(object); ok {
				exampleContent(components, b["content"].(object))
			}
			for _, response := range o["responses"].(object) {
				if content, ok := response.(object)["content"].(object); ok {
					exampleContent(components, content)
				}
			}
		}
	}
}

func exampleContent(components, content object) {
	for _, media := range content {
		m := media.(object)
		if _, ok := m["example"]; !ok {
			m["example"] = sample(components, m["schema"].(object))
		}
	}
}

// sample returns a value that a schema allows, and that a reader learns from.
func sample(components, s object) any {
	if ref, ok := s["$ref"].(string); ok {
		return sample(components, components[strings.TrimPrefix(ref, "#/components/schemas/")].(object))
	}
	if any, ok := s["examples"].([]any); ok {
		return any[0]
	}
	if either, ok := s["anyOf"].([]any); ok {
		return sample(components, either[0].(object))
	}
	if value, ok := s["default"]; ok {
		return value
	}
	t, nullable := plainType(s["type"])
	values, _ := s["enum"].([]any)
	switch {
	case values != nil && !nullable:
		return values[0]
	case t == "object":
		return sampleObject(components, s)
	case t == "array":
		return []any{sample(components, s["items"].(object))}
	case nullable:
		return nil
	case t == "boolean":
		return false
	case t == "integer" || t == "number":
		if low, ok := s["minimum"].(int); ok {
			return low
		}
		return 1
	case s["format"] == "date-time":
		return "2026-11-20T10:42:07.318Z"
	}
	return "text"
}

func sampleObject(components, s object) any {
	out := object{}
	properties, _ := s["properties"].(object)
	for name, p := range properties {
		if v := sample(components, p.(object)); v != nil || required(s, name) {
			out[name] = v
		}
	}
	if properties == nil {
		if values, ok := s["additionalProperties"].(object); ok {
			if out["customer"] = "4711"; values["type"] != nil && values["type"] != "string" {
				out = object{"jwt": sample(components, values)}
			}
		}
	}
	// A page's example is its last: without a cursor.
	if _, ok := out["hasMore"]; ok {
		out["cursor"] = nil
	}
	return out
}

func required(s object, name string) bool {
	list, _ := s["required"].([]string)
	for _, one := range list {
		if one == name {
			return true
		}
	}
	return false
}
