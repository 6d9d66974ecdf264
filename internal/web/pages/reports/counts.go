package reports

import (
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/query"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

var countsView = ui.NewFragment("sidebar-counts")

// Bounds of the counts of the sidebar. What is beyond them has no number.
const (
	maxCountedViews = 25
	countingTime    = 500 * time.Millisecond
)

// sidebarCount is the number of reports of a view, or of the active ones of a space, by its id.
type sidebarCount struct {
	ID     string
	Count  int64
	AtMost bool // whether there may be more than Count
}

// Counts answers with the numbers of the sidebar, which a script shows once the page is there.
func Counts(q *page.Request) (page.Result, error) {
	began := time.Now()
	all, err := countSpaces(q)
	if err != nil {
		return page.Result{}, err
	}
	for _, v := range q.Views[:min(len(q.Views), maxCountedViews)] {
		if time.Since(began) > countingTime {
			break
		}
		total, counted, err := countView(q, v)
		if err != nil {
			return page.Result{}, err
		}
		if counted {
			all = append(all, sidebarCount{v.ID, total.Count, total.More})
		}
	}
	return page.Show(countsView, all)
}

// countSpaces counts the active reports of the spaces.
func countSpaces(q *page.Request) (all []sidebarCount, err error) {
	if len(q.Spaces) == 0 {
		return nil, nil
	}
	v, err := input.Check(api.CountSlices{SliceFilters: api.SliceFilters{WorkspaceID: q.Workspace.ID,
		Status: []api.Status{api.Open, api.InProgress}}, By: query.Space})
	if err != nil {
		return nil, err
	}
	counts, err := q.Tracker.CountSlices(q.Context(), q.Session.Caller, v)
	if err != nil {
		return nil, unlessRefused(err)
	}
	for _, s := range q.Spaces {
		one := sidebarCount{ID: s.ID, AtMost: counts.More}
		if i := slices.IndexFunc(counts.Data, func(n api.SliceCount) bool { return n.Value != nil && *n.Value == s.ID }); i >= 0 {
			one.Count, one.AtMost = counts.Data[i].Count, counts.Data[i].More
		}
		all = append(all, one)
	}
	return all, nil
}

// countView counts the reports of a view, in its workspace if it has one. It is not counted when its text, or the work on
// it, is refused.
func countView(q *page.Request, v api.View) (total api.SliceCount, counted bool, err error) {
	in := *q
	for _, w := range q.Workspaces {
		if v.WorkspaceID != nil && w.ID == *v.WorkspaceID {
			in.Workspace = w
		}
	}
	parsed, err := query.Parse(v.Query)
	if err != nil {
		return total, false, nil
	}
	_, selected, err := selection(&in, parsed)
	if err != nil {
		return total, false, unlessRefused(err)
	}
	checked, err := input.Check(api.CountSlices{SliceFilters: selected.SliceFilters, By: query.Status})
	if err != nil {
		return total, false, unlessRefused(err)
	}
	counts, err := q.Tracker.CountSlices(q.Context(), q.Session.Caller, checked)
	if err != nil {
		return total, false, unlessRefused(err)
	}
	return totalOf(counts), true, nil
}

// SpaceText returns the text of the list of a space: what is active in it.
func SpaceText(name string) string {
	return active.With(query.Space, query.Name(query.Space, name)).String()
}
