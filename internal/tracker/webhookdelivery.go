package tracker

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/webhook"
)

// Lease is a delivery that this node may carry out until its lease ends.
type Lease struct {
	store.Delivery
	until api.Time
}

const (
	deliveryLease     = 30 * time.Second   // longer than a try and the writing of its outcome
	disableAfter      = 5 * 24 * time.Hour // until a webhook that takes nothing is disabled
	maxAttempts       = 30                 // shown of one delivery
	maxLeasedWebhooks = 64                 // webhooks served by one claim
)

// schedule says how long after a failed try the next one is made. After the last one a
// delivery has failed.
var schedule = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// jitter spreads a delay by a fifth either way, so that what failed together is not retried together.
func jitter(d time.Duration) time.Duration { return d*4/5 + rand.N(d*2/5+1) }

// Published is closed when something next happens in a workspace on this node.
func (t *Tracker) Published() <-chan struct{} { return t.store.Commits() }

// LeaseDeliveries leases the deliveries that are due.
func (t *Tracker) LeaseDeliveries(ctx context.Context) ([]Lease, error) {
	now := t.clock()
	if due, err := t.store.Read(ctx).DeliveriesDue(now); err != nil || !due {
		return nil, err
	}
	until := api.At(now.Add(deliveryLease))
	rows, err := systemWrite(t, ctx, func(tx *store.Tx) ([]store.Delivery, error) {
		return tx.LeaseDeliveries(now, until, maxLeasedWebhooks)
	})
	return convert(rows, func(d store.Delivery) Lease { return Lease{d, until} }), err
}

// Deliver makes one try of a claimed delivery and stores what came of it. It asks for the
// right again first.
func (t *Tracker) Deliver(ctx context.Context, claim Lease) error {
	q := t.store.Read(ctx)
	w, err := q.Webhook(claim.WebhookID)
	if errors.Is(err, store.ErrNotFound) { // deleted meanwhile, and the delivery with it
		return nil
	}
	if err != nil {
		return err
	}
	standing, err := t.grantValid(q, w)
	if err != nil {
		return err
	}
	if !standing {
		return t.revokeGrant(ctx, claim)
	}
	m, err := t.message(q, w, claim)
	if errors.Is(err, errNoSecret) { // deleted meanwhile
		return nil
	}
	if err != nil {
		t.log.Error("a message could not be made", "delivery", claim.ID, "error", err)
		return t.recordAttempt(ctx, w, claim, refusedAttempt(t.clock(), api.AttemptInternal))
	}
	if scope, ok := api.ScopeOf(claim.EventType); ok && !slices.Contains(w.Grant.Scopes, scope) {
		return t.recordAttempt(ctx, w, claim, refusedAttempt(t.clock(), api.AttemptRights))
	}
	return t.recordAttempt(ctx, w, claim, t.sender.Send(ctx, m))
}

// refusedAttempt is a try that was not made.
func refusedAttempt(at api.Time, why api.AttemptError) SendResult {
	return SendResult{Attempt: api.Attempt{At: at, Error: &why}}
}

// grantValid says whether whom a webhook acts for still may manage it: a revoked key ends it,
// and so does a disabled account, a lost role and, for a service, the expiry of its key.
func (t *Tracker) grantValid(q store.Queries, w store.Webhook) (bool, error) {
	s, err := q.GrantStatus(w.WorkspaceID, w.Grant)
	if err != nil || s.KeyRevoked {
		return false, err
	}
	if w.Grant.UserID != nil {
		return !s.UserDisabled && s.Role == api.RoleAdmin, nil
	}
	return s.KeyExpiresAt == nil || t.now().Before(s.KeyExpiresAt.Time), nil
}

// message returns what is sent for a delivery, signed with every secret in force.
func (t *Tracker) message(q store.Queries, w store.Webhook, claim Lease) (Message, error) {
	row, err := q.Event(claim.WorkspaceID, claim.EventID)
	if err != nil {
		return Message{}, err
	}
	e, err := showEvent(row)
	if err != nil {
		return Message{}, err
	}
	return t.sign(q, w, e)
}

func (t *Tracker) sign(q store.Queries, w store.Webhook, e api.Event) (Message, error) {
	body, err := webhookPayload(e)
	if err != nil {
		return Message{}, err
	}
	secrets, err := t.openSecrets(q, w.ID)
	if err != nil {
		return Message{}, err
	}
	m := Message{URL: w.URL, ID: e.ID, At: t.now(), Body: body}
	m.Signature, err = webhook.Sign(m.ID, m.At, body, secrets...)
	return m, err
}

