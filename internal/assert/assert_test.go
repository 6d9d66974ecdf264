package assert

import (
	"fmt"
	"strings"
	"testing"
)

// failures collects what a check reports.
type failures []string

func (f *failures) Helper() {}
func (f *failures) Errorf(format string, args ...any) {
	*f = append(*f, fmt.Sprintf(format, args...))
}

// TestFailuresShowTheDifference: a check that fails shows the difference, and one that succeeds prints nothing.
func TestFailuresShowTheDifference(t *testing.T) {
	type row struct {
		Name   string
		hidden int
	}
	for name, c := range map[string]struct {
		check func(T)
		want  []string // of the one failure; none for a check that holds
	}{
		"equal": {func(t T) { Equal(t, "row", row{"a", 1}, row{"a", 1}) }, nil},
		"another field": {func(t T) { Equal(t, "row", row{"a", 1}, row{"a", 2}) },
			[]string{"row differs", "hidden", "- ", "+ "}},
		"another type": {func(t T) { Equal(t, "n", 1, int64(1)) }, []string{"n differs", "int64"}},
		"contained":    {func(t T) { Contains(t, "text", "one two", "one", "two") }, nil},
		"lacking": {func(t T) { Contains(t, "text", "one two", "one", "three") },
			[]string{`text lacks "three": one two`}},
		"absent": {func(t T) { NotContains(t, "log", "one two", "three") }, nil},
		"leaked": {func(t T) { NotContains(t, "log", "one two", "two") },
			[]string{`log contains "two": …one two`}},
		"a long text": {func(t T) { Contains(t, "text", strings.Repeat("x", 5000), "y") },
			[]string{`text lacks "y"`, "x…"}},
		"in a long text": {func(t T) { NotContains(t, "text", strings.Repeat("x", 5000)+"y", "y") },
			[]string{`text contains "y": …xxx`}},
	} {
		var got failures
		c.check(&got)
		if len(c.want) == 0 && len(got) > 0 || len(c.want) > 0 && len(got) != 1 {
			t.Errorf("%s: %d failures: %q", name, len(got), got)
			continue
		}
		for _, part := range c.want {
			if text := strings.ReplaceAll(got[0], "\u00a0", " "); !strings.Contains(text, part) || len(text) > 2500 {
				t.Errorf("%s: %q lacks %q", name, text, part)
			}
		}
	}
}
