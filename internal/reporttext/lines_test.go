package reporttext

import (
	"strings"
	"testing"
	"unicode/utf8"

	"bugslice/internal/assert"
)

// TestBodiesAroundTellingMembers: a long body is shortened around a member that is null or names an error, and otherwise
// from its beginning.
func TestBodiesAroundTellingMembers(t *testing.T) {
	long := strings.Repeat(`"item": "Größe 42", `, 40)
	for _, c := range []struct{ body, has string }{
		{`{` + long + `"pickup": null, "x": 1}`, `"pickup": null`},
		{`{` + long + `"code": "address_missing", ` + long + `}`, `address_missing`},
		{`{"error": "early", ` + long + `"later": null, ` + long + `}`, `"later": null`},
		{`{"first": 1, ` + long + `}`, `"first": 1`},
		{`{"first": null, ` + long + `}`, `{"first": null`},
	} {
		got := bodyLine(c.body, 120)
		assert.Contains(t, c.has, got, c.has)
		if n := utf8.RuneCountInString(got); n > 121 || !utf8.ValidString(got) {
			t.Errorf("%d characters: %s", n, got)
		}
	}
}
