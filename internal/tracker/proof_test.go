package tracker_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/tracker"
)

// provedOperations are the operations that give rights or take data out.
var provedOperations = []string{
	api.OpCreateKey, api.OpRotateKey, api.OpCreateShare, api.OpCreateWebhook, api.OpUpdateWebhook, api.OpEnableWebhook,
	api.OpRotateSecret,
	api.OpInvite, api.OpPutMember, api.OpChangeUserRole, api.OpEnableUser, api.OpCreateResetLink, api.OpExportWorkspace,
	api.OpExportAuditLog,
	api.OpEraseUser, api.OpScheduleDeletion, // which end what others have
	api.OpBeginAuthenticator, api.OpConfirmAuthenticator, api.OpRemoveAuthenticator, api.OpBeginPasskey,
	api.OpAddPasskey,
	api.OpRemovePasskey, api.OpReplaceRecoveryCodes, api.OpRemovePassword, api.OpRemoveFactors,
	api.OpUpdatePolicies, api.OpRotateSourceSecret,
}

// TestProofByOperation: a session carries out each operation that gives rights or takes data out only with a recent
// proof of the password, and all others without one. With a key as the caller no operation asks for it.
func TestProofByOperation(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		w.now = time.Now()
		s := w.colleague(t, "owner2@test.example", api.RoleOwner, api.RoleAdmin)
		target := w.colleague(t, "target@test.example", api.RoleMember, api.RoleMember).Caller.ID
		calls := map[string]func(tracker.Session) error{
			api.OpInvite: func(s tracker.Session) error {
				return second(w.InviteUser(t.Context(), s, invitationTo("x@test.example", w.workspace)))
			},
			api.OpPutMember: func(s tracker.Session) error {
				return w.PutMember(t.Context(), s, w.workspace,
					target, api.RoleAdmin)
			},
			api.OpRemoveMember: func(s tracker.Session) error {
				return w.RemoveMember(t.Context(), s, w.workspace,
					target)
			},
			api.OpChangeUserRole: func(s tracker.Session) error {
				return w.ChangeUserRole(t.Context(), s, target,
					api.RoleAdmin)
			},
			api.OpDisableUser: func(s tracker.Session) error { return w.DisableAccount(t.Context(), s, target) },
			api.OpEnableUser: func(s tracker.Session) error {
				if err := w.DisableAccount(t.Context(), s, target); err != nil {
					return err
				}
				return w.EnableAccount(t.Context(), s, target)
			},
			api.OpCreateResetLink: func(s tracker.Session) error {
				return second(w.CreateResetLink(t.Context(), s,
					target))
			},
			api.OpExportWorkspace: func(s tracker.Session) error {
				return second(w.BeginExport(t.Context(), s, w.workspace))
			},
			api.OpExportAuditLog: func(s tracker.Session) error {
				return w.ExportAuditLog(t.Context(), s.Caller, io.Discard)
			},
			api.OpRemoveFactors: func(s tracker.Session) error {
				return second(carryOut(t.Context(), s.Caller, w.Tracker.RemoveFactors,
					api.RemoveFactors{UserID: target}))
			},
			api.OpUpdatePolicies: func(s tracker.Session) error {
				return second(carryOut(t.Context(), s.Caller, w.UpdatePolicies, api.UpdatePolicies{}))
			},
			api.OpScheduleDeletion: nil, api.OpEraseUser: nil, // see TestErasure and TestScheduledDeletion
		}
		maps.Copy(calls, w.factorCalls(t))
		for _, o := range operations {
			calls[o.id] = func(s tracker.Session) error { return second(o.call(context.Background(), f, s.Caller)) }
		}
		// Calls the operations that need a proof, or the others, that long after the last proof.
		session := func(age time.Duration, proved bool) {
			w.now = time.Now().Add(age)
			for _, id := range slices.Sorted(maps.Keys(calls)) { // in one order: some calls depend on others
				call := calls[id]
				if call == nil || slices.Contains(provedOperations, id) != proved {
					continue
				}
				if err := call(s); errors.Is(err, access.ErrProofNeeded) != (proved && age >= 15*time.Minute) {
					t.Errorf("%s %s after a proof: %v", id, age, err)
				}
			}
		}
		session(16*time.Minute, true)
		session(0, true)
		session(16*time.Minute, false)
		for id := range calls {
			if proved := api.Lookup(id).Proof; proved != slices.Contains(provedOperations, id) {
				t.Errorf("%s needs a proof: %t", id, proved)
			}
		}
		for _, id := range provedOperations {
			if _, ok := calls[id]; !ok {
				t.Errorf("%s is not called", id)
			}
		}
		w.now = time.Now().Add(16 * time.Minute)
		for _, o := range operations {
			if err := second(o.call(context.Background(), f, w.owner)); errors.Is(err, access.ErrProofNeeded) {
				t.Errorf("%s asks a key for a proof", o.id)
			}
		}
	})
}

// TestProofByChange: an update asks for a proof when it lets more leave: rules that remove less, files that keep
// their metadata, a webhook with another address. It does not to remove more, or to disable a webhook.
func TestProofByChange(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		w.now = time.Now()
		s := w.colleague(t, "owner2@test.example", api.RoleOwner, api.RoleAdmin)
		rules := func(field, pattern, allow string) api.WorkspacePatch {
			return api.WorkspacePatch{"redaction": map[string]any{"fields": []any{"iban", field}, "allow": []any{allow},
				"patterns": []any{map[string]any{"pattern": pattern, "mask": "x"}}}}
		}
		settings := func(p api.WorkspacePatch) error {
			return second(w.UpdateWorkspace(t.Context(), s.Caller,
				valid(api.UpdateWorkspace{WorkspaceID: w.workspace, Patch: p})))
		}
		hook := func(p api.WebhookPatch) error {
			return second(w.UpdateWebhook(t.Context(), s.Caller, valid(api.UpdateWebhook{WebhookID: f.hook, Patch: p})))
		}
		must(t, settings(rules("card", "C-[0-9]+", "token")))
		w.now = w.now.Add(16 * time.Minute)
		more := rules("card", "C-[0-9]+", "token")
		more["redaction"].(map[string]any)["fields"] = []any{"iban", "card", "tax"}
		more["keepFileMetadata"] = false
		for name, c := range map[string]struct {
			err   error
			asked bool
		}{
			"another field":        {settings(rules("tax", "C-[0-9]+", "token")), true},
			"another pattern":      {settings(rules("card", "C-[0-9]{9}", "token")), true},
			"another name allowed": {settings(rules("card", "C-[0-9]+", "password")), true},
			"no rules":             {settings(api.WorkspacePatch{"redaction": nil}), true},
			"kept metadata":        {settings(api.WorkspacePatch{"keepFileMetadata": true, "name": "Web"}), true},
			"more rules":           {settings(more), false},
			"a name":               {settings(api.WorkspacePatch{"name": "Web"}), false},
			"another address": {hook(api.WebhookPatch{"url": "https://other.example.com/", "enabled": false}),
				true},
			"a disabled webhook": {hook(api.WebhookPatch{"enabled": false}), false},
			"an enabled webhook": {hook(api.WebhookPatch{"enabled": true}), true},
		} {
			if errors.Is(c.err, access.ErrProofNeeded) != c.asked || !c.asked && c.err != nil {
				t.Errorf("%s: %v", name, c.err)
			}
		}
	})
}
