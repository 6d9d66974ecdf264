package tracker

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
)

// TestCursorScope: a cursor is valid for the parameters that are set, so that it stays valid in a version with
// further ones.
func TestCursorScope(t *testing.T) {
	type list struct {
		api.Paging
		Status []string
		Fields map[string]string
	}
	type longer struct {
		list
		Color []string
		Size  *int
		Flat  bool
		After api.Time
	}
	now := list{Paging: api.Paging{Limit: 5, Cursor: "x"}, Status: []string{"open"},
		Fields: map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}}
	scope := func(v any) string { return cursorScope(api.OpListSlices, access.Caller{}, v) }
	for range 20 { // maps have no order
		if was, is := scope(now), scope(longer{list: now}); was != is {
			t.Fatalf("%s became %s", was, is)
		}
	}
	other := now
	other.Status = []string{"closed"}
	for _, v := range []any{other, longer{list: now, Color: []string{"red"}}, longer{list: now, Flat: true}, list{}} {
		if scope(v) == scope(now) {
			t.Errorf("%+v has the scope of %+v", v, now)
		}
	}
}
