// Package recordinglinks is the list of the recording links of a workspace in the settings.
package recordinglinks

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("recordinglinks", folder)

type data struct {
	Workspace page.Workspace
	Rows      []tracker.RecordingLinkRow
}

// List shows the links of the selected workspace that the reader may revoke.
func List(q *page.Request) (page.Result, error) {
	rows, err := q.Tracker.WorkspaceRecordingLinks(q.Context(), q.Session.Caller, q.Workspace.ID)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{q.Workspace, rows})
}

// Revoke revokes a link. A form that is sent twice leads to the same page.
func Revoke(q *page.Request) (page.Result, error) {
	notice := "recording-link-revoked"
	_, err := page.Call(q, q.Tracker.RevokeRecordingLink, api.RevokeRecordingLink{RecordingLinkID: q.PathValue("recordingLinkId")})
	if page.HasCode(err, api.CodeNotFound) {
		notice, err = "recording-link-gone", nil
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect(q.Next(q.PostForm.Get("next")), notice)
}
