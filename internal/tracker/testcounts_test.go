package tracker_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// run records a run of tests on the default branch.
func (w *world) run(t *testing.T, name string, tests ...api.TestCounts) api.TestRun {
	t.Helper()
	out, err := w.RecordTestRun(t.Context(), w.owner, valid(api.RecordTestRun{Body: api.TestRunFields{
		WorkspaceID: &w.workspace, Run: name, DefaultBranch: true, Tests: tests}}))
	must(t, err)
	return out
}

// tests returns the tests of the workspace as suite/name runs/failed/flaky.
func (w *world) tests(t *testing.T, in api.ListTests) (all []string) {
	t.Helper()
	in.WorkspaceID, in.Limit = w.workspace, 2
	for {
		page, err := w.ListTests(t.Context(), w.owner, valid(in))
		must(t, err)
		for _, test := range page.Data {
			all = append(all, fmt.Sprintf("%s/%s %d/%d/%d", test.Suite, test.Name, test.Runs, test.Failed, test.Flaky))
		}
		if !page.Pagination.HasMore {
			return all
		}
		in.Cursor = *page.Pagination.Cursor
	}
}

func counts(suite, name string, passed, failed, flaky int64) api.TestCounts {
	return api.TestCounts{Suite: suite, Name: name, Passed: passed, Failed: failed, Flaky: flaky, DurationMs: 100 * int64(len(name))}
}

// TestCountedTests: runs are added up by test, each part of a run once; the lists are in their orders, by suite and by
// branch, page by page.
func TestCountedTests(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		assert.Equal(t, "tests before a run", len(w.tests(t, api.ListTests{Sort: "newest"})), 0)
		first := []api.TestCounts{counts("cart", "adds", 1, 0, 0), counts("cart", "adds", 0, 1, 0), counts("cart", "opens slowly", 1, 0, 0),
			counts("shop", "pays", 0, 0, 1), counts("shop", "never", 0, 0, 0)}
		assert.Equal(t, "the first run", w.run(t, "1", first...), api.TestRun{WorkspaceID: w.workspace, Counted: true})
		assert.Equal(t, "the first run again", w.run(t, "1", first...), api.TestRun{WorkspaceID: w.workspace})
		_, err := w.RecordTestRun(t.Context(), w.owner, valid(api.RecordTestRun{Body: api.TestRunFields{WorkspaceID: &w.workspace,
			Run: "2", Tests: []api.TestCounts{counts("shop", "pays", 0, 3, 0)}}}))
		must(t, err)
		for name, c := range map[string]struct {
			in   api.ListTests
			want string
		}{
			"failed":  {api.ListTests{Sort: "failed"}, "shop/pays 4/3/1, cart/adds 2/1/0"},
			"flaky":   {api.ListTests{Sort: "flaky"}, "shop/pays 4/3/1"},
			"slowest": {api.ListTests{Sort: "slowest"}, "cart/opens slowly 1/0/0, cart/adds 2/1/0, shop/pays 4/3/1"},
			"suite": {api.ListTests{Sort: "slowest", TestFilters: api.TestFilters{Suite: "cart"}},
				"cart/opens slowly 1/0/0, cart/adds 2/1/0"},
			"default branch": {api.ListTests{Sort: "failed", TestFilters: api.TestFilters{Branch: "default"}}, "cart/adds 2/1/0"},
			"other branches": {api.ListTests{Sort: "failed", TestFilters: api.TestFilters{Branch: "other"}}, "shop/pays 3/3/0"},
		} {
			assert.Equal(t, name, strings.Join(w.tests(t, c.in), ", "), c.want)
		}
		s, err := w.GetTestStatistics(t.Context(), w.owner, valid(api.GetTestStatistics{
			TestFilters: api.TestFilters{WorkspaceID: w.workspace}}))
		must(t, err)
		assert.Equal(t, "days", len(s.Days), 30)
		today := s.Days[29]
		assert.Equal(t, "today", []int64{today.Runs, today.Failed, today.Flaky}, []int64{7, 4, 1})
		assert.Equal(t, "suites", []string{s.Suites[0].Suite, s.Suites[1].Suite}, []string{"shop", "cart"})
	})
}

