package strictjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/strictjson"
)

func TestObjectRefuses(t *testing.T) {
	for body, code := range map[string]string{
		"": "empty_body", " \n": "empty_body", "{": "malformed_json", "{}x": "malformed_json",
		"{} {}": "malformed_json", "[]": "not_an_object", "1": "not_an_object", "null": "not_an_object",
		`{"a":1,"a":2}`: "duplicate_member", `{"b":[{"a":1,"\u0061":2}]}`: "duplicate_member",
		"{\"a\":\"\xff\"}": "invalid_utf8", `{"a":"\ud800"}`: "invalid_utf8",
		`{"a":01}`: "malformed_json", `{"a":NaN}`: "malformed_json",
		`{"a":"\ud800\u0041"}`: "invalid_utf8", "{\"a\xff\":1}": "invalid_utf8",
		`{"UTF-8": x}`: "malformed_json", `{"invalid surrogate pair": [1,}`: "malformed_json",
		"\u00a0": "malformed_json", "\ufeff{}": "malformed_json", nested(65): "too_deep",
		strings.Repeat("[", 1e5): "too_deep",
		`{"a":1e309}`:            "malformed_json", `{"a":-1E-309}`: "malformed_json",
		`{"a":[1e99999999999999999999]}`: "malformed_json", `{"a":` + strings.Repeat("1", 65) + `}`: "malformed_json",
	} {
		if _, fault := strictjson.Object([]byte(body)); fault == nil || fault.Code != code {
			t.Errorf("%q: %+v, want %s", body, fault, code)
		}
	}
	got, fault := strictjson.Object([]byte(`{"n":12345678901234567890,"s":"é"}`))
	if fault != nil {
		t.Fatal(fault)
	}
	assert.Equal(t, "the members", got, map[string]any{"n": json.Number("12345678901234567890"), "s": "é"})
	for _, body := range []string{nested(64), `{"a":1e308,"b":-1E-308,"c":1E+5,"d":` + strings.Repeat("1", 64) + `}`} {
		if _, fault := strictjson.Object([]byte(body)); fault != nil {
			t.Errorf("%q: %+v", body, fault)
		}
	}
}

// nested returns an object that is nested so deep.
func nested(depth int) string {
	return `{"a":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
}

func TestFaultsSayWhere(t *testing.T) {
	long := strings.Repeat("k", 1000)
	for body, want := range map[string]strictjson.Fault{
		`{"a":{"b":[0,{"c/d":1,"c/d":2}]}}`: {Pointer: "/a/b/1/c~1d",
			Code: "duplicate_member", Detail: "the member /a/b/1/c~1d appears twice"},
		`{"` + long + `":1,"` + long + `":2}`: {Pointer: "/" + long, Code: "duplicate_member",
			Detail: "a member appears twice"},
		`{"a":[true,"\ud800"]}`: {Pointer: "/a/1", Code: "invalid_utf8",
			Detail: "it is not valid UTF-8 at byte 12"},
		`{"a":[0,1e999]}`: {Pointer: "/a/1", Code: "malformed_json",
			Detail: "a number is too long, or its exponent too large"},
	} {
		if _, fault := strictjson.Object([]byte(body)); fault == nil || *fault != want {
			t.Errorf("%q: %+v, want %+v", body, fault, want)
		}
	}
}

func TestNul(t *testing.T) {
	v, _ := strictjson.Object([]byte(`{"a":"x\u0000","b":[{"c/d":"\u0000"}],"e\u0000":"\u0000","f":"fine"}`))
	if got := strictjson.Nul(v); !reflect.DeepEqual(got, []string{"/a", "/b/0/c~1d", "/e\x00"}) {
		t.Errorf("%q", got)
	}
}

// FuzzObject: what Object takes, encoding/json takes, and reads the same.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[1,2.5e3,null,true,"\u00e9"]}`,
		`{"a":{"b":{}}}`, "{\"a\":\"\xff\"}", `{"a":1,"a":2}`, `{"a":"\ud83d\ude00"}`,
		`{"a":-0.0e-5,"b":1E308}`, `{"a":1e309}`, `{"UTF-8":x}`, nested(64), nested(65)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, fault := strictjson.Object(b)
		if (fault == nil) != (got != nil) {
			t.Fatalf("%q: %v and %+v", b, got, fault)
		}
		if fault != nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		var want map[string]any
		if err := d.Decode(&want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v and %v (%v)", b, got, want, err)
		}
		if rest, err := io.ReadAll(d.Buffered()); err != nil || len(bytes.Trim(rest, " \t\r\n")) > 0 {
			t.Errorf("%q: %q stands behind it", b, rest)
		}
	})
}

// TestFlatObject: a row has texts, numbers and nulls alone, each member once.
func TestFlatObject(t *testing.T) {
	row, fault := strictjson.FlatObject([]byte(`{"a":"x","b":12,"c":null}`))
	if fault != nil || len(row) != 3 || row["a"] != "x" || row["b"] != json.Number("12") || row["c"] != nil {
		t.Errorf("%v %v", row, fault)
	}
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprintf(`"m%d":1`, i)
	}
	for text, code := range map[string]string{
		`[]`:                                    "not_an_object",
		`{"a":[1]}`:                             "wrong_type",
		`{"a":{}}`:                              "wrong_type",
		`{"a":true}`:                            "wrong_type",
		`{"a":1,"a":2}`:                         "duplicate_member",
		`{"a":1} {}`:                            "malformed_json",
		`{"a":1`:                                "malformed_json",
		`{"a":` + strings.Repeat("1", 65) + `}`: "malformed_json",
		`{"a":1e400}`:                           "malformed_json",
		"{\"a\":\"\xff\"}":                      "invalid_utf8",
		`{` + strings.Join(many, ",") + `}`:     "too_many",
	} {
		if _, fault := strictjson.FlatObject([]byte(text)); fault == nil || fault.Code != code {
			t.Errorf("%.80s: %+v, want %s", text, fault, code)
		}
	}
}
