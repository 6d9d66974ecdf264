package tracker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/webhook"
)

// ListWebhooks lists the webhooks of the workspaces the caller administers, oldest first.
func (t *Tracker) ListWebhooks(ctx context.Context, c access.Caller, v input.Valid[api.ListWebhooks],
) (api.Page[api.Webhook], error) {
	in, err := v.Value(c.Allow(api.OpListWebhooks))
	if err != nil {
		return api.Page[api.Webhook]{}, err
	}
	l := listing[api.Webhook]{operation: api.OpListWebhooks, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(w api.Webhook) string { return w.ID },
		func(afterID string, limit int) (_ []api.Webhook, err error) {
			q := t.access.Read(ctx)
			workspaces := []string{in.WorkspaceID}
			if in.WorkspaceID == "" {
				workspaces, err = c.AdministeredWorkspaces(q)
			} else {
				err = c.RequireAdmin(q, in.WorkspaceID)
			}
			if err != nil {
				return nil, err
			}
			rows, err := q.Webhooks(workspaces, afterID, limit)
			return convert(rows, func(w store.Webhook) api.Webhook { return w.Webhook }), err
		}))
}

// GetWebhook returns a webhook of a workspace the caller administers.
func (t *Tracker) GetWebhook(ctx context.Context, c access.Caller, v input.Valid[api.GetWebhook]) (api.Webhook, error) {
	in, err := v.Value(c.Allow(api.OpGetWebhook))
	if err != nil {
		return api.Webhook{}, err
	}
	w, err := c.Webhook(t.access.Read(ctx), in.WebhookID)
	return w.Webhook, err
}

// CreateWebhook creates a webhook with the caller as its grantor.
func (t *Tracker) CreateWebhook(ctx context.Context, c access.Caller, v input.Valid[api.CreateWebhook],
) (api.WebhookSecret, error) {
	var none api.WebhookSecret
	in, err := v.Value(c.Allow(api.OpCreateWebhook))
	if err != nil {
		return none, err
	}
	workspaceID, err := c.WorkspaceOrOwn(t.access.Read(ctx), in.Body.WorkspaceID)
	if err != nil {
		return none, err
	}
	r, err := t.redactorForMember(ctx, c, workspaceID)
	if err != nil {
		return none, err
	}
	fields := in.Body.WebhookFields
	if err := redactFields(r, &fields, nil); err != nil {
		return none, err
	}
	return access.Write(ctx, t.access, c, api.OpCreateWebhook,
		func(tx *access.Tx, c access.Caller) (api.WebhookSecret, error) {
			if err := c.RequireAdmin(tx.Queries, workspaceID); err != nil {
				return none, err
			}
			return idempotent(t, tx, c, in, func() (api.WebhookSecret, error) {
				w := store.Webhook{OrgID: c.Organization.ID}
				w.ID, w.WorkspaceID, w.WebhookFields, w.Creator = id.New(id.Webhook), workspaceID, fields, creator(c)
				w.CreatedAt = api.At(id.Time(w.ID))
				w.UpdatedAt = w.CreatedAt
				return t.insertWebhook(tx, c, w)
			})
		})
}

// insertWebhook stores a new webhook, with its grant and its first secret.
func (t *Tracker) insertWebhook(tx *access.Tx, c access.Caller, w store.Webhook) (api.WebhookSecret, error) {
	if err := t.setGrant(tx.Queries, c, &w); err != nil {
		return api.WebhookSecret{}, err
	}
	if !w.Enabled {
		markDisabled(&w, api.WebhookPaused, w.CreatedAt)
	}
	counters, err := reserveWebhookEvent(tx, w.WorkspaceID)
	if err != nil {
		return api.WebhookSecret{}, err
	}
	count, err := tx.CountWebhooks(w.WorkspaceID)
	if err != nil {
		return api.WebhookSecret{}, err
	}
	if count >= maxWebhooks {
		return api.WebhookSecret{},
			api.NewProblem(api.CodeTooManyWebhooks,
				fmt.Sprintf("A workspace may have %d webhooks. Delete one first.", maxWebhooks))
	}
	newSecret := webhook.NewSecret()
	w.SecretLast4 = newSecret[len(newSecret)-4:]
	if err := tx.InsertWebhook(&w); err != nil {
		return api.WebhookSecret{}, err
	}
	if err := tx.InsertSecret(w.ID, t.sealSecret(w.ID, newSecret), w.CreatedAt, w.CreatedAt); err != nil {
		return api.WebhookSecret{}, err
	}
	return api.WebhookSecret{Webhook: w.Webhook, Secret: newSecret},
		t.publishWebhook(tx, c, counters, event{Type: api.EventWebhookCreated, ID: w.ID, Subject: recorded(w.Webhook)})
}

