package tracker_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/disk"
	"bugslice/internal/tracker"
)

// keepFiles gives the world a directory for files, and returns how many are in it.
func (w *world) keepFiles(t *testing.T, change func(*tracker.Options)) func() int {
	t.Helper()
	files, err := blob.Open("", t.TempDir(), nil)
	must(t, err)
	w.with(t, func(o *tracker.Options) { o.Blobs = files; change(o) })
	return func() (n int) {
		must(t, files.List(t.Context(), func(blob.Entry) error { n++; return nil }))
		return n
	}
}

// withEvidence is a report with a line of the console, under a fingerprint if it is not empty.
func (w *world) withEvidence(print string) api.CreateSlice {
	in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: api.SliceFields{Summary: "late"},
		Evidence: &api.Evidence{Console: []api.ConsoleEntry{{Level: "error", Message: "m", Timestamp: api.At(w.now)}}}}}
	if print != "" {
		in.Body.Fingerprint = &print
	}
	return in
}

// TestRefusedWritesLeaveNoFiles: a key that is revoked after all statements of a write and before its commit leaves
// no file: those that were received are removed at once.
func TestRefusedWritesLeaveNoFiles(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		count := w.keepFiles(t, func(*tracker.Options) {})
		slice := w.file(t, "first", "")
		c, keyID := w.key(t)
		release := w.block(t)
		done := make(chan error, 2)
		go func() { done <- second(w.CreateSlice(context.Background(), c, valid(w.withEvidence("")))) }()
		go func() {
			up := tracker.Upload{Body: strings.NewReader("text"), ContentType: "text/plain", Length: -1}
			done <- second(w.CreateAttachment(context.Background(), c, valid(api.CreateAttachment{SliceID: slice.ID}),
				up))
		}()
		w.waits(t, 2)
		revoked := make(chan error, 1)
		go func() {
			revoked <- second(w.RevokeKey(context.Background(), w.owner, valid(api.RevokeKey{KeyID: keyID})))
		}()
		w.releaseAfter(t, 3, revoked, release)
		for range 2 {
			if err := <-done; err != nil && code(err) != api.CodeUnauthorized {
				t.Errorf("a write behind the revocation: %v", err)
			}
		}
		list, err := w.ListSlices(t.Context(), w.owner,
			valid(api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.workspace},
				Paging: api.Paging{Limit: 10}}))
		must(t, err)
		named := int64(0)
		for _, s := range list.Data {
			named += s.AttachmentCount
		}
		if w.store.Engine() == "postgres" && named != 0 { // on SQLite they were before the revocation in the queue
			t.Errorf("%d files were stored after the revocation", named)
		}
		if n := count(); int64(n) != named {
			t.Errorf("%d files are stored, and records name %d", n, named)
		}
	})
}

// TestOccurrencesBeyondTheQuotaLeaveNoFiles: an occurrence that the quota refuses leaves no evidence.
func TestOccurrencesBeyondTheQuotaLeaveNoFiles(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.keepFiles(t, func(*tracker.Options) {})
		must(t, second(w.CreateSlice(t.Context(), w.owner, valid(w.withEvidence("same")))))
		stored, err := w.store.Read(t.Context()).StoredBytes(w.workspace)
		must(t, err)
		count := w.keepFiles(t, func(o *tracker.Options) { o.QuotaBytes = stored + 1 })
		if err := second(w.CreateSlice(t.Context(), w.owner,
			valid(w.withEvidence("same")))); code(err) != api.CodeQuota {
			t.Fatalf("an occurrence beyond the quota: %v", err)
		}
		if n := count(); n != 0 {
			t.Errorf("%d files of an occurrence that was refused are left", n)
		}
	})
}

// TestKeysExpireBehindLocks: a lasting change is refused when its key expires before the transaction, which waited
// for a lock, ends.
func TestKeysExpireBehindLocks(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		if w.store.Engine() == "sqlite" {
			t.Log("writes are serial on SQLite: nothing is waited for inside of a transaction")
		}
		start := time.Now()
		w.with(t, func(o *tracker.Options) { o.Now = time.Now })
		ends := api.At(start.Add(700 * time.Millisecond))
		fields := api.KeyFields{Name: "k", Type: api.PAT, Scopes: api.AllScopes(), ExpiresAt: &ends}
		k, err := w.CreateKey(t.Context(), w.owner, valid(api.CreateKey{Body: fields}))
		must(t, err)
		c, err := w.Authenticate(t.Context(), k.Token)
		must(t, err)
		release := w.block(t)
		made := make(chan error, 1)
		go func() {
			made <- second(w.CreateSpace(context.Background(), c,
				valid(api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: "late"}})))
		}()
		time.Sleep(time.Until(ends.Add(100 * time.Millisecond)))
		release()
		if err := <-made; code(err) != api.CodeUnauthorized {
			t.Errorf("a space made by an expired key: %v", err)
		}
	})
}

// unread fails a test that reads a body.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// TestFullDisksRefuseWrites: while the disk is nearly full the tracker stores nothing for any caller and reads no
// file. Deleting and revoking continue.
func TestFullDisksRefuseWrites(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		slice := w.file(t, "first", "")
		_, keyID := w.key(t)
		count := w.keepFiles(t, func(o *tracker.Options) {
			o.Disk = disk.NewFunc(1000,
				func() (uint64, error) { return 999, nil })
		})
		ctx, up := t.Context(), tracker.Upload{Body: unread{t}, ContentType: "text/plain", Length: -1}
		for what, err := range map[string]error{
			"slice":    w.fileAs(w.owner),
			"evidence": second(w.CreateSlice(ctx, w.owner, valid(w.withEvidence("")))),
			"patch": second(w.UpdateSlice(ctx, w.owner,
				valid(api.UpdateSlice{SliceID: slice.ID, Patch: api.SlicePatch{"summary": "s"}}))),
			"comment": second(w.CreateComment(ctx, w.owner,
				valid(api.CreateComment{SliceID: slice.ID, Body: api.CommentFields{Body: "b"}}))),
			"key": second(w.CreateKey(ctx, w.owner,
				valid(api.CreateKey{Body: api.KeyFields{Name: "k", Type: api.PAT, Scopes: api.AllScopes()}}))),
			"rotation": second(w.RotateKey(ctx, w.owner, valid(api.RotateKey{KeyID: keyID}))),
			"space": second(w.CreateSpace(ctx, w.owner,
				valid(api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: "s"}}))),
			"file": second(w.CreateAttachment(ctx, w.owner, valid(api.CreateAttachment{SliceID: slice.ID}), up)),
		} {
			if code(err) != api.CodeNoSpace {
				t.Errorf("%s: %v", what, err)
			}
		}
		must(t, second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: slice.ID}))))
		must(t, second(w.RevokeKey(ctx, w.owner, valid(api.RevokeKey{KeyID: keyID}))))
		if n := count(); n != 0 {
			t.Errorf("%d files were stored", n)
		}
	})
}
