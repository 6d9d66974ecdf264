package tracker

import (
	"encoding/json"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// publishWithCounters records the events of a change in the log of a workspace, wakes the readers of the log when the
// transaction commits, and queues deliveries for the webhooks. counters are those of the workspace that NextSequence
// has returned for these events.
func (t *Tracker) publishWithCounters(tx *access.Tx, c access.Caller, counters store.Counters, events ...event) error {
	workspaceID := counters.WorkspaceID
	rows := make([]store.Event, len(events))
	for i, e := range events {
		sequence := counters.Sequence - int64(len(events)-1-i) // counters has the last one
		var err error
		if rows[i], err = t.insertEvent(tx, c, logPosition{&workspaceID, &sequence}, e); err != nil {
			return err
		}
		if !counters.Charged {
			tx.Charge(workspaceID, store.EventBytes(rows[i].Data))
		}
	}
	if err := t.checkQuota(tx, c, counters, events); err != nil {
		return err
	}
	tx.NotifyOnCommit()
	return t.queueDeliveries(tx, workspaceID, counters.Subscriptions, rows)
}

// saveSlice stores a changed slice and publishes an event with its new version. The slice is locked before its
// workspace.
func (t *Tracker) saveSlice(tx *access.Tx, c access.Caller, s *store.Slice, kind api.EventType) error {
	if err := tx.UpdateSlice(s); err != nil {
		return conflictProblem(err, s)
	}
	return t.publish(tx, c, s.WorkspaceID, event{Type: kind, ID: s.ID, Subject: t.show(*s)})
}

// publish reserves sequences of the workspace and publishes events. It locks the workspace, which must be the last lock
// of the transaction.
func (t *Tracker) publish(tx *access.Tx, c access.Caller, workspaceID string, events ...event) error {
	counters, err := t.reserveSequence(tx, workspaceID, events...)
	if err != nil {
		return err
	}
	return t.publishWithCounters(tx, c, counters, events...)
}

// reserveSequence locks the workspace, reserves the sequences of events and charges their bytes.
func (t *Tracker) reserveSequence(tx *access.Tx, workspaceID string, events ...event) (store.Counters, error) {
	if err := charge(tx, workspaceID, events); err != nil {
		return store.Counters{}, err
	}
	counters, err := tx.NextSequence(workspaceID, 0, len(events))
	counters.Charged = true
	return counters, err
}

// reserveFiledSequence is reserveSequence for the events of a new slice, with numbers 1, or of an occurrence, with
// numbers 0. It refuses more of them than a workspace may file in a day.
func (t *Tracker) reserveFiledSequence(tx *access.Tx, c access.Caller, workspaceID string, numbers int, events ...event,
) (store.Counters, error) {
	if err := charge(tx, workspaceID, events); err != nil {
		return store.Counters{}, err
	}
	counters, err := tx.NextSequenceForReport(workspaceID, numbers, len(events), t.today())
	if counters.Charged = true; err == nil {
		err = t.checkDailyLimit(c, counters.ReportsToday-1)
	}
	return counters, err
}

// charge charges the bytes of events to a workspace. The events keep their data encoded.
func charge(tx *access.Tx, workspaceID string, events []event) error {
	for i, e := range events {
		data, err := e.encode()
		if err != nil {
			return err
		}
		tx.Charge(workspaceID, store.EventBytes(data))
		events[i].Subject = data
	}
	return nil
}

// recordAudit records an event in the audit log alone: the log of no workspace shows it.
func (t *Tracker) recordAudit(tx *access.Tx, c access.Caller, e event) error {
	return errorOf(t.insertEvent(tx, c, logPosition{}, e))
}

// recordWorkspaceAudit is recordAudit for an event about a record of a workspace, whose admins see it in the audit log.
func (t *Tracker) recordWorkspaceAudit(tx *access.Tx, c access.Caller, workspaceID string, e event) error {
	row, err := t.insertEvent(tx, c, logPosition{workspaceID: &workspaceID}, e)
	if err == nil {
		tx.Charge(workspaceID, store.EventBytes(row.Data))
	}
	return err
}

// logPosition is the position of an event in the log of a workspace. Without a sequence it is in the audit log alone.
type logPosition struct {
	workspaceID *string
	sequence    *int64
}

// insertEvent records an event.
func (t *Tracker) insertEvent(tx *access.Tx, c access.Caller, at logPosition, e event) (store.Event, error) {
	data, err := e.encode()
	if err != nil {
		return store.Event{}, err
	}
	kind, _ := api.EventOf(e.Type)
	row := store.Event{ID: id.New(id.Event), OrgID: c.Organization.ID, WorkspaceID: at.workspaceID,
		Sequence: at.sequence,
		Type:     e.Type, Actor: c.Actor(), SubjectKind: kind.Subject, SubjectID: e.ID, Data: json.RawMessage(data),
		CreatedAt: api.At(t.now()), Request: c.Request.Stored()}
	tx.InsertEvent(row)
	return row, nil
}
