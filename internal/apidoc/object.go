package apidoc

// object is a JSON object: a part of the document, or a schema.
type object = map[string]any

// typeAndNullable returns the type of a schema without null, and whether null was allowed.
func typeAndNullable(t any) (any, bool) {
	if list, ok := t.([]any); ok {
		return list[0], true
	}
	return t, false
}
