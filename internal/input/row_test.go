package input_test

import (
	"strings"
	"testing"

	"bugslice/internal/input"
)

type row struct {
	ID      string  `json:"id" id:"slc"`
	Name    string  `json:"name" maxLength:"5"`
	Note    *string `json:"note"`
	Count   int64   `json:"count" default:"1" minimum:"0" maximum:"10"`
	EndedAt *int64  `json:"ended_at" minimum:"0" maximum:"10"`
}

const rowID = `"id":"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`

// TestRow: a row is decoded with the defaults of what it leaves out.
func TestRow(t *testing.T) {
	r, err := input.Row[row]([]byte(`{` + rowID + `,"name":"n","note":null,"ended_at":7}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "n" || r.Note != nil || r.Count != 1 || r.EndedAt == nil || *r.EndedAt != 7 {
		t.Errorf("%+v", r)
	}
}

// TestRowRefuses: what the tags of a row do not allow is refused with the member.
func TestRowRefuses(t *testing.T) {
	for members, want := range map[string]string{
		rowID:                                  "/name this member is required",
		`"id":"slc_1","name":"n"`:              `/id "slc_1" is no identifier that begins with slc_`,
		rowID + `,"name":null`:                 "/name must be string, not null",
		rowID + `,"name":"n","count":null`:     "/count must be integer, not null",
		rowID + `,"name":"n","count":"1"`:      "/count must be integer, not string",
		rowID + `,"name":"n","count":1.5`:      "/count must be integer, not number",
		rowID + `,"name":"n","count":1e0`:      "/count",
		rowID + `,"name":"n","count":-1`:       "/count must be at least 0",
		rowID + `,"name":"n","count":11`:       "/count must be at most 10",
		rowID + `,"name":"n","ended_at":1e300`: "/ended_at must be at most 10",
		rowID + `,"name":"longer"`:             "/name at most 5 characters, but it has 6",
		rowID + `,"name":"a\u0000b"`:           "/name must not hold U+0000",
		rowID + `,"name":["n"]`:                "/name must be text, a whole number or null",
		rowID + `,"name":"n","surprise":1`:     "/surprise is a column that this program does not know: a newer version wrote it",
	} {
		if _, err := input.Row[row]([]byte("{" + members + "}")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("{%s}: %v, want %q", members, err, want)
		}
	}
}
