// Package webhook is the page of one webhook: its state, its test, its deliveries, and what an admin can do with it.
package webhook

import (
	"embed"
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

var view = ui.NewPage("webhook", folder)

type data struct {
	Webhook    page.WebhookRow
	Version    string // of what the page shows of the webhook
	Plot       page.Plot
	Workspace  string
	Status     api.DeliveryStatus // that the deliveries are filtered by; empty for all
	From, To   *api.Time          // the period of the deliveries; nil for no bound
	Deliveries []api.Delivery
	Next       string // the address of the next page; empty on the last one
	Once       string
	Since      string // from when failed deliveries are sent again, unless the reader chooses another time
	Faults     page.Faults
	Code       string // why a change was refused

	Test *api.WebhookTest

	Rotated *api.WebhookSecret // shown in place of the rest
	Snippet []page.Snippet
}

// pageSize is how many deliveries a page shows.
const pageSize = 25

// Show shows a webhook.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	v, err := page.Bind[api.GetWebhook](q, nil)
	if err != nil {
		return d, err
	}
	if d.Webhook, err = q.Tracker.WebhookRow(q.Context(), q.Session.Caller, v); err != nil {
		return d, err
	}
	d.Version = page.WebhookVersion(d.Webhook.Webhook)
	d.Plot, d.Workspace, d.Once = page.NewPlot(d.Webhook.Recent), q.WorkspaceName(&d.Webhook.WorkspaceID), page.Once()
	d.Since = formatTime(q, since(q, d.Webhook))
	return d, d.list(q)
}

// NextAttempt returns when the next of the deliveries that are shown is tried again, nil for none.
func (d data) NextAttempt() (next *api.Time) {
	for _, delivery := range d.Deliveries {
		if at := delivery.NextAttemptAt; at != nil && (next == nil || at.Before(next.Time)) {
			next = at
		}
	}
	return next
}

// list reads a page of the deliveries that the query asks for.
func (d *data) list(q *page.Request) error {
	query := q.URL.Query()
	in := api.ListDeliveries{Paging: api.Paging{Limit: pageSize, Cursor: query.Get("cursor")}, WebhookID: d.Webhook.ID}
	if status := query.Get("status"); status != "" {
		d.Status = api.DeliveryStatus(status)
		in.Status = []api.DeliveryStatus{d.Status}
	}
	for name, bound := range map[string]**api.Time{"since": &in.Since, "until": &in.Until} {
		if text := query.Get(name); text != "" {
			*bound = new(api.Time)
			if err := (*bound).UnmarshalText([]byte(text)); err != nil {
				return api.InvalidParameter(name, "wrong_form", name+" must be a time, such as 2026-11-01T00:00:00Z")
			}
		}
	}
	d.From, d.To = in.Since, in.Until
	v, err := input.Check(in)
	if err != nil {
		return err
	}
	listed, err := q.Tracker.ListDeliveries(q.Context(), q.Session.Caller, v)
	if err != nil {
		return err
	}
	d.Deliveries = listed.Data
	if listed.Pagination.Cursor != nil {
		values := d.period()
		values.Set("status", string(d.Status))
		values.Set("cursor", *listed.Pagination.Cursor)
		d.Next = "?" + values.Encode()
	}
	return nil
}

// period returns the parameters of the period.
func (d *data) period() url.Values {
	values := url.Values{}
	for name, bound := range map[string]*api.Time{"since": d.From, "until": d.To} {
		if bound != nil {
			values.Set(name, bound.String())
		}
	}
	return values
}

// Filtered returns the address of the deliveries of the period in a status, or in all.
func (d data) Filtered(status string) string {
	values := d.period()
	if status != "" {
		values.Set("status", status)
	}
	path := "/settings/webhooks/" + d.Webhook.ID
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	return path
}

// LastDay returns a time of the last day of the period.
func (d data) LastDay() api.Time { return api.At(d.To.Add(-time.Millisecond)) }

// since returns from when a recovery begins by default: when the webhook began to fail or was disabled, and otherwise
// a day ago.
func since(q *page.Request, w page.WebhookRow) time.Time {
	at := q.Now.Add(-24 * time.Hour)
	for _, t := range []*api.Time{w.FailingSince, w.DisabledAt} {
		if t != nil && t.Before(at) {
			at = t.Time
		}
	}
	return at
}

