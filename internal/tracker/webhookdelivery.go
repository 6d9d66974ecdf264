package tracker

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/webhook"
)

// Lease is the lease of a delivery by this node.
type Lease struct {
	store.Delivery
	until api.Time
}

const (
	deliveryLease     = 30 * time.Second   // longer than an attempt and the transaction that records it
	disableAfter      = 5 * 24 * time.Hour // of failures only
	maxAttempts       = 30                 // that are shown of a delivery
	maxLeasedWebhooks = 64                 // whose deliveries are leased at once
)

// retrySchedule are the delays between attempts. When the attempt after the last delay fails, the delivery has failed.
var retrySchedule = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// Published returns a channel that is closed when this node next commits a change that may have deliveries.
func (t *Tracker) Published() <-chan struct{} { return t.access.Commits() }

// ReleaseLeases ends all leases of deliveries and jobs, so that those of a process that has died are due at once. It is
// for a server that is the only one on its database.
func (t *Tracker) ReleaseLeases(ctx context.Context) error {
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error { return tx.ReleaseLeases(t.clock()) })
}

// LeaseDeliveries leases deliveries that are due, for at most maxLeasedWebhooks webhooks.
func (t *Tracker) LeaseDeliveries(ctx context.Context) ([]Lease, error) {
	now := t.clock()
	if due, err := t.access.Read(ctx).DeliveriesDue(now); err != nil || !due {
		return nil, err
	}
	until := api.At(now.Add(deliveryLease))
	rows, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) ([]store.Delivery, error) {
		return tx.LeaseDeliveries(now, until, maxLeasedWebhooks)
	})
	return convert(rows, func(d store.Delivery) Lease { return Lease{d, until} }), err
}

// Deliver makes one attempt of a leased delivery and records it. First it checks that the grant of the webhook is still
// valid.
func (t *Tracker) Deliver(ctx context.Context, lease Lease) error {
	q := t.access.Read(ctx)
	w, err := q.Webhook(lease.WebhookID)
	if errors.Is(err, store.ErrNotFound) { // deleted meanwhile, with its deliveries
		return nil
	}
	if err != nil {
		return err
	}
	grantor, err := q.GrantStatus(w.WorkspaceID, w.Grant)
	if err != nil {
		return err
	}
	if !t.grantValid(grantor, w) {
		return t.revokeGrant(ctx, lease)
	}
	m, err := t.deliveryMessage(q, w, lease)
	switch {
	case errors.Is(err, errNoSecret): // deleted meanwhile
		return nil
	case errors.Is(err, errNotWanted):
		return access.SystemChange(context.WithoutCancel(ctx), t.authority,
			func(tx *access.Tx) error { return tx.DropDelivery(lease.ID, lease.until) })
	case err != nil:
		t.log.Error("the message of a webhook could not be made", "delivery", lease.ID, "error", err)
		return t.recordAttempt(ctx, w, lease, notAttempted(t.clock(), api.AttemptInternal))
	}
	if scope, ok := api.ScopeOf(lease.EventType); ok && !slices.Contains(grantor.Scopes, scope) {
		return t.recordAttempt(ctx, w, lease, notAttempted(t.clock(), api.AttemptRights))
	}
	result := t.sender.Send(ctx, m.Message)
	if m.isGone(result) { // somebody has deleted the message that would be changed
		m.Method, m.URL = "", m.first
		result = t.sender.Send(ctx, m.Message)
	}
	m.read(result)
	return t.recordAttempt(ctx, w, lease, result, m.store)
}

// notAttempted returns the result of an attempt that failed before a message was sent.
func notAttempted(at api.Time, reason api.AttemptError) SendResult {
	return SendResult{Attempt: api.Attempt{At: at, Error: &reason}}
}

// grantValid reports whether the grantor of a webhook may still manage it. The grant ends when the key is revoked;
// for a user also when the user is disabled or is no admin any more, for a service also when its key expires.
func (t *Tracker) grantValid(grantor store.GrantStatus, w store.Webhook) bool {
	switch {
	case grantor.KeyRevoked:
		return false
	case w.Grant.UserID != nil:
		return !grantor.UserDisabled && grantor.Role == api.RoleAdmin
	}
	return grantor.KeyExpiresAt == nil || t.now().Before(grantor.KeyExpiresAt.Time)
}

// deliveryMessage returns the signed message of a delivery. It returns errNotWanted for an event that the webhook does
// not send.
func (t *Tracker) deliveryMessage(q access.Queries, w store.Webhook, lease Lease) (webhookMessage, error) {
	row, err := q.Event(lease.WorkspaceID, lease.EventID)
	if err != nil {
		return webhookMessage{}, err
	}
	e, err := showEventOf(q, row)
	if err != nil {
		return webhookMessage{}, err
	}
	if err := t.wants(q, w, e); err != nil {
		return webhookMessage{}, err
	}
	return t.signedMessage(q, w, e)
}

// signedMessage returns the message of an event, signed with every valid secret of the webhook.
func (t *Tracker) signedMessage(q access.Queries, w store.Webhook, e api.Event) (webhookMessage, error) {
	body, err := t.webhookBody(q, w, e)
	if err != nil {
		return webhookMessage{}, err
	}
	secrets, err := t.openSecrets(q, w.ID)
	if err != nil {
		return webhookMessage{}, err
	}
	m := webhookMessage{webhookID: w.ID, Message: Message{URL: w.URL, ID: e.ID, At: t.now(), Body: body}}
	if m.Signature, err = webhook.Sign(m.ID, m.At, body, secrets...); err != nil {
		return m, err
	}
	return m, m.change(q, w, e)
}

