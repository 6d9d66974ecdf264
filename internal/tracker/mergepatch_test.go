package tracker_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"bugslice/api"
	"bugslice/api/wire"
	"bugslice/internal/tracker"
)

// TestPatchIsMerged: a patch has the effect of RFC 7396 on the whole record, returns the former values of the changed
// members, and changes no value that the former record shares.
func TestPatchIsMerged(t *testing.T) {
	fill := func() (f api.SliceFields) {
		must(t, json.Unmarshal([]byte(`{"spaceId":null,"summary":"s","description":"d","status":"open","resolution":null,"priority":"low",
			"severity":null,"labels":["a","b"],"assigneeId":"u","sourceUrl":null,"environment":{"browser":"Firefox","os":"Linux"},
			"metadata":{"k":"v","l":"w"},"externalId":null,"duplicateOfId":null}`), &f))
		return f
	}
	for text, changed := range map[string][]string{
		`{}`: {},
		`{"priority":"low","labels":["a","b"],"metadata":{"k":"v"}}`: {},
		`{"priority":"high"}`: {"priority"},
		`{"priority":null,"description":null,"summary":null}`: {"priority", "description",
			"summary"},
		`{"labels":["b"],"assigneeId":"v"}`: {"labels", "assigneeId"},
		`{"labels":null,"metadata":null,"environment":null}`: {"labels", "metadata",
			"environment"},
		`{"environment":{"os":null,"locale":"sv"},"metadata":{"k":null,"m":"x"}}`: {"environment", "metadata"},
	} {
		var patch map[string]any
		must(t, json.Unmarshal([]byte(text), &patch))
		var shown, whole map[string]any
		before := fill()
		raw, err := json.Marshal(before)
		must(t, err)
		must(t, json.Unmarshal(raw, &shown))
		must(t, json.Unmarshal(raw, &whole))
		raw, err = json.Marshal(wire.MergePatch(whole, patch))
		must(t, err)
		var want api.SliceFields
		must(t, json.Unmarshal(raw, &want))

		got := before
		previous, err := tracker.ApplyPatch(&got, patch)
		must(t, err)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
		if !reflect.DeepEqual(before, fill()) {
			t.Errorf("%s changed the record before it: %+v", text, before)
		}
		former := map[string]any{}
		for _, name := range changed {
			former[name] = shown[name]
		}
		if !reflect.DeepEqual(previous, former) {
			t.Errorf("%s: the former values are %v, want %v", text, previous, former)
		}
	}
}
