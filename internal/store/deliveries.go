package store

import (
	"fmt"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store/sqldb"
)

// Delivery is a stored delivery. Tries counts the attempts since it was last queued.
type Delivery struct {
	api.Delivery
	Tries int
}

const deliveryColumns = `d.id, d.webhook_id, d.workspace_id, d.event_id, d.event_type, d.status, d.attempts, d.tries, d.due_at,
	d.created_at, d.finished_at`

func scanDelivery(r sqldb.Row) (d Delivery, err error) {
	var due, created int64
	var finished *int64
	err = r.Scan(&d.ID, &d.WebhookID, &d.WorkspaceID, &d.EventID, &d.EventType, &d.Status, &d.AttemptCount, &d.Tries,
		&due,
		&created, &finished)
	d.CreatedAt, d.FinishedAt = api.FromMillis(created), sqldb.TimeAt(finished)
	if d.Status == api.DeliveryPending {
		next := api.FromMillis(due)
		d.NextAttemptAt = &next
	}
	return d, err
}

// InsertDeliveries queues deliveries of one workspace. It skips a delivery when its event already has one to its
// webhook. It returns the number of new deliveries.
func (tx *Tx) InsertDeliveries(all []Delivery) (int64, error) {
	rows := make([][]any, len(all))
	for i, d := range all {
		createdAt := d.CreatedAt.UnixMilli()
		rows[i] = []any{d.ID, d.WebhookID, d.WorkspaceID, d.EventID, d.EventType, createdAt, createdAt}
	}
	n, err := tx.db.Insert("deliveries",
		"id TEXT, webhook_id TEXT, workspace_id TEXT, event_id TEXT, event_type TEXT, due_at BIGINT, "+
			"created_at BIGINT", rows, "ON CONFLICT (event_id, webhook_id) DO NOTHING")
	if n > 0 {
		tx.Charge(all[0].WorkspaceID, n*deliveryBytes)
	}
	return n, err
}

// Delivery returns a delivery.
func (q Queries) Delivery(deliveryID string) (Delivery, error) {
	return sqldb.One(q.db, scanDelivery, "SELECT "+deliveryColumns+" FROM deliveries d WHERE d.id = $1", deliveryID)
}

// DeliveryFilter is the filter and the position of a list of deliveries. Empty members filter nothing.
type DeliveryFilter struct {
	WebhookID string
	Statuses  []api.DeliveryStatus
	Types     []api.EventType
	Since     *api.Time
	Until     *api.Time // later than the creation
	BeforeID  string
	Limit     int
}

// Deliveries returns at most f.Limit deliveries of a webhook, the newest first.
func (q Queries) Deliveries(f DeliveryFilter) ([]Delivery, error) {
	var p sqldb.Params
	where := []string{"d.webhook_id = " + p.Add(f.WebhookID)}
	addFilter(&where, &p, "d.status", f.Statuses)
	addFilter(&where, &p, "d.event_type", f.Types)
	if f.Since != nil {
		where = append(where, "d.id >= "+p.Add(id.Lowest(id.Delivery, f.Since.Time)))
	}
	if f.Until != nil {
		where = append(where, "d.id < "+p.Add(id.Lowest(id.Delivery, f.Until.Time)))
	}
	if f.BeforeID != "" {
		where = append(where, "d.id < "+p.Add(f.BeforeID))
	}
	return sqldb.List(q.db, scanDelivery, "SELECT "+deliveryColumns+" FROM deliveries d WHERE "+
		strings.Join(where, " AND ")+
		" ORDER BY d.id DESC LIMIT "+p.Add(f.Limit), p.Args...)
}

// Attempts returns the newest attempts of a delivery, at most limit, the oldest of them first.
func (q Queries) Attempts(deliveryID string, limit int) ([]api.Attempt, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (a api.Attempt, err error) {
		var at int64
		err = r.Scan(&at, &a.DurationMs, &a.Status, &a.Error, &a.ResponseBody)
		a.At = api.FromMillis(at)
		return a, err
	}, `SELECT at, duration_ms, status, error, body FROM
		(SELECT * FROM delivery_attempts WHERE delivery_id = $1 ORDER BY id DESC LIMIT $2) AS a ORDER BY id`, deliveryID, limit)
}

// MaxInFlight is the maximum of leased deliveries of a webhook, on all nodes. It is one for a failing webhook, and for
// messages to people, which come in the order of their events.
const MaxInFlight = 4

