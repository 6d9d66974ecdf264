package reports

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/query"
	"bugslice/internal/web/page"
)

// listTab is a tab of the list: the reports with some statuses that the rest of the text selects.
type listTab struct {
	Name    string
	URL     address
	Count   int64
	AtMost  bool // whether there may be more than Count
	Current bool
}

// active is what a list without a text shows.
var active = query.Query{}.With(query.Status, query.Bare(string(api.Open)), query.Bare(string(api.InProgress)))

// tabStatuses are the tabs with their statuses; none for all.
var tabStatuses = []struct {
	name     string
	statuses []api.Status
}{{"Active", []api.Status{api.Open, api.InProgress}}, {"Resolved", []api.Status{api.Resolved, api.Closed}}, {"All", nil}}

// countTabs counts the reports of each tab.
func (d *data) countTabs(q *page.Request, f api.SliceFilters) error {
	selected, left := f.Status, f.Not.Status
	f.Status, f.Not.Status = nil, nil
	v, err := input.Check(api.CountSlices{SliceFilters: f, By: query.Status})
	if err != nil {
		return err
	}
	counts, err := q.Tracker.CountSlices(q.Context(), q.Session.Caller, v)
	for _, one := range tabStatuses {
		t := listTab{Name: one.name, URL: d.Address.withStatuses(one.statuses), AtMost: counts.More,
			Current: len(left) == 0 && sameStatuses(selected, one.statuses)}
		for _, n := range counts.Data {
			if one.statuses == nil || slices.Contains(one.statuses, api.Status(*n.Value)) {
				t.Count += n.Count
				t.AtMost = t.AtMost || n.More
			}
		}
		if t.Count > maxCount {
			t.Count, t.AtMost = maxCount, true
		}
		d.Tabs = append(d.Tabs, t)
	}
	return err
}

func sameStatuses(a, b []api.Status) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(s api.Status) bool { return !slices.Contains(b, s) })
}

// withStatuses returns the address of the list with these statuses alone, or with any.
func (a address) withStatuses(statuses []api.Status) address {
	a = a.First()
	a.Query = query.Query{Terms: slices.DeleteFunc(slices.Clone(a.Query.Terms),
		func(t query.Term) bool { return t.Word == query.Status })}
	if len(statuses) == 0 {
		return a
	}
	values := make([]query.Value, len(statuses))
	for i, s := range statuses {
		values[i] = query.Bare(string(s))
	}
	a.Query = a.Query.With(query.Status, values...)
	return a
}
