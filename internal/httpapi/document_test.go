package httpapi

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
)

// TestEveryOperationIsBound: a row of the table without a function, or one bound twice, fails.
func TestEveryOperationIsBound(t *testing.T) {
	bound := map[string]int{}
	for _, r := range routes(nil) {
		bound[r.op.ID]++
	}
	for _, op := range api.Operations {
		if bound[op.ID] != 1 {
			t.Errorf("%s is bound %d times", op.ID, bound[op.ID])
		}
		if op.Summary == "" || op.Tag == "" {
			t.Errorf("%s has no summary or no tag", op.ID)
		}
		if op.Scope != api.NoScope && !slices.Contains(api.AllScopes(), op.Scope) {
			t.Errorf("%s has the unknown scope %s", op.ID, op.Scope)
		}
	}
	if len(bound) != len(api.Operations) {
		t.Errorf("%d functions for %d operations", len(bound), len(api.Operations))
	}
}

// TestDocumentIsGolden: a change of the contract is seen in review.
func TestDocumentIsGolden(t *testing.T) {
	want, err := os.ReadFile("../../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Document()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("api/openapi.json is not what the code makes: run make openapi, and look at what changes (%v)", err)
	}
}

// TestReferenceShowsEverything: each operation, scope and code has its place on the page.
func TestReferenceShowsEverything(t *testing.T) {
	doc, err := Document()
	if err != nil {
		t.Fatal(err)
	}
	page, err := reference(doc)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, op := range api.Operations {
		want = append(want, `<article id="`+op.ID+`"`)
	}
	for _, s := range api.Scopes {
		want = append(want, "<code>"+string(s.Scope)+"</code>")
	}
	for _, c := range api.Codes {
		want = append(want, `<tr id="`+c.Code+`"`)
	}
	for _, w := range want {
		if !strings.Contains(string(page), w) {
			t.Errorf("the page lacks %s", w)
		}
	}
}

// FuzzTokenInQuery: whatever the query, a token in it is refused and repeated nowhere.
func FuzzTokenInQuery(f *testing.F) {
	for _, seed := range []string{"", "limit=25", "access_token=a", "q=svc_pat_a", "svc_wst_a=1", "q=%73vc_pat_a", "cursor=&%zz=%", "a;b=c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		u := &url.URL{RawQuery: query}
		err := tokenInQuery(&http.Request{URL: u})
		has := false
		for name, values := range u.Query() {
			has = has || isKey(name) || name == "access_token" || slices.ContainsFunc(values, isKey)
		}
		if has != (err != nil) {
			t.Errorf("%q: %v", query, err)
		}
		var p *api.Problem
		if errors.As(err, &p) && isKey(p.Errors[0].Parameter) {
			t.Errorf("%q: the refusal repeats the token: %v", query, err)
		}
	})
}

// TestEveryOperationHasAnEffect: each row answers what a superseded token may do.
func TestEveryOperationHasAnEffect(t *testing.T) {
	known := []api.Effect{api.Reads, api.Content, api.Lasting, api.Ending}
	for _, op := range api.Operations {
		if !slices.Contains(known, op.Effect) {
			t.Errorf("%s has no effect", op.ID)
		}
		if op.Method == "GET" && op.Effect != api.Reads {
			t.Errorf("%s is a GET that writes", op.ID)
		}
	}
}
