// Package source is the page of a source, from which visitors report: the lines to paste, its usage, and what an admin can do
// with it.
package source

import (
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("source", folder)

type data struct {
	Source       api.Source
	Version      string
	Workspace    string
	WorkspaceKey string
	Space        string // its name; empty for none
	Plot         page.SourcePlot
	Newest       *api.Slice // of its filed reports; nil without one
	Once, Tag    string
	Origins      []string
	Since        string // from when reports are removed, unless the reader chooses another time
	Faults       page.Faults
	Code         string // why a change was refused

	Rotated *api.SourceSecret // shown in place of the rest
}

const days = 30 // of the plot

// Show shows a source.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	s, err := page.Call(q, q.Tracker.GetSource, api.GetSource{SourceID: q.PathValue("sourceId")})
	if err != nil {
		return d, err
	}
	usage, err := page.Call(q, q.Tracker.GetSourceUsage, api.GetSourceUsage{SourceID: s.ID, Days: days})
	if err != nil {
		return d, err
	}
	d = data{Source: s, Version: page.SourceVersion(s), Workspace: q.WorkspaceName(&s.WorkspaceID), Plot: page.NewSourcePlot(usage),
		Once: page.Once(), Tag: q.SourceTag(s), Since: q.Now.Add(-24 * time.Hour).In(q.Zone()).Format(timeLayout)}
	if i := slices.IndexFunc(q.Workspaces, func(w page.Workspace) bool { return w.ID == s.WorkspaceID }); i >= 0 {
		d.WorkspaceKey = q.Workspaces[i].Key
	}
	newest, err := q.ListReports(api.ListSlices{Sort: "createdAt", Order: "desc", Paging: api.Paging{Limit: 1},
		SliceFilters: api.SliceFilters{Source: []string{s.ID}}})
	if err != nil {
		return d, err
	}
	if len(newest.Data) > 0 {
		d.Newest = &newest.Data[0]
	}
	if s.SpaceID != nil {
		space, err := page.Call(q, q.Tracker.GetSpace, api.GetSpace{WorkspaceID: s.WorkspaceID, SpaceID: *s.SpaceID})
		if err != nil && !page.HasCode(err, api.CodeNotFound) {
			return d, err
		}
		d.Space = space.Name
	}
	return d, nil
}

// Found returns the address of the reports that the visitors of the source have filed.
func (d data) Found() string {
	return "/reports?" + url.Values{"workspace": {d.WorkspaceKey}, "q": {"source:" + d.Source.ID}}.Encode()
}

// Pause stops the source from taking reports.
func Pause(q *page.Request) (page.Result, error) { return setPaused(q, true, "source-paused") }

// Resume lets the source take reports again.
func Resume(q *page.Request) (page.Result, error) { return setPaused(q, false, "source-resumed") }

func setPaused(q *page.Request, paused bool, notice string) (page.Result, error) {
	sourceID := q.PathValue("sourceId")
	if _, err := page.Call(q, q.Tracker.UpdateSource, api.UpdateSource{SourceID: sourceID,
		Patch: api.SourcePatch{"paused": paused}}); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/capture/"+sourceID, notice)
}

// Rotate gives the source a new secret and shows it.
func Rotate(q *page.Request) (page.Result, error) {
	v, err := page.Bind[api.RotateSourceSecret](q, q.PostForm)
	if err != nil {
		return page.Result{}, err
	}
	s, err := q.Tracker.RotateSourceSecret(q.Context(), q.Session.Caller, v)
	if err == nil {
		return page.Show(view, data{Source: s.Source, Rotated: &s})
	}
	if !page.HasCode(err, api.CodeReplaySecret, api.CodeIdempotencyKeyReused) {
		return page.Result{}, err
	}
	return refuse(q, api.CodeReplaySecret, http.StatusConflict)
}

// refuse shows the page with why a change was refused.
func refuse(q *page.Request, code string, status int) (page.Result, error) {
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Code = code
	return page.Refused(view, d, status)
}

// Delete deletes the source, unless somebody else has changed it since the page was shown.
func Delete(q *page.Request) (page.Result, error) {
	_, err := page.ChangeSource(q, func(etag string) error {
		_, err := page.Call(q, q.Tracker.DeleteSource, api.DeleteSource{SourceID: q.PathValue("sourceId"), IfMatch: etag})
		return err
	})
	switch {
	case err == nil:
		return page.Redirect("/settings/capture", "source-deleted")
	case page.HasCode(err, api.CodePrecondition):
		return refuse(q, api.CodePrecondition, http.StatusPreconditionFailed)
	}
	return page.Result{}, err
}

// timeLayout is that of a field for a time in HTML.
const timeLayout = "2006-01-02T15:04"

// Remove deletes what visitors have reported since a time. A time without a zone is the reader's.
func Remove(q *page.Request) (page.Result, error) {
	form := url.Values{"once": q.PostForm["once"], "since": slices.Clone(q.PostForm["since"])}
	if at, err := time.ParseInLocation(timeLayout, form.Get("since"), q.Zone()); err == nil {
		form.Set("since", api.At(at).String())
	}
	v, err := page.Bind[api.RemoveSourceReports](q, form)
	var r api.RemovedReports
	if err == nil {
		r, err = q.Tracker.RemoveSourceReports(q.Context(), q.Session.Caller, v)
	}
	if faults, invalid := page.FaultsOf(err); invalid {
		d, err := load(q)
		if d.Faults, d.Since = faults, q.PostForm.Get("since"); err != nil {
			return page.Result{}, err
		}
		return page.Invalid(view, d)
	}
	if err != nil {
		return page.Result{}, err
	}
	about := url.Values{"submissions": {strconv.FormatInt(r.Submissions, 10)}, "slices": {strconv.FormatInt(r.Slices, 10)}}
	if r.More {
		about.Set("more", "1")
	}
	return page.Redirect("/settings/capture/"+q.PathValue("sourceId"), "reports-removed?"+about.Encode())
}
