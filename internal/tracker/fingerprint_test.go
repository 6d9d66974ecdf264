package tracker_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"bugslice/api"
)

// fingerprinted files a slice under a fingerprint.
func (w *world) fingerprinted(t *testing.T, fingerprint string, reopen bool) (api.FiledSlice, error) {
	in := api.CreateSlice{Reopen: reopen, Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: api.SliceFields{Summary: "s"}, Fingerprint: &fingerprint}}
	return w.CreateSlice(t.Context(), w.owner, in)
}

func (w *world) patch(t *testing.T, sliceID string, patch api.Patch[api.SliceFields]) (api.Slice, error) {
	return w.UpdateSlice(t.Context(), w.owner, api.UpdateSlice{SliceID: sliceID, Patch: patch})
}

// settled files a slice under a fingerprint and resolves it.
func (w *world) settled(t *testing.T, fingerprint string, patch api.Patch[api.SliceFields]) api.Slice {
	t.Helper()
	made, err := w.fingerprinted(t, fingerprint, false)
	must(t, err)
	s, err := w.patch(t, made.ID, patch)
	must(t, err)
	return s
}

// TestOneOpensAFingerprint: of a filing that opens a slice again and a change that opens another
// one of its fingerprint, one comes first, and the other finds it: nobody is told of an index.
func TestOneOpensAFingerprint(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for i := range 40 {
			print := fmt.Sprint("print", i)
			older, newer := w.settled(t, print, api.Patch[api.SliceFields]{"status": "resolved"}), w.settled(t, print, api.Patch[api.SliceFields]{"status": "resolved"})
			var work sync.WaitGroup
			work.Go(func() {
				_, err := w.patch(t, older.ID, api.Patch[api.SliceFields]{"status": "open"})
				if err != nil && (code(err) != api.CodeConflict || !strings.Contains(err.Error(), newer.ID)) {
					t.Errorf("change: %v", err)
				}
			})
			work.Go(func() {
				if _, err := w.fingerprinted(t, print, true); err != nil {
					t.Errorf("filing: %v", err)
				}
			})
			work.Wait()
		}
	})
}

// TestOpenTwinIsNamed: who would open a second slice under a fingerprint, by a change or by a
// restoration, is told which one is open.
func TestOpenTwinIsNamed(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		resolved := w.settled(t, "print", api.Patch[api.SliceFields]{"status": "resolved"})
		deleted, err := w.fingerprinted(t, "print", false)
		must(t, err)
		_, err = w.DeleteSlice(t.Context(), w.owner, api.DeleteSlice{SliceID: deleted.ID})
		must(t, err)
		open, err := w.fingerprinted(t, "print", false)
		must(t, err)
		_, changed := w.patch(t, resolved.ID, api.Patch[api.SliceFields]{"status": "open"})
		_, restored := w.RestoreSlice(t.Context(), w.owner, api.RestoreSlice{SliceID: deleted.ID})
		for _, err := range []error{changed, restored} {
			if code(err) != api.CodeConflict || !strings.Contains(fmt.Sprint(err), open.ID) {
				t.Errorf("%v", err)
			}
		}
	})
}
