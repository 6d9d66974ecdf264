// Package assert reports how a value differs from the one that a test wants. It serves tests alone.
package assert

import (
	"reflect"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// T is the part of testing.TB that a check needs.
type T interface {
	Helper()
	Errorf(format string, args ...any)
}

// everything compares unexported fields, too.
var everything = cmp.Exporter(func(reflect.Type) bool { return true })

// Equal reports the difference between got and want.
func Equal(t T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, everything); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

// Contains reports the parts that a text lacks.
func Contains(t T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %q: %s", what, part, shortened(text))
		}
	}
}

// NotContains reports the parts that a text must not have.
func NotContains(t T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if i := strings.Index(text, part); i >= 0 {
			t.Errorf("%s contains %q: …%s", what, part, shortened(text[max(0, i-100):]))
		}
	}
}

func shortened(text string) string {
	if len(text) > 2000 {
		return text[:2000] + "…"
	}
	return text
}
