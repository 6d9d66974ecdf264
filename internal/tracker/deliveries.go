package tracker

import (
	"context"
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// ListDeliveries lists the deliveries of a webhook, newest first.
func (t *Tracker) ListDeliveries(ctx context.Context, c access.Caller, v input.Valid[api.ListDeliveries],
) (api.Page[api.Delivery], error) {
	in, err := v.Value(c.Allow(api.OpListDeliveries))
	if err != nil {
		return api.Page[api.Delivery]{}, err
	}
	l := listing[api.Delivery]{operation: api.OpListDeliveries, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(d api.Delivery) string { return d.ID },
		func(beforeID string, limit int) ([]api.Delivery, error) {
			q := t.access.Read(ctx)
			if _, err := c.Webhook(q, in.WebhookID); err != nil {
				return nil, err
			}
			rows, err := q.Deliveries(store.DeliveryFilter{WebhookID: in.WebhookID, Statuses: in.Status,
				Types: in.EventType, Since: in.Since,
				Until: in.Until, BeforeID: beforeID, Limit: limit})
			return convert(rows, func(d store.Delivery) api.Delivery { return d.Delivery }), err
		}))
}

// GetDelivery returns a delivery with its attempts.
func (t *Tracker) GetDelivery(ctx context.Context, c access.Caller, v input.Valid[api.GetDelivery],
) (api.DeliveryDetail, error) {
	in, err := v.Value(c.Allow(api.OpGetDelivery))
	if err != nil {
		return api.DeliveryDetail{}, err
	}
	q := t.access.Read(ctx)
	d, w, err := c.Delivery(q, in.DeliveryID)
	if err != nil {
		return api.DeliveryDetail{}, err
	}
	out := api.DeliveryDetail{Delivery: d.Delivery}
	if scope, ok := api.ScopeOf(d.EventType); ok && slices.Contains(c.Scopes, scope) {
		if out.Payload, err = t.deliveryPayload(q, w, d); err != nil {
			return out, err
		}
	}
	out.Attempts, err = q.Attempts(d.ID, maxAttempts)
	if out.Attempts == nil {
		out.Attempts = []api.Attempt{}
	}
	return out, err
}

// deliveryPayload returns the body of the message of a delivery; nil when its event is deleted.
func (t *Tracker) deliveryPayload(q access.Queries, w store.Webhook, d store.Delivery) (*string, error) {
	row, err := q.Event(d.WorkspaceID, d.EventID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := showEventOf(q, row)
	if err != nil {
		return nil, err
	}
	body, err := t.webhookBody(q, w, e)
	return new(string(body)), err
}

// Redeliver makes a delivery due at once and starts its retry schedule again. A leased delivery is not changed.
func (t *Tracker) Redeliver(ctx context.Context, c access.Caller, v input.Valid[api.Redeliver]) (api.Delivery, error) {
	in, err := v.Value(c.Allow(api.OpRedeliver))
	if err != nil {
		return api.Delivery{}, err
	}
	return access.Write(ctx, t.access, c, api.OpRedeliver, func(tx *access.Tx, c access.Caller) (api.Delivery, error) {
		d, w, err := c.Delivery(tx.Queries, in.DeliveryID)
		if err != nil {
			return api.Delivery{}, err
		}
		return idempotent(t, tx, c, in, func() (api.Delivery, error) {
			if err := checkSending(w); err != nil {
				return api.Delivery{}, err
			}
			if err := tx.Requeue(d.ID, t.clock()); err != nil {
				return api.Delivery{}, err
			}
			tx.NotifyOnCommit()
			d, err := tx.Delivery(d.ID)
			if err != nil {
				return d.Delivery, err
			}
			return d.Delivery, t.recordWorkspaceAudit(tx, c, w.WorkspaceID,
				event{Type: api.EventDeliveryRequeued, ID: d.ID, Subject: d.Delivery})
		})
	})
}

// checkSending refuses a disabled webhook.
func checkSending(w store.Webhook) error {
	if w.Enabled {
		return nil
	}
	return api.NewProblem(api.CodeWebhookDisabled,
		"The webhook is not enabled ("+string(*w.DisabledReason)+"), so nothing would be sent. Enable it first.")
}

// maxRecovered is the maximum number of failed deliveries, and of missed events, that one recovery queues.
const maxRecovered = 10_000

// RecoverDeliveries queues the deliveries of a webhook that failed since a time, and the events for which it has none.
func (t *Tracker) RecoverDeliveries(ctx context.Context, c access.Caller, v input.Valid[api.RecoverDeliveries],
) (api.Recovered, error) {
	in, err := v.Value(c.Allow(api.OpRecoverDeliveries))
	if err != nil {
		return api.Recovered{}, err
	}
	return access.Write(ctx, t.access, c, api.OpRecoverDeliveries,
		func(tx *access.Tx, c access.Caller) (api.Recovered, error) {
			w, err := c.Webhook(tx.Queries, in.WebhookID)
			if err != nil {
				return api.Recovered{}, err
			}
			return idempotent(t, tx, c, in, func() (api.Recovered, error) {
				if err := checkSending(w); err != nil {
					return api.Recovered{}, err
				}
				r, err := t.recoverDeliveries(tx, w, in.Body.Since)
				if err != nil {
					return r, err
				}
				return r, t.recordWorkspaceAudit(tx, c, w.WorkspaceID,
					event{Type: api.EventDeliveriesRecovered, ID: w.ID, Subject: recorded(w.Webhook)})
			})
		})
}

// recoverDeliveries queues unsuccessful deliveries and missed events since a time, within the retention of events
// and, for missed ones, the life of the webhook.
func (t *Tracker) recoverDeliveries(tx *access.Tx, w store.Webhook, since api.Time) (r api.Recovered, err error) {
	if oldest := api.At(t.now().Add(-t.eventRetention)); since.Before(oldest.Time) {
		since = oldest
	}
	if r.Failed, err = tx.RequeueSince(w.ID, since, t.clock(), maxRecovered); err != nil {
		return r, err
	}
	if since.Before(w.CreatedAt.Time) {
		since = w.CreatedAt
	}
	types := subscribedTypes(w)
	if len(types) > 0 {
		after, err := tx.SequenceBefore(w.WorkspaceID, since)
		if err != nil {
			return r, err
		}
		missed, err := tx.EventsWithoutDelivery(w, types, after, maxRecovered)
		if err != nil {
			return r, err
		}
		deliveries := convert(missed, func(e store.Event) store.Delivery { return newDelivery(w, e) })
		if r.Missed, err = tx.InsertDeliveries(deliveries); err != nil {
			return r, err
		}
	}
	tx.NotifyOnCommit()
	return r, nil
}
