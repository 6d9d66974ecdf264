package results_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/ci/results"
)

// samples are the files that runners wrote on projects of this package (scripts/ci-samples), each with the line in
// which the runner printed its totals, and what is read.
var samples = []struct {
	file, printed string
	want          results.Totals
	suites        int // failures of suites, which are among the errors or failures
	attachments   int
}{
	{"pytest/junit.xml", "3 failed, 3 passed, 1 skipped, 1 xfailed, 1 warning, 2 errors, 1 rerun",
		results.Totals{Tests: 10, Failures: 3, Errors: 2, Skipped: 2}, 0, 1},
	{"pytest/junit-xunit1.xml", "3 failed, 3 passed, 1 skipped, 1 xfailed, 1 warning, 2 errors",
		results.Totals{Tests: 10, Failures: 3, Errors: 2, Skipped: 2}, 0, 2},
	{"unittest/junit.xml", "FAILED (failures=3, errors=2, skipped=1)",
		results.Totals{Tests: 7, Failures: 3, Errors: 2, Skipped: 1}, 0, 0},
	{"jest/junit.xml", "4 failed, 1 skipped, 1 todo, 2 passed, 8 total", // and a file that cannot be loaded
		results.Totals{Tests: 9, Failures: 5, Skipped: 1}, 0, 0},
	{"jest/ctrf.json", "4 failed, 1 skipped, 1 todo, 2 passed, 8 total",
		results.Totals{Tests: 8, Failures: 4, Skipped: 2, Flaky: 1}, 0, 0},
	{"vitest/junit.xml", "2 failed | 2 passed | 3 skipped (7)", // and a file and a block that cannot be run
		results.Totals{Tests: 9, Failures: 4, Skipped: 3}, 0, 0},
	{"vitest/results.tap", "2 failed | 2 passed | 3 skipped (7)",
		results.Totals{Tests: 9, Failures: 3, Errors: 1, Skipped: 3}, 1, 0},
	{"mocha/junit.xml", "4 failing", // mocha-junit-reporter leaves out the pending test
		results.Totals{Tests: 6, Failures: 4}, 0, 1},
	{"mocha/xunit.xml", "4 failing", results.Totals{Tests: 7, Failures: 4, Skipped: 1}, 0, 0},
	{"mocha/results.tap", "4 failing", results.Totals{Tests: 7, Failures: 4, Skipped: 1}, 0, 0},
	{"playwright/junit.xml", "3 failed", results.Totals{Tests: 7, Failures: 1, Errors: 2, Skipped: 2}, 0, 9},
	{"playwright/ctrf.json", "1 flaky", results.Totals{Tests: 7, Failures: 3, Skipped: 2, Flaky: 1}, 0, 4},
	{"karma/junit.xml", "TOTAL: 2 FAILED, 1 SUCCESS", results.Totals{Tests: 4, Failures: 2, Skipped: 1}, 0, 0},
	{"node/junit.xml", "fail 2", results.Totals{Tests: 7, Failures: 4, Skipped: 2}, 0, 0}, // of which 2 are cancelled
	{"node/results.tap", "fail 2", results.Totals{Tests: 8, Failures: 2, Errors: 1, Skipped: 4}, 1, 0},
	{"tape/results.tap", "# fail  1", results.Totals{Tests: 2, Failures: 1}, 0, 0},
	{"cucumber/junit.xml", "4 scenarios (1 failed, 1 undefined, 2 passed)",
		results.Totals{Tests: 4, Failures: 2}, 0, 0},
	{"gotest/go.json", "DONE 10 tests, 1 skipped, 6 failures, 1 error", // TestFlaky failed in this one
		results.Totals{Tests: 11, Failures: 5, Errors: 2, Skipped: 1}, 1, 1},
	{"gotest/junit.xml", "DONE 10 tests, 1 skipped, 6 failures, 1 error",
		results.Totals{Tests: 11, Failures: 6, Skipped: 1}, 1, 0},
	{"gotest/rerun.json", "", results.Totals{Tests: 8, Failures: 4, Skipped: 1, Flaky: 1}, 0, 0},
	{"gotest/rerun.xml", "", results.Totals{Tests: 8, Failures: 4, Skipped: 1, Flaky: 1}, 0, 0},
	{"ginkgo/junit.xml", "2 Passed | 4 Failed | 1 Flaked | 1 Pending | 1 Skipped",
		results.Totals{Tests: 8, Failures: 3, Errors: 1, Skipped: 2, Flaky: 1}, 0, 0},
	{"phpunit/junit.xml", "Tests: 7, Assertions: 4, Errors: 1, Failures: 2, Skipped: 1, Risky: 1.",
		results.Totals{Tests: 7, Failures: 2, Errors: 2, Skipped: 1}, 0, 0},
	{"rspec/junit.xml", "7 examples, 4 failures, 2 pending", results.Totals{Tests: 7, Failures: 4, Skipped: 2}, 0, 0},
	{"ctest/junit.xml", "6 tests failed out of 9", // of which 2 did not run because their setup failed
		results.Totals{Tests: 10, Failures: 3, Errors: 1, Skipped: 4}, 0, 0},
	{"catch2/junit.xml", "test cases: 4 | 1 passed | 2 failed | 1 failed as expected", // and a section
		results.Totals{Tests: 5, Failures: 2, Errors: 1, Skipped: 1}, 0, 0},
	{"gtest/junit.xml", " 4 FAILED TESTS", results.Totals{Tests: 7, Failures: 4, Skipped: 2}, 0, 1},
	{"bats/junit.xml", "4 tests, 2 failures, 1 skipped", results.Totals{Tests: 4, Failures: 2, Skipped: 1}, 0, 0},
	{"bats/results.tap", "4 tests, 2 failures, 1 skipped", results.Totals{Tests: 4, Failures: 2, Skipped: 1}, 0, 0},
	{"prove/junit.xml", "Files=2, Tests=6", // TAP::Formatter::JUnit marks no skip; one file ended early
		results.Totals{Tests: 7, Failures: 2, Errors: 1}, 1, 0},
	{"prove/shop.tap", "shop.t (Wstat: 512 (exited 2) Tests: 5 Failed: 2)", // a subtest for its parent, with another
		results.Totals{Tests: 6, Failures: 2, Skipped: 2}, 0, 0},
	{"prove/dies.tap", "You planned 3 tests but ran 1.", results.Totals{Tests: 2, Errors: 1}, 1, 0},
	{"junit5/TEST-junit-jupiter.xml", "5 tests failed", // and 2 of a class whose setup failed
		results.Totals{Tests: 10, Failures: 2, Errors: 5, Skipped: 1}, 0, 0},
	{"ant/TEST-ShopTest.xml", "Tests run: 5, Failures: 2, Errors: 1, Skipped: 1",
		results.Totals{Tests: 5, Failures: 2, Errors: 1, Skipped: 1}, 0, 0},
	{"surefire/TEST-ShopTest.xml", "Tests run: 5, Failures: 1, Errors: 1, Skipped: 1, Flakes: 1",
		results.Totals{Tests: 5, Failures: 1, Errors: 1, Skipped: 1, Flaky: 1}, 0, 0},
	{"rust/junit.xml", "1 passed; 2 failed; 1 ignored", results.Totals{Tests: 3, Failures: 2}, 0, 0}, // without ignored
}

