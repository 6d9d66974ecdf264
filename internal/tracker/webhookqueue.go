package tracker

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// enabledWebhooks returns the webhooks of a workspace that send, as of the mark.
func (t *Tracker) enabledWebhooks(q store.Queries, workspaceID string, mark int64) ([]store.Webhook, error) {
	if mark == 0 {
		return nil, nil
	}
	if known, ok := t.webhookCache.get(workspaceID, mark); ok {
		return known, nil
	}
	all, err := q.Webhooks([]string{workspaceID}, "", maxWebhooks)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(w store.Webhook) bool { return !w.Enabled })
	t.webhookCache.put(workspaceID, cachedWebhooks{mark, all})
	return all, nil
}

// queueDeliveries writes a delivery of each event for each webhook that asked for it.
func (t *Tracker) queueDeliveries(tx *store.Tx, workspaceID string, mark int64, events []store.Event) error {
	webhooks, err := t.enabledWebhooks(tx.Queries, workspaceID, mark)
	if err != nil || len(webhooks) == 0 {
		return err
	}
	var all []store.Delivery
	for _, e := range events {
		for _, w := range webhooks {
			if slices.Contains(subscribedTypes(w), e.Type) {
				all = append(all, newDelivery(w, e))
			}
		}
	}
	_, err = tx.InsertDeliveries(all)
	return err
}

func newDelivery(w store.Webhook, e store.Event) store.Delivery {
	d := store.Delivery{Delivery: api.Delivery{ID: id.New(id.Delivery), WebhookID: w.ID, WorkspaceID: w.WorkspaceID, EventID: e.ID,
		EventType: e.Type}}
	d.CreatedAt = api.At(id.Time(d.ID))
	return d
}

// subscribedTypes returns the types of events that a webhook sends: what it asked for, within the scopes
// of whom it acts for.
func subscribedTypes(w store.Webhook) []api.EventType {
	var types []api.EventType
	for _, e := range api.PublicEvents() {
		asked := slices.Contains(w.EventTypes, api.AllEvents) || slices.Contains(w.EventTypes, api.Subscription(e.Type))
		if asked && slices.Contains(w.Grant.Scopes, e.Scope) {
			types = append(types, e.Type)
		}
	}
	return types
}

// maxWebhooks is how many webhooks a workspace may have.
const maxWebhooks = 25