// LeaseDeliveries leases due deliveries until a time: of at most limit webhooks that are enabled, not blocked and
// below MaxInFlight, first attempts before retries. It skips webhooks whose deliveries another node is leasing.
func (tx *Tx) LeaseDeliveries(now, until api.Time, limit int) ([]Delivery, error) {
	webhooks, err := sqldb.List(tx.db, sqldb.ScanOne[string],
		"SELECT w.id FROM webhooks w WHERE "+hasDueDeliveries+" LIMIT $2 "+tx.db.Engine.LockParent,
		now.UnixMilli(), limit)
	if err != nil || len(webhooks) == 0 {
		return nil, err
	}
	var all []Delivery
	for _, retries := range []bool{false, true} {
		leased, err := tx.leaseDue(now, until, webhooks, retries)
		if err != nil {
			return nil, err
		}
		all = append(all, leased...)
	}
	return all, nil
}

// DeliveriesDue reports whether LeaseDeliveries would find any. It takes no lock.
func (q Queries) DeliveriesDue(now api.Time) (bool, error) {
	some, err := sqldb.List(q.db, sqldb.ScanOne[string], "SELECT w.id FROM webhooks w WHERE "+hasDueDeliveries+
		" LIMIT 1", now.UnixMilli())
	return len(some) > 0, err
}

// hasDueDeliveries is the condition that a delivery of webhook w can be leased at $1. It reads one row of each
// kind; with EXISTS, PostgreSQL would read all due deliveries to hash them.
var hasDueDeliveries = `w.enabled = 1 AND w.blocked_until <= $1 AND ` + freeSlots + ` > 0 AND COALESCE(
	(SELECT d.id FROM deliveries d
		WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.retry = 0 AND d.due_at <= $1 ORDER BY d.due_at LIMIT 1),
	(SELECT d.id FROM deliveries d
		WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.retry = 1 AND d.due_at <= $1 ORDER BY d.due_at LIMIT 1)) IS NOT NULL`

// freeSlots is the number of deliveries of webhook w that can be leased at $1.
var freeSlots = fmt.Sprintf(`(CASE WHEN w.failing_since IS NULL AND w.format = 'standard' THEN %d ELSE 1 END
	- (SELECT count(*) FROM deliveries f WHERE f.webhook_id = w.id AND f.leased_until > $1))`, MaxInFlight)

// leaseDue leases the due deliveries of each webhook that wait longest, as many as it has free slots: those that were
// not attempted before, or the retries.
func (tx *Tx) leaseDue(now, until api.Time, webhooks []string, retries bool) ([]Delivery, error) {
	p := sqldb.Params{Args: []any{now.UnixMilli(), until.UnixMilli(), sqldb.Flag(retries)}}
	chosen := sqldb.In(&p, webhooks)
	picks := make([]string, MaxInFlight)
	for i := range picks {
		picks[i] = fmt.Sprintf(`SELECT (SELECT d.id FROM deliveries d
			WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.retry = $3 AND d.due_at <= $1
			ORDER BY d.due_at, d.id LIMIT 1 OFFSET %d %s) AS id FROM webhooks w WHERE w.id IN %s AND %s > %d`,
			i, tx.db.Engine.SkipLocked, chosen, freeSlots, i)
	}
	return sqldb.List(tx.db, scanDelivery, "WITH picked AS MATERIALIZED ("+strings.Join(picks, " UNION ALL ")+`)
		UPDATE deliveries SET leased_until = $2, due_at = $2 WHERE id IN (SELECT id FROM picked)
		RETURNING `+strings.ReplaceAll(deliveryColumns, "d.", ""), p.Args...)
}

