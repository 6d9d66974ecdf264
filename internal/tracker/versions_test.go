package tracker_test

import (
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestSpaceVersion: a change or deletion that is based on another version of a space is refused and changes nothing.
func TestSpaceVersion(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s, err := w.CreateSpace(t.Context(), w.owner,
			valid(api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: "one"}}))
		must(t, err)
		update := func(ifMatch, name string) (api.Space, error) {
			return w.UpdateSpace(t.Context(), w.owner, valid(api.UpdateSpace{WorkspaceID: w.workspace,
				SpaceID: s.ID, IfMatch: ifMatch, Patch: api.SpacePatch{"name": name}}))
		}
		remove := func(ifMatch string) error {
			return second(w.DeleteSpace(t.Context(), w.owner,
				valid(api.DeleteSpace{WorkspaceID: w.workspace, SpaceID: s.ID, IfMatch: ifMatch})))
		}
		changed, err := update(s.ETag(), "two")
		must(t, err)
		wantCode(t, second(update(s.ETag(), "three")), api.CodePrecondition)
		wantCode(t, remove(s.ETag()), api.CodePrecondition)
		read, err := w.GetSpace(t.Context(), w.owner, valid(api.GetSpace{WorkspaceID: w.workspace, SpaceID: s.ID}))
		must(t, err)
		assert.Equal(t, "the space after refused changes", read, changed)
		same, err := update(changed.ETag(), "two")
		must(t, err)
		assert.Equal(t, "the space after a change to the same name", same, changed)
		must(t, second(update("", "four")))
		must(t, remove("*"))
	})
}

// TestWebhookVersion: a change or deletion that is based on another version of a webhook is refused and changes
// nothing. The version increases when deliveries begin to fail and when they succeed again, and at no other delivery.
func TestWebhookVersion(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h := w.hook(t)
		update := func(ifMatch, text string) (api.Webhook, error) {
			return w.UpdateWebhook(t.Context(), w.owner,
				valid(api.UpdateWebhook{WebhookID: h.ID, IfMatch: ifMatch,
					Patch: api.WebhookPatch{"description": text}}))
		}
		remove := func(ifMatch string) error {
			return second(w.DeleteWebhook(t.Context(), w.owner,
				valid(api.DeleteWebhook{WebhookID: h.ID, IfMatch: ifMatch})))
		}
		read := func() api.Webhook {
			got, err := w.GetWebhook(t.Context(), w.owner, valid(api.GetWebhook{WebhookID: h.ID}))
			must(t, err)
			return got
		}
		changed, err := update(h.ETag(), "two")
		must(t, err)
		wantCode(t, second(update(h.ETag(), "three")), api.CodePrecondition)
		wantCode(t, remove(h.ETag()), api.CodePrecondition)
		assert.Equal(t, "the webhook after refused changes", read(), changed)
		w.now = time.Now().Add(time.Minute)
		for _, why := range []api.AttemptError{api.AttemptTimeout, api.AttemptTimeout, "", ""} {
			w.now, w.sender.why = w.now.Add(time.Second), why
			w.file(t, "an event", "")
			before := read()
			w.deliver(t)
			if after := read(); (after.ETag() == before.ETag()) != ((after.FailingSince == nil) == (before.FailingSince == nil)) {
				t.Errorf("%+v after %+v", after, before)
			}
		}
		if read().Version != changed.Version+2 {
			t.Errorf("the version is %d after the deliveries, and was %d", read().Version, changed.Version)
		}
		must(t, second(update("", "four")))
		must(t, remove(read().ETag()))
	})
}

// TestWorkspaceVersion: a change that is based on another version of a workspace is refused and changes nothing.
func TestWorkspaceVersion(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		update := func(ifMatch, name string) (api.Workspace, error) {
			return w.UpdateWorkspace(t.Context(), w.owner,
				valid(api.UpdateWorkspace{WorkspaceID: w.workspace, IfMatch: ifMatch,
					Patch: api.WorkspacePatch{"name": name}}))
		}
		read := func() api.Workspace {
			got, err := w.GetWorkspace(t.Context(), w.owner, valid(api.GetWorkspace{WorkspaceID: w.workspace}))
			must(t, err)
			return got
		}
		former := read().ETag()
		w.report(t, "f", api.SliceFields{Summary: "a"})
		assert.Equal(t, "the ETag after a report", read().ETag(), former)
		changed, err := update(former, "two")
		must(t, err)
		wantCode(t, second(update(former, "three")), api.CodePrecondition)
		assert.Equal(t, "the workspace after a refused change", read(), changed)
		must(t, second(update(changed.ETag(), "four")))
		must(t, second(update("", "five")))
		assert.Equal(t, "the name", read().Name, "five")
	})
}
