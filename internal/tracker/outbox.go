package tracker

import (
	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// publishWithCounters writes the events of one change to a workspace's log and queues them for its
// webhooks; n is what Advance returned for them.
func (t *Tracker) publishWithCounters(tx *store.Tx, c Caller, workspaceID string, n store.Counters, events ...event) error {
	written := make([]store.Event, len(events))
	for i, e := range events {
		sequence := n.Sequence - int64(len(events)-1-i)
		var err error
		if written[i], err = t.insertEvent(tx, c, &workspaceID, &sequence, e); err != nil {
			return err
		}
		if !n.Charged {
			tx.Charge(workspaceID, store.EventBytes(written[i].Data))
		}
	}
	if err := t.checkQuota(tx, c, workspaceID, n, events); err != nil {
		return err
	}
	tx.NotifyOnCommit()
	return t.queueDeliveries(tx, workspaceID, n.Subscriptions, written)
}

// saveSlice stores a slice that changed and publishes the events of the change. The slice is locked before its
// workspace is.
func (t *Tracker) saveSlice(tx *store.Tx, c Caller, s *store.Slice, events ...event) error {
	if err := tx.UpdateSlice(s); err != nil {
		return conflictProblem(err, s)
	}
	return t.publish(tx, c, s.WorkspaceID, events...)
}

// publish takes a sequence from the workspace and publishes. It is the last lock of its transaction.
func (t *Tracker) publish(tx *store.Tx, c Caller, workspaceID string, events ...event) error {
	n, err := t.reserveSequence(tx, workspaceID, events...)
	if err != nil {
		return err
	}
	return t.publishWithCounters(tx, c, workspaceID, n, events...)
}

// reserveSequence takes sequences for events from a workspace that counts their bytes.
func (t *Tracker) reserveSequence(tx *store.Tx, workspaceID string, events ...event) (store.Counters, error) {
	if err := charge(tx, workspaceID, events); err != nil {
		return store.Counters{}, err
	}
	n, err := tx.NextSequence(workspaceID, 0, len(events))
	n.Charged = true
	return n, err
}

// reserveFiledSequence is advance for the events that a filing is told by; numbers says how many of them tell of a new
// number. It refuses more filings than a workspace may have in a day.
func (t *Tracker) reserveFiledSequence(tx *store.Tx, c Caller, workspaceID string, numbers int, events ...event) (store.Counters, error) {
	if err := charge(tx, workspaceID, events); err != nil {
		return store.Counters{}, err
	}
	n, err := tx.NextSequenceForReport(workspaceID, numbers, len(events), t.today())
	if n.Charged = true; err == nil {
		err = t.checkDailyLimit(c, n.ReportsToday-1)
	}
	return n, err
}

func charge(tx *store.Tx, workspaceID string, events []event) error {
	for _, e := range events {
		b, err := e.encode()
		if err != nil {
			return err
		}
		tx.Charge(workspaceID, store.EventBytes(b))
	}
	return nil
}

// recordAudit writes an event of the organisation, which no workspace's log shows. What changes something that no log
// shows is audited so, too.
func (t *Tracker) recordAudit(tx *store.Tx, c Caller, e event) error {
	_, err := t.insertEvent(tx, c, nil, nil, e)
	return err
}

func (t *Tracker) insertEvent(tx *store.Tx, c Caller, workspaceID *string, sequence *int64, e event) (store.Event, error) {
	b, err := e.encode()
	if err != nil {
		return store.Event{}, err
	}
	kind, _ := api.EventOf(e.Type)
	row := store.Event{ID: id.New(id.Event), OrgID: c.Organization.ID, WorkspaceID: workspaceID, Sequence: sequence,
		Type: e.Type, Actor: c.actor(), SubjectKind: kind.Subject, SubjectID: e.ID, Data: b,
		CreatedAt: api.At(t.now()), Request: c.Request.stored()}
	return row, tx.InsertEvent(row)
}