// FinishDelivery stores the new state of a delivery after an attempt, and the attempt, and ends its lease. It
// returns false if the lease until leasedUntil has ended before.
func (tx *Tx) FinishDelivery(d Delivery, leasedUntil, due api.Time, attemptID string, a api.Attempt) (bool, error) {
	n, err := tx.db.ExecCount(`UPDATE deliveries SET status = $3, retry = $4, due_at = $5, tries = $6, attempts = attempts + 1,
			finished_at = $7, leased_until = NULL
		WHERE id = $1 AND leased_until = $2`,
		d.ID, leasedUntil.UnixMilli(), d.Status, sqldb.Flag(d.Tries > 0), due.UnixMilli(), d.Tries, sqldb.Millis(d.FinishedAt))
	if err != nil || n == 0 {
		return false, err
	}
	err = tx.db.Exec(`INSERT INTO delivery_attempts (id, delivery_id, at, duration_ms, status, error, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		attemptID, d.ID, a.At.UnixMilli(), a.DurationMs, a.Status, a.Error, a.ResponseBody)
	return true, err
}

// ReleaseDelivery ends the lease of a delivery without an attempt.
func (tx *Tx) ReleaseDelivery(deliveryID string, leasedUntil, due api.Time) error {
	return tx.db.Exec("UPDATE deliveries SET leased_until = NULL, due_at = $3 WHERE id = $1 AND leased_until = $2",
		deliveryID, leasedUntil.UnixMilli(), due.UnixMilli())
}

// DropDelivery deletes a leased delivery that is not sent.
func (tx *Tx) DropDelivery(deliveryID string, leasedUntil api.Time) error {
	_, err := tx.deleteDeliveries("DELETE FROM deliveries WHERE id = $1 AND leased_until = $2 RETURNING workspace_id", deliveryID,
		leasedUntil.UnixMilli())
	return err
}

// ReleaseLeases ends the leases of all deliveries and mails, and lets those of all jobs expire but that of the backup, which
// another process may run. It is for the only server on the database.
func (tx *Tx) ReleaseLeases(at api.Time) error {
	err := tx.db.Exec("UPDATE deliveries SET leased_until = NULL, due_at = $1 WHERE leased_until IS NOT NULL",
		at.UnixMilli())
	if err == nil {
		err = tx.Mails().ReleaseLeases(at)
	}
	if err != nil {
		return err
	}
	return tx.db.Exec("UPDATE jobs SET leased_until = $2 WHERE name <> $1 AND leased_until > 0", BackupJob,
		at.UnixMilli())
}

// MarkHealthy marks a webhook whose receiver accepted a message as healthy.
func (tx *Tx) MarkHealthy(webhookID string) error {
	return tx.db.Exec(`UPDATE webhooks SET failing_since = NULL, blocked_until = 0,
			version = CASE WHEN failing_since IS NULL THEN version ELSE version + 1 END
		WHERE id = $1 AND (failing_since IS NOT NULL OR blocked_until > 0)`, webhookID)
}

// MarkFailing marks a webhook whose receiver did not accept a message as failing, and blocks it until a time.
func (tx *Tx) MarkFailing(webhookID string, at, until api.Time) error {
	return tx.db.Exec(`UPDATE webhooks SET failing_since = COALESCE(failing_since, $2),
			blocked_until = CASE WHEN blocked_until > $3 THEN blocked_until ELSE $3 END,
			version = CASE WHEN failing_since IS NULL THEN version + 1 ELSE version END
		WHERE id = $1`, webhookID, at.UnixMilli(), until.UnixMilli())
}

// Requeue queues a delivery again, unless it is leased. It is due at once and has all attempts before it.
func (tx *Tx) Requeue(deliveryID string, at api.Time) error {
	return tx.db.Exec(`UPDATE deliveries SET status = 'pending', retry = 0, tries = 0, due_at = $2, finished_at = NULL
		WHERE id = $1 AND leased_until IS NULL`, deliveryID, at.UnixMilli())
}

// RequeueSince queues deliveries of a webhook since a time again: the first limit that failed, and the first limit
// that wait after a failed attempt. Each part has its index.
func (tx *Tx) RequeueSince(webhookID string, since, at api.Time, limit int) (int64, error) {
	return tx.db.ExecCount(`UPDATE deliveries SET status = 'pending', retry = 0, tries = 0, due_at = $3, finished_at = NULL
		WHERE id IN (SELECT id FROM (SELECT id FROM deliveries WHERE webhook_id = $1 AND id >= $2 AND status = 'failed'
				ORDER BY id LIMIT $4) f
			UNION ALL SELECT id FROM (SELECT id FROM deliveries WHERE webhook_id = $1 AND retry = 1 AND id >= $2 AND status = 'pending'
				AND leased_until IS NULL ORDER BY due_at, id LIMIT $4) w)`,
		webhookID, id.Lowest(id.Delivery, since.Time), at.UnixMilli(), limit)
}

// DeleteExpiredDeliveries deletes up to limit finished deliveries that were created before a time, and returns their
// number.
func (tx *Tx) DeleteExpiredDeliveries(before api.Time, limit int) (int, error) {
	return tx.deleteDeliveries(`DELETE FROM deliveries WHERE status <> 'pending' AND id IN
		(SELECT id FROM deliveries WHERE id < $1 AND status <> 'pending' ORDER BY id LIMIT $2) RETURNING workspace_id`,
		id.Lowest(id.Delivery, before.Time), limit)
}

// deleteDeliveries runs a statement that deletes deliveries and returns their workspaces, and frees their size.
func (tx *Tx) deleteDeliveries(text string, args ...any) (int, error) {
	workspaces, err := sqldb.List(tx.db, sqldb.ScanOne[string], text, args...)
	for _, workspaceID := range workspaces {
		tx.Charge(workspaceID, -deliveryBytes)
	}
	return len(workspaces), err
}
