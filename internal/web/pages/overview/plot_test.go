package overview

import (
	"fmt"
	"testing"
	"time"

	"bugslice/api"
)

// TestPlotGrid: the lines of the grid are equal steps of whole numbers, from the line of zero to ends that no bar
// exceeds.
func TestPlotGrid(t *testing.T) {
	for _, c := range []struct {
		opened, resolved int64
		ticks            string
	}{
		{0, 0, "[1 0]"}, {1, 0, "[1 0]"}, {5, 2, "[5 4 3 2 1 0 1 2]"}, {6, 0, "[6 4 2 0]"}, {3, 11, "[5 0 5 10 15]"},
		{73, 1000, "[200 0 200 400 600 800 1000]"},
	} {
		day := api.DayStatistics{Date: "2026-11-01", Opened: c.opened, Resolved: c.resolved}
		p := newPlot(lists{days: time.UTC}, []api.DayStatistics{day})
		if got := fmt.Sprint(p.Ticks()); got != c.ticks || p.Above < c.opened || p.Below < c.resolved ||
			len(p.Lines()) != len(p.Ticks())-1 {
			t.Errorf("%d opened, %d resolved: the grid is %s, of %d and %d", c.opened, c.resolved, got, p.Above, p.Below)
		}
	}
}

// TestPlotDates: the first and the last day of a period are named, with at most three between them.
func TestPlotDates(t *testing.T) {
	for days, want := range map[int]string{1: "[1 Nov 2026]", 2: "[1 Nov 2026 2 Nov 2026]",
		3: "[1 Nov 2026 2 Nov 2026 3 Nov 2026]",
		9: "[1 Nov 2026 3 Nov 2026 5 Nov 2026 7 Nov 2026 9 Nov 2026]"} {
		var all []api.DayStatistics
		for i := range days {
			all = append(all, api.DayStatistics{Date: fmt.Sprintf("2026-11-%02d", 1+i)})
		}
		if got := fmt.Sprint(newPlot(lists{days: time.UTC}, all).Dates()); got != want {
			t.Errorf("%d days are named %s", days, got)
		}
	}
}