const runners = "testdata/runners"

// TestRunners: what runners write is read with the totals that they print, and each failure has a message.
func TestRunners(t *testing.T) {
	for _, sample := range samples {
		t.Run(sample.file, func(t *testing.T) {
			run, err := results.ReadFile(filepath.Join(runners, sample.file))
			if err != nil {
				t.Fatal(err)
			}
			printed, err := os.ReadFile(filepath.Join(runners, filepath.Dir(sample.file), "console.txt"))
			if err != nil {
				t.Fatal(err)
			}
			assert.Contains(t, "what the runner printed", string(printed), sample.printed)
			assert.Equal(t, "the totals", run.Totals(), sample.want)
			suites, attachments := 0, 0
			for _, c := range cases(run) {
				attachments += len(c.Attachments)
				if c.OfSuite {
					suites++
				}
				checkCase(t, c)
			}
			assert.Equal(t, "the failures of suites", suites, sample.suites)
			assert.Equal(t, "the attachments", attachments, sample.attachments)
			if len(run.Faults) > 0 && sample.file != "prove/dies.tap" {
				t.Errorf("the faults are %v", run.Faults)
			}
		})
	}
}

func cases(run *results.Run) []*results.Case {
	var all []*results.Case
	for _, s := range run.Suites {
		all = append(all, s.Cases...)
	}
	return all
}

// checkCase checks what holds for each test.
func checkCase(t *testing.T, c *results.Case) {
	t.Helper()
	if c.Name == "" {
		t.Error("a test has no name")
	}
	if c.Outcome.Broken() != (len(c.Failures) > 0) {
		t.Errorf("%s has %d failures and is %s", c.Name, len(c.Failures), c.Outcome)
	}
	for _, f := range c.Failures {
		if f.Message == "" && !c.Parent {
			t.Errorf("a failure of %s has no message: %s", c.Name, f.Stack)
		}
		assert.NotContains(t, "the message of "+c.Name, f.Message, "\x1b", "␛", "#x1B")
	}
}

// TestEachSample: no file of a runner is left out.
func TestEachSample(t *testing.T) {
	files, err := filepath.Glob(runners + "/*/*")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, sample := range samples {
		listed[sample.file] = true
	}
	for _, file := range files {
		name := strings.TrimPrefix(filepath.ToSlash(file), runners+"/")
		if !listed[name] && filepath.Base(name) != "console.txt" {
			t.Errorf("%s is not among the samples", name)
		}
	}
}

