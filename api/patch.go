package api

import (
	"maps"
	"reflect"
)

// with returns a copy of a patch with a member. A nil value is null.
func with[P ~map[string]any](patch P, name string, value any) P {
	next := maps.Clone(patch)
	if next == nil {
		next = P{}
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() {
			value = nil
		}
	}
	next[name] = value
	return next
}
