package tracker

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store/testcounts"
)

const (
	testRetention = 30      // days for which the runs of tests are counted
	maxTests      = 100_000 // of a workspace
	maxTestSuites = 100     // of an answer
)

// RecordTestRun adds a run of tests to the counts of a workspace the caller sees, unless it was counted before.
func (t *Tracker) RecordTestRun(ctx context.Context, c access.Caller, v input.Valid[api.RecordTestRun],
) (api.TestRun, error) {
	var none api.TestRun
	in, err := v.Value(c.Allow(api.OpRecordTestRun))
	if err != nil {
		return none, err
	}
	q := t.access.Read(ctx)
	workspaceID, err := c.WorkspaceOrOwn(q, in.Body.WorkspaceID)
	if err == nil {
		err = errorOf(c.RoleIn(q, workspaceID))
	}
	if err != nil {
		return none, err
	}
	run := testcounts.Run{WorkspaceID: workspaceID, Name: in.Body.Run, Main: in.Body.DefaultBranch, At: t.clock(), Now: t.clock()}
	if at := in.Body.FinishedAt; at != nil && at.Before(run.Now.Time) {
		if run.At = *at; testcounts.DayOf(run.At) < t.firstTestDay() {
			return none, api.InvalidMember("/finishedAt", "out_of_range", "finishedAt must be within the last 30 days")
		}
	}
	if run.Tests, err = t.redactedTests(ctx, c, workspaceID, in.Body.Tests); err != nil {
		return none, err
	}
	return access.Write(ctx, t.access, c, api.OpRecordTestRun, func(tx *access.Tx, c access.Caller) (out api.TestRun, err error) {
		if _, err := c.RoleIn(tx.Queries, workspaceID); err != nil {
			return none, err
		}
		return idempotent(t, tx, c, in, func() (api.TestRun, error) {
			out.WorkspaceID = workspaceID
			out.Counted, out.LeftOut, err = tx.Tests().Count(run, maxTests)
			return out, err
		})
	})
}

// redactedTests returns tests without secrets in their names.
func (t *Tracker) redactedTests(ctx context.Context, c access.Caller, workspaceID string, tests []api.TestCounts,
) ([]api.TestCounts, error) {
	r, err := t.redactorFor(ctx, c, t.access.Read(ctx), workspaceID)
	if err != nil {
		return nil, err
	}
	slot, err := t.AcquireSlot(ctx, c)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	all := slices.Clone(tests)
	for i := range all {
		if i > 0 && tests[i].Suite == tests[i-1].Suite {
			all[i].Suite = all[i-1].Suite
		} else {
			all[i].Suite = r.Text(all[i].Suite, nil)
		}
		all[i].Name = r.Text(all[i].Name, nil)
	}
	return all, r.checkCost()
}

// firstTestDay returns the first day whose runs are counted.
func (t *Tracker) firstTestDay() int64 { return testcounts.DayOf(t.clock()) - testRetention + 1 }

// testFilter returns the filter of tests of a workspace the caller sees.
func (t *Tracker) testFilter(q access.Queries, c access.Caller, f api.TestFilters) (testcounts.Filter, error) {
	var named *string
	if f.WorkspaceID != "" {
		named = &f.WorkspaceID
	}
	id, err := c.WorkspaceOrOwn(q, named)
	if _, isProblem := errors.AsType[*api.Problem](err); isProblem {
		err = api.InvalidParameter("workspaceId", "required",
			"workspaceId is required, because a personal access token may reach several workspaces")
	}
	if err != nil {
		return testcounts.Filter{}, err
	}
	return testcounts.Filter{WorkspaceID: id, Suite: f.Suite, Branch: f.Branch}, errorOf(c.RoleIn(q, id))
}

