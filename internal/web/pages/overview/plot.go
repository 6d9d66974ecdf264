package overview

import (
	"time"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// maxDaily is the number of days of a period up to which each has a bar. A longer period has one for each week.
const maxDaily = 92

// plot is the reports that were opened and resolved: bars above and below a line.
type plot struct {
	page.PlotGrid
	Weekly    bool
	Intervals []interval
	Width     int
}

// Dates returns the days that are named below the plot, for readers.
func (p plot) Dates() []string {
	return page.PlotDates(len(p.Intervals), func(i int) string { return day(p.Intervals[i].From) },
		func(i int) string { return day(p.Intervals[i].To) })
}

// interval is a day, or the days of a week.
type interval struct {
	From, To         string
	Opened, Resolved number

	X int // of the bars
}

// Name returns the days, for readers.
func (n interval) Name() string {
	if n.From == n.To {
		return day(n.From)
	}
	return day(n.From) + " to " + day(n.To)
}

// day returns a date of the API in the form that pages have.
func day(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2 Jan 2006")
}

// unit is the width of an interval, and bars the part of it that its bars have.
const (
	unit     = 10
	barWidth = 8
)

func newPlot(to lists, days []api.DayStatistics) plot {
	p := plot{Weekly: len(days) > maxDaily}
	var above, below int64
	length := 1
	if p.Weekly {
		length = 7
	}
	for first := 0; first < len(days); first += length {
		part := days[first:min(first+length, len(days))]
		n := interval{From: part[0].Date, To: part[len(part)-1].Date, X: len(p.Intervals)*unit + (unit-barWidth)/2}
		for _, day := range part {
			n.Opened.Count, n.Resolved.Count = n.Opened.Count+day.Opened, n.Resolved.Count+day.Resolved
		}
		n.Opened.List, n.Resolved.List = to.created(n.From, n.To), to.resolved(n.From, n.To)
		above, below = max(above, n.Opened.Count), max(below, n.Resolved.Count)
		p.Intervals = append(p.Intervals, n)
	}
	p.Width = len(p.Intervals) * unit
	p.PlotGrid = page.NewPlotGrid(above, below)
	return p
}
