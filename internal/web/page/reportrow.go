package page

import (
	"html/template"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/ui"
)

// ReportRow is a report in a list. It has what the template shows, because a template reads the members of an
// embedded record slowly.
type ReportRow struct {
	Reference, WorkspaceID, SpaceID string
	Version                         int64
	Summary                         string
	Status                          string
	Priority                        string // empty for none
	AssigneeID, Assignee            string // the id, and the name after NameAssignees; empty for nobody
	Portrait                        string // the name of the picture of the assignee after NameAssignees; empty for none
	Labels                          []Label
	AllLabels                       string // separated by line feeds, which no label has
	Evidence                        api.EvidenceSummary
	Occurrences, Comments           int64
	CreatedAt                       api.Time
	Visitor                         bool   // whether a visitor filed it, without an account
	Order                           string // the key by which a board is sorted; empty in a list
}

// captured is the label of reports with evidence, which a row does not show beside the marks of the evidence.
const captured = "captured"

func hasMarks(e api.EvidenceSummary) bool {
	return e.Screenshots+e.Replays+e.ConsoleErrors+e.FailedRequests > 0
}

// Label is a label of a report, with the path of the list of the reports that have it and the class of its colour.
type Label struct{ Text, Path, Class string }

// LabelColors returns the colours of labels that a workspace of the reader has chosen.
func (q *Request) LabelColors(workspaceID string) map[string]api.LabelColor {
	for i := range q.Workspaces {
		if q.Workspaces[i].ID == workspaceID {
			return q.Workspaces[i].LabelColors
		}
	}
	return nil
}

// ReportRows returns the rows of reports. path returns the path of the list of the reports with a label.
func (q *Request) ReportRows(all []api.Slice, path func(label string) string) []ReportRow {
	rows := make([]ReportRow, len(all))
	for i, s := range all {
		rows[i] = ReportRow{Reference: s.Reference, WorkspaceID: s.WorkspaceID, SpaceID: textOf(s.SpaceID),
			Version: s.Version,
			Summary: s.Summary, Status: string(s.Status), Priority: textOf(s.Priority),
			AssigneeID: textOf(s.AssigneeID),
			Evidence:   s.Evidence, Occurrences: s.OccurrenceCount, Comments: s.CommentCount, CreatedAt: s.CreatedAt,
			Visitor: s.Visitor != nil}
		colors := q.LabelColors(s.WorkspaceID)
		for _, l := range s.Labels {
			if l != captured || !hasMarks(s.Evidence) {
				rows[i].Labels = append(rows[i].Labels, Label{l, path(l), ui.LabelClass(l, colors)})
			}
		}
		rows[i].AllLabels = strings.Join(s.Labels, "\n")
	}
	return rows
}

// PlainRows renders reports that are not changed in place.
func PlainRows(v *ui.View, rows []ReportRow) (template.HTML, error) {
	return ui.HTML(plainRows(v, rows))
}

// textOf returns the text of a value, empty for none.
func textOf[T ~string](v *T) string {
	if v == nil {
		return ""
	}
	return string(*v)
}

// NameAssignees sets the names of the assignees in several lists.
func (q *Request) NameAssignees(lists [][]ReportRow) error {
	ids := map[string][]string{} // of assignees, by workspace
	for _, rows := range lists {
		for _, r := range rows {
			if r.AssigneeID != "" {
				ids[r.WorkspaceID] = append(ids[r.WorkspaceID], r.AssigneeID)
			}
		}
	}
	names := map[string]map[string]string{}
	var people []string
	for workspaceID, all := range ids {
		people = append(people, all...)
		var err error
		slices.Sort(all)
		if names[workspaceID], err = q.Tracker.MemberNames(q.Context(), q.Session.Caller, workspaceID,
			slices.Compact(all)); err != nil {
			return err
		}
	}
	portraits, err := q.Portraits(people)
	if err != nil {
		return err
	}
	for _, rows := range lists {
		for i, r := range rows {
			if r.AssigneeID != "" {
				rows[i].Assignee, rows[i].Portrait = names[r.WorkspaceID][r.AssigneeID], portraits[r.AssigneeID]
			}
		}
	}
	return nil
}

// Portraits returns the names of the pictures of those users who have one, by id.
func (q *Request) Portraits(userIDs []string) (map[string]string, error) {
	if len(userIDs) == 0 {
		return nil, nil
	}
	slices.Sort(userIDs)
	return q.Tracker.PicturesOf(q.Context(), q.Session.Caller, slices.Compact(userIDs))
}

// ListReports returns a page of reports.
func (q *Request) ListReports(in api.ListSlices) (api.Page[api.Slice], error) {
	v, err := input.Check(in)
	if err != nil {
		return api.Page[api.Slice]{}, err
	}
	return q.Tracker.ListSlices(q.Context(), q.Session.Caller, v)
}