// recordAttempt records an attempt with its effects on the delivery and the webhook: success, retry or failure. A
// delivered message is stored by also.
func (t *Tracker) recordAttempt(ctx context.Context, w store.Webhook, lease Lease, result SendResult,
	also ...func(*access.Tx) error,
) error {
	now := t.clock()
	d, due := lease.Delivery, now
	d.Tries++
	switch {
	case result.Error == nil:
		d.Status, d.FinishedAt = api.DeliveryDelivered, &now
	case d.Tries > len(retrySchedule) || *result.Error == api.AttemptRights || isGone(result):
		d.Status, d.FinishedAt = api.DeliveryFailed, &now
	default:
		due = api.At(now.Add(max(jitter(retrySchedule[d.Tries-1]), result.RetryAfter)))
	}
	attemptID := id.New(id.Attempt)
	return access.SystemChange(context.WithoutCancel(ctx), t.authority, func(tx *access.Tx) error {
		leased, err := tx.FinishDelivery(d, lease.until, due, attemptID, result.Attempt)
		if err != nil || !leased {
			return err
		}
		if result.Error != nil {
			return t.recordFailure(tx, w, result, now)
		}
		for _, store := range also {
			if err := store(tx); err != nil {
				return err
			}
		}
		if w.FailingSince != nil {
			return tx.MarkHealthy(w.ID)
		}
		return nil
	})
}

// isGone reports whether the receiver answered that it is gone for good.
func isGone(result SendResult) bool { return result.Status != nil && *result.Status == http.StatusGone }

// recordFailure records a failed attempt in the webhook. It disables a webhook whose receiver is gone, or whose
// attempts have all failed for disableAfter.
func (t *Tracker) recordFailure(tx *access.Tx, w store.Webhook, result SendResult, now api.Time) error {
	switch {
	case isGone(result):
		return t.disable(tx, w.ID, api.WebhookGone)
	case w.FailingSince != nil && now.Sub(w.FailingSince.Time) >= disableAfter:
		return t.disable(tx, w.ID, api.WebhookFailing)
	case *result.Error == api.AttemptRights:
		return nil
	}
	return tx.MarkFailing(w.ID, now, api.At(now.Add(result.RetryAfter)))
}

// revokeGrant disables a webhook whose grant is not valid any more, and releases the delivery.
func (t *Tracker) revokeGrant(ctx context.Context, lease Lease) error {
	return access.SystemChange(context.WithoutCancel(ctx), t.authority, func(tx *access.Tx) error {
		if err := t.disable(tx, lease.WebhookID, api.WebhookRightsLost); err != nil {
			return err
		}
		return tx.ReleaseDelivery(lease.ID, lease.until, t.clock())
	})
}

// disable disables a webhook and publishes that. Its queued deliveries are sent when somebody enables it again.
func (t *Tracker) disable(tx *access.Tx, webhookID string, reason api.DisabledReason) error {
	w, err := tx.LockWebhook(webhookID)
	if errors.Is(err, store.ErrNotFound) || err == nil && !w.Enabled {
		return nil
	}
	if err != nil {
		return err
	}
	counters, err := reserveWebhookEvent(tx, w.WorkspaceID)
	if err != nil {
		return err
	}
	markDisabled(&w, reason, maxTime(t.clock(), w.UpdatedAt))
	w.UpdatedAt = *w.DisabledAt
	if err := tx.UpdateWebhook(&w); err != nil {
		return err
	}
	t.log.Warn("webhook disabled", "webhook", w.ID, "reason", string(reason))
	disabled := event{Type: api.EventWebhookDisabled, ID: w.ID, Subject: recorded(w.Webhook),
		Previous: map[string]any{"enabled": true}}
	return t.publishWebhook(tx, access.System(w.OrgID), counters, disabled)
}

// TestWebhook sends a ping, whether the webhook is enabled or not. A repeated request with the same Idempotency-Key
// sends no second one.
func (t *Tracker) TestWebhook(ctx context.Context, c access.Caller, v input.Valid[api.TestWebhook],
) (api.WebhookTest, error) {
	var none api.WebhookTest
	in, err := v.Value(c.Allow(api.OpTestWebhook))
	if err != nil {
		return none, err
	}
	q := t.access.Read(ctx)
	w, err := c.Webhook(q, in.WebhookID)
	if err != nil {
		return none, err
	}
	if first, found, err := storedResponse[api.WebhookTest](t, q, c, api.OpTestWebhook, in); found || err != nil {
		return first, err
	}
	ping := api.Event{ID: id.New(id.Event), Type: api.EventPing, Timestamp: t.clock(), WorkspaceID: w.WorkspaceID,
		Actor: showActor(c.Actor()), Data: api.EventData{Webhook: &w.Webhook}}
	m, err := t.signedMessage(q, w, ping)
	if err != nil {
		return none, err
	}
	result := t.sender.Send(ctx, m.Message)
	return access.Write(ctx, t.access, c, api.OpTestWebhook,
		func(tx *access.Tx, c access.Caller) (api.WebhookTest, error) {
			if _, err := c.Webhook(tx.Queries, in.WebhookID); err != nil {
				return none, err
			}
			return idempotent(t, tx, c, in, func() (api.WebhookTest, error) {
				out := api.WebhookTest{EventID: ping.ID, Delivered: result.Error == nil, Attempt: result.Attempt}
				return out, t.recordWorkspaceAudit(tx, c, w.WorkspaceID,
					event{Type: api.EventWebhookTested, ID: w.ID, Subject: recorded(w.Webhook)})
			})
		})
}