// setGrant checks the URL and the event types of a webhook, gives it the URL in the form in which it is asked, and
// makes the caller its grantor: the webhook sends only events that the caller may read.
func (t *Tracker) setGrant(q access.Queries, c access.Caller, w *store.Webhook) error {
	if len(w.EventTypes) == 0 {
		w.EventTypes = []api.Subscription{api.AllEvents}
	}
	if len(w.EventTypes) > 1 && slices.Contains(w.EventTypes, api.AllEvents) {
		return api.InvalidMember("/eventTypes", "not_alone",
			"* means every event and cannot be combined with other types")
	}
	var lacking []string
	for _, s := range w.EventTypes {
		scope, known := api.ScopeOf(api.EventType(s))
		if known && !slices.Contains(c.Scopes, scope) {
			lacking = append(lacking, string(s)+" ("+string(scope)+")")
		}
	}
	if len(lacking) > 0 {
		return api.NewProblem(api.CodeForbidden, "Your key lacks the scopes to read these events: "+
			strings.Join(lacking, ", ")+".",
			api.Fault{Pointer: "/eventTypes", Code: api.CodeScope, Detail: "needs the scope in brackets"})
	}
	if err := t.checkWebhookQuery(q, *w); err != nil {
		return err
	}
	if t.sender == nil {
		return errors.New("tracker: webhooks without a sender")
	}
	address, err := t.sender.Address(w.URL)
	if err != nil {
		return api.InvalidMember("/url", "address_not_allowed", err.Error())
	}
	w.URL = address
	w.Grant = store.Grant{Scopes: c.Scopes, KeyID: creator(c).KeyID}
	if c.Type == access.UserCaller {
		w.Grant.UserID = &c.ID
	}
	return nil
}

func markDisabled(w *store.Webhook, reason api.DisabledReason, at api.Time) {
	w.Enabled, w.DisabledReason, w.DisabledAt = false, &reason, &at
}

// reserveWebhookEvent reserves the sequence of the event of a changed webhook. It locks the workspace, so that
// changes of its webhooks run one after another.
func reserveWebhookEvent(tx *access.Tx, workspaceID string) (store.Counters, error) {
	return tx.NextSequence(workspaceID, 0, 1)
}

// publishWebhook publishes a change of a webhook with the counters of reserveWebhookEvent. It gives the webhooks of the
// workspace a new version, 0 when it has none: the caches of all nodes read them again.
func (t *Tracker) publishWebhook(tx *access.Tx, c access.Caller, counters store.Counters, e event) error {
	count, err := tx.CountWebhooks(counters.WorkspaceID)
	if err != nil {
		return err
	}
	if counters.Subscriptions = 0; count > 0 {
		counters.Subscriptions = 1 + rand.Int64N(1<<62)
	}
	if err := tx.SetSubscriptions(counters.WorkspaceID, counters.Subscriptions); err != nil {
		return err
	}
	return t.publishWithCounters(tx, c, counters, e)
}

// UpdateWebhook changes a webhook by a merge patch.
func (t *Tracker) UpdateWebhook(ctx context.Context, c access.Caller, v input.Valid[api.UpdateWebhook],
) (api.Webhook, error) {
	in, err := v.Value(c.Allow(api.OpUpdateWebhook))
	if err != nil {
		return api.Webhook{}, err
	}
	of, err := c.Webhook(t.access.Read(ctx), in.WebhookID)
	if err != nil {
		return api.Webhook{}, err
	}
	r, err := t.redactorForMember(ctx, c, of.WorkspaceID)
	if err != nil {
		return api.Webhook{}, err
	}
	patch, err := redactPatch[api.WebhookFields](r, in.Patch, nil)
	if err != nil {
		return api.Webhook{}, err
	}
	return access.Write(ctx, t.access, c, api.OpUpdateWebhook,
		func(tx *access.Tx, c access.Caller) (api.Webhook, error) {
			w, err := c.LockWebhook(tx, in.WebhookID)
			if err == nil {
				err = checkIfMatch("webhook", in.IfMatch, w.Version)
			}
			if err != nil {
				return api.Webhook{}, err
			}
			changed, err := t.updateWebhook(tx, c, w, patch)
			w.Enabled = false
			tx.NeedsProof(!reflect.DeepEqual(changed.WebhookFields,
				w.WebhookFields)) // it does more than to disable the webhook
			return changed, err
		})
}

// EnableWebhook enables a webhook and makes the caller its grantor: the webhook sends only events that the caller may
// read.
func (t *Tracker) EnableWebhook(ctx context.Context, c access.Caller, v input.Valid[api.EnableWebhook],
) (api.Webhook, error) {
	in, err := v.Value(c.Allow(api.OpEnableWebhook))
	if err != nil {
		return api.Webhook{}, err
	}
	return access.Write(ctx, t.access, c, api.OpEnableWebhook,
		func(tx *access.Tx, c access.Caller) (api.Webhook, error) {
			w, err := c.LockWebhook(tx, in.WebhookID)
			if err != nil {
				return api.Webhook{}, err
			}
			return idempotent(t, tx, c, in, func() (api.Webhook, error) {
				return t.updateWebhook(tx, c, w, api.WebhookPatch{"enabled": true})
			})
		})
}

