package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"

	"bugslice/api"
)

// EventGroup is the types of events that one scope reads.
type EventGroup struct {
	Scope  api.Scope
	Events []api.EventInfo
}

// EventGroups returns the types of events to which a webhook can subscribe, by the scope that each needs.
func EventGroups() (groups []EventGroup) {
	for _, e := range api.PublicEvents() {
		i := slices.IndexFunc(groups, func(g EventGroup) bool { return g.Scope == e.Scope })
		if i < 0 {
			i, groups = len(groups), append(groups, EventGroup{Scope: e.Scope})
		}
		groups[i].Events = append(groups[i].Events, e)
	}
	return groups
}

// Bar is a delivery in a Plot.
type Bar struct {
	X, Y, Height int
	Status       api.DeliveryStatus
}

// Plot is a picture of the newest deliveries of a webhook, oldest first, with their number by status.
type Plot struct {
	Bars                       []Bar
	Delivered, Failed, Pending int
}

// The size of a Plot in its own units.
const (
	barWidth   = 3 // with the gap after it
	plotHeight = 20
)

// NewPlot returns the plot of deliveries. A failed delivery is a higher bar than one that succeeded, and a pending
// one is a low bar.
func NewPlot(recent []api.DeliveryStatus) (p Plot) {
	for i, status := range recent {
		height := 12
		switch status {
		case api.DeliveryFailed:
			p.Failed++
			height = plotHeight
		case api.DeliveryPending:
			p.Pending++
			height = 8
		default:
			p.Delivered++
		}
		p.Bars = append(p.Bars, Bar{i * barWidth, plotHeight - height, height, status})
	}
	return p
}

// Total is the number of deliveries in the plot.
func (p Plot) Total() int { return len(p.Bars) }

// Missing is the number of deliveries in the plot that have not arrived.
func (p Plot) Missing() int { return p.Failed + p.Pending }

// WebhookVersion identifies what the forms of a webhook show by its content. A new secret or a failed delivery
// changes the ETag alone.
func WebhookVersion(w api.Webhook) string {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return ContentVersion(w.URL, text(w.Description), w.EventTypes, w.Format, text(w.Query))
}

// ContentVersion identifies values of a form by their content.
func ContentVersion(values ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", values))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// maxTries is how often a change is tried that something beside it, such as a delivery, makes stale.
const maxTries = 3

// ChangeWebhook changes the webhook of the path when it has the version of the form, and returns it as it was.
// Without a version it is changed as it is. A change that was made stale by something that the form does not show is
// tried again. precondition_failed means that somebody else has changed what the form shows.
func ChangeWebhook(q *Request, change func(etag string) error) (stored api.Webhook, err error) {
	v, err := Bind[api.GetWebhook](q, nil)
	if err != nil {
		return stored, err
	}
	for range maxTries {
		row, err := q.Tracker.WebhookRow(q.Context(), q.Session.Caller, v)
		if err != nil {
			return row.Webhook, err
		}
		stored = row.Webhook
		if sent := q.PostForm.Get("version"); sent != "" && sent != WebhookVersion(stored) {
			break
		}
		if err = change(stored.ETag()); !HasCode(err, api.CodePrecondition) {
			return stored, err
		}
	}
	return stored, api.NewProblem(api.CodePrecondition, "Somebody else has changed this webhook.")
}
