package testcounts

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Reader reads counts.
type Reader struct{ DB *sqldb.Executor }

// Filter selects the counts of tests of a workspace.
type Filter struct {
	WorkspaceID string
	Suite       string // empty for all
	Branch      string // default, other, or empty for both
}

// where returns the condition of the rows of a level.
func (f Filter) where(p *sqldb.Params, level int64) string {
	text := "t.workspace_id = " + p.Add(f.WorkspaceID) + " AND t.level = " + p.Add(level)
	if f.Branch != "" {
		text += " AND t.main = " + p.Add(sqldb.Flag(f.Branch == "default"))
	}
	return text
}

// testOrders are the values by which tests are sorted. Tests without a value are left out.
var testOrders = map[string]string{
	"failed":  "sum(t.failed)",
	"flaky":   "sum(t.flaky)",
	"newest":  "min(t.first_at)",
	"slowest": "sum(t.duration) / sum(t.runs)",
}

// Test is a test with the counts of its days.
type Test struct {
	api.Test
	SliceID *string
	Order   int64 // the value by which it is sorted
}

// Position is the place of a test in a list; zero for the begin.
type Position struct {
	Order int64
	ID    string
}

// Tests returns at most limit tests after a position, by one of the orders failed, flaky, newest and slowest. Their
// slices and days are not filled in.
func (q Reader) Tests(f Filter, sort string, after Position, limit int) ([]Test, error) {
	var p sqldb.Params
	where, order := f.where(&p, testLevel), "CAST("+testOrders[sort]+" AS BIGINT)"
	if f.Suite != "" {
		where += " AND t.suite = " + p.Add(f.Suite)
	}
	having := order + " > 0"
	if after.ID != "" {
		value := p.Add(after.Order)
		having += " AND (" + order + " < " + value + " OR " + order + " = " + value + " AND t.id > " + p.Add(after.ID) + ")"
	}
	return sqldb.List(q.DB, scanTest, `SELECT t.id, max(t.suite), max(t.name), max(t.slice_id), `+testSumColumns+`, min(t.first_at),
			max(t.last_at), max(t.failed_at), `+order+` AS value
		FROM tests t WHERE `+where+" GROUP BY t.id HAVING "+having+" ORDER BY value DESC, t.id LIMIT "+p.Add(limit), p.Args...)
}

const testSumColumns = `CAST(sum(t.runs) AS BIGINT), CAST(sum(t.failed) AS BIGINT), CAST(sum(t.flaky) AS BIGINT),
	CAST(sum(t.duration) AS BIGINT)`

func scanTest(r sqldb.Row) (t Test, err error) {
	var duration, first, last int64
	var failed *int64
	err = r.Scan(&t.ID, &t.Suite, &t.Name, &t.SliceID, &t.Runs, &t.Failed, &t.Flaky, &duration, &first, &last, &failed, &t.Order)
	t.AverageMs, t.FirstRunAt, t.LastRunAt = average(duration, t.Runs), api.FromMillis(first), api.FromMillis(last)
	if failed != nil {
		t.LastFailedAt = new(api.FromMillis(*failed))
	}
	return t, err
}

func average(sum, count int64) int64 {
	if count == 0 {
		return 0
	}
	return sum / count
}

// DayTally counts the runs of a test on a day.
type DayTally struct {
	ID  string
	Day int64
	api.TestTally
}

// Days returns the days of tests from a day on, in their order.
func (q Reader) Days(f Filter, ids []string, from int64) ([]DayTally, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var p sqldb.Params
	where := f.where(&p, testLevel) + " AND t.id IN " + sqldb.In(&p, ids) + " AND t.day >= " + p.Add(from)
	return sqldb.List(q.DB, scanDayTally, "SELECT t.id, t.day, "+testSumColumns+" FROM test_days t WHERE "+where+
		" GROUP BY t.id, t.day ORDER BY t.id, t.day", p.Args...)
}

func scanDayTally(r sqldb.Row) (d DayTally, err error) {
	var duration int64
	err = r.Scan(&d.ID, &d.Day, &d.Runs, &d.Failed, &d.Flaky, &duration)
	d.AverageMs = average(duration, d.Runs)
	return d, err
}

// AllDays returns the runs of all tests by day, from a day on.
func (q Reader) AllDays(f Filter, from int64) ([]DayTally, error) {
	var p sqldb.Params
	where := f.where(&p, suiteLevel) + " AND t.day >= " + p.Add(from)
	if f.Suite != "" {
		where += " AND t.id = " + p.Add(testID(suiteLevel, f.Suite, ""))
	}
	return sqldb.List(q.DB, scanDayTally, "SELECT '', t.day, "+testSumColumns+" FROM test_days t WHERE "+where+
		" GROUP BY t.day ORDER BY t.day", p.Args...)
}

// Suites returns at most limit suites, those with most failures and flaky passes first. The suite of the filter
// does not matter.
func (q Reader) Suites(f Filter, limit int) ([]api.SuiteTally, error) {
	var p sqldb.Params
	where := f.where(&p, suiteLevel)
	return sqldb.List(q.DB, func(r sqldb.Row) (s api.SuiteTally, err error) {
		var duration int64
		err = r.Scan(&s.Suite, &s.Runs, &s.Failed, &s.Flaky, &duration)
		s.AverageMs = average(duration, s.Runs)
		return s, err
	}, "SELECT t.suite, "+testSumColumns+" FROM tests t WHERE "+where+
		" GROUP BY t.suite ORDER BY sum(t.failed) + sum(t.flaky) DESC, t.suite LIMIT "+p.Add(limit), p.Args...)
}
