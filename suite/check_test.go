package suite

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// members are the paths of members of a JSON value, with the values that a test wants there. A step of a path
// is a name, the index of an element, or # for the length of a list. A member that is absent is null.
type members map[string]any

// has reports the members of an answer that are not as wanted.
func (a answer) has(t *testing.T, want members) answer {
	t.Helper()
	wantMembers(t, a.request, a.JSON(t), want)
	return a
}

// wantMembers reports the members of a JSON value that are not as wanted.
func wantMembers(t *testing.T, what string, value any, want members) {
	t.Helper()
	got := members{}
	for path := range want {
		got[path] = memberAt(value, path)
	}
	raw, err := json.Marshal(want)
	must(t, err)
	var normal members // with the types of JSON
	must(t, json.Unmarshal(raw, &normal))
	assert.Equal(t, what, got, normal)
}

// memberAt returns the value at a path, or a text that says where the path ends.
func memberAt(value any, path string) any {
	steps := strings.Split(path, ".")
	for i, step := range steps {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
			continue
		case []any:
			if step == "#" {
				value = float64(len(v))
				continue
			}
			if n, err := strconv.Atoi(step); err == nil && n < len(v) {
				value = v[n]
				continue
			}
		}
		return "(no " + strings.Join(steps[:i+1], ".") + ")"
	}
	return value
}

// TestMemberAt: a path leads to members, elements and lengths, and a path that ends early says where.
func TestMemberAt(t *testing.T) {
	t.Parallel()
	var value any
	must(t, json.Unmarshal([]byte(`{"a":{"b":[{"c":1},null]},"d":null}`), &value))
	for path, want := range map[string]any{"a.b.0.c": 1.0, "a.b.#": 2.0, "a.b.1": nil, "d": nil, "e": nil,
		"a.b.2": "(no a.b.2)", "a.b.x": "(no a.b.x)", "d.e": "(no d.e)", "a.b.0.c.d": "(no a.b.0.c.d)"} {
		assert.Equal(t, path, memberAt(value, path), want)
	}
	wantMembers(t, "value", value, members{"a.b.0.c": 1, "a.b.0": map[string]int{"c": 1}, "d": nil})
}
