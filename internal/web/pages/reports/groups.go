package reports

import (
	"html/template"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/query"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

// group is the reports with one value of a member.
type group struct {
	Value  string // none for no value; empty when the list is not grouped
	Name   string // of the assignee
	Count  int64
	AtMost bool // whether there may be more than Count
	Rows   []page.ReportRow
	More   bool    // whether there are reports beyond the rows
	Next   string  // the cursor after the rows; empty without more
	All    address // of the list of all reports of the group; zero for none
	isNone bool    // whether its reports have no value
}

// IsNone returns whether the reports of the group have no value.
func (g group) IsNone() bool { return g.isNone }

// HasAll returns whether there is a list of all reports of the group.
func (g group) HasAll() bool { return len(g.All.Query.Terms) > 0 }

// List renders the rows of the list, narrow ones beside a report that is open.
func (g group) List(v *ui.View, open string) (template.HTML, error) {
	return ui.HTML(listRows(v, g.Rows, open != ""))
}

// Cards renders the column of the board.
func (g group) Cards(v *ui.View) (template.HTML, error) { return ui.HTML(cards(v, g.Rows)) }

// rows returns reports as the rows of a list at an address.
func (a address) rows(q *page.Request, all []api.Slice) []page.ReportRow {
	paths := map[string]string{}
	return q.ReportRows(all, func(label string) string {
		if paths[label] == "" {
			paths[label] = a.with(query.Label, query.Name(query.Label, label)).String()
		}
		return paths[label]
	})
}

// count counts the reports of the list, and those of each group.
func (d *data) count(q *page.Request, f api.SliceFilters) error {
	in := api.CountSlices{SliceFilters: f, By: "status"}
	if d.Address.Group != "" {
		in.By = api.CountedMember(d.Address.Group)
	}
	v, err := input.Check(in)
	if err != nil {
		return err
	}
	counts, err := q.Tracker.CountSlices(q.Context(), q.Session.Caller, v)
	d.Total = totalOf(counts)
	for _, n := range counts.Data {
		g := group{Value: "none", Count: n.Count, AtMost: n.More, isNone: n.Value == nil}
		if n.Value != nil {
			g.Value = *n.Value
		}
		isSelected := d.Address.Group != query.Label || len(f.Label) == 0 || slices.Contains(f.Label, g.Value)
		if d.Address.Group != "" && isSelected {
			d.Groups = append(d.Groups, g)
		}
	}
	if d.Address.Board {
		d.addColumns()
	}
	if err == nil && d.Address.Group == query.Label { // a report with several labels is in the count of each
		d.Total, err = d.countAll(q, f)
	}
	return err
}

// countAll counts the reports of the list.
func (d *data) countAll(q *page.Request, f api.SliceFilters) (total api.SliceCount, err error) {
	v, err := input.Check(api.CountSlices{SliceFilters: f, By: query.Status})
	if err != nil {
		return total, err
	}
	counts, err := q.Tracker.CountSlices(q.Context(), q.Session.Caller, v)
	return totalOf(counts), err
}

// addColumns adds the columns of the statuses without reports.
func (d *data) addColumns() {
	var all []group
	for _, status := range api.Status("").Values() {
		g := group{Value: status}
		if i := slices.IndexFunc(d.Groups, func(g group) bool { return g.Value == status }); i >= 0 {
			g = d.Groups[i]
		}
		all = append(all, g)
	}
	d.Groups = all
}

// paging returns the page of a group that is shown.
func (d *data) paging(value string) api.Paging {
	switch {
	case !d.Address.Board:
		return api.Paging{Limit: groupSize}
	case d.Address.Column == value:
		return api.Paging{Limit: pageSize, Cursor: d.Address.Cursor}
	}
	return api.Paging{Limit: pageSize}
}

// loadGroups reads the first reports of each group. A report with several labels stands in the first group that it is of.
func (d *data) loadGroups(q *page.Request, dir *directory, in api.ListSlices) error {
	names, err := d.namesOf(q, dir)
	if err != nil {
		return err
	}
	shown := map[string]bool{}
	for i := range d.Groups {
		g := &d.Groups[i]
		in := in
		value, ok := d.narrow(&in, g, names)
		if in.Paging = d.paging(g.Value); ok {
			g.All = d.Address.By("").with(d.Address.Group, value)
		}
		if i >= maxGroups || g.Count == 0 {
			g.More = g.Count > 0
			continue
		}
		listed, err := d.list(q, in)
		if err != nil {
			return err
		}
		all := len(listed.Data)
		listed.Data = slices.DeleteFunc(listed.Data,
			func(s api.Slice) bool { return shown[s.ID] || g.isNone && d.Address.hasValue(s) })
		for _, s := range listed.Data {
			shown[s.ID] = true
			if d.Address.Group == query.Reporter && g.Name == "" {
				g.Name = s.Reporter.Name
			}
		}
		g.Rows, g.More = d.Address.rows(q, listed.Data), listed.Pagination.HasMore || len(listed.Data) < all
		if d.Address.Board {
			g.Next = cursorOf(listed.Pagination)
			for i, s := range listed.Data {
				g.Rows[i].Order = orderOf(d.Sort, s)
			}
		}
	}
	return nil
}

// hasValue returns whether a report has the member by which the list is grouped. Only the values that were counted can be
// left out by a filter.
func (a address) hasValue(s api.Slice) bool {
	return a.Group == query.Release && s.Environment.Release != nil || a.Group == query.Reporter && s.Reporter.ID != nil
}

// namesOf returns the names of the records by which the list is grouped, by id.
func (d *data) namesOf(q *page.Request, dir *directory) (map[string]tracker.MemberName, error) {
	switch d.Address.Group {
	case query.Space:
		return spaceNames(q), nil
	case query.Assignee, query.Reporter:
		var ids []string
		for _, g := range d.Groups {
			if id.Valid(id.User, g.Value) {
				ids = append(ids, g.Value)
			}
		}
		return q.Tracker.UniqueNames(q.Context(), q.Session.Caller, dir.workspaceID(), ids)
	}
	return nil, nil
}

// narrow selects the reports of a group, and names it. It returns the value of the filter that does so; ok is false when
// there is none: the reports without a release or a reporter are those that have none of the others.
func (d *data) narrow(in *api.ListSlices, g *group, names map[string]tracker.MemberName) (value query.Value, ok bool) {
	value, ok = query.Bare(g.Value), true
	named, isNamed := names[g.Value]
	if g.Name = named.Name; named.Alone {
		value = query.Name(d.Address.Group, g.Name)
	}
	isNone := g.isNone
	switch d.Address.Group {
	case query.Status:
		in.Status = []api.Status{api.Status(g.Value)}
	case query.Priority:
		in.Priority = []api.PriorityFilter{api.PriorityFilter(g.Value)}
	case query.Assignee:
		in.AssigneeID = []string{g.Value}
	case query.Space:
		in.SpaceID, ok = []string{g.Value}, isNone || isNamed
	case query.Label:
		if in.WithoutLabels = isNone; !isNone {
			in.Label, g.Name, value = []string{g.Value}, g.Value, query.Name(query.Label, g.Value)
		}
	case query.Release:
		if g.Name, value, ok = g.Value, query.Name(query.Release, g.Value), !isNone; ok {
			in.Release = []string{g.Value}
		} else {
			in.Not.Release, g.Name = append(in.Not.Release, d.otherValues()...), ""
		}
	case query.Reporter:
		if ok = !isNone; ok {
			in.ReporterID = []string{g.Value}
		} else {
			in.Not.ReporterID = append(in.Not.ReporterID, d.otherValues()...)
		}
	}
	return value, ok
}

// otherValues are the values of the groups that have one.
func (d *data) otherValues() (all []string) {
	for _, g := range d.Groups {
		if !g.isNone {
			all = append(all, g.Value)
		}
	}
	return all
}

// list reads a page of reports, or all of those to which the rows are limited.
func (d *data) list(q *page.Request, in api.ListSlices) (all api.Page[api.Slice], err error) {
	if d.Only == "" {
		return q.ListReports(in)
	}
	in.Paging = api.Paging{Limit: pageLimit}
	references := strings.Split(d.Only, ",")
	for part := range slices.Chunk(references[:min(len(references), maxOnly)], pageLimit) {
		in.Reference = part
		listed, err := q.ListReports(in)
		if err != nil {
			return all, err
		}
		all.Data = append(all.Data, listed.Data...)
	}
	return all, nil
}

// nameAssignees sets the names of the assignees.
func (d *data) nameAssignees(q *page.Request) error {
	lists := make([][]page.ReportRow, len(d.Groups))
	for i, g := range d.Groups {
		lists[i] = g.Rows
	}
	return q.NameAssignees(lists)
}

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
		total := totalOf(api.SliceCounts{More: counts.More, Data: slices.DeleteFunc(slices.Clone(counts.Data),
			func(n api.SliceCount) bool {
				return one.statuses != nil && !slices.Contains(one.statuses, api.Status(*n.Value))
			})})
		d.Tabs = append(d.Tabs, listTab{Name: one.name, URL: d.Address.withStatuses(one.statuses), Count: total.Count,
			AtMost: total.More, Current: len(left) == 0 && sameStatuses(selected, one.statuses)})
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
