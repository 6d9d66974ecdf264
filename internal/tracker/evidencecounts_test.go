package tracker_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"slices"
	"testing"

	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// screenshot adds a small image to a slice.
func (w *world) screenshot(t *testing.T, sliceID string) api.Attachment {
	t.Helper()
	var small bytes.Buffer
	must(t, png.Encode(&small, image.NewRGBA(image.Rect(0, 0, 2, 2))))
	a, err := w.CreateAttachment(t.Context(), w.owner, valid(api.CreateAttachment{SliceID: sliceID,
		Name: "a.png", Kind: api.KindScreenshot}),
		tracker.Upload{Body: &small, ContentType: "image/png", Length: int64(small.Len())})
	must(t, err)
	return a
}

func (w *world) slice(t *testing.T, sliceID string) api.Slice {
	t.Helper()
	s, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: sliceID}))
	must(t, err)
	return s
}

// TestEvidenceSummary: a slice counts the evidence of all its reports, and each occurrence its own.
func TestEvidenceSummary(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		s := w.report(t, "print", api.SliceFields{}, "first", "again")
		one := api.EvidenceSummary{Console: 2, ConsoleErrors: 2, Network: 1, FailedRequests: 1, Actions: 1, Replays: 1}
		if s.Evidence != one || w.slice(t, s.ID).Evidence != one {
			t.Errorf("filed: %+v, read: %+v", s.Evidence, w.slice(t, s.ID).Evidence)
		}
		s = w.report(t, "print", api.SliceFields{}, "second")
		picture := w.screenshot(t, s.ID)
		both := api.EvidenceSummary{Console: 3, ConsoleErrors: 3, Network: 2, FailedRequests: 2, Actions: 2, Replays: 2,
			Screenshots: 1, Unreviewed: 1}
		if got := w.slice(t, s.ID).Evidence; got != both {
			t.Errorf("of both: %+v", got)
		}
		page, err := w.ListOccurrences(t.Context(), w.owner, valid(api.ListOccurrences{SliceID: s.ID, Paging: ten}))
		must(t, err)
		newest := api.EvidenceSummary{Console: 1, ConsoleErrors: 1, Network: 1, FailedRequests: 1, Actions: 1,
			Replays: 1, Screenshots: 1, Unreviewed: 1}
		if page.Data[0].Evidence != newest || page.Data[1].Evidence != one {
			t.Errorf("of each: %s", marshal(t, page.Data))
		}
		_, err = w.UpdateAttachment(t.Context(), w.owner,
			valid(api.UpdateAttachment{AttachmentID: picture.ID, Patch: api.AttachmentPatch{"kind": "other"}}))
		must(t, err)
		if both.Screenshots, both.Unreviewed = 0, 0; w.slice(t, s.ID).Evidence != both {
			t.Errorf("after the screenshot became another file: %+v", w.slice(t, s.ID).Evidence)
		}
	})
}

// TestEvidenceIsCounted: after any history the counts of every slice are those of its attachments.
func TestEvidenceIsCounted(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		var sliceIDs []string
		for n := range 60 {
			if n == 0 || random.IntN(3) == 0 {
				s := w.report(t, fmt.Sprint("print", random.IntN(4)), api.SliceFields{},
					[]string{"a", "b", "c"}[:random.IntN(4)]...)
				sliceIDs = append(sliceIDs, s.ID)
				continue
			}
			sliceID := sliceIDs[random.IntN(len(sliceIDs))]
			if random.IntN(2) == 0 {
				w.screenshot(t, sliceID)
				continue
			}
			files, err := w.ListAttachments(t.Context(), w.owner,
				valid(api.ListAttachments{SliceID: sliceID, Paging: api.Paging{Limit: 100}}))
			must(t, err)
			if len(files.Data) == 0 {
				continue
			}
			a := files.Data[random.IntN(len(files.Data))]
			if a.Kind == api.KindScreenshot && random.IntN(2) == 0 {
				_, err = w.UpdateAttachment(t.Context(), w.owner,
					valid(api.UpdateAttachment{AttachmentID: a.ID, Patch: api.AttachmentPatch{"kind": "other"}}))
			} else {
				_, err = w.DeleteAttachment(t.Context(), w.owner, valid(api.DeleteAttachment{AttachmentID: a.ID}))
			}
			must(t, err)
		}
		before := map[string]api.Slice{}
		for _, id := range sliceIDs {
			before[id] = w.slice(t, id)
		}
		must(t, w.store.Write(t.Context(), func(tx *store.Tx) error { return tx.Recount(w.workspace) }))
		for id, s := range before {
			if after := w.slice(t, id); after.Evidence != s.Evidence ||
				after.AttachmentCount != s.AttachmentCount || after.Version != s.Version {
				t.Errorf("counted: %+v, %d files; recounted: %+v, %d files",
					s.Evidence, s.AttachmentCount, after.Evidence, after.AttachmentCount)
			}
		}
		w.checkByteCounts(t)
	})
}

// TestSlicesWithEvidence: has lists the slices with at least one of the kinds of evidence, each once, in both orders
// and in pages.
func TestSlicesWithEvidence(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		none, filed, pictured, both := w.file(t, "none", ""), w.report(t, "a", api.SliceFields{}, "a"),
			w.file(t, "pictured", ""), w.report(t, "b", api.SliceFields{}, "b")
		w.screenshot(t, pictured.ID)
		w.screenshot(t, both.ID)
		for _, c := range []struct {
			has  []api.EvidenceFilter
			want []string
		}{
			{nil, []string{none.ID, filed.ID, pictured.ID, both.ID}},
			{[]api.EvidenceFilter{"replay"}, []string{filed.ID, both.ID}},
			{[]api.EvidenceFilter{"screenshot"}, []string{pictured.ID, both.ID}},
			{[]api.EvidenceFilter{"console_error"}, []string{filed.ID, both.ID}},
			{[]api.EvidenceFilter{"failed_request"}, []string{filed.ID, both.ID}},
			{[]api.EvidenceFilter{"replay", "screenshot"}, []string{filed.ID, pictured.ID, both.ID}},
		} {
			for _, sort := range []string{"createdAt", "updatedAt"} {
				for _, workspace := range []string{w.workspace, ""} {
					in := api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: workspace, Has: c.has},
						Sort: sort, Order: "asc", Paging: api.Paging{Limit: 2}}
					var found []string
					for {
						page, err := w.ListSlices(t.Context(), w.owner, valid(in))
						must(t, err)
						for _, s := range page.Data {
							found = append(found, s.ID)
						}
						if page.Pagination.Cursor == nil {
							break
						}
						in.Cursor = *page.Pagination.Cursor
					}
					slices.Sort(found)
					want := slices.Sorted(slices.Values(c.want))
					wantEqual(t, fmt.Sprint("has ", c.has, " sorted by ", sort), found, want)
				}
			}
		}
	})
}
