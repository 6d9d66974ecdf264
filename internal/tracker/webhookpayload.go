package tracker

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"bugslice/api"
)

const (
	maxPayload = 20_000 // bytes of a message's body
	longMember = 200    // bytes that a member may have in any message
)

// payload returns an event as a webhook sends it. One that is too long is cut, and says where: the
// former values that are long are left out, then the longest member of the subject is cut, and
// again, as far as needed.
func payload(e api.Event) ([]byte, error) {
	b, err := json.Marshal(e)
	if err != nil || len(b) <= maxPayload {
		return b, err
	}
	data, err := members(e.Data)
	if err != nil {
		return nil, err
	}
	var cut []string
	previous, _ := data["previous"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(previous)) {
		if size(previous[name]) > longMember {
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
		if err != nil || len(b) <= maxPayload || l.size <= longMember {
			return b, err
		}
		l.cut()
		if !slices.Contains(cut, l.path) {
			cut = append(cut, l.path)
		}
	}
}

// member is a place in a record: a text, a list, or a map of texts.
type member struct {
	path, name string
	of         map[string]any
	size       int
}

// longestText returns the longest member of a record and of the records in it.
func longestText(path string, of map[string]any) (l member) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		var m member
		switch v := of[name].(type) {
		case map[string]any:
			if m = longestText(path+name+".", v); texts(v) {
				m = member{path + name, name, of, size(v)}
			}
		case string, []any:
			m = member{path + name, name, of, size(v)}
		}
		if m.size > l.size {
			l = m
		}
	}
	return l
}

// cut takes a quarter of a text, and all of anything else.
func (m member) cut() {
	switch v := m.of[m.name].(type) {
	case string:
		m.of[m.name] = truncate(v, utf8.RuneCountInString(v)*3/4)
	case []any:
		m.of[m.name] = []any{}
	default:
		m.of[m.name] = map[string]any{}
	}
}

// texts says whether a map holds nothing but texts, and so is no record of its own.
func texts(m map[string]any) bool {
	for _, v := range m {
		if _, ok := v.(string); !ok {
			return false
		}
	}
	return true
}

// size is how many bytes a value has in a message.
func size(v any) int {
	b, _ := json.Marshal(v) //nolint:errchkjson // it was read from JSON
	return len(b)
}
