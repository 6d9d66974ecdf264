// Package testcounts counts the tests of runs of continuous integration: a row for each test and a row for each suite, on
// the default branch and on others, with the sums of their days, and a row for each of their days.
//
// A part of a run is counted once. Rows are written in the order of their keys, so that transactions that count at once
// wait for each other, and neither deadlock nor lose a count. Deleting old days takes them out of the sums.
package testcounts

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// The levels of rows of tests.
const (
	testLevel  = 0
	suiteLevel = 1 // counts the runs of all tests of a suite
)

// Run is a part of a run of tests.
type Run struct {
	WorkspaceID, Name string
	Main              bool // whether the run tested the default branch
	At, Now           api.Time
	Tests             []api.TestCounts
}

// testRow counts the runs of a test or of a suite, on the default branch or on others.
type testRow struct {
	level       int64
	id          string
	suite, name string
	sliceID     *string
	testSums
}

type testSums struct{ runs, failed, flaky, duration int64 }

func (s *testSums) add(t testSums) {
	s.runs, s.failed, s.flaky, s.duration = s.runs+t.runs, s.failed+t.failed, s.flaky+t.flaky, s.duration+t.duration
}

// testID identifies a test, or the suite that has no name, within a workspace.
func testID(level int64, suite, name string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(rune('0' + level)), suite, name}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// rows returns the rows that a run adds to, those of its suites as well, in the order of their keys: transactions that
// lock rows in one order do not deadlock.
func (r Run) rows() []testRow {
	all := map[string]*testRow{}
	add := func(level int64, t api.TestCounts) {
		row := testRow{level: level, id: testID(level, t.Suite, t.Name), suite: t.Suite, name: t.Name}
		if all[row.id] == nil {
			all[row.id] = &row
		}
		known := all[row.id]
		known.add(testSums{t.Passed + t.Failed + t.Flaky, t.Failed, t.Flaky, t.DurationMs})
		if t.SliceID != nil {
			known.sliceID = t.SliceID
		}
	}
	for _, t := range r.Tests {
		add(testLevel, t)
		add(suiteLevel, api.TestCounts{Suite: t.Suite, Passed: t.Passed, Failed: t.Failed, Flaky: t.Flaky,
			DurationMs: t.DurationMs})
	}
	rows := make([]testRow, 0, len(all))
	for _, row := range all {
		if row.runs > 0 {
			rows = append(rows, *row)
		}
	}
	slices.SortFunc(rows, func(a, b testRow) int { return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.id, b.id)) })
	return rows
}

// Writer counts in a transaction that writes.
type Writer struct{ DB *sqldb.Executor }

// Count adds a run to the counts of the tests of a workspace, unless it was counted before. leftOut are the new
// tests that the workspace has no more room for, when it has most tests.
func (w Writer) Count(r Run, most int) (counted bool, leftOut int, err error) {
	digest := sha256.Sum256([]byte(r.Name))
	n, err := w.DB.ExecCount(`INSERT INTO test_runs (workspace_id, run, counted_at) VALUES ($1, $2, $3)
		ON CONFLICT (workspace_id, run) DO NOTHING`, r.WorkspaceID, hex.EncodeToString(digest[:16]), r.Now.UnixMilli())
	if err != nil || n == 0 {
		return false, 0, err
	}
	if err := w.DB.Exec("UPDATE workspaces SET has_tests = 1 WHERE id = $1 AND has_tests = 0", r.WorkspaceID); err != nil {
		return false, 0, err
	}
	rows, leftOut, err := w.withinLimit(r.WorkspaceID, r.rows(), most)
	if err == nil {
		err = w.addTests(r, rows)
	}
	if err == nil {
		err = w.addDays(r, rows)
	}
	return err == nil, leftOut, err
}

// withinLimit returns the rows without those of new tests that would exceed most, and the number of these. A suite is
// counted with all of its tests. Tests that transactions of one moment add may exceed the limit.
func (w Writer) withinLimit(workspaceID string, rows []testRow, most int) (within []testRow, leftOut int, err error) {
	known, err := w.known(workspaceID, rows)
	if err != nil {
		return nil, 0, err
	}
	isNew := func(row testRow) bool { return row.level == testLevel && !known[row.id] }
	if !slices.ContainsFunc(rows, isNew) {
		return rows, 0, nil
	}
	stored, err := sqldb.One(w.DB, sqldb.ScanOne[int], `SELECT count(DISTINCT id) FROM tests WHERE workspace_id = $1 AND level = $2`,
		workspaceID, testLevel)
	room := max(most-stored, 0)
	for _, row := range rows {
		if isNew(row) {
			if room == 0 {
				leftOut++
				continue
			}
			room--
		}
		within = append(within, row)
	}
	return within, leftOut, err
}

// known returns the ids of the rows that are stored, of whatever branch.
func (w Writer) known(workspaceID string, rows []testRow) (map[string]bool, error) {
	known := map[string]bool{}
	for chunk := range slices.Chunk(rows, 500) {
		p := sqldb.Params{Args: []any{workspaceID, testLevel}}
		ids := make([]string, len(chunk))
		for i, row := range chunk {
			ids[i] = row.id
		}
		found, err := sqldb.List(w.DB, sqldb.ScanOne[string],
			"SELECT id FROM tests WHERE workspace_id = $1 AND level = $2 AND id IN "+sqldb.In(&p, ids), p.Args...)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			known[id] = true
		}
	}
	return known, nil
}

