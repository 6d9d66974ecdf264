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

// WebhookRow is a webhook as pages show it.
type WebhookRow struct {
	api.Webhook
	Recent  []api.DeliveryStatus // of its newest deliveries, oldest first
	ActsFor string               // the name of the user or the key on whose behalf it sends; empty for one that does not exist any more
}

// recentDeliveries is the number of deliveries in WebhookRow.Recent.
const recentDeliveries = 60

// WebhookRows returns the webhooks of a workspace that the caller administers, oldest first.
func (t *Tracker) WebhookRows(ctx context.Context, c access.Caller, v input.Valid[api.ListWebhooks],
) ([]WebhookRow, error) {
	in, err := v.Value(c.Allow(api.OpListWebhooks))
	if err != nil {
		return nil, err
	}
	q := t.access.Read(ctx)
	if err := c.RequireAdmin(q, in.WorkspaceID); err != nil {
		return nil, err
	}
	all, err := q.Webhooks([]string{in.WorkspaceID}, "", maxWebhooks)
	rows := make([]WebhookRow, len(all))
	for i, w := range all {
		if rows[i], err = webhookRow(q, w); err != nil {
			return nil, err
		}
	}
	return rows, err
}

// WebhookRow returns a webhook of a workspace that the caller administers.
func (t *Tracker) WebhookRow(ctx context.Context, c access.Caller, v input.Valid[api.GetWebhook]) (WebhookRow, error) {
	in, err := v.Value(c.Allow(api.OpGetWebhook))
	if err != nil {
		return WebhookRow{}, err
	}
	q := t.access.Read(ctx)
	w, err := c.Webhook(q, in.WebhookID)
	if err != nil {
		return WebhookRow{}, err
	}
	return webhookRow(q, w)
}

func webhookRow(q access.Queries, w store.Webhook) (WebhookRow, error) {
	row := WebhookRow{Webhook: w.Webhook}
	newest, err := q.Deliveries(store.DeliveryFilter{WebhookID: w.ID, Limit: recentDeliveries})
	if err != nil {
		return row, err
	}
	for _, d := range slices.Backward(newest) {
		row.Recent = append(row.Recent, d.Status)
	}
	row.ActsFor, err = grantorName(q, w.Grant)
	return row, err
}

// grantorName returns the name of the user of a grant, or else of its key. It is empty if that does
// not exist any more.
func grantorName(q access.Queries, g store.Grant) (name string, err error) {
	switch {
	case g.UserID != nil:
		var u store.User
		u, err = q.User(*g.UserID)
		name = u.Name
	case g.KeyID != nil:
		var k store.Key
		k, err = q.StoredKey(*g.KeyID)
		name = k.Name
	}
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return name, err
}