// timeLayout is that of a field for a time in HTML.
const timeLayout = "2006-01-02T15:04"

func formatTime(q *page.Request, t time.Time) string { return t.In(q.Zone()).Format(timeLayout) }

// Test sends a ping and shows its result.
func Test(q *page.Request) (page.Result, error) {
	v, err := page.Bind[api.TestWebhook](q, q.PostForm)
	if err != nil {
		return page.Result{}, err
	}
	result, err := q.Tracker.TestWebhook(q.Context(), q.Session.Caller, v)
	if err != nil {
		return page.Result{}, err
	}
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Test = &result
	return page.Show(view, d)
}

// Rotate gives the webhook a new secret and shows it.
func Rotate(q *page.Request) (page.Result, error) {
	v, err := page.Bind[api.RotateSecret](q, q.PostForm)
	if err != nil {
		return page.Result{}, err
	}
	w, err := q.Tracker.RotateSecret(q.Context(), q.Session.Caller, v)
	if err == nil {
		return page.Show(view, data{Webhook: page.WebhookRow{Webhook: w.Webhook}, Rotated: &w, Snippet: page.Snippets(),
			Once: page.Once()})
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

// Enable enables the webhook.
func Enable(q *page.Request) (page.Result, error) { return setEnabled(q, true, "webhook-enabled") }

// Disable disables the webhook.
func Disable(q *page.Request) (page.Result, error) { return setEnabled(q, false, "webhook-disabled") }

func setEnabled(q *page.Request, enabled bool, notice string) (page.Result, error) {
	v, err := input.Check(api.UpdateWebhook{WebhookID: q.PathValue("webhookId"),
		Patch: api.WebhookPatch{"enabled": enabled}})
	if err != nil {
		return page.Result{}, err
	}
	if _, err := q.Tracker.UpdateWebhook(q.Context(), q.Session.Caller, v); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/webhooks/"+q.PathValue("webhookId"), notice)
}

// Delete deletes the webhook, unless somebody else has changed it since the page was shown.
func Delete(q *page.Request) (page.Result, error) {
	_, err := page.ChangeWebhook(q, func(etag string) error {
		v, err := input.Check(api.DeleteWebhook{WebhookID: q.PathValue("webhookId"), IfMatch: etag})
		if err == nil {
			_, err = q.Tracker.DeleteWebhook(q.Context(), q.Session.Caller, v)
		}
		return err
	})
	switch {
	case err == nil:
		return page.Redirect("/settings/webhooks", "webhook-deleted")
	case page.HasCode(err, api.CodePrecondition):
		return refuse(q, api.CodePrecondition, http.StatusPreconditionFailed)
	}
	return page.Result{}, err
}

// Recover queues the deliveries that failed since a time. A time without a zone is the reader's.
func Recover(q *page.Request) (page.Result, error) {
	form := url.Values{"once": q.PostForm["once"], "since": slices.Clone(q.PostForm["since"])}
	if at, err := time.ParseInLocation(timeLayout, form.Get("since"), q.Zone()); err == nil {
		form.Set("since", api.At(at).String())
	}
	v, err := page.Bind[api.RecoverDeliveries](q, form)
	var r api.Recovered
	if err == nil {
		r, err = q.Tracker.RecoverDeliveries(q.Context(), q.Session.Caller, v)
	}
	switch faults, invalid := page.FaultsOf(err); {
	case err == nil:
		counts := url.Values{"failed": {count(r.Failed)}, "missed": {count(r.Missed)}}
		return page.Redirect("/settings/webhooks/"+q.PathValue("webhookId"), "deliveries-queued?"+counts.Encode())
	case page.HasCode(err, api.CodeWebhookDisabled):
		return refuse(q, api.CodeWebhookDisabled, http.StatusConflict)
	case invalid:
		d, err := load(q)
		d.Faults, d.Since = faults, q.PostForm.Get("since")
		if err != nil {
			return page.Result{}, err
		}
		return page.Invalid(view, d)
	}
	return page.Result{}, err
}

func count(n int64) string { return strconv.FormatInt(n, 10) }
