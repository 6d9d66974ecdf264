// Package shared is the page of a share: what somebody without an account reads of a report.
package shared

import (
	"embed"
	"html/template"
	"slices"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/markdown"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("shared", folder)

type data struct {
	page.SharedSlice
	Evidence *page.Evidence
	Base     string // the path of the page
	texts    *markdown.Page
}

// Size implements page.Sized.
func (d data) Size() int {
	n := 0
	if d.Description != nil {
		n = len(*d.Description)
	}
	for _, c := range d.Comments {
		n += len(c.Body)
	}
	return markdown.Size(n)
}

// LaterPath returns the path of the page with the comments after those that are shown.
func (d data) LaterPath() string {
	return d.Base + "?after=" + d.Comments[len(d.Comments)-1].ID + "#comments-title"
}

// Chips are the facts about the system on which the bug was seen, of the occurrence that is shown.
func (d data) Chips() (chips []string) {
	e := d.Evidence.Captured.Occurrence.Environment
	for _, fact := range []*string{e.Browser, e.OS, e.Device, e.Viewport, e.Release, e.AppVersion, e.Locale} {
		if fact != nil && *fact != "" {
			chips = append(chips, *fact)
		}
	}
	return chips
}

// Prose returns the HTML of a text of the report.
func (d data) Prose(source string) template.HTML {
	return ui.Prose(markdown.Context{Base: d.Base, Page: d.texts}, source)
}

// Pictures are the screenshots and the videos that are not on the stage.
func (d data) Pictures() (pictures []tracker.SharedFile) {
	for _, f := range d.Files {
		onStage := slices.ContainsFunc(d.Evidence.Stage.Pictures,
			func(p page.StagePicture) bool { return p.ID == f.ID })
		if !onStage && (f.Kind == api.KindScreenshot || f.Kind == api.KindVideo) {
			pictures = append(pictures, f)
		}
	}
	return pictures
}

// Show shows the report of a share.
func Show(q *page.Request) (page.Result, error) {
	c := q.Share
	after := q.URL.Query().Get("after")
	if !id.Valid(id.Comment, after) {
		after = ""
	}
	s, err := q.Tracker.SharedSliceAfter(q.Context(), c, after)
	if err != nil {
		return page.Result{}, err
	}
	parts := page.EvidenceParts{Console: s.ShowConsole, Network: s.ShowNetwork, Actions: true, Environment: true}
	e, err := q.ReadEvidence(q.SharedEvidence(c, s.ID), "", s.Reference, parts)
	if err != nil {
		return page.Result{}, err
	}
	if q.WantsPanel() {
		return e.Fragment()
	}
	base := "/s/" + q.PathValue("token")
	if e.Stage, err = q.LoadSharedStage(c, s, base, e.Captured.Occurrence.Number); err != nil {
		return page.Result{}, err
	}
	return page.Show(view, data{s, e, base, markdown.NewPage()})
}
