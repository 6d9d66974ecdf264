// Package notifications is what a user chooses about mails: when they come, by kind, and when they do not.
package notifications

import (
	"embed"
	"fmt"
	"strconv"
	"time"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("notifications", folder)

type data struct {
	api.MailSettings
	Email  string
	Kinds  []kind
	Hours  []int
	Days   []day
	Faults page.Faults
}

// kind is a row of the form.
type kind struct {
	Kind  api.MailKind
	Value api.MailTime
}

// day is a day of the week, which may be quiet.
type day struct {
	Bit   int64
	Name  string
	Quiet bool
}

// week has the days of the week in the order of the form.
var week = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}

func newData(q *page.Request, s api.MailSettings) data {
	d := data{MailSettings: s, Email: q.Session.Profile.Email}
	if s.Version == 0 && q.Session.Profile.TimeZone == "" { // nothing is chosen: what the browser says is closer than UTC
		d.TimeZone = q.BrowserZone().String()
	}
	for _, k := range api.MailKinds {
		d.Kinds = append(d.Kinds, kind{k, *d.Of(k)})
	}
	for hour := range 24 {
		d.Hours = append(d.Hours, hour)
	}
	for _, of := range week {
		bit := int64(1) << of
		d.Days = append(d.Days, day{bit, of.String(), s.QuietDays&bit != 0})
	}
	return d
}

// Clock returns a minute of the day as fields of time have it.
func (data) Clock(minute int64) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// Show shows the form.
func Show(q *page.Request) (page.Result, error) {
	s, err := page.Call(q, q.Tracker.GetMailSettings, api.GetMailSettings{})
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, newData(q, s))
}

// Save stores what is chosen.
func Save(q *page.Request) (page.Result, error) {
	patch := api.MailPatch{"digestHour": number(q.PostForm.Get("digestHour")), "quietFrom": minute(q.PostForm.Get("quietFrom")),
		"quietUntil": minute(q.PostForm.Get("quietUntil")), "timeZone": q.PostForm.Get("timeZone")}
	for _, k := range api.MailKinds {
		patch[string(k)] = q.PostForm.Get(string(k))
	}
	days := int64(0)
	for _, bit := range q.PostForm["quietDays"] {
		days |= number(bit)
	}
	patch["quietDays"] = days
	_, err := page.Call(q, q.Tracker.UpdateMailSettings, api.UpdateMailSettings{Patch: patch})
	if faults, ok := page.FaultsOf(err); ok {
		s, err := page.Call(q, q.Tracker.GetMailSettings, api.GetMailSettings{})
		if err != nil {
			return page.Result{}, err
		}
		d := newData(q, s)
		d.Faults, d.TimeZone = faults, q.PostForm.Get("timeZone")
		return page.Invalid(view, d)
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/notifications", "notifications-saved")
}

// number returns a number of a form, -1 for what is none.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return -1
	}
	return n
}

// minute returns the minute of a time of day, 0 for none and -1 for what is no time.
func minute(text string) int64 {
	if text == "" {
		return 0
	}
	t, err := time.Parse("15:04", text)
	if err != nil {
		return -1
	}
	return int64(t.Hour()*60 + t.Minute())
}

// Resume lets mails be sent to the user again, whose address has refused one.
func Resume(q *page.Request) (page.Result, error) {
	if _, err := page.Call(q, q.Tracker.ResumeMail, api.ResumeMail{}); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/notifications", "mail-resumed")
}
