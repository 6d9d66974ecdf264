package page

import (
	"slices"
	"strings"

	"bugslice/api"
)

// SourcePlot is a picture of what became of the reports of a source, a bar for each day, with their sums.
type SourcePlot struct {
	Bars                             []SourceBar
	Accepted, Waiting, Spam, Refused int64
	Reasons                          []api.RefusedReports // of the refused ones, the most frequent first
	Width                            int
}

// SourceBar is a day of a SourcePlot.
type SourceBar struct {
	api.SourceDay
	Refused int64
	Parts   []SourcePart
}

// SourcePart is a part of a bar, from the bottom up.
type SourcePart struct {
	Kind         string // accepted, waiting, spam or refused
	X, Y, Height int
}

// The size of a SourcePlot in its own units.
const (
	sourceBarWidth   = 6 // with the gap after it
	sourcePlotHeight = 40
)

// NewSourcePlot returns the plot of the usage of a source. Every number that is not 0 has a height.
func NewSourcePlot(u api.SourceUsage) SourcePlot {
	p := SourcePlot{Width: len(u.Days) * sourceBarWidth}
	most := int64(1)
	reasons := map[string]int64{}
	for _, d := range u.Days {
		b := SourceBar{SourceDay: d}
		for _, r := range d.Refused {
			b.Refused += r.Count
			reasons[r.Reason] += r.Count
		}
		p.Accepted, p.Waiting, p.Spam, p.Refused = p.Accepted+d.Accepted, p.Waiting+d.Waiting, p.Spam+d.Spam, p.Refused+b.Refused
		most = max(most, d.Accepted+d.Waiting+d.Spam+b.Refused)
		p.Bars = append(p.Bars, b)
	}
	for i := range p.Bars {
		b := &p.Bars[i]
		top := sourcePlotHeight
		for _, part := range []struct {
			kind  string
			count int64
		}{{"accepted", b.Accepted}, {"waiting", b.Waiting}, {"spam", b.Spam}, {"refused", b.Refused}} {
			if part.count == 0 {
				continue
			}
			height := min(max(int(part.count*sourcePlotHeight/most), 1), top)
			top -= height
			b.Parts = append(b.Parts, SourcePart{part.kind, i * sourceBarWidth, top, height})
		}
	}
	for reason, n := range reasons {
		p.Reasons = append(p.Reasons, api.RefusedReports{Reason: reason, Count: n})
	}
	slices.SortFunc(p.Reasons, func(a, b api.RefusedReports) int {
		if a.Count != b.Count {
			return int(b.Count - a.Count)
		}
		return strings.Compare(a.Reason, b.Reason)
	})
	return p
}

// Total is the number of reports in the plot.
func (p SourcePlot) Total() int64 { return p.Accepted + p.Waiting + p.Spam + p.Refused }

// Days are the days on which something arrived, newest first.
func (p SourcePlot) Days() (all []SourceBar) {
	for _, b := range slices.Backward(p.Bars) {
		if len(b.Parts) > 0 {
			all = append(all, b)
		}
	}
	return all
}
