package input_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/input"
)

const slice, workspace = "slc_01ja8m2c9tf3qb6h0v5r4x7kyz", "wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"

// source is a request with a query and a body for the slice or the workspace above.
func source(query, body string) input.Source {
	s := input.Source{Header: http.Header{}, Body: []byte(body),
		Path: func(name string) string { return map[string]string{"sliceId": slice, "workspaceId": workspace}[name] }}
	s.Query, s.QueryErr = url.ParseQuery(query)
	return s
}

// faults returns the code of a problem, and where its faults are and which.
func faults(t *testing.T, err error) (found []string) {
	t.Helper()
	var p *api.Problem
	if err == nil {
		return nil
	}
	if !errors.As(err, &p) {
		t.Fatalf("%v is no problem", err)
	}
	found = append(found, p.Code)
	for _, f := range p.Errors {
		found = append(found, f.Parameter+f.Pointer+" "+f.Code)
	}
	return found
}

func second[T any](_ T, err error) error { return err }

// TestBindRefuses: each fault has its code, and says where it is.
func TestBindRefuses(t *testing.T) {
	list := func(query string) error { return second(input.Bind[api.ListSlices](source(query, ""))) }
	create := func(body string) error { return second(input.Bind[api.CreateSlice](source("", body))) }
	update := func(body string) error { return second(input.Bind[api.UpdateSlice](source("", body))) }
	long := strings.Repeat("n", 101)
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"nothing wrong":      {list("limit=100&status=open,closed&order=asc"), nil},
		"limits":             {list("limit=0"), []string{"invalid_parameter", "limit out_of_range"}},
		"a form of a number": {list("limit=%2B1"), []string{"invalid_parameter", "limit out_of_range"}},
		"an enum":            {list("status=open,done"), []string{"invalid_parameter", "status not_allowed"}},
		"a time":             {list("createdAfter=today"), []string{"invalid_parameter", "createdAfter wrong_form"}},
		"an empty value":     {list("label=a,"), []string{"invalid_parameter", "label empty"}},
		"too many values": {list("label=" + strings.Repeat("a,", 100) + "a"),
			[]string{"invalid_parameter", "label too_many"}},
		"a length": {list("q=" + strings.Repeat("a", 2001)), []string{"invalid_parameter", "q too_long"}},
		"all at once, by name": {list("sort=x&limit=x&satus=open&limit=1"),
			[]string{"invalid_parameter", "limit repeated", "satus unknown", "sort not_allowed"}},
		"members": {list("metadata[orderId]=4711&metadata[a.b]=x,y&metadata[a.b]]=z"), nil},
		"a name in a query": {list("metadata[" + long + "]=x"),
			[]string{"invalid_parameter", "metadata[" + long[:51] + "… too_long"}},
		"members without name": {list("metadata=a&metadata.b=c&metadata[]=d&metadata[e=f"),
			[]string{"invalid_parameter", "metadata unknown", "metadata.b unknown", "metadata[] unknown",
				"metadata[e unknown"}},
		"values of members": {list("metadata[a]=&metadata[b]=x,&metadata[c]=x,y&metadata[c]=z&metadata[d]=" +
			strings.Repeat("v", 501)), []string{"invalid_parameter", "metadata[a] empty",
			"metadata[b] empty", "metadata[c] repeated", "metadata[d] too_long"}},
		"exclusions": {list("not[status]=closed&not[label]=a&not[label]=b&not[metadata][orderId]=4711&not[withoutLabels]" +
			"=true&not[q]=a+b*"), nil},
		"values left out": {list("not[status]=done&not[assigneeId]=ann&not[metadata][a]=&not[has]=video&not[q]="),
			[]string{"invalid_parameter", "not[assigneeId] wrong_form",
				"not[has] not_allowed", "not[metadata][a] empty", "not[q] empty", "not[status] not_allowed"}},
		"unknown exclusions": {list("not=x&not[sort]=x&not[metadata]=x&not.status=x&not[status][]=open&not[workspaceId]=x"),
			[]string{"invalid_parameter", "not unknown", "not.status unknown",
				"not[metadata] unknown", "not[sort] unknown", "not[status][] unknown", "not[workspaceId] unknown"}},
		"no members":     {list("status[a]=open"), []string{"invalid_parameter", "status[a] unknown"}},
		"a query string": {list("limit=%zz"), []string{"invalid_parameter", "query malformed"}},
		"no body":        {create(""), []string{"malformed_body", " empty_body"}},
		"no object":      {create("[]"), []string{"malformed_body", " not_an_object"}},
		"a repeated member": {create(`{"summary":"a","summary":"b"}`),
			[]string{"malformed_body", "/summary duplicate_member"}},
		"U+0000":           {create(`{"summary":"a\u0000"}`), []string{"invalid_body", "/summary nul_character"}},
		"a missing member": {create(`{}`), []string{"invalid_body", "/summary required"}},
		"an unknown member": {create(`{"summary":"a","sumary":"b"}`),
			[]string{"invalid_body", "/sumary unknown_member"}},
		"a read-only member": {create(`{"summary":"a","number":1}`), []string{"invalid_body", "/number read_only"}},
		"a name of a pair": {create(`{"summary":"a","environment":{"browser":"b","os":"o"},"priority":"low","metadata":{"` +
			long + `":"x"}}`), []string{"invalid_body", "/metadata invalid_name"}},
		"a patch": {update(`{"status":"done","id":"x","labels":null}`),
			[]string{"invalid_body", "/id read_only", "/status not_allowed"}},
	} {
		if got := faults(t, c.err); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestUnknownExclusions: the refusal of an unknown name lists those that there are.
func TestUnknownExclusions(t *testing.T) {
	const names = "not[name]=value with one of the names spaceId, status, resolution, priority, severity, label, withoutLabels, " +
		"assigneeId, reporterId, mentions, " +
		"release, firstRelease, lastRelease, fixedInRelease, browser, os, viewport, source, metadata, has, q"
	for parameter, want := range map[string]string{"not[sort]": names,
		"not": names, "not.status": names, "not[metadata]": "not[metadata][name]=value",
		"metadata": "metadata[name]=value"} {
		_, err := input.Bind[api.CountSlices](source(parameter+"=x", ""))
		var p *api.Problem
		if !errors.As(err, &p) || p.Errors[0].Detail != "there is no such parameter; send "+want {
			t.Errorf("%s: %v", parameter, err)
		}
	}
}

// TestTimesOfABody: a time that no record can hold is refused like one of the wrong form, although RFC 3339 allows it.
func TestTimesOfABody(t *testing.T) {
	for _, at := range []string{"2026-12-31T23:59:60Z", "9999-12-31T23:59:59-12:00", "2026-12-31t23:59:59z", "tomorrow",
		"2026-12-31"} {
		_, err := input.Bind[api.CreateKey](source("",
			`{"type": "pat", "name": "x", "scopes": ["user:read"], "expiresAt": "`+at+`"}`))
		var p *api.Problem
		if !errors.As(err, &p) || p.Detail != "/expiresAt: must be an RFC 3339 date and time" {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// TestBindOrdersRefusals: the form of a body is refused before parameters and members, these before an
// identifier.
func TestBindOrdersRefusals(t *testing.T) {
	s := source("x=1", "{")
	s.Path = func(string) string { return "none" }
	s.Header.Set("If-Match", "ü")
	bind := func() []string { return faults(t, second(input.Bind[api.UpdateSlice](s))) }
	for _, want := range [][]string{
		{"malformed_body", " malformed_json"},
		{"invalid_parameter", "x unknown", "If-Match wrong_form", "/status not_allowed"},
		{"invalid_body", "/status not_allowed"},
		{"not_found"},
	} {
		if got := bind(); !reflect.DeepEqual(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		switch want[0] {
		case "malformed_body":
			s.Body = []byte(`{"status":"done"}`)
		case "invalid_parameter":
			s.Query = nil
			s.Header = http.Header{}
		case "invalid_body":
			s.Body = []byte(`{"status":"open"}`)
		}
	}
}

// TestDefaults: Bind and Check set the documented defaults of omitted members and parameters.
func TestDefaults(t *testing.T) {
	list, err := input.Check(api.ListSlices{})
	if err != nil {
		t.Fatal(err)
	}
	in, err := list.Value(nil)
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "limit, sort and order", []any{in.Limit, in.Sort, in.Order},
		[]any{api.DefaultLimit, "createdAt", "desc"})
	hook, err := input.Bind[api.CreateWebhook](source("", `{"url":"https://a.example","eventTypes":null}`))
	if err != nil {
		t.Fatal(err)
	}
	made, err := hook.Value(nil)
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "enabled", made.Body.Enabled, true)
	assert.Equal(t, "eventTypes", made.Body.EventTypes, []api.Subscription{"*"})
}

// TestCheckKeepsValidInput: Check returns a valid input unchanged.
func TestCheckKeepsValidInput(t *testing.T) {
	id, at := workspace, api.FromMillis(1_795_000_000_000)
	text, empty := "<&\u2028é", ""
	create := api.CreateSlice{Hints: true, Body: api.NewSlice{WorkspaceID: &id,
		SliceFields: api.SliceFields{Summary: text, Description: &empty,
			Labels: []string{"b", "a"}, Metadata: map[string]string{"k": text}}}}
	create.IdempotencyKey = "k"
	keeps(t, create)
	list := api.ListSlices{SliceFilters: api.SliceFilters{Status: []api.Status{api.Open, api.Closed},
		CreatedAfter: &at, Q: text, Number: 5}, Sort: "updatedAt", Order: "asc"}
	list.Limit, list.Metadata = 7, map[string][]string{"orderId": {"4711", "b"}, "a]": {"[x]"}}
	keeps(t, list)
	keeps(t, api.UpdateSlice{SliceID: slice, IfMatch: `"1"`,
		Patch: api.SlicePatch{"summary": text, "description": nil}})
	keeps(t, api.CreateWebhook{Body: api.NewWebhook{WebhookFields: api.WebhookFields{URL: "https://a.example",
		EventTypes: []api.Subscription{"*"}, Enabled: false, Format: "slack"}}})
	keeps(t, api.GetMe{})
}

func keeps[In any](t *testing.T, in In) {
	t.Helper()
	v, err := input.Check(in)
	if err != nil {
		t.Errorf("%+v: %v", in, err)
		return
	}
	if got, err := v.Value(nil); err != nil || !reflect.DeepEqual(got, in) {
		t.Errorf("%+v became %+v, %v", in, got, err)
	}
}

// TestCheckRefusesImpossibleInput: Check refuses a value that no request can contain.
func TestCheckRefusesImpossibleInput(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"a comma in a list": {second(input.Check(api.ListSlices{SliceFilters: api.SliceFilters{Label: []string{"a,b"}}})),
			[]string{"invalid_parameter", "label wrong_form"}},
		"an empty value": {second(input.Check(api.ListSlices{SliceFilters: api.SliceFilters{Label: []string{""}}})),
			[]string{"invalid_parameter", "label empty"}},
		"invalid UTF-8": {second(input.Check(api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{Summary: "\xff"}}})),
			[]string{"malformed_body", "/summary invalid_utf8"}},
		"a value of a patch": {second(input.Check(api.UpdateSlice{SliceID: slice,
			Patch: api.SlicePatch{"summary": func() {}}})),
			[]string{"malformed_body", "/summary unreadable"}},
	} {
		if got := faults(t, c.err); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestValueNeedsRightAndValidation: Value returns no input to a caller without the right, nor an input that was not
// validated.
func TestValueNeedsRightAndValidation(t *testing.T) {
	v, err := input.Check(api.GetSlice{SliceID: slice})
	if err != nil {
		t.Fatal(err)
	}
	forbidden := errors.New("forbidden")
	if in, err := v.Value(forbidden); !errors.Is(err, forbidden) || in != (api.GetSlice{}) {
		t.Errorf("%+v, %v", in, err)
	}
	if _, err := (input.Valid[api.GetSlice]{}).Value(nil); err == nil {
		t.Error("the zero value was taken")
	}
	if _, err := (input.Valid[api.GetSlice]{}).Value(forbidden); !errors.Is(err, forbidden) {
		t.Errorf("%v comes before the authorisation", err)
	}
}

// TestRecordsAreValidatedLikeInput: a record is refused that the API could not answer.
func TestRecordsAreValidatedLikeInput(t *testing.T) {
	space := api.Space{ID: "spc_01ja8m2c9tf3qb6h0v5r4x7kyz", WorkspaceID: workspace,
		Version: 1, CreatedAt: api.FromMillis(0), UpdatedAt: api.FromMillis(0)}
	space.Name = "Checkout"
	if err := input.Record(space); err != nil {
		t.Error(err)
	}
	space.Name = "a\x00"
	if err := input.Record(space); err == nil || !strings.Contains(err.Error(), "/name must not hold U+0000") {
		t.Errorf("%v", err)
	}
	if err := input.RecordSchema(space); err != nil {
		t.Error(err)
	}
	space.Name = ""
	if err := input.Record(space); err == nil || !strings.Contains(err.Error(), "/name must not be empty") {
		t.Errorf("%v", err)
	}
}

// FuzzQuery: every query is within the limits or refused with its faults, and an accepted one is accepted again in
// its encoded form.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"", "limit=25", "limit=0&limit=1", "status=open,closed&q=%00",
		"satus=open", "createdAfter=2026-01-01T00:00:00Z", "label=,", "cursor=&%zz=%", "a;b=c", "limit=%2B1"} {
		f.Add(seed)
	}
	f.Add("=0")
	f.Fuzz(func(t *testing.T, query string) {
		v, err := input.Bind[api.ListSlices](source(query, ""))
		var p *api.Problem
		if err != nil && !errors.As(err, &p) {
			t.Fatal(err)
		}
		if p != nil {
			for _, fault := range p.Errors {
				if fault.Code == "" || fault.Detail == "" {
					t.Errorf("%q: a fault without code or detail: %+v", query, fault)
				}
				if len(fault.Parameter) > 70 {
					t.Errorf("%q: a parameter of %d bytes, want at most 70: %+v", query, len(fault.Parameter), fault)
				}
			}
			return
		}
		in, _ := v.Value(nil)
		for rule, kept := range map[string]bool{
			"limit is 1 to 100":                   in.Limit >= 1 && in.Limit <= 100,
			"sort is createdAt or updatedAt":      in.Sort == "createdAt" || in.Sort == "updatedAt",
			"order is asc or desc":                in.Order == "asc" || in.Order == "desc",
			"no label is empty":                   !slices.Contains(in.Label, ""),
			"status has at most MaxValues values": len(in.Status) <= input.MaxValues,
		} {
			if !kept {
				t.Errorf("%q: want that %s: %+v", query, rule, in)
			}
		}
		keeps(t, in)
	})
}

// FuzzBody: no body causes a panic, and an accepted one is accepted again.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{"", "{", `{"summary":"a"}`, `{"summary":"a","labels":["a","a"],"metadata":{"":1}}`,
		`{"summary":"a","environment":{"devicePixelRatio":1e3}}`, `{"summary":"\ud800"}`,
		`{"summary":"a","evidence":{"console":[{}],"network":{"a":1,"a":2}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := input.Bind[api.CreateSlice](source("", string(body)))
		var p *api.Problem
		if err != nil && (!errors.As(err, &p) || p.Code != api.CodeMalformedBody && p.Code != api.CodeInvalidBody) {
			t.Fatalf("%q: %v", body, err)
		}
		if err != nil {
			return
		}
		in, _ := v.Value(nil)
		if _, err := input.Check(in); err != nil {
			t.Errorf("%q is taken, and %s is not: %v", body, fmt.Sprintf("%+v", in), err)
		}
	})
}
