package apidoc

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/input"
	"bugslice/internal/schema"
)

// TestOperationsAreDescribed: each row of api.Operations has what the document and the reference page show.
func TestOperationsAreDescribed(t *testing.T) {
	for _, op := range api.Operations {
		if op.Summary == "" {
			t.Errorf("%s has no summary", op.ID)
		}
		if !slices.ContainsFunc(tags(), func(tag any) bool { return tag.(object)["name"] == op.Tag }) {
			t.Errorf("%s has the tag %q, which is not described", op.ID, op.Tag)
		}
	}
}

// TestReferenceIsComplete: each operation, scope and code is on the page, and the members of bodies with those of
// their objects.
func TestReferenceIsComplete(t *testing.T) {
	doc, err := OpenAPI("https://bugs.example.com")
	if err != nil {
		t.Fatal(err)
	}
	page, err := Reference(doc, Application{Home: "/"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`<pre class="curl" tabindex="0" aria-label="Example request">curl -X PATCH -H &#34;Authorization: Bearer ` +
		`$BUGSLICE_TOKEN&#34; -H &#39;Content-Type: application/json&#39; -d &#39;{`, `}&#39; ` +
		`&#39;https://bugs.example.com/v1/slices/{sliceId}&#39;`}
	for _, op := range api.Operations {
		want = append(want, `<article id="`+op.ID+`"`)
	}
	for _, s := range api.Scopes {
		want = append(want, "<code>"+string(s.Scope)+"</code>")
	}
	for _, c := range api.Codes {
		want = append(want, `<tr id="`+c.Code+`"`)
	}
	for _, member := range []string{"summary", "environment.browser", "evidence.console[].level", "items[].ifMatch"} {
		want = append(want, "<code>"+member+"</code>")
	}
	if before, after, found := strings.Cut(string(page), "`"); found {
		t.Errorf("the page shows the sign of code: %s`%s", before[len(before)-40:], after[:min(40, len(after))])
	}
	for _, w := range want {
		if !strings.Contains(string(page), w) {
			t.Errorf("the page lacks %s", w)
		}
	}
}

// TestTimesOfQueries: a time in a query may be a date, which means midnight UTC. So its schema has no format, which
// would have one of both forms, and its description says so.
func TestTimesOfQueries(t *testing.T) {
	const day = "2026-11-20"
	checked := 0
	for i := range api.Operations {
		op := &api.Operations[i]
		for _, p := range input.Of(op).Params {
			if p.Field.Type != reflect.TypeFor[*api.Time]() {
				continue
			}
			checked++
			shown := parameter(schema.NewSet(reflect.TypeFor[api.Time]()), p)
			assert.Equal(t, op.ID+" "+p.Name, shown["schema"], any(object{"type": "string"}))
			assert.Contains(t, op.ID+" "+p.Name, shown["description"].(string), "RFC 3339",
				day+", which is midnight UTC")
		}
	}
	if checked < 8 {
		t.Errorf("%d parameters are times", checked)
	}
	at := func(text string) string {
		t.Helper()
		s := input.Source{Header: http.Header{}, Query: url.Values{"createdAfter": {text}},
			Path: func(string) string { return "" }}
		v, err := input.Bind[api.ListSlices](s)
		if err != nil {
			t.Fatal(err)
		}
		in, err := v.Value(nil)
		if err != nil {
			t.Fatal(err)
		}
		return in.CreatedAfter.String()
	}
	assert.Equal(t, "a date", at(day), at("2026-11-20T01:00:00+01:00"))
}
