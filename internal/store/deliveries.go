package store

import (
	"fmt"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
)

// Delivery is a stored delivery. Tries counts the attempts since it was last begun anew.
type Delivery struct {
	api.Delivery
	Tries int
}

const deliveryColumns = "d.id, d.webhook_id, d.workspace_id, d.event_id, d.event_type, d.status, d.attempts, d.tries, d.due_at, d.created_at, d.finished_at"

func scanDelivery(r row) (d Delivery, err error) {
	var due, created int64
	var finished *int64
	err = r.Scan(&d.ID, &d.WebhookID, &d.WorkspaceID, &d.EventID, &d.EventType, &d.Status, &d.AttemptCount, &d.Tries, &due, &created, &finished)
	d.CreatedAt, d.FinishedAt = api.FromMillis(created), timeAt(finished)
	if d.Status == api.DeliveryPending {
		next := api.FromMillis(due)
		d.NextAttemptAt = &next
	}
	return d, err
}

// InsertDeliveries queues events of one workspace for its webhooks. A pair that is queued already is passed over.
// It returns how many were new.
func (tx *Tx) InsertDeliveries(all []Delivery) (int64, error) {
	var total int64
	for len(all) > 0 {
		part := all[:min(len(all), 500)]
		all = all[len(part):]
		var p params
		rows := make([]string, len(part))
		for i, d := range part {
			at := p.add(d.CreatedAt.UnixMilli())
			rows[i] = "(" + strings.Join([]string{p.add(d.ID), p.add(d.WebhookID), p.add(d.WorkspaceID), p.add(d.EventID), p.add(d.EventType), at, at}, ", ") + ")"
		}
		n, err := tx.db.exec("INSERT INTO deliveries (id, webhook_id, workspace_id, event_id, event_type, due_at, created_at) VALUES "+
			strings.Join(rows, ", ")+" ON CONFLICT (event_id, webhook_id) DO NOTHING", p.args...)
		if err != nil {
			return total, err
		}
		total += n
		tx.Charge(part[0].WorkspaceID, n*DeliveryBytes)
	}
	return total, nil
}

// Delivery returns a delivery, whoever sees it.
func (q Queries) Delivery(deliveryID string) (Delivery, error) {
	return one(q.db, scanDelivery, "SELECT "+deliveryColumns+" FROM deliveries d WHERE d.id = $1", deliveryID)
}

// DeliveryFilter says which deliveries of a webhook a page holds. Empty members filter nothing.
type DeliveryFilter struct {
	WebhookID string
	Statuses  []api.DeliveryStatus
	Types     []api.EventType
	Since     *api.Time
	BeforeID  string
	Limit     int
}

// Deliveries returns at most f.Limit deliveries of a webhook, the newest first.
func (q Queries) Deliveries(f DeliveryFilter) ([]Delivery, error) {
	var p params
	where := []string{"d.webhook_id = " + p.add(f.WebhookID)}
	among(&where, &p, "d.status", f.Statuses)
	among(&where, &p, "d.event_type", f.Types)
	if f.Since != nil {
		where = append(where, "d.id >= "+p.add(id.Lowest(id.Delivery, f.Since.Time)))
	}
	if f.BeforeID != "" {
		where = append(where, "d.id < "+p.add(f.BeforeID))
	}
	return list(q.db, scanDelivery, "SELECT "+deliveryColumns+" FROM deliveries d WHERE "+strings.Join(where, " AND ")+
		" ORDER BY d.id DESC LIMIT "+p.add(f.Limit), p.args...)
}

// Attempts returns the newest attempts of a delivery, the oldest of them first.
func (q Queries) Attempts(deliveryID string, limit int) ([]api.Attempt, error) {
	return list(q.db, func(r row) (a api.Attempt, err error) {
		var at int64
		err = r.Scan(&at, &a.DurationMs, &a.Status, &a.Error, &a.ResponseBody)
		a.At = api.FromMillis(at)
		return a, err
	}, `SELECT at, duration_ms, status, error, body FROM (SELECT * FROM delivery_attempts WHERE delivery_id = $1 ORDER BY id DESC LIMIT $2) AS a
		ORDER BY id`, deliveryID, limit)
}

