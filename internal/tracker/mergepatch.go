package tracker

import (
	"encoding/json"
	"reflect"
	"strings"

	"bugslice/api"
	"bugslice/internal/strictjson"
)

// apply merges patch into fields by RFC 7396 and returns the former values of the members
// that changed; none mean that the patch changes nothing.
func apply[T any](fields *T, patch api.Patch[T]) (previous map[string]any, err error) {
	before, err := members(*fields)
	if err != nil {
		return nil, err
	}
	target, err := members(*fields) // the merge may write into its target
	if err != nil {
		return nil, err
	}
	merged, err := json.Marshal(strictjson.MergePatch(target, map[string]any(patch)))
	if err != nil {
		return nil, err
	}
	var next T
	if err := json.Unmarshal(merged, &next); err != nil {
		return nil, api.Refuse(api.CodeInvalidBody, "The patched record is not valid: "+err.Error())
	}
	*fields = next
	return changed(before, next)
}

// changed returns the members of before that are other in after.
func changed[T any](before map[string]any, after T) (map[string]any, error) {
	now, err := members(after)
	if err != nil {
		return nil, err
	}
	previous := map[string]any{}
	for name, was := range before {
		if !reflect.DeepEqual(was, now[name]) {
			previous[name] = was
		}
	}
	return previous, nil
}

// members returns a record as the JSON object it is on the wire.
func members(v any) (map[string]any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var m map[string]any
	return m, json.Unmarshal(b, &m)
}

// checkIfMatch refuses a change that is based on another version than the stored one.
func checkIfMatch(ifMatch string, version int64) error {
	if ifMatch == "" {
		return nil
	}
	for tag := range strings.SplitSeq(ifMatch, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || tag == api.ETag(version) {
			return nil
		}
	}
	return api.Refuse(api.CodePrecondition, "The slice is at "+api.ETag(version)+" now. Read it again and base the change on what it says.")
}
