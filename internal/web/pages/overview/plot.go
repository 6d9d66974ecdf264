package overview

import (
	"time"

	"bugslice/api"
)

// maxDaily is the number of days of a period up to which each has a bar. A longer period has one for each week.
const maxDaily = 92

// height is that of each half of the plot of days, in its units.
const height = 100

// plot is the reports that were opened and resolved: bars above and below a line.
type plot struct {
	Weekly    bool
	Intervals []interval
	Width     int
	Most      int64 // the greatest count, which has the full height
}

// First and Last return the first and the last day, for readers.
func (p plot) First() string { return day(p.Intervals[0].From) }
func (p plot) Last() string  { return day(p.Intervals[len(p.Intervals)-1].To) }

// interval is a day, or the days of a week.
type interval struct {
	From, To         string
	Opened, Resolved number

	X          int     // of the bars
	Y          float64 // of the upper bar
	Rise, Fall float64 // the heights of the bars
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
		p.Most = max(p.Most, n.Opened.Count, n.Resolved.Count)
		p.Intervals = append(p.Intervals, n)
	}
	p.Width = len(p.Intervals) * unit
	for i := range p.Intervals {
		n := &p.Intervals[i]
		n.Rise, n.Fall = percent(n.Opened.Count, p.Most)*height/100, percent(n.Resolved.Count, p.Most)*height/100
		n.Y = height - n.Rise
	}
	return p
}