// TestDocument: the table of docs/ci.md has what is read of each sample.
func TestDocument(t *testing.T) {
	document, err := os.ReadFile("../../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		row := fmt.Sprintf("| %s | `%s` | %d | %d | %d | %d | %d | %d |", filepath.Dir(s.file), filepath.Base(s.file),
			s.want.Tests, s.want.Failures, s.want.Errors, s.want.Skipped, s.want.Flaky, s.attachments)
		assert.Contains(t, "docs/ci.md", string(document), row)
	}
}

// find returns the test of a file whose name ends so.
func find(t *testing.T, file, name string) *results.Case {
	t.Helper()
	run, err := results.ReadFile(filepath.Join(runners, file))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases(run) {
		if strings.HasSuffix(c.Name, name) {
			return c
		}
	}
	t.Fatalf("%s has no test %s", file, name)
	return nil
}

// TestMessages: the message of a failure is the one that a person would name, wherever the runner writes it.
func TestMessages(t *testing.T) {
	for _, c := range []struct{ file, name, message string }{
		{"pytest/junit.xml", "test_first_error",
			"failed on setup with \"ConnectionError: cannot connect to 127.0.0.1:"},
		{"pytest/junit.xml", "test_attachment", "AssertionError: the picture differs <&>\nassert False"},
		{"unittest/junit.xml", "test_raises", "'lamp'"},
		{"jest/junit.xml", "basket throws", "TypeError: Cannot read properties of undefined (reading 'price')"},
		{"vitest/junit.xml", "basket > fails", "expected { lamps: 2 } to deeply equal { lamps: 3 }"},
		{"vitest/results.tap", "fails", "expected { lamps: 2 } to deeply equal { lamps: 3 }"},
		{"mocha/results.tap", "picture", "the picture differs"},
		{"playwright/ctrf.json", "fails", "Error: expect(locator).toHaveText(expected) failed"},
		{"karma/junit.xml", "throws", "TypeError: Cannot read properties of undefined (reading 'price')"},
		{"node/results.tap", "orders", "cannot connect to 127.0.0.1:5432"},
		{"tape/results.tap", "has three lamps", "deepEqual\nactual: { lamps: 2 }\nexpected: { lamps: 3 }"},
		{"gotest/go.json", "TestPrice/-1", "price -1 is negative"},
		{"gotest/go.json", "TestPanics", "panic: assignment to entry in nil map"},
		{"gotest/go.json", "prices",
			"# example.com/shop/prices [example.com/shop/prices.test]\nprices/broken_test.go:5:36: undefined"},
		{"gotest/junit.xml", "TestPrice/-1", "price -1 is negative"},
		{"gotest/junit.xml", "TestMain", "FAIL\texample.com/shop/prices [build failed]"},
		{"phpunit/junit.xml", "testThrows", "RuntimeException: cannot connect to 127.0.0.1:"},
		{"ctest/junit.xml", "setup", "cannot connect to 127.0.0.1:5432"},
		{"ctest/junit.xml", "not_found", "Unable to find executable"},
		{"ctest/junit.xml", "slow", "the test failed without a message"},
		{"prove/shop.tap", "counts lamps", "Failed test 'counts lamps'"},
		{"surefire/TEST-ShopTest.xml", "fails", "the basket is wrong expected:<[3] lamps> but was:<[2] lamps>"},
		{"rust/junit.xml", "panics", "index out of bounds: the len is 0 but the index is 7"},
	} {
		found := find(t, c.file, c.name)
		if len(found.Failures) == 0 || !strings.HasPrefix(found.Failures[0].Message, c.message) {
			t.Errorf("%s of %s fails with %+v, not %q", c.name, c.file, found.Failures, c.message)
		}
	}
}

// TestFlaky: a test that failed and passed when it ran again has its failed runs.
func TestFlaky(t *testing.T) {
	for _, c := range []struct{ file, name, message string }{
		{"surefire/TEST-ShopTest.xml", "flaky", "the shop did not answer expected:<true> but was:<false>"},
		{"gotest/rerun.json", "TestFlaky", "the shop did not answer"},
		{"gotest/rerun.xml", "TestFlaky", "the shop did not answer"},
		{"playwright/ctrf.json", "is flaky", "Error: the shop did not answer"},
	} {
		found := find(t, c.file, c.name)
		assert.Equal(t, c.file, found.Outcome, results.Flaky)
		if len(found.Attempts) != 1 || found.Attempts[0].Failures[0].Message != c.message {
			t.Errorf("the failed runs of %s are %+v", c.file, found.Attempts)
		}
	}
	again := find(t, "surefire/TEST-ShopTest.xml", "fails")
	assert.Equal(t, "the failed runs before the last one", len(again.Attempts), 2)
	again = find(t, "gotest/rerun.json", "TestFails")
	assert.Equal(t, "how often a test ran", again.Runs, 3)
	run, err := results.ReadFile(filepath.Join(runners, "gotest/rerun.xml"))
	if err != nil {
		t.Fatal(err)
	}
	var runs results.Totals // gotestsum counts each run of a test
	for _, c := range cases(run) {
		runs.Tests += c.Runs
		runs.Failures += len(c.Failures) + len(c.Attempts)
	}
	assert.Equal(t, "the runs of all tests", runs, *run.Stated)
}
