package operations

import (
	"encoding/json"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestChosenMembers: the items of a page have the chosen members alone, also those of members, and the page keeps its
// cursor. Without a choice they have all.
func TestChosenMembers(t *testing.T) {
	cursor, release := "next", "2026.11.3"
	s := api.Slice{Reference: "WEB-1"}
	s.Summary, s.Environment.Release = "a < b", &release
	page := api.Page[api.Slice]{Data: []api.Slice{s}, Pagination: api.Pagination{Cursor: &cursor, HasMore: true}}
	out, err := chosen(page, api.Chosen[api.SliceMember]{Fields: []api.SliceMember{"summary", "environment.release", "reference"}})
	if err != nil {
		t.Fatal(err)
	}
	p := out.(api.Page[json.RawMessage])
	assert.Equal(t, "the item", string(p.Data[0]),
		`{"summary":"a < b","environment":{"release":"2026.11.3"},"reference":"WEB-1"}`)
	assert.Equal(t, "the cursor", *p.PageInfo().Cursor, "next")
	whole, err := chosen(page, api.Chosen[api.SliceMember]{})
	if _, ok := whole.(api.Page[api.Slice]); !ok || err != nil {
		t.Errorf("without a choice: %T, %v", whole, err)
	}
	for _, object := range []string{`{}`, `{"environment":null}`} {
		text, err := withMembers([]byte(object), []string{"environment.release"})
		assert.Equal(t, "of "+object, string(text), object)
		assert.Equal(t, "error", err, nil)
	}
}