// updateWebhook applies a patch. The caller becomes the grantor when the URL or the event types change, or the webhook
// is enabled.
func (t *Tracker) updateWebhook(tx *access.Tx, c access.Caller, w store.Webhook, patch api.WebhookPatch,
) (api.Webhook, error) {
	if sent, ok := patch["url"].(string); ok && t.sender != nil {
		if address, err := t.sender.Address(sent); err == nil { // setGrant refuses others
			patch = maps.Clone(patch)
			patch["url"] = address
		}
	}
	previous, err := applyPatch(&w.WebhookFields, patch)
	if err != nil {
		return w.Webhook, err
	}
	if len(w.EventTypes) == 0 {
		w.EventTypes = []api.Subscription{api.AllEvents}
	}
	if len(previous) == 0 {
		return w.Webhook, nil
	}
	w.Format = cmp.Or(w.Format, api.FormatStandard)
	if hasKey(previous, "url") || hasKey(previous, "eventTypes") || hasKey(previous, "enabled") && w.Enabled {
		err = t.setGrant(tx.Queries, c, &w)
	} else if hasKey(previous, "query") {
		err = t.checkWebhookQuery(tx.Queries, w)
	}
	if err != nil {
		return w.Webhook, err
	}
	kind := api.EventWebhookUpdated
	w.UpdatedAt = maxTime(t.clock(), w.UpdatedAt)
	if hasKey(previous, "enabled") {
		w.DisabledReason, w.DisabledAt, w.FailingSince = nil, nil, nil
		if !w.Enabled {
			kind = api.EventWebhookDisabled
			markDisabled(&w, api.WebhookPaused, w.UpdatedAt)
		}
	}
	counters, err := reserveWebhookEvent(tx, w.WorkspaceID)
	if err != nil {
		return w.Webhook, err
	}
	if err := tx.UpdateWebhook(&w); err != nil {
		return w.Webhook, err
	}
	if was, ok := previous["url"].(string); ok {
		former := api.Webhook{WebhookFields: api.WebhookFields{URL: was, Format: w.Format}}
		if format, ok := previous["format"].(string); ok {
			former.Format = api.WebhookFormat(format)
		}
		previous["url"] = recorded(former).URL
	}
	return w.Webhook, t.publishWebhook(tx, c, counters, event{Type: kind, ID: w.ID, Subject: recorded(w.Webhook),
		Previous: previous})
}

// DeleteWebhook deletes a webhook with its deliveries.
func (t *Tracker) DeleteWebhook(ctx context.Context, c access.Caller, v input.Valid[api.DeleteWebhook],
) (api.Nothing, error) {
	in, err := v.Value(c.Allow(api.OpDeleteWebhook))
	if err != nil {
		return api.Nothing{}, err
	}
	return access.Write(ctx, t.access, c, api.OpDeleteWebhook,
		func(tx *access.Tx, c access.Caller) (api.Nothing, error) {
			w, err := c.LockWebhook(tx, in.WebhookID)
			if err == nil {
				err = checkIfMatch("webhook", in.IfMatch, w.Version)
			}
			if err != nil {
				return api.Nothing{}, err
			}
			counters, err := reserveWebhookEvent(tx, w.WorkspaceID)
			if err != nil {
				return api.Nothing{}, err
			}
			if err := tx.DeleteWebhook(w.ID, t.clock()); err != nil {
				return api.Nothing{}, err
			}
			return api.Nothing{}, t.publishWebhook(tx, c, counters,
				event{Type: api.EventWebhookDeleted, ID: w.ID, Subject: recorded(w.Webhook)})
		})
}

// RotateSecret gives a webhook a new secret. Messages are signed with the former one, too, until its grace period ends.
func (t *Tracker) RotateSecret(ctx context.Context, c access.Caller, v input.Valid[api.RotateSecret],
) (api.WebhookSecret, error) {
	var none api.WebhookSecret
	in, err := v.Value(c.Allow(api.OpRotateSecret))
	if err != nil {
		return none, err
	}
	graceSeconds := int64(api.SecretGrace)
	if in.Body != nil {
		graceSeconds = in.Body.GracePeriodSeconds
	}
	return access.Write(ctx, t.access, c, api.OpRotateSecret,
		func(tx *access.Tx, c access.Caller) (api.WebhookSecret, error) {
			w, err := c.LockWebhook(tx, in.WebhookID)
			if err != nil {
				return none, err
			}
			return idempotent(t, tx, c, in, func() (api.WebhookSecret, error) {
				newSecret := webhook.NewSecret()
				err := t.rotateSecret(tx, c, &w, newSecret, time.Duration(graceSeconds)*time.Second)
				return api.WebhookSecret{Webhook: w.Webhook, Secret: newSecret}, err
			})
		})
}
