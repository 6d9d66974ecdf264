package input_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/input"
)

// bindArguments binds arguments as the input of an operation.
func bindArguments[In any](text string) (in In, err error) {
	source, err := input.BindingOf[In]().Arguments([]byte(text))
	if err != nil {
		return in, err
	}
	v, err := input.Bind[In](source)
	if err != nil {
		return in, err
	}
	return v.Value(nil)
}

// TestArgumentsAreTheInput: one object has what a request has in its path, query, header and body.
func TestArgumentsAreTheInput(t *testing.T) {
	equal(t, `{"status":["open","closed"],"limit":5,"withoutLabels":true,"createdAfter":"2026-11-20","q":"a, b",
		"metadata":{"order/Id":["1","2"]},"not":{"label":["x"],"metadata":{"b":["c"]}}}`,
		source("status=open,closed&limit=5&withoutLabels=true&createdAfter=2026-11-20&q=a,+b&metadata[order/Id]=1,2"+
			"&not[label]=x&not[metadata][b]=c", ""), api.ListSlices{})
	update := source("", `{"summary":"a","assigneeId":null}`)
	update.Header.Set("If-Match", `"3"`)
	equal(t, `{"assigneeId":null,"sliceId":"`+slice+`","ifMatch":"\"3\"","summary":"a"}`, update, api.UpdateSlice{})
	keyed := source("", `{"summary":"a","environment":{"browser":"b"},"metadata":{"a":"\ud800"}}`)
	keyed.Header.Set("Idempotency-Key", "k")
	equal(t, `{"summary":"a","idempotencyKey":"k","environment":{"browser":"b"},"metadata":{"a":"\ud800"}}`, keyed,
		api.CreateSlice{})
	equal(t, "", source("", ""), api.GetMe{})
	equal(t, " {} ", source("", ""), api.ListWorkspaces{})
	rotate, err := bindArguments[api.RotateKey](`{"keyId":"key_01ja8m2c9tf3qb6h0v5r4x7kyz"}`)
	if err != nil || rotate.Body != nil {
		t.Errorf("without members of an optional body: %+v, %v", rotate.Body, err)
	}
}

// equal compares the input of arguments with that of a request.
func equal[In any](t *testing.T, arguments string, request input.Source, _ In) {
	t.Helper()
	v, err := input.Bind[In](request)
	if err != nil {
		t.Fatal(err)
	}
	want, err := v.Value(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := bindArguments[In](arguments)
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, arguments, got, want)
}

// TestArgumentsAreRefused like a request: with every fault at once, pointers and the nearest name.
func TestArgumentsAreRefused(t *testing.T) {
	list := func(text string) error { return second(bindArguments[api.ListSlices](text)) }
	update := func(text string) error { return second(bindArguments[api.UpdateSlice](text)) }
	const of = `"sliceId":"` + slice + `"`
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"every fault": {update(`{"sliceId":5,"ifMatch":"ü","sumary":"x","priority":"banana"}`),
			[]string{"invalid_parameter",
				"/sliceId wrong_type", "/ifMatch wrong_form", "/priority not_allowed", "/sumary unknown_member"}},
		"faults of the body alone": {update(`{` + of + `,"priority":1}`),
			[]string{"invalid_body", "/priority wrong_type"}},
		"a member of the service": {update(`{` + of + `,"createdAt":1}`),
			[]string{"invalid_body", "/createdAt read_only"}},
		"no path":                   {update(`{"summary":"a"}`), []string{"invalid_parameter", "/sliceId required"}},
		"a path that names nothing": {update(`{"sliceId":"x","summary":"a"}`), []string{"not_found"}},
		"types": {list(`{"limit":"5","withoutLabels":"true","status":"open","q":null,"metadata":[],"not":"x"}`),
			[]string{"invalid_parameter", "/limit wrong_type", "/metadata wrong_type", "/not wrong_type",
				"/q wrong_type",
				"/status wrong_type", "/withoutLabels wrong_type"}},
		"values": {list(`{"limit":101,"status":["open","done"],"createdAfter":"soon","cursor":""}`),
			[]string{"invalid_parameter",
				"/createdAfter wrong_form", "/cursor empty", "/limit out_of_range", "/status not_allowed"}},
		"lists": {list(`{"label":[],"browser":["a,b"],"os":["a",1],"release":[""]}`), []string{"invalid_parameter",
			"/browser/0 wrong_form", "/label empty", "/os/1 wrong_type", "/release empty"}},
		"members": {list(`{"not":{"statuss":["open"],"status":["x"]},"metadata":{"a/b":"c","` +
			strings.Repeat("n", 101) + `":["a"]}}`),
			[]string{"invalid_parameter", "/metadata/a~1b wrong_type", "/not/statuss unknown_member",
				"/metadata/" + strings.Repeat("n", 50) + "… too_long", "/not/status not_allowed"}},
		"too many names": {list(`{"metadata":{` + strings.TrimSuffix(numbered(21, `"%d":["a"],`), ",") + `}}`),
			[]string{"invalid_parameter", "/metadata too_many"}},
		"an unknown argument": {list(`{"statuss":["open"]}`), []string{"invalid_parameter", "/statuss unknown_member"}},
		"a repeated argument": {list(`{"limit":1,"limit":2}`), []string{"malformed_body", "/limit duplicate_member"}},
		"a repeated member": {update(`{` + of + `,"summary":"a","summary":"b"}`),
			[]string{"malformed_body", "/summary duplicate_member"}},
		"no object":           {list(`[]`), []string{"malformed_body", " not_an_object"}},
		"no JSON":             {list(`{"limit":1`), []string{"malformed_body", " malformed_json"}},
		"more than an object": {update(`{` + of + `}{}`), []string{"malformed_body", " malformed_json"}},
		"a number of many digits": {update(`{` + of + `,"summary":` + strings.Repeat("1", 100) + `}`),
			[]string{"malformed_body", "/summary malformed_json"}},
		"a file": {second(bindArguments[api.CreateAttachment](`{` + of + `}`)), []string{"unsupported_media_type"}},
	} {
		assert.Equal(t, name, faults(t, c.err), c.want)
	}
	for err, want := range map[error]string{
		list(`{"statuss":["open"]}`):                       "did you mean status?",
		list(`{"not":{"statuss":["open"]}}`):               "did you mean status?",
		update(`{` + of + `,"If-Match":"\"3\""}`):          "did you mean ifMatch?",
		update(`{"slice_id":"x","summary":"a"}`):           "did you mean sliceId?",
		list(`[]`):                                         "The arguments must be one JSON object",
		update(`{` + of + `,"summary":"a","summary":"b"}`): "The arguments must be one JSON object",
	} {
		p, _ := errors.AsType[*api.Problem](err)
		details := p.Detail
		for _, f := range p.Errors {
			details += " " + f.Detail
		}
		assert.Contains(t, err.Error(), details, want)
	}
}

// numbered repeats a text with numbers from 0.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestUnknownArgumentsAreBounded: a large object of unknown members costs and repeats little.
func TestUnknownArgumentsAreBounded(t *testing.T) {
	object := strings.TrimSuffix(numbered(100_000, `"statis%d":1,`), ",")
	for _, text := range []string{`{` + object + `}`, `{"not":{` + object + `}}`} {
		_, err := bindArguments[api.ListSlices](text)
		p, _ := errors.AsType[*api.Problem](err)
		if p == nil || len(p.Errors) != 100 {
			t.Errorf("%.20s: %.100v", text, err)
		}
	}
}
