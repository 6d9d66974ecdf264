package page

// PlotGrid is the scale of a plot with bars above and below a line: lines at equal steps of whole numbers.
type PlotGrid struct {
	Step         int64 // between two lines
	Above, Below int64 // the counts at the upper and the lower end, which are whole steps
}

// NewPlotGrid returns the grid of bars that are at most so high above and below the line.
func NewPlotGrid(above, below int64) PlotGrid {
	g := PlotGrid{Step: gridStep(max(above, below))}
	g.Above, g.Below = max(whole(above, g.Step), g.Step), whole(below, g.Step)
	return g
}

// Height returns the height of the plot, in counts.
func (g PlotGrid) Height() int64 { return g.Above + g.Below }

// Ticks returns the counts at the lines of the grid, from the upper end to the lower one.
func (g PlotGrid) Ticks() (all []int64) {
	for n := g.Above; n >= -g.Below; n -= g.Step {
		all = append(all, max(n, -n))
	}
	return all
}

// Lines returns where the lines of the grid are, without that of zero.
func (g PlotGrid) Lines() (all []int64) {
	for y := int64(0); y <= g.Height(); y += g.Step {
		if y != g.Above {
			all = append(all, y)
		}
	}
	return all
}

// PlotDates returns the names of the days below a plot: of the first, the last, and at most three at equal distances.
func PlotDates(intervals int, first, last func(i int) string) (all []string) {
	end := intervals - 1
	named := min(4, end)
	for i := range named {
		all = append(all, first(i*end/named))
	}
	return append(all, last(end))
}

// gridStep returns the distance of the lines of a grid that has at most five of them up to a count: 1, 2 or 5 times a
// power of ten.
func gridStep(most int64) int64 {
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
