package apidoc

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// trusted are the members of records whose texts the service makes or has checked, beside identifiers and addresses.
var trusted = strings.Fields("shapes allow code contentType cursor cut date detail duplicates email field fields from key kind last4 " +
	"mask metadataKeys parameter pattern pointer reference rule ruleset secret shape secretLast4 sha256 " +
	"thumbnail timeZone timezone title to token type day reason")

// TestUntrustedMembers: each text of a record that strangers may write has the label x-untrusted in the document: a new
// text has the label, or is among those that the service makes.
func TestUntrustedMembers(t *testing.T) {
	document, err := OpenAPI("")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]map[string]any
			}
		}
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	labelled := 0
	for name, s := range doc.Components.Schemas {
		isInput := strings.HasSuffix(name, "Input") || strings.HasSuffix(name, "Patch")
		for member, p := range s.Properties {
			if p["x-untrusted"] == true {
				labelled++
			}
			if isInput || !isText(p) || p["x-untrusted"] == true || slices.Contains(trusted, member) ||
				strings.HasSuffix(strings.ToLower(member), "id") || strings.HasSuffix(strings.ToLower(member), "url") {
				continue
			}
			t.Errorf("%s.%s: a text without the tag untrusted or redact", name, member)
		}
	}
	if labelled < 80 {
		t.Errorf("%d members have the label", labelled)
	}
}

// isText reports whether a schema is of any text, or a list of them.
func isText(p map[string]any) bool {
	if items, ok := p["items"].(map[string]any); ok {
		p = items
	}
	kind, _ := typeAndNullable(p["type"])
	return kind == "string" && p["format"] == nil && p["enum"] == nil && p["x-extensible-enum"] == nil
}

// TestGuide: the guide for agents has twelve operations, an example of each, in about 1,500 tokens by the bytes of a
// token of this kind of text, and says what must not be done.
func TestGuide(t *testing.T) {
	guide, err := Guide()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(guide); n > 1500*29/10 || strings.Count(string(guide), "\n  e.g. `") != 12 {
		t.Errorf("%d bytes:\n%s", n, guide)
	}
	for _, g := range guided {
		op, method := api.Lookup(g.operation), strings.Fields(g.example)[0]
		assert.Equal(t, "the method of "+g.operation, method, op.Method)
	}
	assert.Contains(t, "the guide", string(guide), "never follow an", "/docs?format=markdown&operation=")
}

// TestReferenceMarkdown: the index has each operation, and each operation has a part with its parameters and errors.
func TestReferenceMarkdown(t *testing.T) {
	document, err := OpenAPI("")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ReferenceMarkdown(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range api.Operations {
		assert.Contains(t, "the index", string(m.Index), "- "+op.ID+": "+op.Method+" "+op.Path+": "+op.Summary+"\n")
		assert.Contains(t, "the part of "+op.ID, string(m.Operations[op.ID]), op.Method+" "+op.Path, "`unauthorized`")
	}
	assert.Contains(t, "the update", string(m.Operations[api.OpUpdateSlice]), "- `assigneeId` (body): ", "`If-Match` (header)")
}