// ListTests lists the tests that runs of a workspace the caller sees had in the last 30 days.
func (t *Tracker) ListTests(ctx context.Context, c access.Caller, v input.Valid[api.ListTests]) (api.Page[api.Test], error) {
	in, err := v.Value(c.Allow(api.OpListTests))
	if err != nil {
		return api.Page[api.Test]{}, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpListTests)
	if err != nil {
		return api.Page[api.Test]{}, err
	}
	defer slot.Release()
	orders := map[string]int64{}
	return listPage(t, c, listing[api.Test]{operation: api.OpListTests, parameters: in, paging: in.Paging, positionParts: 2,
		read: func(after []string, limit int) ([]api.Test, error) {
			q := t.access.Read(ctx)
			f, err := t.testFilter(q, c, in.TestFilters)
			if err != nil {
				return nil, err
			}
			position := testcounts.Position{ID: after[1]}
			position.Order, _ = strconv.ParseInt(after[0], 10, 64)
			rows, err := q.Tests().Tests(f, in.Sort, position, limit)
			if err != nil {
				return nil, err
			}
			for _, row := range rows {
				orders[row.ID] = row.Order
			}
			return t.fillTests(q, f, rows)
		},
		position: func(test api.Test) []string { return []string{strconv.FormatInt(orders[test.ID], 10), test.ID} },
	})
}

// fillTests returns tests with their days, and with the slices of their workspace.
func (t *Tracker) fillTests(q access.Queries, f testcounts.Filter, rows []testcounts.Test) ([]api.Test, error) {
	ids, sliceIDs := make([]string, len(rows)), []string{}
	for i, row := range rows {
		ids[i] = row.ID
		if row.SliceID != nil && !slices.Contains(sliceIDs, *row.SliceID) {
			sliceIDs = append(sliceIDs, *row.SliceID)
		}
	}
	days, err := q.Tests().Days(f, ids, t.firstTestDay())
	if err != nil {
		return nil, err
	}
	found, err := q.SlicesByID(sliceIDs)
	if err != nil {
		return nil, err
	}
	all := make([]api.Test, len(rows))
	for i, row := range rows {
		all[i] = row.Test
		all[i].Days = []api.TestDay{}
		for _, d := range days {
			if d.ID == row.ID {
				all[i].Days = append(all[i].Days, api.TestDay{Date: dateOfDay(d.Day), TestTally: d.TestTally})
			}
		}
		for _, s := range found {
			if row.SliceID != nil && s.ID == *row.SliceID && s.WorkspaceID == f.WorkspaceID {
				shown := t.show(s)
				all[i].Slice = &api.SliceLink{ID: s.ID, Reference: shown.Reference, Summary: s.Summary, Status: s.Status, URL: shown.URL}
			}
		}
	}
	return all, nil
}

// dateOfDay returns the date of a number of days since 1970.
func dateOfDay(day int64) string { return time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly) }

// GetTestStatistics returns the counts of all tests of a workspace the caller sees.
func (t *Tracker) GetTestStatistics(ctx context.Context, c access.Caller, v input.Valid[api.GetTestStatistics],
) (api.TestStatistics, error) {
	out := api.TestStatistics{Days: []api.TestDay{}, Suites: []api.SuiteTally{}}
	in, err := v.Value(c.Allow(api.OpGetTestStatistics))
	if err != nil {
		return out, err
	}
	q := t.access.Read(ctx)
	f, err := t.testFilter(q, c, in.TestFilters)
	if err != nil {
		return out, err
	}
	first := t.firstTestDay()
	days, err := q.Tests().AllDays(f, first)
	if err != nil {
		return out, err
	}
	for day := first; day < first+testRetention; day++ {
		out.Days = append(out.Days, api.TestDay{Date: dateOfDay(day)})
	}
	for _, d := range days {
		if i := d.Day - first; i < testRetention {
			out.Days[i].TestTally = d.TestTally
		}
	}
	suites, err := q.Tests().Suites(f, maxTestSuites)
	out.Suites = append(out.Suites, suites...)
	return out, err
}

// deleteTestDays deletes some of the runs whose retention has ended.
func (t *Tracker) deleteTestDays(tx *access.Tx) (int, error) {
	n, err := tx.Tests().DeleteDays(t.firstTestDay(), jobBatch)
	if err != nil || n > 0 {
		return n, err
	}
	return tx.Tests().DeleteRuns(api.At(t.now().AddDate(0, 0, -testRetention)), jobBatch)
}
