package tracker

import (
	"encoding/json"
	"fmt"
	"maps"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// event is what is about to be written to the log: the subject as the API shows it, and
// the former values of what changed. The id is that of the record the event is about.
type event struct {
	Type     api.EventType
	ID       string
	Subject  any
	Previous map[string]any
}

// publish writes the events of one change to a workspace's log and queues them for its
// webhooks; n is what Advance returned for them.
func (t *Tracker) publish(tx *store.Tx, c Caller, workspaceID string, n store.Counters, events ...event) error {
	written := make([]store.Event, len(events))
	for i, e := range events {
		sequence := n.Sequence - int64(len(events)-1-i)
		var err error
		if written[i], err = t.write(tx, c, &workspaceID, &sequence, e); err != nil {
			return err
		}
	}
	tx.Publish()
	return t.queue(tx, workspaceID, n.Subscriptions, written)
}

// announce takes a sequence from the workspace and publishes. It is the last lock of its transaction.
func (t *Tracker) announce(tx *store.Tx, c Caller, workspaceID string, events ...event) error {
	n, err := tx.Advance(workspaceID, 0, len(events))
	if err != nil {
		return err
	}
	return t.publish(tx, c, workspaceID, n, events...)
}

// audit writes an event of the organisation, which no workspace's log shows.
func (t *Tracker) audit(tx *store.Tx, c Caller, e event) error {
	_, err := t.write(tx, c, nil, nil, e)
	return err
}

func (t *Tracker) write(tx *store.Tx, c Caller, workspaceID *string, sequence *int64, e event) (store.Event, error) {
	kind, ok := api.EventOf(e.Type)
	if !ok {
		return store.Event{}, fmt.Errorf("tracker: %q is no type of event", e.Type)
	}
	data := map[string]any{kind.Subject: e.Subject}
	if e.Previous != nil {
		data["previous"] = maps.Clone(e.Previous)
	}
	b, err := json.Marshal(data)
	if err != nil {
		return store.Event{}, err
	}
	row := store.Event{ID: id.New(id.Event), OrgID: c.Organization.ID, WorkspaceID: workspaceID, Sequence: sequence,
		Type: e.Type, Actor: c.actor(), SubjectKind: kind.Subject, SubjectID: e.ID, Data: b, CreatedAt: api.At(t.now())}
	return row, tx.InsertEvent(row)
}
