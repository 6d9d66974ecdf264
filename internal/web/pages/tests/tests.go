// Package tests is the page of the tests that jobs of continuous integration ran in a workspace in the last 30 days.
package tests

import (
	"cmp"
	"embed"
	"fmt"
	"net/url"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("tests", folder)

// sorts are the orders of the list, as tabs.
var sorts = []struct{ value, text string }{{"failed", "Most failing"}, {"flaky", "Most flaky"}, {"newest", "Newest"},
	{"slowest", "Slowest"}}

const (
	pageSize   = 50
	maxSummary = 200 // characters of a report
)

type data struct {
	Any    bool // whether a run was counted, of whatever suite and branch
	Sort   string
	Suite  string
	Branch string
	Tabs   []tab
	Suites []suite
	Sum    api.TestTally
	Failed halves
	Flaky  halves
	Days   plot
	Rows   []row
	Next   string // the address of the next page; empty on the last one
}

// halves are a count of the last 15 of 30 days, and of the 15 before.
type halves struct{ Last, Before int64 }

// suite is a suite of the workspace, with the widths of its bars in percent of the suite that has most trouble.
type suite struct {
	api.SuiteTally
	URL                     string
	FailedWidth, FlakyWidth int64
}

// maxSuites is the number of suites whose bars are shown.
const maxSuites = 10

// Troubled returns the suites with tests that failed or were flaky, those with most first.
func (d data) Troubled() []suite {
	all := slices.DeleteFunc(slices.Clone(d.Suites), func(s suite) bool { return s.Failed+s.Flaky == 0 })
	slices.SortStableFunc(all, func(a, b suite) int { return cmp.Compare(b.Failed+b.Flaky, a.Failed+a.Flaky) })
	return all[:min(len(all), maxSuites)]
}

type tab struct {
	Text, URL string
	Current   bool
}

// row is a test with the bars of its days.
type row struct {
	api.Test
	Bars []bar
}

// Summary returns what a report of the test begins with.
func (r row) Summary() string { return page.Shorten(r.Name, maxSummary-1) }

// Average returns how long a run of the test takes on average, in milliseconds.
func (r row) Average() float64 { return float64(r.AverageMs) }

// Average returns how long a run of all tests takes on average, in milliseconds.
func (d data) Average() float64 { return float64(d.Sum.AverageMs) }

// bar is a day of a test: the parts of its height are the shares of the runs that failed and that were flaky.
type bar struct {
	X               int
	Name            string
	FailedY, Failed int64
	FlakyY, Flaky   int64
}

// plot is the runs of all tests that failed or were flaky by day: bars above and below a line.
type plot struct {
	page.PlotGrid
	Days  []day
	Dates []string // that are named below it
	Width int
}

type day struct {
	api.TestDay
	Name       string
	X          int
	Y          int64
	Rise, Fall int64
}

// Show shows the tests of the selected workspace.
func Show(q *page.Request) (page.Result, error) {
	values := q.URL.Query()
	d := data{Sort: values.Get("sort"), Suite: values.Get("suite"), Branch: values.Get("branch")}
	if !slices.ContainsFunc(sorts, func(s struct{ value, text string }) bool { return s.value == d.Sort }) {
		d.Sort = sorts[0].value
	}
	if d.Branch != "default" && d.Branch != "other" {
		d.Branch = ""
	}
	filters := api.TestFilters{WorkspaceID: q.Workspace.ID, Suite: d.Suite, Branch: d.Branch}
	if err := d.readStatistics(q, filters); err != nil {
		return page.Result{}, err
	}
	list, err := input.Check(api.ListTests{TestFilters: filters, Sort: d.Sort,
		Paging: api.Paging{Limit: pageSize, Cursor: values.Get("cursor")}})
	if err != nil {
		return page.Result{}, err
	}
	found, err := q.Tracker.ListTests(q.Context(), q.Session.Caller, list)
	if err != nil {
		return page.Result{}, err
	}
	for _, t := range found.Data {
		d.Rows = append(d.Rows, row{t, barsOf(t.Days, d.Days.Days)})
	}
	address := func(sort, cursor string) string {
		values := url.Values{"workspace": {q.Workspace.Key}, "sort": {sort}}
		for name, value := range map[string]string{"suite": d.Suite, "branch": d.Branch, "cursor": cursor} {
			if value != "" {
				values.Set(name, value)
			}
		}
		return "/tests?" + values.Encode()
	}
	for _, s := range sorts {
		d.Tabs = append(d.Tabs, tab{s.text, address(s.value, ""), s.value == d.Sort})
	}
	for i, s := range d.Suites {
		values := url.Values{"workspace": {q.Workspace.Key}, "sort": {d.Sort}, "suite": {s.Suite}}
		if d.Branch != "" {
			values.Set("branch", d.Branch)
		}
		d.Suites[i].URL = "/tests?" + values.Encode()
	}
	if found.Pagination.HasMore {
		d.Next = address(d.Sort, *found.Pagination.Cursor)
	}
	return page.Show(view, d)
}

// readStatistics reads the runs of all tests by day, and the suites.
func (d *data) readStatistics(q *page.Request, f api.TestFilters) error {
	v, err := input.Check(api.GetTestStatistics{TestFilters: f})
	if err != nil {
		return err
	}
	s, err := q.Tracker.GetTestStatistics(q.Context(), q.Session.Caller, v)
	if err != nil {
		return err
	}
	d.Any = q.Workspace.HasTests
	most := int64(1)
	for _, tally := range s.Suites {
		most = max(most, tally.Failed+tally.Flaky)
	}
	for _, tally := range s.Suites {
		d.Suites = append(d.Suites, suite{SuiteTally: tally, FailedWidth: 100 * tally.Failed / most,
			FlakyWidth: 100 * tally.Flaky / most})
	}
	if d.Suite != "" && !slices.ContainsFunc(d.Suites, func(s suite) bool { return s.Suite == d.Suite }) {
		d.Suites = append(d.Suites, suite{SuiteTally: api.SuiteTally{Suite: d.Suite}})
	}
	slices.SortFunc(d.Suites, func(a, b suite) int { return cmp.Compare(a.Suite, b.Suite) })
	total := int64(0)
	for i, day := range s.Days {
		if i < len(s.Days)/2 {
			d.Failed.Before, d.Flaky.Before = d.Failed.Before+day.Failed, d.Flaky.Before+day.Flaky
		} else {
			d.Failed.Last, d.Flaky.Last = d.Failed.Last+day.Failed, d.Flaky.Last+day.Flaky
		}
		d.Sum.Runs, d.Sum.Failed, d.Sum.Flaky = d.Sum.Runs+day.Runs, d.Sum.Failed+day.Failed, d.Sum.Flaky+day.Flaky
		total += day.AverageMs * day.Runs
	}
	d.Sum.AverageMs = total / max(d.Sum.Runs, 1)
	d.Days = plotOf(s.Days)
	return nil
}

// unit is the width of an interval of the plots.
const unit = 10

func plotOf(days []api.TestDay) plot {
	p := plot{Width: len(days) * unit}
	var failed, flaky int64
	for _, d := range days {
		failed, flaky = max(failed, d.Failed), max(flaky, d.Flaky)
	}
	p.PlotGrid = page.NewPlotGrid(failed, flaky)
	for i, d := range days {
		n := day{TestDay: d, Name: dayName(d.Date), X: i*unit + 1, Rise: p.seen(d.Failed), Fall: p.seen(d.Flaky)}
		n.Y = p.Above - n.Rise
		p.Days = append(p.Days, n)
	}
	name := func(i int) string { return p.Days[i].Name }
	p.Dates = page.PlotDates(len(days), name, name)
	return p
}

// seen returns the height of the bar of a count, at least a fiftieth of the plot for a count above 0.
func (p plot) seen(count int64) int64 {
	return min(max(count, p.Height()/50*min(count, 1)), p.Height())
}

// share returns the part of a height that a count has, at least a fiftieth of it for a count above 0.
func share(count, most, height int64) int64 {
	if count == 0 {
		return 0
	}
	return max(count*height/most, height/50, 1)
}

// barsOf returns the bars of the days of a test, in the places that the days have in the plot of all tests.
func barsOf(days []api.TestDay, all []day) (bars []bar) {
	const full = 20 // the height of the plot of a test
	for _, d := range days {
		i, ok := slices.BinarySearchFunc(all, d.Date, func(n day, date string) int { return cmp.Compare(n.Date, date) })
		if !ok {
			continue
		}
		b := bar{X: i*unit + 1, Name: fmt.Sprintf("%s: %d of %d runs failed, %d flaky", dayName(d.Date), d.Failed, d.Runs, d.Flaky),
			Failed: min(max(share(d.Failed, d.Runs, full), 4*min(d.Failed, 1)), full)}
		b.Flaky = min(max(share(d.Flaky, d.Runs, full), 4*min(d.Flaky, 1)), full-b.Failed)
		b.FailedY = full - b.Failed
		b.FlakyY = b.FailedY - b.Flaky
		bars = append(bars, b)
	}
	return bars
}

// dayName returns a date of the API for readers.
func dayName(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2 Jan 2006")
}
