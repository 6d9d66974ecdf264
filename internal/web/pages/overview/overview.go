// Package overview is the statistics of the reports of a workspace over a period. Each number leads to the list that
// it counts.
package overview

import (
	"embed"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("overview", folder)

// periods are the lengths of the periods that are offered, in days.
var periods = []int{7, 30, 90, 365}

const defaultPeriod = 30

type data struct {
	From, To, Zone string // the first and the last day, and their time zone
	Today          string
	Periods        []choice
	Fault          *api.Fault // why the days of the request are refused

	Opened, Resolved, Open number
	Before                 *before // nil where the period before cannot be counted
	Time                   timeToResolve
	Days                   plot
	Ages                   []bar
	Labels, Releases       top
	Fingerprints           top
	Webhooks               []webhook // nil for readers who may not list them
	Start                  *page.Start
}

// Empty returns whether the workspace has no report to count.
func (d data) Empty() bool { return d.Opened.Count+d.Resolved.Count+d.Open.Count == 0 }

// before is what the period of the same length before had.
type before struct {
	Days             int
	Opened, Resolved int64
	Median           int64 // seconds; 0 for none
}

// choice is a period that is offered.
type choice struct {
	Days    int
	URL     string
	Current bool
}

// Show shows the statistics of a period. Its days are those of the workspace.
func Show(q *page.Request) (page.Result, error) {
	zone, err := time.LoadLocation(q.Workspace.TimeZone)
	if err != nil {
		return page.Result{}, err
	}
	today := q.Now.In(zone)
	values, days := q.URL.Query(), defaultPeriod
	if n, err := strconv.Atoi(values.Get("period")); err == nil && slices.Contains(periods, n) {
		days = n
	}
	in := api.GetStatistics{WorkspaceID: q.Workspace.ID, TimeZone: q.Workspace.TimeZone,
		From: today.AddDate(0, 0, 1-days).Format(time.DateOnly)}
	d := data{Today: today.Format(time.DateOnly), Zone: in.TimeZone}
	s := api.Statistics{}
	if values.Get("from") != "" || values.Get("to") != "" {
		other := in
		other.From, other.To = values.Get("from"), values.Get("to")
		if s, err = statistics(q, other); err == nil {
			days = 0
		} else if d.Fault = faultOf(err); d.Fault == nil {
			return page.Result{}, err
		}
	}
	if s.From == "" {
		if s, err = statistics(q, in); err != nil {
			return page.Result{}, err
		}
	}
	for _, n := range periods {
		values := url.Values{"workspace": {q.Workspace.Key}, "period": {strconv.Itoa(n)}}
		d.Periods = append(d.Periods, choice{n, "/overview?" + values.Encode(), n == days})
	}
	d.From, d.To = s.From, s.To
	if d.Before, err = periodBefore(q, s); err != nil {
		return page.Result{}, err
	}
	d.fill(newLists(q, s, zone), s)
	if d.Start, err = q.LoadStart(q.Workspace); err != nil {
		return page.Result{}, err
	}
	result := page.Result{Page: view, Data: d}
	if d.Fault != nil {
		result.Status = http.StatusUnprocessableEntity
	}
	return result, nil
}

func statistics(q *page.Request, in api.GetStatistics) (api.Statistics, error) {
	v, err := input.Check(in)
	if err != nil {
		return api.Statistics{}, err
	}
	return q.Tracker.GetStatistics(q.Context(), q.Session.Caller, v)
}

// periodBefore returns what the period of the same length before another one had, nil where it is refused.
func periodBefore(q *page.Request, s api.Statistics) (*before, error) {
	from, err := time.Parse(time.DateOnly, s.From)
	if err != nil {
		return nil, err
	}
	b := before{Days: len(s.Days)}
	former, err := statistics(q, api.GetStatistics{WorkspaceID: q.Workspace.ID, TimeZone: q.Workspace.TimeZone,
		From: from.AddDate(0, 0, -b.Days).Format(time.DateOnly), To: from.AddDate(0, 0, -1).Format(time.DateOnly)})
	if faultOf(err) != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, day := range former.Days {
		b.Opened, b.Resolved = b.Opened+day.Opened, b.Resolved+day.Resolved
	}
	if former.TimeToResolve.Median != nil {
		b.Median = *former.TimeToResolve.Median
	}
	return &b, nil
}

// faultOf returns why the days of a request are refused, nil for another error.
func faultOf(err error) *api.Fault {
	var p *api.Problem
	if !errors.As(err, &p) || p.Code != api.CodeInvalidParameter || len(p.Errors) == 0 {
		return nil
	}
	return &p.Errors[0]
}

// number is a count with the address of the list of what it counts.
type number struct {
	Count int64
	List  string
}

// bar is a number as a bar.
type bar struct {
	number
	Text             string // of the value
	MinDays, MaxDays int64  // of an age; MaxDays is -1 for the greatest
	Width            float64
}

// top are the most frequent values.
type top struct {
	Bars     []bar
	Complete bool
	Repeated bool // whether the numbers are of filings, and not of reports
}

type timeToResolve struct {
	number
	Median, P90           int64 // seconds
	MedianWidth, P90Width float64
}

// webhook is the deliveries of a webhook as a bar with three parts.
type webhook struct {
	api.DeliveryStatistics
	Path                  string // of its page
	lists                 lists
	Share                 int64 // of the deliveries that have arrived, in percent
	DeliveredWidth        float64
	FailedAt, FailedWidth float64
}

// fill fills in what statistics count.
func (d *data) fill(to lists, s api.Statistics) {
	for _, day := range s.Days {
		d.Opened.Count, d.Resolved.Count = d.Opened.Count+day.Opened, d.Resolved.Count+day.Resolved
	}
	d.Opened.List, d.Resolved.List = to.created(s.From, s.To), to.resolved(s.From, s.To)
	d.Days = newPlot(to, s.Days)
	for _, age := range s.Open {
		d.Open.Count += age.Count
		b := bar{number: number{age.Count, to.ofAge(d.Today, age)}, MinDays: age.MinDays, MaxDays: -1}
		if age.MaxDays != nil {
			b.MaxDays = *age.MaxDays
		}
		d.Ages = append(d.Ages, b)
	}
	scale(d.Ages)
	d.Open.List = to.unresolved()
	d.Time = timeToResolve{number: number{s.TimeToResolve.Count, to.resolved(s.From, s.To)}}
	if s.TimeToResolve.Median != nil {
		d.Time.Median, d.Time.P90 = *s.TimeToResolve.Median, *s.TimeToResolve.P90
		d.Time.MedianWidth, d.Time.P90Width = percent(d.Time.Median, d.Time.P90), 100
	}
	d.Labels, d.Releases = to.top(labelWord, s.Labels), to.top(releaseWord, s.Releases)
	d.Fingerprints.Complete, d.Fingerprints.Repeated = s.Fingerprints.Complete, true
	for _, f := range s.Fingerprints.Data {
		b := bar{number: number{f.Occurrences, to.with(fingerprintWord, f.Fingerprint)}, Text: f.Fingerprint}
		d.Fingerprints.Bars = append(d.Fingerprints.Bars, b)
	}
	scale(d.Fingerprints.Bars)
	if s.Webhooks != nil {
		for _, w := range s.Webhooks.Data {
			d.Webhooks = append(d.Webhooks, newWebhook(to, w))
		}
	}
}

func newWebhook(to lists, w api.DeliveryStatistics) webhook {
	total := w.Delivered + w.Failed + w.Pending
	const gap = 0.5 // percent between the parts, so that they are told apart without their colours
	out := webhook{DeliveryStatistics: w, Path: "/settings/webhooks/" + w.WebhookID, lists: to,
		DeliveredWidth: percent(w.Delivered, total),
		FailedAt:       percent(w.Delivered, total), FailedWidth: percent(w.Failed, total)}
	if w.Delivered > 0 && w.Failed > 0 {
		out.FailedAt += gap
	}
	if total > 0 {
		out.Share = w.Delivered * 100 / total
	}
	return out
}

// List returns the address of the deliveries of the period with a status.
func (w webhook) List(status string) string { return w.lists.deliveries(w.Path, status) }

// scale sets the widths of bars to percentages of the greatest one.
func scale(bars []bar) {
	most := int64(0)
	for _, b := range bars {
		most = max(most, b.Count)
	}
	for i := range bars {
		bars[i].Width = percent(bars[i].Count, most)
	}
}

// percent returns a part of a whole in percent, of 0 none.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part*1000/whole) / 10
}
