package tracker

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/api/wire"
)

// applyPatch merges patch into fields by RFC 7396. It returns the former values of the members that changed; an empty
// map means that none did.
func applyPatch[T any](fields *T, patch map[string]any) (previous map[string]any, err error) {
	before := *fields
	if err := mergePatch(fields, patch); err != nil {
		return nil, err
	}
	return changedMembers(before, *fields)
}

// mergePatch merges patch into fields by RFC 7396. It replaces the members of the patch, and changes none of their
// former values, which others may share.
func mergePatch[T any](fields *T, patch map[string]any) error {
	next := *fields
	record := reflect.ValueOf(&next).Elem()
	for i := range record.NumField() {
		change, ok := patch[memberName(record.Type().Field(i))]
		if !ok {
			continue
		}
		var former any // of an object; any other member is replaced
		if _, merged := change.(map[string]any); merged {
			if err := throughJSON(record.Field(i).Interface(), &former); err != nil {
				return err
			}
		}
		record.Field(i).SetZero()
		if err := throughJSON(wire.MergePatch(former, change), record.Field(i).Addr().Interface()); err != nil {
			return api.NewProblem(api.CodeInvalidBody, "The patched record is not valid: "+err.Error())
		}
	}
	*fields = next
	return nil
}

// changedMembers returns the members of before whose values differ in after, as the API shows them.
func changedMembers[T any](before, after T) (map[string]any, error) {
	previous := map[string]any{}
	former, current := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range former.NumField() {
		a, b := former.Field(i).Interface(), current.Field(i).Interface()
		if reflect.DeepEqual(a, b) {
			continue
		}
		var from, to any
		if err := errors.Join(throughJSON(a, &from), throughJSON(b, &to)); err != nil {
			return nil, err
		}
		if !reflect.DeepEqual(from, to) {
			previous[memberName(former.Type().Field(i))] = from
		}
	}
	return previous, nil
}

// membersOf returns the members of a record that are in a patch, as the API shows them.
func membersOf[T any](fields T, patch map[string]any) (map[string]any, error) {
	members := make(map[string]any, len(patch))
	record := reflect.ValueOf(fields)
	for i := range record.NumField() {
		name := memberName(record.Type().Field(i))
		if !hasKey(patch, name) {
			continue
		}
		var value any
		if err := throughJSON(record.Field(i).Interface(), &value); err != nil {
			return nil, err
		}
		members[name] = value
	}
	return members, nil
}

// memberName returns the name of a field of a record in JSON.
func memberName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// jsonObject returns a record as the JSON object that the API shows.
func jsonObject(v any) (m map[string]any, err error) {
	err = throughJSON(v, &m)
	return m, err
}

// throughJSON sets the value that a pointer points to by the JSON of another one.
func throughJSON(from, to any) error {
	b, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

// checkIfMatch refuses a change when If-Match does not list the stored version. Shells drop the quotes of an ETag, so
// it may have none.
func checkIfMatch(kind, ifMatch string, version int64) error {
	if ifMatch == "" {
		return nil
	}
	for tag := range strings.SplitSeq(ifMatch, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || tag == api.ETag(version) ||
			tag == strconv.FormatInt(version, 10) {
			return nil
		}
	}
	return api.NewProblem(api.CodePrecondition,
		"The "+kind+" has changed: its ETag is "+api.ETag(version)+" now. Read it again before you change it.")
}
