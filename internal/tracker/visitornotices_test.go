package tracker_test

import (
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestVisitorsFillNoInbox: whoever watches the workspace is told of three reports of the visitors of a source in an
// hour, and of more of
// them by one notice. A text of a visitor mentions nobody, and a report that waits tells nobody.
func TestVisitorsFillNoInbox(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		_, err := w.SetWatch(t.Context(), w.owner, valid(api.SetWatch{Body: api.WatchFields{SubjectID: w.workspace,
			Level: api.Watching}}))
		must(t, err)
		u, err := w.store.Read(t.Context()).User(w.owner.ID)
		must(t, err)
		s := w.newSource(t, func(*api.SourceFields) {})
		notices := func() (counts []int64, reasons string) {
			must(t, w.Notify(t.Context()))
			page, err := w.ListNotices(t.Context(), w.owner, valid(api.ListNotices{Paging: api.Paging{Limit: 50}}))
			must(t, err)
			for _, n := range page.Data {
				counts, reasons = append(counts, n.SliceCount), reasons+string(n.Reason)+" "
			}
			return counts, reasons
		}
		file := func(n int) {
			for range n {
				_, err := w.Visitors().Report(t.Context(), w.visitor(t, s, api.Visitor{}, ""),
					valid(api.CreateSlice{Body: api.NewSlice{
						SliceFields: api.SliceFields{Summary: "flood", Description: new("@" + u.Email + " look")}}}))
				must(t, err)
			}
		}
		file(3)
		counts, reasons := notices()
		assert.Equal(t, "of three reports", counts, []int64{1, 1, 1})
		if strings.Contains(reasons, string(api.ReasonMentioned)) {
			t.Errorf("a visitor mentions members: %s", reasons)
		}
		file(20)
		counts, _ = notices()
		assert.Equal(t, "of 23 reports", counts, []int64{23})
		file(5)
		counts, _ = notices()
		assert.Equal(t, "of 28 reports", counts, []int64{28})

		_, err = w.UpdateSource(t.Context(), w.owner, valid(api.UpdateSource{SourceID: s.ID,
			Patch: api.SourcePatch{"approval": true}}))
		must(t, err)
		w.visitorFiles(t, w.again(t, s.Key), "waits", api.Visitor{})
		counts, _ = notices()
		assert.Equal(t, "of one that waits", counts, []int64{28})
	})
}
