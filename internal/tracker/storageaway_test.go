package tracker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/tracker"
)

// absentable is a storage of files that can be out of reach.
type absentable struct {
	blob.Store
	absent *atomic.Bool
}

func (a absentable) Open(ctx context.Context, key string) (blob.Reader, error) {
	if a.absent.Load() {
		return nil, fmt.Errorf("%w: dial tcp", blob.ErrUnavailable)
	}
	return a.Store.Open(ctx, key)
}

// TestStorageOutOfReach: without the storage of files the Markdown of a report is answered without the evidence, and
// names what is left out. The rows themselves are refused with 503, and /readyz has a line, until the storage
// answers.
func TestStorageOutOfReach(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		files, err := blob.Open("", t.TempDir(), nil)
		must(t, err)
		var absent atomic.Bool
		evidence := api.Evidence{Console: []api.ConsoleEntry{{Level: "error", Message: "the cart is gone",
			Timestamp: api.At(w.now)}}}
		w.with(t, func(o *tracker.Options) { o.Blobs = absentable{files, &absent} })
		created, err := w.CreateSlice(t.Context(), w.owner,
			valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				SliceFields: api.SliceFields{Summary: "Cart"}, Evidence: &evidence}}))
		must(t, err)
		read := func() string {
			t.Helper()
			text, err := w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: created.ID, MaxTokens: 4000}))
			must(t, err)
			return text
		}
		w.with(t, func(o *tracker.Options) { o.Blobs = absentable{files, &absent} }) // nothing is cached
		absent.Store(true)
		if text := read(); strings.Contains(text, "the cart is gone") ||
			!strings.Contains(text, "because the storage of files cannot be reached now: /console") {
			t.Errorf("without the storage:\n%s", text)
		}
		_, err = w.ListConsole(t.Context(), w.owner, valid(api.ListConsole{SliceID: created.ID}))
		p, _ := tracker.ProblemOf(t.Context(), err)
		if !errors.Is(err, blob.ErrUnavailable) || strings.Contains(err.Error(), "database") ||
			p.Code != api.CodeUnavailable || !strings.Contains(p.Detail, "storage of files") {
			t.Errorf("rows without the storage: %v, %+v", err, p)
		}
		if notes := strings.Join(w.Notes(), "\n"); !strings.Contains(notes, "storage of files cannot be reached") {
			t.Errorf("the notes without the storage: %q", notes)
		}
		absent.Store(false)
		if text := read(); !strings.Contains(text, "the cart is gone") || strings.Contains(text, "cannot be reached") {
			t.Errorf("with the storage:\n%s", text)
		}
		if notes := w.Notes(); len(notes) > 0 {
			t.Errorf("the notes with the storage: %q", notes)
		}
	})
}
