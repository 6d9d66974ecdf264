package tracker

import (
	"fmt"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// DefaultDailySlices is how many slices and occurrences a workspace may file in a day when nothing else is said.
const DefaultDailySlices = 50_000

// releasingEvents are events of changes that are made whatever a workspace counts: they free room, or take rights away.
var releasingEvents = []api.EventType{api.EventSliceDeleted, api.EventCommentDeleted, api.EventAttachmentDeleted, api.EventWebhookDeleted,
	api.EventWebhookDisabled, api.EventKeyRevoked, api.EventKeyExpiring, api.EventMemberRemoved}

// checkQuota refuses a change by which a workspace would count more bytes than it may.
func (t *Tracker) checkQuota(tx *store.Tx, c Caller, workspaceID string, n store.Counters, events []event) error {
	total := n.Stored + tx.PendingCharge(workspaceID)
	if t.quotaBytes == 0 || total <= t.quotaBytes || !c.isLimited() {
		return nil
	}
	if slices.ContainsFunc(events, func(e event) bool { return slices.Contains(releasingEvents, e.Type) }) {
		return nil
	}
	return api.Refuse(api.CodeQuota, fmt.Sprintf(
		"The workspace may have %d MiB, and with this it would have %d. Delete files or comments, or ask the operator for more.",
		t.quotaBytes>>20, total>>20))
}

// checkStorage refuses files while the disk is nearly full, and those of a workspace that has no room, before
// anything is read.
func (t *Tracker) checkStorage(q store.Queries, c Caller, workspaceID string) error {
	if err := t.CheckDisk(api.OpCreateAttachment); err != nil {
		return err
	}
	have, err := q.StoredBytes(workspaceID)
	if err == nil && t.quotaBytes > 0 && have >= t.quotaBytes && c.isLimited() {
		err = api.Refuse(api.CodeQuota, fmt.Sprintf(
			"The workspace has all of the %d MiB it may. Delete files or comments, or ask the operator for more.", t.quotaBytes>>20))
	}
	return err
}

// today is today in UTC, in days since 1970.
func (t *Tracker) today() int64 { return t.now().Unix() / int64(24*time.Hour/time.Second) }

// checkDailyLimit refuses a filing when so many were filed today.
func (t *Tracker) checkDailyLimit(c Caller, filed int64) error {
	if t.dailySlices == 0 || filed < t.dailySlices || !c.isLimited() {
		return nil
	}
	tomorrow := time.Unix((t.today()+1)*int64(24*time.Hour/time.Second), 0)
	p := api.Refuse(api.CodeDailyLimit, fmt.Sprintf(
		"The workspace has filed the %d reports it may in a day. The next day begins at %s.", t.dailySlices, api.At(tomorrow)))
	p.RetryAfter = tomorrow.Sub(t.now())
	return p
}
