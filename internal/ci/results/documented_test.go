package results_test

import (
	"path/filepath"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/ci/results"
)

// documented are forms of runners that cannot be had here, written as their documentation says. They are in
// testdata/documented.
var documented = []struct {
	file   string
	format results.Format
	want   results.Totals
	last   results.Case // of the file
}{
	{"nunit3.xml",
		results.NUnit, results.Totals{Tests: 5, Failures: 1, Errors: 2, Skipped: 1}, results.Case{
			Name: "Raises", Class: "Shop.Basket", Duration: 250 * time.Millisecond, Outcome: results.Errored, Runs: 1,
			Output: "opened the basket",
			Failures: []results.Failure{{Message: "System.IO.IOException : no disk", Type: "System.IO.IOException",
				Stack: "System.IO.IOException : no disk\nat Shop.Basket.Raises()"}},
			Attachments: []results.Attachment{{Name: "the shop", Path: `C:\shop\screen.png`}},
		}},
	{"nunit2.xml",
		results.NUnit, results.Totals{Tests: 3, Failures: 1, Skipped: 1}, results.Case{
			Name: "Fails(1.5)", Class: "Shop.Basket", Duration: 2 * time.Millisecond, Outcome: results.Failed, Runs: 1,
			Failures: []results.Failure{{Message: "wrong", Stack: "wrong"}},
		}},
	{"xunit.xml",
		results.XUnit, results.Totals{Tests: 4, Failures: 1, Errors: 1, Skipped: 1}, results.Case{
			Name: "Fails(n: 1)", Class: "Shop.Basket", Duration: 10 * time.Millisecond,
			Outcome: results.Failed, Runs: 1,
			Failures: []results.Failure{{Message: "Assert.Equal() Failure", Type: "Xunit.Sdk.EqualException",
				Stack: "Assert.Equal() Failure\nat Shop.Basket.Fails"}},
			Properties: []results.Property{{Name: "area", Value: "basket"}},
		}},
	{"mstest.trx",
		results.TRX, results.Totals{Tests: 3, Failures: 1, Skipped: 1}, results.Case{
			Name: "Fails", Class: "Shop.Basket", Duration: 61500 * time.Millisecond, Outcome: results.Failed, Runs: 1,
			Output: "opened the basket",
			Failures: []results.Failure{{Message: "Assert.AreEqual failed.",
				Stack: "Assert.AreEqual failed.\nat Shop.Basket.Fails()"}},
			Attachments: []results.Attachment{{Path: "ci/screen.png"}},
		}},
	{"nextest.xml",
		results.JUnit, results.Totals{Tests: 2, Flaky: 1}, results.Case{
			Name: "tests::is_flaky", Class: "shop", Duration: 100 * time.Millisecond, Outcome: results.Flaky, Runs: 1,
			Attempts: []results.Attempt{{Output: "running 1 test", Failures: []results.Failure{{
				Message: "thread 'tests::is_flaky' panicked at src/lib.rs:9:9: no answer",
				Type:    "test failure with exit code 101",
				Stack:   "thread panicked",
			}}}},
		}},
	{"bazel.xml",
		results.JUnit, results.Totals{Tests: 1, Errors: 1}, results.Case{
			Name: "//shop:test", Duration: 2 * time.Second, Outcome: results.Errored, Runs: 1,
			Output:   "Generated test.log:no lamp in stock",
			Failures: []results.Failure{{Message: "exited with error code 1"}},
		}},
	{"xcode.xml",
		results.JUnit, results.Totals{Tests: 2, Flaky: 1}, results.Case{
			Name: "testFails()", Class: "BasketTests", Duration: 400 * time.Millisecond,
			Outcome: results.Flaky, Runs: 2,
			Attempts: []results.Attempt{{Failures: []results.Failure{{
				Message: `XCTAssertEqual failed: ("2") is not equal to ("3") (BasketTests.swift#EndingLineNumber=12)`,
			}}}},
		}},
}

// TestDocumented: the forms of other runners are read as their documentation says.
func TestDocumented(t *testing.T) {
	for _, d := range documented {
		t.Run(d.file, func(t *testing.T) {
			run, err := results.ReadFile(filepath.Join("testdata/documented", d.file))
			if err != nil {
				t.Fatal(err)
			}
			assert.Equal(t, "the format", run.Format, d.format)
			assert.Equal(t, "the faults", len(run.Faults), 0)
			assert.Equal(t, "the totals", run.Totals(), d.want)
			all := cases(run)
			assert.Equal(t, "the last test", *all[len(all)-1], d.last)
		})
	}
}