// recordAttempt stores what came of a try, and what follows from it for the webhook.
func (t *Tracker) recordAttempt(ctx context.Context, w store.Webhook, claim Lease, sent SendResult) error {
	now := t.clock()
	d, due := claim.Delivery, now
	d.Tries++
	switch {
	case sent.Error == nil:
		d.Status, d.FinishedAt = api.DeliveryDelivered, &now
	case d.Tries > len(schedule) || *sent.Error == api.AttemptRights:
		d.Status, d.FinishedAt = api.DeliveryFailed, &now
	default:
		due = api.At(now.Add(max(jitter(schedule[d.Tries-1]), sent.RetryAfter)))
	}
	attempt := id.New(id.Attempt)
	return systemChange(t, context.WithoutCancel(ctx), func(tx *store.Tx) error {
		ours, err := tx.FinishDelivery(d, claim.until, due, attempt, sent.Attempt)
		if err != nil || !ours {
			return err
		}
		if sent.Error != nil {
			return t.recordFailure(tx, w, sent, now)
		}
		if w.FailingSince != nil {
			return tx.MarkHealthy(w.ID)
		}
		return nil
	})
}

// recordFailure notes that a receiver did not take a message, and disables its webhook when it is gone
// or has taken nothing for too long.
func (t *Tracker) recordFailure(tx *store.Tx, w store.Webhook, sent SendResult, now api.Time) error {
	switch {
	case sent.Status != nil && *sent.Status == 410:
		return t.disable(tx, w.ID, api.WebhookGone)
	case w.FailingSince != nil && now.Sub(w.FailingSince.Time) >= disableAfter:
		return t.disable(tx, w.ID, api.WebhookFailing)
	case *sent.Error == api.AttemptRights:
		return nil
	}
	return tx.MarkFailing(w.ID, now, api.At(now.Add(sent.RetryAfter)))
}

func (t *Tracker) revokeGrant(ctx context.Context, claim Lease) error {
	return systemChange(t, context.WithoutCancel(ctx), func(tx *store.Tx) error {
		if err := t.disable(tx, claim.WebhookID, api.WebhookRightsLost); err != nil {
			return err
		}
		return tx.ReleaseDelivery(claim.ID, claim.until, t.clock())
	})
}

// disable ends the sending of a webhook, and says so in the log of its workspace. What was
// waiting is sent when somebody enables it.
func (t *Tracker) disable(tx *store.Tx, webhookID string, why api.DisabledReason) error {
	w, err := tx.LockWebhook(webhookID)
	if errors.Is(err, store.ErrNotFound) || err == nil && !w.Enabled {
		return nil
	}
	if err != nil {
		return err
	}
	n, err := tx.NextSequence(w.WorkspaceID, 0, 1)
	if err != nil {
		return err
	}
	markDisabled(&w, why, maxTime(t.clock(), w.UpdatedAt))
	w.UpdatedAt = *w.DisabledAt
	if err := tx.UpdateWebhook(&w); err != nil {
		return err
	}
	t.log.Warn("webhook disabled", "webhook", w.ID, "reason", string(why))
	return t.publishWebhook(tx, system(w.OrgID), n, w, event{api.EventWebhookDisabled, w.ID, w.Webhook, map[string]any{"enabled": true}})
}

// TestWebhook sends a ping at once, whether the webhook is enabled or not. A request that was
// answered before sends none.
func (t *Tracker) TestWebhook(ctx context.Context, c Caller, v input.Valid[api.TestWebhook]) (api.WebhookTest, error) {
	var none api.WebhookTest
	in, err := v.Value(c.Allow(api.OpTestWebhook))
	if err != nil {
		return none, err
	}
	q := t.store.Read(ctx)
	w, err := t.webhook(q, c, in.WebhookID)
	if err != nil {
		return none, err
	}
	if first, found, err := storedResponse[api.WebhookTest](t, q, c, api.OpTestWebhook, in); found || err != nil {
		return first, err
	}
	ping := api.Event{ID: id.New(id.Event), Type: api.EventPing, Timestamp: t.clock(), WorkspaceID: w.WorkspaceID,
		Actor: showActor(c.actor()), Data: api.EventData{Webhook: &w.Webhook}}
	m, err := t.sign(q, w, ping)
	if err != nil {
		return none, err
	}
	sent := t.sender.Send(ctx, m)
	return write(t, ctx, c, api.OpTestWebhook, func(tx *store.Tx, c Caller) (api.WebhookTest, error) {
		if _, err := t.webhook(tx.Queries, c, in.WebhookID); err != nil {
			return none, err
		}
		return idempotent(t, tx, c, in, func() (api.WebhookTest, error) {
			out := api.WebhookTest{EventID: ping.ID, Delivered: sent.Error == nil, Attempt: sent.Attempt}
			return out, t.recordAudit(tx, c, event{api.EventWebhookTested, w.ID, w.Webhook, nil})
		})
	})
}
