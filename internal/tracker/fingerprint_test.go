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
	in := api.CreateSlice{Reopen: reopen, Body: api.NewSlice{WorkspaceID: &w.workspace,
		SliceFields: api.SliceFields{Summary: "s"}, Fingerprint: &fingerprint}}
	return w.CreateSlice(t.Context(), w.owner, valid(in))
}

func (w *world) patch(t *testing.T, sliceID string, patch api.SlicePatch) (api.Slice, error) {
	return w.UpdateSlice(t.Context(), w.owner, valid(api.UpdateSlice{SliceID: sliceID, Patch: patch}))
}

// settled files a slice under a fingerprint and resolves it.
func (w *world) settled(t *testing.T, fingerprint string, patch api.SlicePatch) api.Slice {
	t.Helper()
	made, err := w.fingerprinted(t, fingerprint, false)
	must(t, err)
	s, err := w.patch(t, made.ID, patch)
	must(t, err)
	return s
}

// TestConcurrentReopeningsOfAFingerprint: a filing that reopens a slice and a change that opens another slice of the
// same fingerprint are carried out one after the other, and neither fails by an index.
func TestConcurrentReopeningsOfAFingerprint(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for i := range 40 {
			print := fmt.Sprint("print", i)
			older, newer := w.settled(t, print, api.SlicePatch{"status": "resolved"}),
				w.settled(t, print, api.SlicePatch{"status": "resolved"})
			var work sync.WaitGroup
			work.Go(func() {
				_, err := w.patch(t, older.ID, api.SlicePatch{"status": "open"})
				if err != nil && (code(err) != api.CodeConflict ||
					!strings.Contains(err.Error(), newer.Reference+" is open")) {
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

// TestFingerprintConflictNamesTheOpenSlice: a change or a restoration that would open a second slice under a
// fingerprint is refused, and the refusal names the open one.
func TestFingerprintConflictNamesTheOpenSlice(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		resolved := w.settled(t, "print", api.SlicePatch{"status": "resolved"})
		deleted, err := w.fingerprinted(t, "print", false)
		must(t, err)
		_, err = w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: deleted.ID}))
		must(t, err)
		open, err := w.fingerprinted(t, "print", false)
		must(t, err)
		_, changed := w.patch(t, resolved.ID, api.SlicePatch{"status": "open"})
		_, restored := w.RestoreSlice(t.Context(), w.owner, valid(api.RestoreSlice{SliceID: deleted.ID}))
		for _, err := range []error{changed, restored} {
			if code(err) != api.CodeConflict || !strings.Contains(fmt.Sprint(err), open.Reference+" is open") {
				t.Errorf("%v", err)
			}
		}
	})
}

// TestOpenedDuplicateIsNone: opening a slice clears the original together with the resolution duplicate, unless the
// request sets an original.
func TestOpenedDuplicateIsNone(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		of := w.file(t, "first", "")
		open := func(patch api.SlicePatch) func(api.Slice) (api.Slice, error) {
			return func(s api.Slice) (api.Slice, error) { return w.patch(t, s.ID, patch) }
		}
		duplicate := api.SlicePatch{"status": "closed", "resolution": "duplicate", "duplicateOfId": of.ID}
		for name, c := range map[string]struct {
			was  api.SlicePatch
			open func(api.Slice) (api.Slice, error)
			kept bool
		}{
			"opened":   {duplicate, open(api.SlicePatch{"status": "open"}), false},
			"all said": {duplicate, open(api.SlicePatch{"status": "open", "resolution": nil}), false},
			"filed again": {duplicate, func(s api.Slice) (api.Slice, error) {
				f, err := w.fingerprinted(t, *s.Fingerprint, true)
				return f.Slice, err
			}, false},
			"said so":      {duplicate, open(api.SlicePatch{"status": "open", "duplicateOfId": of.ID}), true},
			"still closed": {duplicate, open(api.SlicePatch{"summary": "other"}), true},
			"fixed": {api.SlicePatch{"status": "resolved", "duplicateOfId": of.ID},
				open(api.SlicePatch{"status": "open"}), true},
		} {
			s, err := c.open(w.settled(t, name, c.was))
			must(t, err)
			if kept := s.DuplicateOfID != nil; kept != c.kept {
				t.Errorf("%s: duplicateOfId kept: %v", name, kept)
			}
			p, err := w.ListActivity(t.Context(), w.owner,
				valid(api.ListActivity{SliceID: s.ID, Paging: api.Paging{Limit: 100}}))
			must(t, err)
			told := false
			for _, change := range p.Data[len(p.Data)-1].Changes {
				told = told || change.Field == "duplicateOfId"
			}
			if told == c.kept {
				t.Errorf("%s: the activity tells of duplicateOfId: %v", name, told)
			}
		}
	})
}
