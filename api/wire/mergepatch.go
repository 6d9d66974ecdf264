package wire

// MergePatch applies a JSON Merge Patch (RFC 7396) to a value. It may change the maps of target.
func MergePatch(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for name, value := range changes {
		if value == nil {
			delete(object, name)
		} else {
			object[name] = MergePatch(object[name], value)
		}
	}
	return object
}
