package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/factor"
	"bugslice/internal/store"
)

// ReserveBlobs reserves keys, as an upload does.
func (t *Tracker) ReserveBlobs(ctx context.Context, keys ...string) error {
	return t.reserveBlobs(ctx, keys...)
}

// WriteAsOperator writes what names no operation, as the functions of the operator do.
func (t *Tracker) WriteAsOperator(ctx context.Context, c access.Caller) error {
	return access.Change(ctx, t.access, c, "", func(*access.Tx, access.Caller) error { return nil })
}

// FlushUsage stores what was noted of keys, as the background work does.
func (t *Tracker) FlushUsage(ctx context.Context) error { return t.flush(ctx) }

// UseStore gives a process another connection to its database.
func (t *Tracker) UseStore(s *store.Store) {
	t.access, t.authority = access.New(access.Options{Store: access.Seal(s), Now: t.now, Disk: t.disk,
		Sessions: t.sessionLimits})
}

// CheckPasswords replaces the check of passwords.
func (t *Tracker) CheckPasswords(check func(ctx context.Context, text, hash string) (equal, outdated bool, err error)) {
	t.checkPassword = check
}

// Flush stores what requests have collected.
func (t *Tracker) Flush(ctx context.Context) error { return t.flush(ctx) }

// SetAuditWindow sets the number of events that a page of the audit log reads at most.
func (t *Tracker) SetAuditWindow(n int) { t.auditWindow = n }

// DeleteWorkspace deletes a workspace that the job has listed.
func (t *Tracker) DeleteWorkspace(ctx context.Context, workspaceID string) error {
	w, err := t.access.Read(ctx).Workspace(workspaceID)
	if err != nil {
		return err
	}
	return t.deleteWorkspace(ctx, w, t.now().Add(maxJobRun))
}

// ApplyPatch is applyPatch for the members of a slice.
func ApplyPatch(fields *api.SliceFields, patch api.SlicePatch) (previous map[string]any, err error) {
	return applyPatch(fields, patch)
}

// UsePasskeys gives the service another address, for passkeys.
func (t *Tracker) UsePasskeys(address string) { t.passkeys = factor.NewPasskeys(address) }

// SealKey encrypts the key of an authenticator app.
func (t *Tracker) SealKey(userID, key string) string {
	return t.seal(authenticatorPurpose, userID, key)
}

// AskToCreate returns the question for a new passkey, without a proof.
func (t *Tracker) AskToCreate(ctx context.Context, c access.Caller) (api.PasskeyQuestion, error) {
	u, err := t.access.Read(ctx).User(c.ID)
	if err != nil {
		return api.PasskeyQuestion{}, err
	}
	a, _, err := t.passkeyAccount(ctx, u)
	if err != nil {
		return api.PasskeyQuestion{}, err
	}
	q, err := t.passkeys.AskToCreate(a)
	own, _ := c.Credential.(access.SessionCredential)
	return t.sealQuestion(q, own.ID, stepLifetime), err
}

// DetachedAtOnce is the number of slices that a transaction detaches.
const DetachedAtOnce = detachedAtOnce

// BuildIndex goes on with the index of terms, as the background work does.
func (t *Tracker) BuildIndex(ctx context.Context) { t.buildIndex(ctx) }

// NotifyMeanwhile tells users of the events that were in the logs before meanwhile ran.
func (t *Tracker) NotifyMeanwhile(ctx context.Context, meanwhile func()) error {
	n := newNotifier(t)
	all, err := t.access.Read(ctx).Notices().Positions()
	if err != nil {
		return err
	}
	meanwhile()
	for _, p := range all {
		if _, err := n.tell(ctx, p, p.Told); err != nil {
			return err
		}
	}
	return nil
}
