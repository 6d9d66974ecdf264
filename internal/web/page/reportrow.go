package page

import (
	"bugslice/api"
	"bugslice/internal/input"
)

// ReportRow is a report in a list.
type ReportRow struct {
	api.Slice
	Level    string // the priority; empty for none
	Assignee string // the name; empty for nobody, and until NameAssignees
}

// ReportRows returns the rows of reports.
func ReportRows(all []api.Slice) []ReportRow {
	rows := make([]ReportRow, len(all))
	for i, s := range all {
		rows[i].Slice = s
		if s.Priority != nil {
			rows[i].Level = string(*s.Priority)
		}
	}
	return rows
}

// NameAssignees sets the names of the assignees in several lists.
func (q *Request) NameAssignees(lists [][]ReportRow) error {
	ids := map[string][]string{} // of assignees, by workspace
	for _, rows := range lists {
		for _, r := range rows {
			if r.AssigneeID != nil {
				ids[r.WorkspaceID] = append(ids[r.WorkspaceID], *r.AssigneeID)
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
	for _, rows := range lists {
		for i, r := range rows {
			if r.AssigneeID != nil {
				rows[i].Assignee = names[r.WorkspaceID][*r.AssigneeID]
			}
		}
	}
	return nil
}

// ListReports returns a page of reports.
func (q *Request) ListReports(in api.ListSlices) (api.Page[api.Slice], error) {
	v, err := input.Check(in)
	if err != nil {
		return api.Page[api.Slice]{}, err
	}
	return q.Backend.ListSlices(q.Context(), q.Session.Caller, v)
}
