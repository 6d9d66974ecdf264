package failing_test

import (
	"fmt"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/ci/failing"
)

// patched returns metadata after a merge patch.
func patched(metadata map[string]string, patch map[string]any) map[string]string {
	for name, value := range patch {
		if text, ok := value.(string); ok {
			metadata[name] = text
		} else {
			delete(metadata, name)
		}
	}
	return metadata
}

// TestMetadataHasTheTests: the metadata of a report has as many tests as fit in it, and gives them back as they were.
func TestMetadataHasTheTests(t *testing.T) {
	set := failing.Set{}
	for i := range 400 {
		set.Add(fmt.Sprintf("%012x", i))
	}
	assert.Equal(t, "tests", len(set), failing.MaxTests)
	set.Pass(func(string) bool { return true }, 3)
	pairs := set.Metadata()
	for name, value := range pairs {
		if len(value) > 500 {
			t.Errorf("%s has %d characters", name, len(value))
		}
	}
	if len(pairs) > 10 {
		t.Errorf("%d pairs", len(pairs))
	}
	assert.Equal(t, "the tests again", failing.Of(pairs), set)
}

// TestPassesAreCounted: a test is out after enough passes, a failure between them begins anew, and a patch takes out
// what is no longer there and leaves other pairs alone.
func TestPassesAreCounted(t *testing.T) {
	const a, b = "aaaaaaaaaaaa", "bbbbbbbbbbbb"
	only := func(id string) func(string) bool { return func(other string) bool { return other == id } }
	metadata := map[string]string{"ci.job": "unit", "ci.failing.9": "no test"}
	set := failing.Set{}
	steps := []struct {
		change func() bool
		want   string
	}{
		{func() bool { return set.Add(a, b) }, a + " " + b},
		{func() bool { return set.Pass(only(a), 2) }, a + "+1 " + b},
		{func() bool { return set.Add(a) }, a + " " + b},
		{func() bool { return !set.Add(a) }, a + " " + b},
		{func() bool { return set.Pass(only(a), 2) }, a + "+1 " + b},
		{func() bool { return set.Pass(only(a), 2) }, b},
		{func() bool { return set.Pass(only(b), 1) }, ""},
		{func() bool { return !set.Pass(only(b), 1) }, ""},
	}
	for i, step := range steps {
		if !step.change() {
			t.Errorf("step %d did not say whether it changes the set", i)
		}
		metadata = patched(metadata, set.Patch(metadata))
		want := map[string]string{"ci.job": "unit"}
		if step.want != "" {
			want["ci.failing.0"] = step.want
		}
		assert.Equal(t, fmt.Sprint("metadata after step ", i), metadata, want)
	}
	assert.Equal(t, "no change", len(set.Patch(metadata)), 0)
	assert.Equal(t, "counts", []int{failing.Count(map[string]string{"n": "3"}, "n"),
		failing.Count(map[string]string{"n": "x"}, "n"), failing.Count(nil, "n")}, []int{3, 0, 0})
}