// InFlight is how many deliveries are under way to one webhook at once, on all nodes; to one
// whose last message was not taken it is one.
const InFlight = 4

// ClaimDeliveries leases deliveries that are due until the time: for each webhook that is
// enabled, has room and is not blocked, its fresh ones before its retries. It passes over
// webhooks that another node is claiming from. At most limit webhooks are served.
func (tx *Tx) ClaimDeliveries(now, until api.Time, limit int) ([]Delivery, error) {
	webhooks, err := list(tx.db, scanOne[string], "SELECT w.id FROM webhooks w WHERE "+ready+" LIMIT $2 "+tx.db.engine.lockParent, now.UnixMilli(), limit)
	if err != nil || len(webhooks) == 0 {
		return nil, err
	}
	var all []Delivery
	for _, retry := range []int{0, 1} {
		some, err := tx.claim(now, until, webhooks, retry)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// DeliveriesDue says whether ClaimDeliveries would find any, without a lock.
func (q Queries) DeliveriesDue(now api.Time) (bool, error) {
	some, err := list(q.db, scanOne[string], "SELECT w.id FROM webhooks w WHERE "+ready+" LIMIT 1", now.UnixMilli())
	return len(some) > 0, err
}

// ready says whether webhook w has deliveries that are due at $1, and room for one. It looks at
// one row of each kind; EXISTS would let PostgreSQL read all that wait, to hash them.
var ready = `w.enabled = 1 AND w.blocked_until <= $1 AND ` + room + ` > 0 AND COALESCE(
	(SELECT d.id FROM deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.retry = 0 AND d.due_at <= $1 ORDER BY d.due_at LIMIT 1),
	(SELECT d.id FROM deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.retry = 1 AND d.due_at <= $1 ORDER BY d.due_at LIMIT 1)) IS NOT NULL`

// room is how many more deliveries to webhook w may be under way at $1.
var room = fmt.Sprintf(`(CASE WHEN w.failing_since IS NULL THEN %d ELSE 1 END
	- (SELECT count(*) FROM deliveries f WHERE f.webhook_id = w.id AND f.leased_until > $1))`, InFlight)

// claim is one query: of each webhook the first due deliveries, as many as there is room for.
func (tx *Tx) claim(now, until api.Time, webhooks []string, retry int) ([]Delivery, error) {
	p := params{args: []any{now.UnixMilli(), until.UnixMilli(), retry}}
	chosen := in(&p, webhooks)
	picks := make([]string, InFlight)
	for i := range picks {
		picks[i] = fmt.Sprintf(`SELECT (SELECT d.id FROM deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.retry = $3 AND d.due_at <= $1
			ORDER BY d.due_at, d.id LIMIT 1 OFFSET %d %s) AS id FROM webhooks w WHERE w.id IN %s AND %s > %d`, i, tx.db.engine.skipLocked, chosen, room, i)
	}
	return list(tx.db, scanDelivery, "WITH picked AS MATERIALIZED ("+strings.Join(picks, " UNION ALL ")+`) UPDATE deliveries SET leased_until = $2, due_at = $2
		WHERE id IN (SELECT id FROM picked) RETURNING `+strings.ReplaceAll(deliveryColumns, "d.", ""), p.args...)
}

// FinishDelivery stores what came of a try: the delivery's new state, and its attempt. It
// reports false when the delivery is no longer under the lease it was claimed with.
func (tx *Tx) FinishDelivery(d Delivery, leasedUntil, due api.Time, attemptID string, a api.Attempt) (bool, error) {
	n, err := tx.db.exec(`UPDATE deliveries SET status = $3, retry = $4, due_at = $5, tries = $6, attempts = attempts + 1, finished_at = $7, leased_until = NULL
		WHERE id = $1 AND leased_until = $2`,
		d.ID, leasedUntil.UnixMilli(), d.Status, flag(d.Tries > 0), due.UnixMilli(), d.Tries, millis(d.FinishedAt))
	if err != nil || n == 0 {
		return false, err
	}
	_, err = tx.db.exec("INSERT INTO delivery_attempts (id, delivery_id, at, duration_ms, status, error, body) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		attemptID, d.ID, a.At.UnixMilli(), a.DurationMs, a.Status, a.Error, a.ResponseBody)
	return true, err
}

// ReleaseDelivery gives a lease back unused.
func (tx *Tx) ReleaseDelivery(deliveryID string, leasedUntil, due api.Time) error {
	_, err := tx.db.exec("UPDATE deliveries SET leased_until = NULL, due_at = $3 WHERE id = $1 AND leased_until = $2", deliveryID, leasedUntil.UnixMilli(), due.UnixMilli())
	return err
}

// ReleaseLeases ends every lease of a delivery and of a job but the backup's, which another process may
// hold. It is for a process that knows that no other one is at work on the database.
func (tx *Tx) ReleaseLeases(at api.Time) error {
	if _, err := tx.db.exec("UPDATE deliveries SET leased_until = NULL, due_at = $1 WHERE leased_until IS NOT NULL", at.UnixMilli()); err != nil {
		return err
	}
	_, err := tx.db.exec("UPDATE jobs SET leased_until = 0 WHERE name <> $1", Backup)
	return err
}

// Taken notes that a webhook's receiver takes messages again.
func (tx *Tx) Taken(webhookID string) error {
	_, err := tx.db.exec("UPDATE webhooks SET failing_since = NULL, blocked_until = 0 WHERE id = $1 AND (failing_since IS NOT NULL OR blocked_until > 0)", webhookID)
	return err
}

// NotTaken notes that a webhook's receiver did not take a message, and until when it is left alone.
func (tx *Tx) NotTaken(webhookID string, at, until api.Time) error {
	_, err := tx.db.exec(`UPDATE webhooks SET failing_since = COALESCE(failing_since, $2), blocked_until = CASE WHEN blocked_until > $3 THEN blocked_until ELSE $3 END
		WHERE id = $1`, webhookID, at.UnixMilli(), until.UnixMilli())
	return err
}

// Requeue makes a delivery due at once, as if it had never been tried.
func (tx *Tx) Requeue(deliveryID string, at api.Time) error {
	_, err := tx.db.exec("UPDATE deliveries SET status = 'pending', retry = 0, tries = 0, due_at = $2, finished_at = NULL WHERE id = $1 AND leased_until IS NULL", deliveryID, at.UnixMilli())
	return err
}

// RequeueFailed makes the first limit deliveries that failed since a time due at once.
func (tx *Tx) RequeueFailed(webhookID string, since, at api.Time, limit int) (int64, error) {
	return tx.db.exec(`UPDATE deliveries SET status = 'pending', retry = 0, tries = 0, due_at = $3, finished_at = NULL WHERE id IN
		(SELECT id FROM deliveries WHERE webhook_id = $1 AND id >= $2 AND status = 'failed' ORDER BY id LIMIT $4)`,
		webhookID, id.Lowest(id.Delivery, since.Time), at.UnixMilli(), limit)
}

// NeverQueued returns the first limit events of a workspace behind a sequence, of the types,
// that have no delivery to a webhook.
func (q Queries) NeverQueued(workspaceID, webhookID string, types []api.EventType, after int64, limit int) ([]Event, error) {
	var p params
	return list(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE e.workspace_id = "+p.add(workspaceID)+" AND e.sequence > "+p.add(after)+
		" AND e.type IN "+in(&p, types)+" AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id AND d.webhook_id = "+p.add(webhookID)+
		") ORDER BY e.sequence LIMIT "+p.add(limit), p.args...)
}

// ForgetDeliveries removes up to limit deliveries that were made before the time and wait for nothing.
func (tx *Tx) ForgetDeliveries(before api.Time, limit int) (int, error) {
	return tx.deleteDeliveries(`DELETE FROM deliveries WHERE status <> 'pending' AND id IN
		(SELECT id FROM deliveries WHERE id < $1 AND status <> 'pending' ORDER BY id LIMIT $2) RETURNING workspace_id`,
		id.Lowest(id.Delivery, before.Time), limit)
}

// deleteDeliveries gives back what the deliveries counted that a statement removes.
func (tx *Tx) deleteDeliveries(text string, args ...any) (int, error) {
	gone, err := list(tx.db, scanOne[string], text, args...)
	for _, workspaceID := range gone {
		tx.Charge(workspaceID, -DeliveryBytes)
	}
	return len(gone), err
}
