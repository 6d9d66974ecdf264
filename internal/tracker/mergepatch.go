package tracker

import (
	"encoding/json"
	"reflect"
	"strings"

	"bugslice/api"
	"bugslice/internal/strictjson"
)

// applyPatch merges patch into fields by RFC 7396. It returns the former values of the members that changed; an empty
// map means that none did.
func applyPatch[T any](fields *T, patch api.Patch[T]) (previous map[string]any, err error) {
	before, err := jsonObject(*fields)
	if err != nil {
		return nil, err
	}
	target, err := jsonObject(*fields) // a copy, because the merge may change its target
	if err != nil {
		return nil, err
	}
	merged, err := json.Marshal(strictjson.MergePatch(target, map[string]any(patch)))
	if err != nil {
		return nil, err
	}
	var next T
	if err := json.Unmarshal(merged, &next); err != nil {
		return nil, api.NewProblem(api.CodeInvalidBody, "The patched record is not valid: "+err.Error())
	}
	*fields = next
	return changedMembers(before, next)
}

// changedMembers returns the members of before whose values differ in after.
func changedMembers[T any](before map[string]any, after T) (map[string]any, error) {
	current, err := jsonObject(after)
	if err != nil {
		return nil, err
	}
	previous := map[string]any{}
	for name, value := range before {
		if !reflect.DeepEqual(value, current[name]) {
			previous[name] = value
		}
	}
	return previous, nil
}

// jsonObject returns a record as the JSON object that the API shows.
func jsonObject(v any) (map[string]any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var m map[string]any
	return m, json.Unmarshal(b, &m)
}

// checkIfMatch refuses a change when If-Match does not list the stored version.
func checkIfMatch(kind, ifMatch string, version int64) error {
	if ifMatch == "" {
		return nil
	}
	for tag := range strings.SplitSeq(ifMatch, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || tag == api.ETag(version) {
			return nil
		}
	}
	return api.NewProblem(api.CodePrecondition,
		"The "+kind+" has changed: its ETag is "+api.ETag(version)+" now. Read it again before you change it.")
}
