package page

import (
	"slices"

	"bugslice/api"
)

// EventGroup is the types of events that one scope reads.
type EventGroup struct {
	Scope  api.Scope
	Events []api.EventInfo
}

// EventGroups returns the types of events to which a webhook can subscribe, by the scope that each needs.
func EventGroups() (groups []EventGroup) {
	for _, e := range api.PublicEvents() {
		i := slices.IndexFunc(groups, func(g EventGroup) bool { return g.Scope == e.Scope })
		if i < 0 {
			i, groups = len(groups), append(groups, EventGroup{Scope: e.Scope})
		}
		groups[i].Events = append(groups[i].Events, e)
	}
	return groups
}

// Bar is a delivery in a Plot.
type Bar struct {
	X, Y, Height int
	Status       api.DeliveryStatus
}

// Plot is a picture of the newest deliveries of a webhook, oldest first, with their number by status.
type Plot struct {
	Bars                       []Bar
	Delivered, Failed, Pending int
}

// The size of a Plot in its own units.
const (
	barWidth   = 3 // with the gap after it
	plotHeight = 20
)

// NewPlot returns the plot of deliveries. A failed delivery is a higher bar than one that succeeded, and a pending one is a low bar.
func NewPlot(recent []api.DeliveryStatus) (p Plot) {
	for i, status := range recent {
		height := 12
		switch status {
		case api.DeliveryFailed:
			p.Failed++
			height = plotHeight
		case api.DeliveryPending:
			p.Pending++
			height = 8
		default:
			p.Delivered++
		}
		p.Bars = append(p.Bars, Bar{i * barWidth, plotHeight - height, height, status})
	}
	return p
}

// Total is the number of deliveries in the plot.
func (p Plot) Total() int { return len(p.Bars) }
