package evidence

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzMembers: each member of a text lies within it, behind the one before, and those of an object are its members.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{`{"a":1,"b":{"c":["}"]}}`, `{"rules":{"fields":["a","` + "\xc3}",
		`{"a":"\`, `{"a":[`, `{"a`, `{"a":}`, ` {`, `[`, ``,
		`{"a":"b" ,"c":"d"}x`, `{"a":]`, `{"":{}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		end, found := 0, map[string]bool{}
		for name, m := range Members(raw) {
			if m.At < end || m.At+len(m.Raw) > len(raw) || !bytes.Equal(raw[m.At:m.At+len(m.Raw)], m.Raw) {
				t.Fatalf("%q at %d of %q", m.Raw, m.At, raw)
			}
			end, found[name] = m.At+len(m.Raw), true
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) == nil && len(object) != len(found) {
			t.Fatalf("%d of %d members of %q", len(found), len(object), raw)
		}
		RepairCharacters("a", raw)
	})
}
