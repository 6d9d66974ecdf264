package wire_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"bugslice/api/wire"
)

// The cases of RFC 7396, appendix A.
var cases = [][3]string{
	{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`}, {`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
	{`{"a":"b"}`, `{"a":null}`, `{}`},
	{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`}, {`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
	{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
	{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`}, {`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
	{`["a","b"]`, `["c","d"]`, `["c","d"]`},
	{`{"a":"b"}`, `["c"]`, `["c"]`}, {`{"a":"foo"}`, `null`, `null`}, {`{"a":"foo"}`, `"bar"`, `"bar"`},
	{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
	{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`}, {`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
}

func decode(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestMergePatchFollowsTheRFC(t *testing.T) {
	for _, c := range cases {
		if got := wire.MergePatch(decode(t, c[0]), decode(t, c[1])); !reflect.DeepEqual(got, decode(t, c[2])) {
			t.Errorf("%s patched with %s: %v, want %s", c[0], c[1], got, c[2])
		}
	}
}

// FuzzMergePatch: a patch applied twice is a patch applied once, and the patch stays as it was.
func FuzzMergePatch(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(c[0]), []byte(c[1]))
	}
	f.Fuzz(func(t *testing.T, target, patch []byte) {
		var a, b, p, kept any
		if json.Unmarshal(target, &a) != nil || json.Unmarshal(patch, &p) != nil {
			return
		}
		_ = json.Unmarshal(target, &b)
		_ = json.Unmarshal(patch, &kept)
		once := wire.MergePatch(a, p)
		text, err := json.Marshal(once)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := json.Marshal(wire.MergePatch(wire.MergePatch(b, p), p))
		if err != nil || !bytes.Equal(text, twice) {
			t.Errorf("%s with %s: %s and %s", target, patch, text, twice)
		}
		if !reflect.DeepEqual(p, kept) {
			t.Errorf("the patch %s was changed", patch)
		}
	})
}
