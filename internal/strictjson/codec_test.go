package strictjson_test

import (
	"encoding/json"
	"math"
	"testing"

	"bugslice/internal/strictjson"
)

// TestCause: an error has the position and the reason.
func TestCause(t *testing.T) {
	type object = map[string]any
	for _, c := range []struct {
		err  error
		want strictjson.Fault
	}{
		{marshal(object{"a": []string{"", "\xff"}}), strictjson.Fault{Pointer: "/a/1",
			Code: "invalid_utf8", Detail: "it is not valid UTF-8"}},
		{marshal(object{"a": object{"b": json.RawMessage(`{"c":1,"c":2}`)}}),
			strictjson.Fault{Pointer: "/a/b/c", Code: "duplicate_member", Detail: "a member appears twice"}},
		{marshal(object{"a": math.NaN()}),
			strictjson.Fault{Pointer: "/a", Code: "unreadable", Detail: "the value cannot be decoded"}},
		{strictjson.Unmarshal([]byte(`{"A":{"N":1e3}}`), &struct{ A struct{ N int } }{}),
			strictjson.Fault{Pointer: "/A/N", Code: "unreadable", Detail: "the value cannot be decoded"}},
	} {
		if c.err == nil {
			t.Errorf("no error, want %+v", c.want)
		} else if got := strictjson.Cause(c.err); *got != c.want {
			t.Errorf("%v: %+v, want %+v", c.err, *got, c.want)
		}
	}
}

func marshal(v any) error {
	_, err := strictjson.Marshal(v)
	return err
}
