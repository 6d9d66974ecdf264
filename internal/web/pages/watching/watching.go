// Package watching is the page on which the reader chooses what to watch and to mute: workspaces, their spaces, saved
// views, and single reports.
package watching

import (
	"embed"
	"net/url"
	"slices"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("watching", folder)

// subject is what can be watched.
type subject struct {
	ID, Name, Note string
	Level          api.WatchLevel
	Path           string // of a report
}

// group is subjects of a kind.
type group struct {
	Kind     string
	Subjects []subject
}

type data struct {
	Groups []group
	More   bool // the reader has chosen more than the page shows
}

// most is the number of subjects of a kind, beside those that the reader has chosen, that the page shows.
const most = 100

// Show shows what the reader can watch in the selected workspace, or in all, and what the reader has chosen.
func Show(q *page.Request) (page.Result, error) {
	d, chosen := data{}, []api.Watch{}
	in := api.ListWatches{Paging: api.Paging{Limit: 100}}
	for {
		found, err := page.Call(q, q.Tracker.ListWatches, in)
		if err != nil {
			return page.Result{}, err
		}
		if chosen = append(chosen, found.Data...); !found.Pagination.HasMore || len(chosen) > 1000 {
			d.More = found.Pagination.HasMore
			break
		}
		in.Cursor = *found.Pagination.Cursor
	}
	kinds := map[string]*group{}
	for _, kind := range []string{"workspace", "view", "space", "slice"} {
		kinds[kind] = &group{Kind: kind}
	}
	offer := func(kind, id, name, note string) {
		if g := kinds[kind]; len(g.Subjects) < most {
			g.Subjects = append(g.Subjects, subject{ID: id, Name: name, Note: note, Level: api.Automatic})
		}
	}
	for _, w := range q.Workspaces {
		offer("workspace", w.ID, w.Name, w.Key)
	}
	for _, v := range q.Views {
		offer("view", v.ID, v.Name, v.Query)
	}
	for _, s := range q.Spaces {
		offer("space", s.ID, s.Name, "")
	}
	for _, w := range chosen {
		g := kinds[w.Kind]
		i := slices.IndexFunc(g.Subjects, func(s subject) bool { return s.ID == w.SubjectID })
		if i < 0 {
			i = len(g.Subjects)
			g.Subjects = append(g.Subjects, subject{ID: w.SubjectID, Name: w.Name})
		}
		if g.Subjects[i].Level = w.Level; w.Kind == "slice" {
			g.Subjects[i].Path = "/slices/" + w.SubjectID
		}
	}
	for _, kind := range []string{"workspace", "view", "space", "slice"} {
		if len(kinds[kind].Subjects) > 0 {
			d.Groups = append(d.Groups, *kinds[kind])
		}
	}
	return page.Show(view, d)
}

// Change chooses whether the reader is told of something.
func Change(q *page.Request) (page.Result, error) {
	f := q.PostForm
	fields := api.WatchFields{SubjectID: f.Get("subject"), Level: api.WatchLevel(f.Get("level"))}
	w, err := page.Call(q, q.Tracker.SetWatch, api.SetWatch{Body: fields})
	if err != nil {
		return page.Result{}, err
	}
	about := url.Values{"name": {w.Name}, "level": {string(w.Level)}}
	return page.Redirect(q.Next(f.Get("next")), "watch-set?"+about.Encode())
}