// TestCountedTestsInParallel: of 32 shards at once, each sent twice, no count is lost and none is added twice.
func TestCountedTestsInParallel(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		var work sync.WaitGroup
		for shard := range 64 {
			work.Go(func() {
				_, err := w.RecordTestRun(t.Context(), w.owner, valid(api.RecordTestRun{Body: api.TestRunFields{
					WorkspaceID: &w.workspace, Run: fmt.Sprint("run 1, shard ", shard%32), DefaultBranch: true,
					Tests: []api.TestCounts{counts("all", "shared", 0, 1, 0), counts("all", fmt.Sprint("own ", shard%32), 1, 0, 0)}}}))
				if err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
		assert.Equal(t, "the failures", strings.Join(w.tests(t, api.ListTests{Sort: "failed"}), ", "), "all/shared 32/32/0")
		assert.Equal(t, "tests", len(w.tests(t, api.ListTests{Sort: "newest"})), 33)
	})
}

// TestOldTestsAreForgotten: a day counts for 30 days. A test without a later run is gone then, and a run before that
// is refused.
func TestOldTestsAreForgotten(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.run(t, "1", counts("cart", "old", 1, 1, 0), counts("cart", "kept", 0, 1, 0))
		begin := w.now
		w.now = begin.AddDate(0, 0, 29)
		w.run(t, "2", counts("cart", "kept", 1, 1, 0))
		w.pass(t, 0)
		assert.Equal(t, "on the last day", len(w.tests(t, api.ListTests{Sort: "failed"})), 2)
		w.now = begin.AddDate(0, 0, 30)
		w.pass(t, 0)
		assert.Equal(t, "afterwards", strings.Join(w.tests(t, api.ListTests{Sort: "failed"}), ", "), "cart/kept 2/1/0")
		old := api.At(begin)
		_, err := w.RecordTestRun(t.Context(), w.owner, valid(api.RecordTestRun{Body: api.TestRunFields{WorkspaceID: &w.workspace,
			Run: "3", FinishedAt: &old, Tests: []api.TestCounts{counts("cart", "old", 1, 0, 0)}}}))
		assert.Contains(t, "a run of that day", fmt.Sprint(err), "within the last 30 days")
	})
}

// TestReportsOfTests: a test leads to its report while that exists, and never to one of another workspace. Secrets in
// names are removed.
func TestReportsOfTests(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		report := w.file(t, "cart is wrong", "")
		other, err := w.CreateWorkspace(t.Context(), w.owner, valid(api.CreateWorkspace{
			Body: api.WorkspaceFields{Name: "Two", Key: "TWO"}}))
		must(t, err)
		theirs, err := w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &other.ID,
			SliceFields: api.SliceFields{Summary: "a secret"}}}))
		must(t, err)
		broken, foreign := counts("cart", "adds", 0, 2, 0), counts("cart", "opens", 0, 1, 0)
		broken.SliceID, foreign.SliceID = &report.ID, &theirs.ID
		w.run(t, "1", broken, foreign, counts("cart", "password=hunter2hunter2", 0, 1, 0))
		list := func() (found []string) {
			page, err := w.ListTests(t.Context(), w.owner, valid(api.ListTests{Paging: ten, Sort: "failed",
				TestFilters: api.TestFilters{WorkspaceID: w.workspace}}))
			must(t, err)
			for _, test := range page.Data {
				assert.Equal(t, "days of "+test.Name, len(test.Days), 1)
				if strings.Contains(test.Name, "hunter2") {
					t.Errorf("a secret is stored: %q", test.Name)
				}
				if test.Slice != nil {
					found = append(found, test.Slice.Reference)
				}
			}
			return found
		}
		assert.Equal(t, "reports", list(), []string{report.Reference})
		_, err = w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: report.ID}))
		must(t, err)
		assert.Equal(t, "reports after the deletion", len(list()), 0)
	})
}
