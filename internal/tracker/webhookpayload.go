package tracker

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"bugslice/api"
)

const (
	maxPayloadBytes = 20_000 // bytes of a message's body
	longMemberBytes = 200    // bytes that a member may have in any message
)

// webhookPayload returns an event as a webhook sends it. One that is too long is cut, and says where: the
// former values that are long are left out, then the longest member of the subject is cut, and
// again, as far as needed.
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
		l := longestText("", data)
		if err != nil || len(b) <= maxPayloadBytes || l.size <= longMemberBytes {
			return b, err
		}
		l.shorten()
		if !slices.Contains(cut, l.path) {
			cut = append(cut, l.path)
		}
	}
}

// jsonMember is a place in a record: a text, a list, or a map of texts.
type jsonMember struct {
	path, name string
	parent     map[string]any
	size       int
}

// longestText returns the longest member of a record and of the records in it.
func longestText(path string, of map[string]any) (l jsonMember) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		var m jsonMember
		switch v := of[name].(type) {
		case map[string]any:
			if m = longestText(path+name+".", v); isStringMap(v) {
				m = jsonMember{path + name, name, of, jsonSize(v)}
			}
		case string, []any:
			m = jsonMember{path + name, name, of, jsonSize(v)}
		}
		if m.size > l.size {
			l = m
		}
	}
	return l
}

// shorten takes a quarter of a text, and all of anything else.
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

// isStringMap says whether a map holds nothing but texts, and so is no record of its own.
func isStringMap(m map[string]any) bool {
	for _, v := range m {
		if _, ok := v.(string); !ok {
			return false
		}
	}
	return true
}

// jsonSize is how many bytes a value has in a message.
func jsonSize(v any) int {
	b, _ := json.Marshal(v) //nolint:errchkjson // it was read from JSON
	return len(b)
}
