package report

import (
	"time"

	"bugslice/internal/tracker"
)

// The plot of the days on which a bug was reported: its days, and the size of it in its own units.
const (
	plotDays   = 30
	dayWidth   = 10
	plotHeight = 40
)

// days are the last days of a bug, the oldest first.
type days struct {
	All   []day
	Count int64 // of occurrences
	Width int
}

// day is a day with the number of occurrences, and its bar.
type day struct {
	Date      time.Time
	Count     int64
	X         int
	Y, Height int
}

// Name returns the day, for readers.
func (d day) Name() string { return d.Date.Format("2 Jan 2006") }

// daysOf returns the last days of a report that was filed several times, nil for another one.
func daysOf(r tracker.Report, now time.Time) *days {
	if r.Occurred == nil {
		return nil
	}
	d := &days{All: make([]day, plotDays), Width: plotDays * dayWidth}
	index, most := map[string]int{}, int64(1)
	for i := range d.All {
		date := now.AddDate(0, 0, i-plotDays+1)
		d.All[i] = day{Date: date, X: i * dayWidth}
		index[date.Format(time.DateOnly)] = i
	}
	for _, at := range r.Occurred {
		if i, ok := index[at.In(now.Location()).Format(time.DateOnly)]; ok {
			d.All[i].Count++
			d.Count++
			most = max(most, d.All[i].Count)
		}
	}
	for i := range d.All {
		if n := d.All[i].Count; n > 0 {
			d.All[i].Height = max(int(n*plotHeight/most), 3)
		}
		d.All[i].Y = plotHeight - d.All[i].Height
	}
	return d
}
