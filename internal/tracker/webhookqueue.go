package tracker

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// maxWebhooks is the maximum number of webhooks of a workspace.
const maxWebhooks = 25

// enabledWebhooks returns the enabled webhooks of a workspace. version is that of the workspace's webhooks, 0 when it
// has none.
func (t *Tracker) enabledWebhooks(q access.Queries, workspaceID string, version int64) ([]store.Webhook, error) {
	if version == 0 {
		return nil, nil
	}
	if webhooks, ok := t.webhookCache.get(workspaceID, version); ok {
		return webhooks, nil
	}
	all, err := q.Webhooks([]string{workspaceID}, "", maxWebhooks)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(w store.Webhook) bool { return !w.Enabled })
	t.webhookCache.put(workspaceID, cachedWebhooks{version, all})
	return all, nil
}

// queueDeliveries stores a delivery of each event for each enabled webhook that subscribes to it.
func (t *Tracker) queueDeliveries(tx *access.Tx, workspaceID string, version int64, events []store.Event) error {
	webhooks, err := t.enabledWebhooks(tx.Queries, workspaceID, version)
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
	d := store.Delivery{Delivery: api.Delivery{ID: id.New(id.Delivery), WebhookID: w.ID, WorkspaceID: w.WorkspaceID,
		EventID:   e.ID,
		EventType: e.Type}}
	d.CreatedAt = api.At(id.Time(d.ID))
	return d
}

// subscribedTypes returns the types of events that a webhook sends: those it subscribes to, within the scopes of its
// grant.
func subscribedTypes(w store.Webhook) []api.EventType {
	var types []api.EventType
	for _, e := range api.PublicEvents() {
		subscribed := slices.Contains(w.EventTypes, api.AllEvents) ||
			slices.Contains(w.EventTypes, api.Subscription(e.Type))
		if subscribed && slices.Contains(w.Grant.Scopes, e.Scope) {
			types = append(types, e.Type)
		}
	}
	return types
}
