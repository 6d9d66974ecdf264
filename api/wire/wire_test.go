package wire_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"bugslice/api"
	"bugslice/api/wire"
)

// TestEncode: parameters that are set go where their tags say, and the body has what is set, required, or a number or
// a boolean.
func TestEncode(t *testing.T) {
	at := api.FromMillis(1_795_000_000_000)
	for _, tt := range []struct {
		in                   api.AnyInput
		target, header, body string
	}{
		{api.GetMe{}, "/v1/me", "", "null"},
		{api.GetSlice{SliceID: "a/b c", MaxTokens: 500}, "/v1/slices/a%2Fb%20c?maxTokens=500", "", "null"},
		{api.ListSlices{SliceFilters: api.SliceFilters{Status: []api.Status{api.Open, api.Closed}, CreatedAfter: &at,
			WithoutLabels: true,
			Metadata:      map[string][]string{"id": {"1", "2"}}, Not: api.Exclusions{Label: []string{"x"}}}},
			"/v1/slices?createdAfter=2026-11-18T11%3A06%3A40.000Z&metadata%5Bid%5D=1%2C2&not%5Blabel%5D=x&status=open%2Cclosed&withoutLabels=true",
			"", "null"},
		{api.UpdateView{ViewID: "viw_1", IfMatch: `"3"`, Patch: api.ViewPatch{}.Name("n")}, "/v1/views/viw_1", `"3"`,
			`{"name":"n"}`},
		{api.UpdateView{ViewID: "viw_1"}, "/v1/views/viw_1", "", `{}`},
		{api.RotateKey{KeyID: "key_1"}, "/v1/api-keys/key_1/rotate", "", "null"},
		{api.RotateKey{KeyID: "key_1", Body: &api.RotateFields{}}, "/v1/api-keys/key_1/rotate", "",
			`{"gracePeriodSeconds":0}`},
		{api.CreateComment{SliceID: "WEB-1"}, "/v1/slices/WEB-1/comments", "",
			`{"body":"","visibleToReporter":false}`},
	} {
		op, layout := wire.Of(tt.in)
		r, err := layout.Encode(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		target, err := r.Target(op)
		if err != nil {
			t.Error(err)
		}
		body, err := json.Marshal(r.Body)
		if err != nil || target != tt.target || r.Header.Get("If-Match") != tt.header || string(body) != tt.body {
			t.Errorf("%T: %s, %v, %s, %v; want %s, %s, %s", tt.in, target, r.Header, body, err, tt.target, tt.header,
				tt.body)
		}
	}
	if op, _ := wire.Of(struct{ api.Returns[api.Slice] }{}); op != nil {
		t.Errorf("a type of another package is the input of %s", op.ID)
	}
}

// TestEncodeRefuses a value with a comma in a list, and an identifier that would lead to another path.
func TestEncodeRefuses(t *testing.T) {
	_, layout := wire.Of(api.ListSlices{})
	if _, err := layout.Encode(api.ListSlices{SliceFilters: api.SliceFilters{Label: []string{"a,b"}}}); err == nil {
		t.Error("a comma was encoded")
	}
	for _, id := range []string{"", ".", ".."} {
		in := api.DeleteSlice{SliceID: id}
		op, layout := wire.Of(in)
		r, err := layout.Encode(in)
		if err != nil {
			t.Fatal(err)
		}
		if target, err := r.Target(op); err == nil {
			t.Errorf("%q is the path %s", id, target)
		}
	}
}

// TestLayouts: each parameter of a path is a field of the input, and no two operations share an input type.
func TestLayouts(t *testing.T) {
	for i := range api.Operations {
		want := &api.Operations[i]
		op, layout := wire.Of(want.In)
		if op != want {
			t.Errorf("the input of %s is that of %s", want.ID, op.ID)
		}
		in := reflect.New(reflect.TypeOf(want.In)).Elem()
		for _, p := range layout.Params {
			if p.In == "path" {
				p.Of(in).SetString("x")
			}
		}
		r, err := layout.Encode(in.Interface())
		if err == nil {
			_, err = r.Target(op)
		}
		if err != nil {
			t.Errorf("%s: %v", want.ID, err)
		}
	}
}
