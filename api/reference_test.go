package api

import (
	"strings"
	"testing"
)

// TestReference: a reference is read as it was written, in small letters too, and in no other form.
func TestReference(t *testing.T) {
	for _, key := range []string{"WEB", "W1", "ABCDEF", "Q42"} {
		for _, number := range []int64{1, 7, 161, 1_000_000_000_000} {
			text := Reference(key, number)
			for _, form := range []string{text, strings.ToLower(text)} {
				if k, n, ok := ParseReference(form); k != key || n != number || !ok {
					t.Errorf("%s is %s and %d", form, k, n)
				}
			}
		}
	}
	for _, bad := range []string{"", "WEB", "WEB-", "WEB-0", "WEB-007", "WEB--1", "WEB-+1", "WEB-1 ", " WEB-1",
		"WEB-1\n", "W-1", "1AB-1", "ABCDEFG-1",
		"WEB-99999999999999", "WEB-9223372036854775808", "WEB-1.0", "WEB_1", "ſHOP-1", "\u212aEY-1", "WEB-١",
		"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"} {
		if k, n, ok := ParseReference(bad); ok {
			t.Errorf("%q is %s and %d", bad, k, n)
		}
	}
}
