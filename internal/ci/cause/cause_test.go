package cause_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/ci/cause"
	"bugslice/internal/ci/results"
)

const (
	first  = "../results/testdata/runners"
	second = "testdata/again"
)

func of(t *testing.T, file string) []cause.Cause {
	t.Helper()
	run, err := results.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return cause.Of(run)
}

// listed returns causes as lines: fingerprint, scope and tests.
func listed(causes []cause.Cause) []string {
	var lines []string
	for _, c := range causes {
		var tests []string
		for _, test := range c.Tests {
			tests = append(tests, test.Case.Name+" "+test.Fingerprint)
		}
		slices.Sort(tests)
		lines = append(lines, fmt.Sprintf("%s %s %s", c.Fingerprint, c.Scope, tests))
	}
	slices.Sort(lines)
	return lines
}

// TestTwoRuns: two runs of real runners, in different folders, with other ports, addresses, times and processes, have
// the same causes.
func TestTwoRuns(t *testing.T) {
	files, err := filepath.Glob(second + "/*/*")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d files are of a second run: %v", len(files), err)
	}
	for _, file := range files {
		name, err := filepath.Rel(second, file)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, name, listed(of(t, file)), listed(of(t, filepath.Join(first, name))))
	}
}
