// Package delivery is the page of one delivery of a webhook: its message, its attempts, and the next one.
package delivery

import (
	"bytes"
	"embed"
	"encoding/json"
	"net/http"

	"bugslice/api"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("delivery", folder)

type data struct {
	Delivery api.DeliveryDetail
	Webhook  page.WebhookRow
	Payload  string // with line breaks
	Refused  bool   // whether a redelivery was refused, because the webhook is disabled
}

// Show shows a delivery.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	v, err := page.Bind[api.GetDelivery](q, nil)
	if err != nil {
		return d, err
	}
	if d.Delivery, err = q.Tracker.GetDelivery(q.Context(), q.Session.Caller, v); err != nil {
		return d, err
	}
	if d.Delivery.WebhookID != q.PathValue("webhookId") {
		return d, api.NotFound("delivery")
	}
	w, err := page.Bind[api.GetWebhook](q, nil)
	if err != nil {
		return d, err
	}
	if d.Webhook, err = q.Tracker.WebhookRow(q.Context(), q.Session.Caller, w); err != nil {
		return d, err
	}
	if d.Delivery.Payload != nil {
		var indented bytes.Buffer
		if err := json.Indent(&indented, []byte(*d.Delivery.Payload), "", "  "); err != nil {
			return d, err
		}
		d.Payload = indented.String()
	}
	return d, nil
}

// Redeliver queues the delivery again.
func Redeliver(q *page.Request) (page.Result, error) {
	v, err := page.Bind[api.Redeliver](q, q.PostForm)
	if err != nil {
		return page.Result{}, err
	}
	made, err := q.Tracker.Redeliver(q.Context(), q.Session.Caller, v)
	if err == nil {
		return page.Redirect("/settings/webhooks/"+made.WebhookID+"/deliveries/"+made.ID, "delivery-queued")
	}
	if !page.HasCode(err, api.CodeWebhookDisabled) {
		return page.Result{}, err
	}
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Refused = true
	return page.Refused(view, d, http.StatusConflict)
}
