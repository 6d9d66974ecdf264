package results_test

import (
	"strings"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/ci/results"
)

// one is what a stream says of its last test.
type one struct {
	outcome         results.Outcome
	name, message   string
	reason          string
	total, ofSuites int
}

func lastOf(run *results.Run) one {
	all := cases(run)
	last := all[len(all)-1]
	o := one{outcome: last.Outcome, name: last.Name, reason: last.Reason, total: len(all)}
	if len(last.Failures) > 0 {
		o.message = last.Failures[0].Message
	}
	for _, c := range all {
		if c.OfSuite {
			o.ofSuites++
		}
	}
	return o
}

// TestTAP: directives, plans and subtests are read as TAP says.
func TestTAP(t *testing.T) {
	for _, c := range []struct {
		stream string
		want   one
	}{
		{"1..1\nok", one{name: "test 1", total: 1}},
		{"TAP version 14\nok 1 - a \\# b # time=5ms\n1..1", one{name: "a # b", total: 1}},
		{"1..1\nok 1 - a # SKIP no printer", one{outcome: results.Skipped, name: "a", reason: "no printer", total: 1}},
		{"1..1\nnot ok 1 - a # todo later", one{outcome: results.Skipped, name: "a", reason: "later", total: 1}},
		{"1..1\nok 1 - a # Todo later", one{name: "a", total: 1}},
		{"1..0 # Skipped: no printer", one{outcome: results.Skipped, name: "r",
			reason: "no printer", total: 1, ofSuites: 1}},
		{"1..2\nok 1 - a\nBail out! no database\nok 2", one{name: "test 2", total: 3, ofSuites: 1}},
		{"1..1\nnot ok 1 - a\n  ---\n  message: 'it''s wrong'\n  severity: fail\n  ...\n",
			one{outcome: results.Failed, name: "a", message: "it's wrong", total: 1}},
		{"1..1\nnot ok 1 - a\n  ---\n  message: \"two\\nlines\"\n", // the block does not end
			one{outcome: results.Failed, name: "a", message: "a", total: 1}},
		{"1..1\n    not ok 1 - inner\n    1..1\nnot ok 1 - outer",
			one{outcome: results.Failed, name: "inner", message: "inner", total: 1}},
		{"1..1\n    ok 1 - inner\n    1..1\nnot ok 1 - outer\n# its teardown failed",
			one{outcome: results.Errored, name: "outer", message: "its teardown failed", total: 2, ofSuites: 1}},
		{"1..1\nnot ok 1 - outer {\n    1..2\n    not ok 1 - inner\n    ok 2 - other\n}",
			one{name: "other", total: 2}},
	} {
		assert.Equal(t, c.stream, lastOf(results.ReadAs(results.TAP, "r", strings.NewReader(c.stream))), c.want)
	}
}

// TestGo: what stops a package is a failure of the test that ran, or of the package.
func TestGo(t *testing.T) {
	event := func(action, test, output string) string {
		return `{"Action":"` + action + `","Package":"p","Test":"` + test + `","Output":"` + output + `"}` + "\n"
	}
	for name, c := range map[string]struct {
		stream string
		want   one
	}{
		"a time-out": {event("run", "TestA", "") +
			event("output", "TestA", `panic: test timed out after 1s\n`) + event("fail", "", ""),
			one{outcome: results.Errored, name: "TestA", message: "panic: test timed out after 1s", total: 1}},
		"an exit": {event("run", "TestA", "") +
			event("output", "", `exit status 3\nFAIL\tp\t0.1s\n`) + event("fail", "", ""),
			one{outcome: results.Errored, name: "TestA", total: 1,
				message: "TestA did not end: the package ended while the test ran"}},
		"a truncated stream": {event("run", "TestA", "") +
			event("output", "TestA", `    a_test.go:3: opened\n`),
			one{outcome: results.Errored, name: "TestA", message: "opened", total: 1}},
		"TestMain": {event("pass", "TestA", "") +
			event("output", "", `no database\nFAIL\tp\t0.1s\n`) + event("fail", "", ""),
			one{outcome: results.Errored, name: "p", message: "no database", total: 2, ofSuites: 1}},
		"a build before Go 1.24": {"# p\np/a.go:1:2: undefined: b\n" +
			event("output", "", `FAIL\tp [build failed]\n`) + event("fail", "", ""),
			one{outcome: results.Errored, name: "p", message: "# p\np/a.go:1:2: undefined: b", total: 1, ofSuites: 1}},
		"a test that runs three times": {event("fail", "TestA", "") + event("pass", "TestA", "") +
			event("pass", "TestA", ""), one{outcome: results.Flaky, name: "TestA", total: 1}},
		"a race": {event("output", "TestA", `WARNING: DATA RACE\n`) +
			event("output", "TestA", `--- FAIL: TestA (0.00s)\n`) + event("fail", "TestA", ""),
			one{outcome: results.Failed, name: "TestA", message: "WARNING: DATA RACE", total: 1}},
		"testify": {event("output", "TestA", `    a_test.go:3: \n`) +
			event("output", "TestA", `        \tError:      \tNot equal\n`) +
			event("fail", "TestA", ""),
			one{outcome: results.Failed, name: "TestA", message: "Error:      \tNot equal", total: 1}},
	} {
		assert.Equal(t, name, lastOf(results.ReadAs(results.GoTest, "r", strings.NewReader(c.stream))), c.want)
	}
}
