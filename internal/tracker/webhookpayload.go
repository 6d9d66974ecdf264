package tracker

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"bugslice/api"
)

const (
	maxPayloadBytes = 20_000 // of the body of a message
	longMemberBytes = 200    // up to which a member is never truncated
)

// webhookPayload returns an event as the body of a message. The data of an event that is too long is truncated: first
// long former values are removed, then the longest member of the subject is shortened, repeatedly. data.cut lists the
// affected members.
func webhookPayload(e api.Event) ([]byte, error) {
	b, err := json.Marshal(e)
	if err != nil || len(b) <= maxPayloadBytes {
		return b, err
	}
	data, err := jsonObject(e.Data)
	if err != nil {
		return nil, err
	}
	var cut []string
	previous, _ := data["previous"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(previous)) {
		if jsonSize(previous[name]) > longMemberBytes {
			delete(previous, name)
			cut = append(cut, "previous."+name)
		}
	}
	for {
		data["cut"] = cut
		b, err = json.Marshal(struct {
			api.Event
			Data map[string]any `json:"data"`
		}{e, data})
		longest := longestMember("", data)
		if err != nil || len(b) <= maxPayloadBytes || longest.size <= longMemberBytes {
			return b, err
		}
		longest.shorten()
		if !slices.Contains(cut, longest.path) {
			cut = append(cut, longest.path)
		}
	}
}

// jsonMember is a member of a JSON object that can be shortened: a string, an array, or an object of strings.
type jsonMember struct {
	path, name string
	parent     map[string]any
	size       int
}

// longestMember returns the longest member of an object and of the objects in it that can be shortened.
func longestMember(path string, object map[string]any) (longest jsonMember) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		var m jsonMember
		switch v := object[name].(type) {
		case map[string]any:
			if m = longestMember(path+name+".", v); isStringMap(v) {
				m = jsonMember{path: path + name, name: name, parent: object, size: jsonSize(v)}
			}
		case string, []any:
			m = jsonMember{path: path + name, name: name, parent: object, size: jsonSize(v)}
		}
		if m.size > longest.size {
			longest = m
		}
	}
	return longest
}

// shorten removes a quarter of a string, and all elements of an array or an object.
func (m jsonMember) shorten() {
	switch v := m.parent[m.name].(type) {
	case string:
		m.parent[m.name] = truncate(v, utf8.RuneCountInString(v)*3/4)
	case []any:
		m.parent[m.name] = []any{}
	default:
		m.parent[m.name] = map[string]any{}
	}
}

// isStringMap reports whether all members of an object are strings.
func isStringMap(m map[string]any) bool {
	for _, v := range m {
		if _, ok := v.(string); !ok {
			return false
		}
	}
	return true
}

// jsonSize returns the length in JSON of a value that was read from JSON.
func jsonSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // every value that JSON has can be encoded
	}
	return len(b)
}
