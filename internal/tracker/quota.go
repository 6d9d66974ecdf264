package tracker

import (
	"fmt"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// DefaultDailySlices is the default limit of slices and occurrences that a workspace may file in a day.
const DefaultDailySlices = 50_000

// releasingEvents are the events of changes that a workspace over its quota may make: they free space, remove rights,
// or prepare the deletion of the workspace.
var releasingEvents = []api.EventType{api.EventSliceDeleted, api.EventCommentDeleted, api.EventAttachmentDeleted,
	api.EventWebhookDeleted,
	api.EventWebhookDisabled, api.EventKeyRevoked, api.EventKeyExpiring, api.EventShareRevoked, api.EventMemberRemoved,
	api.EventSpaceDeleted, api.EventDeletionScheduled, api.EventDeletionCancelled, api.EventWorkspaceExported}

// checkQuota refuses a change after which a workspace would store more bytes than its quota.
func (t *Tracker) checkQuota(tx *access.Tx, c access.Caller, counters store.Counters, events []event) error {
	total := counters.Stored + tx.PendingCharge(counters.WorkspaceID)
	if t.quotaBytes == 0 || total <= t.quotaBytes || !isLimited(c) {
		return nil
	}
	if slices.ContainsFunc(events, func(e event) bool { return slices.Contains(releasingEvents, e.Type) }) {
		return nil
	}
	return api.NewProblem(api.CodeQuota, fmt.Sprintf(
		"The quota of the workspace is %d MiB, and with this change it would store %d MiB. Delete files or comments, or ask the "+
			"operator for a larger quota.", t.quotaBytes>>20, total>>20))
}

// checkStorage refuses files before they are read: while the disk is nearly full, and in a workspace whose quota is
// used.
func (t *Tracker) checkStorage(q access.Queries, c access.Caller, workspaceID string) error {
	if err := t.CheckDisk(api.OpCreateAttachment); err != nil {
		return err
	}
	stored, err := q.StoredBytes(workspaceID)
	if err == nil && t.quotaBytes > 0 && stored >= t.quotaBytes && isLimited(c) {
		err = api.NewProblem(api.CodeQuota, fmt.Sprintf(
			"The workspace has used its quota of %d MiB. Delete files or comments, or ask the operator for a larger quota.",
			t.quotaBytes>>20))
	}
	return err
}

const secondsPerDay = int64(24 * time.Hour / time.Second)

// today returns the current day in UTC as the number of days since 1970.
func (t *Tracker) today() int64 { return t.now().Unix() / secondsPerDay }

// checkDailyLimit refuses a slice or an occurrence when so many were filed before it today.
func (t *Tracker) checkDailyLimit(c access.Caller, filed int64) error {
	if t.dailySlices == 0 || filed < t.dailySlices || !isLimited(c) {
		return nil
	}
	tomorrow := time.Unix((t.today()+1)*secondsPerDay, 0)
	p := api.NewProblem(api.CodeDailyLimit, fmt.Sprintf(
		"The workspace has filed %d reports today, its daily limit. The next day begins at %s.", t.dailySlices,
		api.At(tomorrow)))
	p.RetryAfter = tomorrow.Sub(t.now())
	return p
}

// isLimited reports whether the operator's limits apply to the caller: to users, services and visitors, not to the operator and
// the service itself.
func isLimited(c access.Caller) bool {
	return c.Type == access.UserCaller || c.Type == access.ServiceCaller || c.Type == access.GuestCaller
}
