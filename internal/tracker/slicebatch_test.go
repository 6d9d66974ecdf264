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

// TestBatchEndsWithItsRight: when the key is revoked during a batch, the items of the workspaces that are left are
// refused in their places.
func TestBatchEndsWithItsRight(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		c, keyID := w.key(t)
		var in api.BatchDeleteSlices
		other, err := w.newWorkspace(w.owner, "second", "SECOND")
		must(t, err)
		for n := range 6 {
			workspace := []string{w.workspace, other.ID}[n/3]
			made, err := w.CreateSlice(t.Context(), w.owner,
				valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &workspace,
					SliceFields: api.SliceFields{Summary: "s"}}}))
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

// TestBatchItemsFollowEachOther: an item of a batch is checked against the items before it, as if each were a request
// of its own. One that is refused leaves nothing behind.
func TestBatchItemsFollowEachOther(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		filed := func(fields api.SliceFields, fingerprint string) string {
			in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: fields}}
			if in.Body.Summary = "s"; fingerprint != "" {
				in.Body.Fingerprint = &fingerprint
			}
			made, err := w.CreateSlice(t.Context(), w.owner, valid(in))
			must(t, err)
			return made.ID
		}
		plain, done := api.SliceFields{}, api.SliceFields{Status: api.Closed}
		closed, open := filed(done, "h"),
			filed(plain, "h") // in this order: the second one would be an occurrence of an open one
		type patch = api.SlicePatch
		for _, tc := range []struct {
			name   string
			ids    []string
			patch  func(n int, ids []string) patch
			second string // the code of the second item, empty when it succeeds
		}{
			{"duplicates of each other", []string{filed(plain, ""), filed(plain, ""), filed(plain, "")},
				func(n int, ids []string) patch { return patch{"duplicateOfId": ids[1-min(n, 1)]} },
				api.CodeInvalidBody},
			{"one external id", []string{filed(plain, ""), filed(plain, ""), filed(plain, "")},
				func(n int, _ []string) patch { return patch{"externalId": []string{"E-1", "E-1", "E-2"}[n]} },
				api.CodeExternalIDTaken},
			{"an external id that is free again", []string{filed(api.SliceFields{ExternalID: new("E-3")}, ""),
				filed(plain, ""), filed(plain, "")},
				func(n int, _ []string) patch { return patch{"externalId": []any{nil, "E-3", "E-4"}[n]} }, ""},
			{"one fingerprint", []string{filed(done, "f"), filed(done, "f"), filed(done, "g")},
				func(int, []string) patch { return patch{"status": "open"} }, api.CodeConflict},
			{"a fingerprint that is free again", []string{open, closed, filed(done, "i")},
				func(n int, _ []string) patch { return patch{"status": []string{"closed", "open", "open"}[n]} }, ""},
		} {
			var in api.BatchUpdateSlices
			for n, id := range tc.ids {
				in.Body.Items = append(in.Body.Items, api.BatchUpdateItem{ID: id, Patch: tc.patch(n, tc.ids)})
			}
			out, err := w.BatchUpdateSlices(t.Context(), w.owner, valid(in))
			must(t, err)
			for n, r := range out.Results {
				want, got := "", ""
				if n == 1 {
					want = tc.second
				}
				if r.Problem != nil {
					got = r.Problem.Code
				}
				stored, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: r.ID}))
				must(t, err)
				if version := 2 - int64(len(want[:min(1, len(want))])); got != want || stored.Version != version {
					t.Errorf("%s: item %d has the problem %q and version %d, want %q and %d",
						tc.name, n, got, stored.Version, want, version)
				}
			}
		}
	})
}
