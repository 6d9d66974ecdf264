// Package profile is what a user chooses: name, theme, time zone and shortcuts.
package profile

import (
	"embed"
	"net/http"
	"strconv"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("profile", folder)

type data struct {
	Fields  page.ProfileFields
	Browser string // the name of the time zone of the browser
	Email   string
	Version string
	Faults  page.Faults
	Stale   bool // somebody saved other values since the form was shown
}

// Show shows the form.
func Show(q *page.Request) (page.Result, error) {
	p := q.Session.Profile
	return page.Show(view, data{Fields: p.ProfileFields, Browser: q.BrowserZone().String(), Email: p.Email, Version: version(p)})
}

func version(p page.Profile) string { return strconv.FormatInt(p.Version, 10) }

// Save stores the profile.
func Save(q *page.Request) (page.Result, error) {
	f := page.ProfileFields{Name: q.PostForm.Get("name"), Theme: page.Theme(q.PostForm.Get("theme")),
		TimeZone: q.PostForm.Get("timeZone"), Shortcuts: q.PostForm.Get("shortcuts") == "true"}
	_, err := q.Tracker.UpdateProfile(q.Context(), *q.Session, q.PostForm.Get("version"), f)
	d := data{Fields: f, Browser: q.BrowserZone().String(), Email: q.Session.Profile.Email, Version: q.PostForm.Get("version")}
	switch faults, invalid := page.FaultsOf(err); {
	case err == nil:
		return page.Redirect("/settings/profile", "profile-saved")
	case invalid:
		d.Faults = faults
		return page.Invalid(view, d)
	case page.HasCode(err, api.CodePrecondition):
		d.Stale, d.Version = true, version(q.Session.Profile)
		return page.Result{Page: view, Data: d, Status: http.StatusPreconditionFailed}, nil
	}
	return page.Result{}, err
}

// SetTheme stores the theme alone, and leads back.
func SetTheme(q *page.Request) (page.Result, error) {
	if err := q.Tracker.SetTheme(q.Context(), *q.Session, page.Theme(q.PostForm.Get("theme"))); err != nil {
		return page.Result{}, err
	}
	return page.Redirect(q.Next(q.PostForm.Get("next")), "")
}
