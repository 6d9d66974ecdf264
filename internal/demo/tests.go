package demo

import (
	"context"
	"fmt"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// demoTests are the tests of the demo: of every run, how many of a hundred fail and how many are flaky.
var demoTests = []struct {
	suite, name   string
	failed, flaky int
	duration      time.Duration
	age           int // days since the first run; 0 for as long as the demo goes back
}{
	{suite: "e2e/checkout", name: "pays with a discount code", failed: 18, flaky: 6, duration: 14 * time.Second},
	{suite: "e2e/checkout", name: "keeps the cart after signing in", failed: 4, flaky: 15, duration: 11 * time.Second},
	{suite: "e2e/checkout", name: "shows the total with tax", flaky: 3, duration: 8 * time.Second},
	{suite: "e2e/search", name: "finds a product by its synonym", failed: 9, duration: 6 * time.Second},
	{suite: "e2e/search", name: "suggests while typing", flaky: 22, duration: 7 * time.Second},
	{suite: "e2e/account", name: "resets a password", failed: 1, duration: 9 * time.Second},
	{suite: "unit/cart", name: "adds an item", duration: 3 * time.Millisecond},
	{suite: "unit/cart", name: "rounds to the smallest coin", failed: 2, duration: 2 * time.Millisecond},
	{suite: "unit/cart", name: "refuses a negative amount", duration: 2 * time.Millisecond, age: 4},
	{suite: "unit/prices", name: "converts currencies", duration: 40 * time.Millisecond},
	{suite: "unit/prices", name: "reads a price list", duration: 900 * time.Millisecond, age: 12},
}

// countTests counts four runs a day of the tests of the demo, of which one is on another branch. The first failing test
// has a report.
func countTests(ctx context.Context, service *tracker.Tracker, c access.Caller, sliceID string) error {
	now := time.Now()
	for day := range 30 {
		for run := range 4 {
			at := api.At(now.Add(-time.Duration(day)*24*time.Hour - time.Duration(run)*time.Minute))
			body := api.TestRunFields{Run: fmt.Sprint("demo ", day, "/", run), FinishedAt: &at, DefaultBranch: run > 0}
			body.Tests = countsOf(day, run, sliceID)
			in, err := input.Check(api.RecordTestRun{Body: body})
			if err == nil {
				_, err = service.RecordTestRun(ctx, c, in)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// countsOf returns the counts of a run so many days ago, which are the same in every demo.
func countsOf(day, run int, sliceID string) (all []api.TestCounts) {
	for i, t := range demoTests {
		if t.age > 0 && day > t.age {
			continue
		}
		n := api.TestCounts{Suite: t.suite, Name: t.name, Passed: 1, DurationMs: t.duration.Milliseconds()}
		switch chance := (day*4+run)*37%100 + i*13%7; {
		case chance < t.failed:
			n.Passed, n.Failed = 0, 1
			if i == 0 {
				n.SliceID = &sliceID
			}
		case chance < t.failed+t.flaky:
			n.Passed, n.Flaky = 0, 1
		}
		all = append(all, n)
	}
	return all
}