func (w Writer) addTests(r Run, rows []testRow) error {
	values := make([][]any, len(rows))
	for i, row := range rows {
		var failedAt *int64
		if row.failed > 0 || row.flaky > 0 {
			failedAt = new(r.At.UnixMilli())
		}
		values[i] = []any{r.WorkspaceID, row.level, row.id, sqldb.Flag(r.Main), row.suite, row.name, row.sliceID, row.runs, row.failed,
			row.flaky, row.duration, r.At.UnixMilli(), r.At.UnixMilli(), failedAt}
	}
	return errorOf(w.DB.Insert("tests", "workspace_id TEXT, level BIGINT, id TEXT, main BIGINT, suite TEXT, name TEXT, slice_id TEXT, "+
		"runs BIGINT, failed BIGINT, flaky BIGINT, duration BIGINT, first_at BIGINT, last_at BIGINT, failed_at BIGINT", values,
		`ON CONFLICT (workspace_id, level, id, main) DO UPDATE SET
			runs = tests.runs + excluded.runs, failed = tests.failed + excluded.failed,
			flaky = tests.flaky + excluded.flaky, duration = tests.duration + excluded.duration,
			slice_id = COALESCE(excluded.slice_id, tests.slice_id),
			first_at = CASE WHEN excluded.first_at < tests.first_at THEN excluded.first_at ELSE tests.first_at END,
			last_at = CASE WHEN excluded.last_at > tests.last_at THEN excluded.last_at ELSE tests.last_at END,
			failed_at = CASE WHEN tests.failed_at IS NULL OR excluded.failed_at > tests.failed_at THEN excluded.failed_at
				ELSE tests.failed_at END`))
}

func (w Writer) addDays(r Run, rows []testRow) error {
	values := make([][]any, len(rows))
	for i, row := range rows {
		values[i] = []any{r.WorkspaceID, row.level, row.id, sqldb.Flag(r.Main), DayOf(r.At), row.runs, row.failed, row.flaky, row.duration}
	}
	return errorOf(w.DB.Insert("test_days", "workspace_id TEXT, level BIGINT, id TEXT, main BIGINT, day BIGINT, runs BIGINT, "+
		"failed BIGINT, flaky BIGINT, duration BIGINT", values, `ON CONFLICT (workspace_id, level, id, main, day) DO UPDATE SET
			runs = test_days.runs + excluded.runs, failed = test_days.failed + excluded.failed,
			flaky = test_days.flaky + excluded.flaky, duration = test_days.duration + excluded.duration`))
}

// errorOf returns the error of a statement whose count does not matter.
func errorOf[T any](_ T, err error) error { return err }

// DayOf returns the day in UTC of a time, as a number of days since 1970.
func DayOf(t api.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// DeleteDays deletes up to limit days of tests before a day, and takes them out of the sums. A test that did not
// run afterwards is deleted. It returns the number of the days.
func (w Writer) DeleteDays(before int64, limit int) (int, error) {
	type deleted struct {
		workspaceID string
		main        int64
		testRow
	}
	const key = "workspace_id, level, id, main"
	all, err := sqldb.List(w.DB, func(r sqldb.Row) (d deleted, err error) {
		return d, r.Scan(&d.workspaceID, &d.level, &d.id, &d.main, &d.runs, &d.failed, &d.flaky, &d.duration)
	}, "DELETE FROM test_days WHERE ("+key+", day) IN (SELECT "+key+", day FROM test_days WHERE day < $1 LIMIT $2) RETURNING "+key+
		", runs, failed, flaky, duration", before, limit)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	slices.SortFunc(all, func(a, b deleted) int {
		return cmp.Or(cmp.Compare(a.workspaceID, b.workspaceID), cmp.Compare(a.level, b.level), cmp.Compare(a.id, b.id),
			cmp.Compare(a.main, b.main))
	})
	isSame := func(a, b deleted) bool {
		return a.workspaceID == b.workspaceID && a.level == b.level && a.id == b.id && a.main == b.main
	}
	var values [][]any
	var workspaces, ids []string
	for i := 0; i < len(all); {
		d, sum := all[i], testSums{}
		for ; i < len(all) && isSame(all[i], d); i++ {
			sum.add(all[i].testSums)
		}
		values = append(values, []any{d.workspaceID, d.level, d.id, d.main, sum.runs, sum.failed, sum.flaky, sum.duration})
		workspaces, ids = append(workspaces, d.workspaceID), append(ids, d.id)
	}
	err = w.DB.EachTable("workspace_id TEXT, level BIGINT, id TEXT, main BIGINT, runs BIGINT, failed BIGINT, flaky BIGINT, "+
		"duration BIGINT", values, func(from string, args []any) error {
		return w.DB.Exec(`UPDATE tests SET runs = tests.runs - v.runs, failed = tests.failed - v.failed,
				flaky = tests.flaky - v.flaky, duration = tests.duration - v.duration
			FROM `+from+` WHERE tests.workspace_id = v.workspace_id AND tests.level = v.level AND tests.id = v.id
				AND tests.main = v.main`, args...)
	})
	if err != nil {
		return 0, err
	}
	var p sqldb.Params
	return len(all), w.DB.Exec("DELETE FROM tests WHERE workspace_id IN "+sqldb.In(&p, slices.Compact(workspaces))+" AND id IN "+
		sqldb.In(&p, ids)+" AND runs <= 0", p.Args...)
}

// DeleteRuns forgets up to limit runs that were counted before a time, and returns their number.
func (w Writer) DeleteRuns(before api.Time, limit int) (int, error) {
	n, err := w.DB.ExecCount(`DELETE FROM test_runs WHERE (workspace_id, run) IN
		(SELECT workspace_id, run FROM test_runs WHERE counted_at < $1 LIMIT $2)`, before.UnixMilli(), limit)
	return int(n), err
}
