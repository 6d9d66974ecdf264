package reports

import (
	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/query"
	"bugslice/internal/web/page"
)

// group is the reports with one value of a member.
type group struct {
	Value  string // none for no value; empty when the list is not grouped
	Name   string // of the assignee
	Count  int64
	AtMost bool // whether there may be more than Count
	Rows   []row
	More   bool    // whether there are reports beyond the rows
	All    address // of the list of all reports of the group
}

// row is a report in a list. It has what the template shows, because a template reads the members of an embedded record slowly.
type row struct {
	Reference, WorkspaceID, SpaceID string
	Version                         int64
	Summary                         string
	Status                          string
	Priority                        string // empty for none
	AssigneeID, Assignee            string // the id and the name; empty for nobody
	Labels                          []label
	AllLabels                       string // each with a comma after it
	Evidence                        api.EvidenceSummary
	Occurrences, Comments           int64
	CreatedAt                       api.Time
}

// label is a label of a report, with the path of the list of the reports that have it.
type label struct{ Text, Path string }

// rows returns reports as the rows of a list at an address.
func (a address) rows(all []api.Slice) []row {
	rows, paths := make([]row, len(all)), map[string]string{}
	for i, s := range all {
		rows[i] = row{Reference: s.Reference, WorkspaceID: s.WorkspaceID, SpaceID: text(s.SpaceID), Version: s.Version, Summary: s.Summary,
			Status: string(s.Status), Priority: text(s.Priority), AssigneeID: text(s.AssigneeID), Evidence: s.Evidence,
			Occurrences: s.OccurrenceCount, Comments: s.CommentCount, CreatedAt: s.CreatedAt}
		for _, l := range s.Labels {
			if paths[l] == "" {
				paths[l] = a.with(query.Label, query.Name(query.Label, l)).String()
			}
			rows[i].Labels = append(rows[i].Labels, label{l, paths[l]})
			rows[i].AllLabels += l + ","
		}
	}
	return rows
}

// text returns the text of a value, empty for none.
func text[T ~string](v *T) string {
	if v == nil {
		return ""
	}
	return string(*v)
}

// count counts the reports of the list, and those of each group.
func (d *data) count(q *page.Request, f api.SliceFilters) error {
	in := api.CountSlices{SliceFilters: f, By: "status"}
	if d.Address.Group != "" {
		in.By = d.Address.Group
	}
	v, err := input.Check(in)
	if err != nil {
		return err
	}
	counts, err := q.Backend.CountSlices(q.Context(), q.Session.Caller, v)
	d.Total.More = counts.More
	for _, n := range counts.Data {
		d.Total.Count += n.Count
		d.Total.More = d.Total.More || n.More
		if d.Address.Group == "" {
			continue
		}
		g := group{Value: "none", Count: n.Count, AtMost: n.More}
		if n.Value != nil {
			g.Value = *n.Value
		}
		d.Groups = append(d.Groups, g)
	}
	if d.Total.Count > maxCount {
		d.Total.Count, d.Total.More = maxCount, true
	}
	return err
}

// maxCount is the highest count that is shown.
const maxCount = 1000

// loadGroups reads the first reports of each group.
func (d *data) loadGroups(q *page.Request, dir *directory, in api.ListSlices) error {
	in.Paging = api.Paging{Limit: groupSize}
	if d.Only != "" {
		in.Limit = pageLimit
	}
	for i := range d.Groups {
		g := &d.Groups[i]
		value := query.Bare(g.Value)
		switch d.Address.Group {
		case query.Status:
			in.Status = []api.Status{api.Status(g.Value)}
		case query.Priority:
			in.Priority = []api.PriorityFilter{api.PriorityFilter(g.Value)}
		case query.Assignee:
			in.AssigneeID = []string{g.Value}
			var err error
			if g.Name, value, err = dir.person(g.Value); err != nil {
				return err
			}
		}
		g.All = d.Address.By("").with(d.Address.Group, value)
		if i >= maxGroups {
			g.More = true
			continue
		}
		listed, err := list(q, in)
		if err != nil {
			return err
		}
		g.Rows, g.More = d.Address.rows(listed.Data), listed.Pagination.HasMore
	}
	return nil
}

// nameAssignees sets the names of the assignees.
func (d *data) nameAssignees(q *page.Request) error {
	ids := map[string][]string{} // of assignees, by workspace
	for _, g := range d.Groups {
		for _, r := range g.Rows {
			if r.AssigneeID != "" {
				ids[r.WorkspaceID] = append(ids[r.WorkspaceID], r.AssigneeID)
			}
		}
	}
	names := map[string]map[string]string{}
	for workspaceID, all := range ids {
		var err error
		if names[workspaceID], err = q.Backend.MemberNames(q.Context(), q.Session.Caller, workspaceID, all); err != nil {
			return err
		}
	}
	for _, g := range d.Groups {
		for i, r := range g.Rows {
			g.Rows[i].Assignee = names[r.WorkspaceID][r.AssigneeID]
		}
	}
	return nil
}
