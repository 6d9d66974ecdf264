package tracker_test

import (
	"context"
	"testing"

	"bugslice/api"
	"bugslice/internal/input"
)

// TestBatchesAskForTheirRightFirst: a caller without the scope learns nothing about the input of a batch.
func TestBatchesAskForTheirRightFirst(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		c := w.authenticate(t, w.mint(t, []api.Scope{api.SlicesRead}).Token)
		for operation, err := range map[string]error{
			api.OpBatchUpdate:  second(w.BatchUpdateSlices(t.Context(), c, input.Valid[api.BatchUpdateSlices]{})),
			api.OpBatchDelete:  second(w.BatchDeleteSlices(t.Context(), c, input.Valid[api.BatchDeleteSlices]{})),
			api.OpBatchRestore: second(w.BatchRestoreSlices(t.Context(), c, input.Valid[api.BatchRestoreSlices]{})),
		} {
			if code(err) != api.CodeScope {
				t.Errorf("%s: %v, want insufficient_scope", operation, err)
			}
		}
	})
}

// TestBatchEndsWithItsRight: when the key is revoked during a batch, the items of the workspaces that are left are refused in their places.
func TestBatchEndsWithItsRight(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		c, keyID := w.key(t)
		var in api.BatchDeleteSlices
		other, err := w.newWorkspace(w.owner, "second", "SECOND")
		must(t, err)
		for n := range 6 {
			workspace := []string{w.workspace, other.ID}[n/3]
			made, err := w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &workspace, SliceFields: api.SliceFields{Summary: "s"}}}))
			must(t, err)
			in.Body.Items = append(in.Body.Items, api.BatchDeleteItem{ID: made.ID})
		}
		release := w.block(t)
		done := make(chan api.BatchResults, 1)
		go func() {
			out, err := w.BatchDeleteSlices(context.Background(), c, valid(in))
			if err != nil {
				t.Error(err)
			}
			done <- out
		}()
		revoked := make(chan error, 1)
		w.waits(t, 1) // the first transaction
		go func() {
			revoked <- second(w.RevokeKey(context.Background(), w.owner, valid(api.RevokeKey{KeyID: keyID})))
		}()
		w.releaseAfter(t, 2, revoked, release)
		out := <-done
		last := out.Results[len(out.Results)-1]
		if len(out.Results) != 6 || last.Problem == nil || last.Problem.Code != api.CodeUnauthorized {
			t.Errorf("%d results, the last one %+v", len(out.Results), last)
		}
	})
}
