package overview

import (
	"time"

	"bugslice/api"
)

// maxDaily is the number of days of a period up to which each has a bar. A longer period has one for each week.
const maxDaily = 92

// plot is the reports that were opened and resolved: bars above and below a line, with a grid of equal steps.
type plot struct {
	Weekly       bool
	Intervals    []interval
	Width        int
	Step         int64 // between two lines of the grid
	Above, Below int64 // the counts at the upper and the lower end, which are whole steps
}

// Height returns the height of the plot, in counts.
func (p plot) Height() int64 { return p.Above + p.Below }

// Ticks returns the counts at the lines of the grid, from the upper end to the lower one.
func (p plot) Ticks() (all []int64) {
	for n := p.Above; n >= -p.Below; n -= p.Step {
		all = append(all, max(n, -n))
	}
	return all
}

// Lines returns where the lines of the grid are, without that of zero.
func (p plot) Lines() (all []int64) {
	for y := int64(0); y <= p.Height(); y += p.Step {
		if y != p.Above {
			all = append(all, y)
		}
	}
	return all
}

// dates is the number of days that are named below the plot.
const dates = 5

// Dates returns the days below the plot, for readers: the first, the last, and others at equal distances.
func (p plot) Dates() (all []string) {
	last := len(p.Intervals) - 1
	named := min(dates-1, last)
	for i := range named {
		all = append(all, day(p.Intervals[i*last/named].From))
	}
	return append(all, day(p.Intervals[last].To))
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
		p.Above, p.Below = max(p.Above, n.Opened.Count), max(p.Below, n.Resolved.Count)
		p.Intervals = append(p.Intervals, n)
	}
	p.Width = len(p.Intervals) * unit
	p.Step = step(max(p.Above, p.Below))
	p.Above, p.Below = max(whole(p.Above, p.Step), p.Step), whole(p.Below, p.Step)
	return p
}

// step returns the distance of the lines of a grid that has at most five of them up to a count: 1, 2 or 5 times a power of ten.
func step(most int64) int64 {
	for power := int64(1); ; power *= 10 {
		for _, times := range []int64{1, 2, 5} {
			if times*power*5 >= most {
				return times * power
			}
		}
	}
}

// whole returns the least multiple of a step that is no less than a count.
func whole(count, step int64) int64 { return (count + step - 1) / step * step }
