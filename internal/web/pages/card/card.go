// Package card is what is shown of a report beside a reference to it in a text.
package card

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("card", folder)

type data struct {
	page.ReportRow
	Picture string // the address of the thumbnail of the first screenshot; empty for none
}

// Show shows the status, the assignee and the first screenshot of a report.
func Show(q *page.Request) (page.Result, error) {
	in, err := input.Check(api.GetSlice{SliceID: q.PathValue("reference")})
	if err != nil {
		return page.Result{}, api.NotFound("slice")
	}
	s, err := q.Tracker.GetSlice(q.Context(), q.Session.Caller, in)
	if err != nil {
		return page.Result{}, err
	}
	rows := q.ReportRows([]api.Slice{s}, func(string) string { return "" })
	if err := q.NameAssignees([][]page.ReportRow{rows}); err != nil {
		return page.Result{}, err
	}
	d := data{ReportRow: rows[0]}
	d.Picture, err = picture(q, s)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

// picture returns the address of the thumbnail of the first screenshot of a report.
func picture(q *page.Request, s api.Slice) (string, error) {
	if s.Evidence.Screenshots == 0 {
		return "", nil
	}
	in, err := input.Check(api.ListAttachments{SliceID: s.ID, Kind: []api.AttachmentKind{api.KindScreenshot},
		Paging: api.Paging{Limit: 1}})
	if err != nil {
		return "", err
	}
	listed, err := q.Tracker.ListAttachments(q.Context(), q.Session.Caller, in)
	if err != nil || len(listed.Data) == 0 || listed.Data[0].Thumbnail == nil {
		return "", err
	}
	return "/files/" + listed.Data[0].ID + "/thumbnail", nil
}
