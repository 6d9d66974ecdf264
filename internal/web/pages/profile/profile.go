// Package profile is what a user chooses: name, theme, time zone and shortcuts.
package profile

import (
	"cmp"
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
	Fields  api.ProfileFields
	Browser string // the name of the time zone of the browser
	Email   string
	Version string
	Faults  page.Faults
	User    string // the id
	Picture string // its name; empty for none
	Mails   bool   // whether the instance sends mails
	Stale   bool   // somebody saved other values since the form was shown
}

// Show shows the form.
func Show(q *page.Request) (page.Result, error) {
	p := q.Session.Profile
	return page.Show(view, dataOf(q, p.ProfileFields, version(p)))
}

// dataOf returns what the page shows, with the fields of the form.
func dataOf(q *page.Request, f api.ProfileFields, version string) data {
	p := q.Session.Profile
	return data{Fields: f, Browser: q.BrowserZone().String(), Email: p.Email, Version: version, Picture: p.Picture,
		User: q.Session.Caller.ID, Mails: q.Tracker.MailEnabled()}
}

func version(p api.Profile) string { return strconv.FormatInt(p.Version, 10) }

// Save stores the profile.
func Save(q *page.Request) (page.Result, error) {
	f := api.ProfileFields{Name: q.PostForm.Get("name"), Theme: api.Theme(q.PostForm.Get("theme")),
		TimeZone: q.PostForm.Get("timeZone"), Shortcuts: q.PostForm.Get("shortcuts") == "true"}
	_, err := page.Call(q, q.Tracker.UpdateProfile, api.UpdateProfile{
		IfMatch: cmp.Or(q.PostForm.Get("version"), "0"),
		Patch: api.ProfilePatch{"name": f.Name, "theme": string(f.Theme), "timeZone": f.TimeZone,
			"shortcuts": f.Shortcuts}})
	d := dataOf(q, f, q.PostForm.Get("version"))
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
	in := api.UpdateProfile{Patch: api.ProfilePatch{"theme": q.PostForm.Get("theme")}}
	if _, err := page.Call(q, q.Tracker.UpdateProfile, in); err != nil {
		return page.Result{}, err
	}
	return page.Redirect(q.Next(q.PostForm.Get("next")), "")
}
