package apidoc

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
)

// TestDocumentIsGolden: a change of the contract is seen in review.
func TestDocumentIsGolden(t *testing.T) {
	want, err := os.ReadFile("../../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := OpenAPI("")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("api/openapi.json is not what the code makes: run make openapi, and read what changes")
	}
}

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

// TestReferenceIsComplete: each operation, scope and code is on the page.
func TestReferenceIsComplete(t *testing.T) {
	doc, err := OpenAPI("")
	if err != nil {
		t.Fatal(err)
	}
	page, err := Reference(doc)
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
