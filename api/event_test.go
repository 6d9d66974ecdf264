package api_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
)

// TestEventTypesAreDocumented: the types that are sent are those that the documents name.
func TestEventTypesAreDocumented(t *testing.T) {
	var want []string
	for kind := range api.EventTypes {
		want = append(want, string(kind))
	}
	slices.Sort(want)
	for _, in := range []any{api.Event{}, api.ListEvents{}} {
		f, _ := reflect.TypeOf(in).FieldByName("Type")
		got := strings.Split(f.Tag.Get("enum"), ",")
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%T names %v, sent are %v", in, got, want)
		}
	}
}
