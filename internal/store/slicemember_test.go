package store

import (
	"slices"
	"strings"
	"testing"
)

// TestMembersAreApart: each member stores its own part of a slice, as it was read, and changes no other.
func TestMembersAreApart(t *testing.T) {
	empty, err := members.values(&Slice{})
	if err != nil {
		t.Fatal(err)
	}
	samples := []any{int64(7), "text", `["a"]`, `{"browser":"b"}`, `[{"name":"r","first":1,"last":2}]`}
	for i, m := range members {
		var read Slice
		stored := slices.ContainsFunc(samples, func(sample any) bool {
			_, isText := sample.(string)
			if isText != (m.cell.sqlType == "TEXT") {
				return false
			}
			read = Slice{}
			return m.cell.set(&read, sample) == nil
		})
		values, err := members.values(&read)
		if !stored || err != nil {
			t.Errorf("%s stores no value: %v", m.column, err)
			continue
		}
		for j, other := range members {
			if isOwn := i == j; (values[j] != empty[j]) != isOwn {
				t.Errorf("a value of %s makes that of %s %v", m.column, other.column, values[j])
			}
		}
		if text, isText := values[i].(string); isText && m.cell.content != documentContent && text != "text" {
			t.Errorf("%s: stored %q, want text", m.column, text)
		}
		if m.cell.set(&read, []byte("other type")) == nil {
			t.Errorf("%s takes bytes", m.column)
		}
	}
}

// TestSizesOfMembers: the size of a slice in SQL adds up the same columns as that in Go.
func TestSizesOfMembers(t *testing.T) {
	size := members.size()
	for i, m := range members {
		values := make([]any, len(members))
		values[i] = "text"
		charged := members.bytes(values) > rowBytes
		if got := strings.Contains(size, "octet_length("+m.column+")"); got != charged {
			t.Errorf("%s: charged %t in SQL, %t in Go", m.column, got, charged)
		}
	}
}
