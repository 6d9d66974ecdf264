// Package failing keeps, in the metadata of a report, which tests fail because of its bug, how often each has passed
// since, and how often the bug came back. Jobs change it by merge patches that are based on an ETag, so that of jobs
// that run at once none overwrites what another has written.
//
// A report has at most MaxTests tests; further ones are left out.
package failing

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The names of the metadata.
const (
	Reopened   = "ci.reopened"   // how often the bug came back after it was fixed
	ReopenedIn = "ci.reopenedIn" // the run that found it back last, whose other jobs do not count it again
	Flaky      = "ci.flaky"      // how often a test of the bug passed only when it ran again
	FixedBy    = "ci.fixedBy"    // the commit with which the tests passed again
	tests      = "ci.failing."   // with a digit: the tests
)

const (
	maxValues = 10
	maxValue  = 500 // characters of a value of metadata
	// MaxTests is how many tests of a report are kept.
	MaxTests = maxValues * (maxValue / len("0123456789ab+99 "))
)

// Set has tests that fail, each with the number of its passes since it failed last.
type Set map[string]int

// item is a test in the metadata: its identity, and its passes unless there are none.
var item = regexp.MustCompile(`^([0-9a-f]{12})(?:\+([1-9][0-9]?))?$`)

// Of returns the tests in the metadata of a report. It ignores what has another form.
func Of(metadata map[string]string) Set {
	set := Set{}
	for i := range maxValues {
		for _, word := range strings.Fields(metadata[tests+strconv.Itoa(i)]) {
			if m := item.FindStringSubmatch(word); m != nil {
				set[m[1]], _ = strconv.Atoi(m[2])
			}
		}
	}
	return set
}

// Add adds tests that fail, and forgets their passes. It reports whether the set has changed.
func (s Set) Add(ids ...string) (changed bool) {
	for _, id := range ids {
		if passes, ok := s[id]; ok && passes == 0 || !ok && len(s) >= MaxTests {
			continue
		}
		s[id], changed = 0, true
	}
	return changed
}

// Pass counts a pass of each of some tests, and takes those out that have passed often enough. It reports whether the
// set has changed.
func (s Set) Pass(passed func(id string) bool, enough int) (changed bool) {
	for id := range s {
		if !passed(id) {
			continue
		}
		changed = true
		if s[id] = min(s[id]+1, 99); s[id] >= enough {
			delete(s, id)
		}
	}
	return changed
}

// Metadata returns the pairs of a new report.
func (s Set) Metadata() map[string]string {
	pairs := map[string]string{}
	var value strings.Builder
	for _, id := range slices.Sorted(maps.Keys(s)) {
		word := id
		if s[id] > 0 {
			word = fmt.Sprintf("%s+%d", id, s[id])
		}
		if value.Len() > 0 && value.Len()+1+len(word) > maxValue {
			pairs[tests+strconv.Itoa(len(pairs))] = value.String()
			value.Reset()
		}
		if value.Len() > 0 {
			value.WriteByte(' ')
		}
		value.WriteString(word)
	}
	if value.Len() > 0 {
		pairs[tests+strconv.Itoa(len(pairs))] = value.String()
	}
	return pairs
}

// Patch returns the merge patch that makes the metadata of a report that of the set.
func (s Set) Patch(metadata map[string]string) map[string]any {
	patch := map[string]any{}
	for name := range metadata {
		if strings.HasPrefix(name, tests) {
			patch[name] = nil
		}
	}
	for name, value := range s.Metadata() {
		if patch[name] = value; metadata[name] == value {
			delete(patch, name)
		}
	}
	return patch
}

// Count returns the number of a name in the metadata; 0 for none.
func Count(metadata map[string]string, name string) int {
	n, err := strconv.Atoi(metadata[name])
	if err != nil {
		return 0
	}
	return max(n, 0)
}
