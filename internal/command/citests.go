package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"bugslice/api"
	"bugslice/internal/ci/finding"
)

// The limits of a request that counts tests.
const (
	testsPerPart = 5000
	bytesPerPart = 2 << 20
	maxRunTests  = 100_000 // of a job; the others are not counted
)

// countTests sends how the tests of the job ended, in parts that the server counts once each.
func (r *ciRun) countTests(ctx context.Context) {
	if r.away != nil || r.s.dryRun || !r.mayFile(r.found.Job) {
		return
	}
	tests := r.found.Counts
	if more := len(tests) - maxRunTests; more > 0 {
		r.note("%d tests are not counted: a job counts at most %d.", more, maxRunTests)
		tests = tests[:maxRunTests]
	}
	leftOut := 0
	for part := 0; len(tests) > 0; part++ {
		n := partOf(tests)
		out, err := r.api.RecordTestRun(ctx, r.testRun(part, tests[:n]))
		tests = tests[n:]
		if p, ok := errors.AsType[*api.Problem](err); ok && p.Status == http.StatusNotFound {
			r.note("The tests are not counted: the server is older than this client.")
			return
		}
		if isRefusal(err) {
			r.fault("The tests are not counted: %s", err)
			return
		}
		if err != nil {
			r.fail(err)
			return
		}
		leftOut += out.LeftOut
	}
	if leftOut > 0 {
		r.note("%d new tests are not counted: the workspace has 100,000.", leftOut)
	}
}

// partOf returns how many of the first tests one request counts.
func partOf(tests []finding.Count) int {
	bytes := 0
	for i, t := range tests[:min(len(tests), testsPerPart)] {
		if bytes += len(t.Suite) + len(t.Name) + 200; bytes > bytesPerPart {
			return max(i, 1)
		}
	}
	return min(len(tests), testsPerPart)
}

// testRun returns the request of a part of the tests.
func (r *ciRun) testRun(part int, tests []finding.Count) api.RecordTestRun {
	at := api.At(r.found.At)
	in := api.RecordTestRun{Body: api.TestRunFields{WorkspaceID: r.where, FinishedAt: &at, Run: r.runKey(part),
		DefaultBranch: r.found.Job.OnDefaultBranch()}}
	for _, t := range tests {
		c := api.TestCounts{Suite: t.Suite, Name: t.Name, Passed: t.Passed, Failed: t.Failed, Flaky: t.Flaky,
			DurationMs: max(t.Duration.Milliseconds(), 0)}
		if id := r.reported[t.ID]; id != "" && t.Failed > 0 {
			c.SliceID = &id
		}
		in.Body.Tests = append(in.Body.Tests, c)
	}
	return in
}

// runKey names a part of the run. Without the id of a run it is that of these results, also when they are sent later.
func (r *ciRun) runKey(part int) string {
	key := r.found.Key("tests")
	if key == "" {
		key = fmt.Sprint("ci-", r.found.At.UnixNano())
	}
	return fmt.Sprintf("%s/%d", key, part)
}
