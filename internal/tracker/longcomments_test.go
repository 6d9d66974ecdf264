package tracker_test

import (
	"slices"
	"strings"
	"testing"

	"bugslice/api"
)

// TestLongComments: a share and a report show their comments in parts of few bytes, of which each comment belongs to
// one.
func TestLongComments(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		s := w.file(t, "Long", "")
		var made, shared, shown []string
		for range 20 {
			m, err := w.CreateComment(ctx, w.owner, valid(api.CreateComment{SliceID: s.ID,
				Body: api.CommentFields{Body: strings.Repeat("a", 60<<10)}}))
			must(t, err)
			made = append(made, m.ID)
		}
		c := w.openShare(t, w.share(t, w.owner, s.ID, api.ShareComments))
		for after, more := "", true; more; {
			part, err := w.SharedSliceAfter(ctx, c, after)
			must(t, err)
			for _, m := range part.Comments {
				shared = append(shared, m.ID)
			}
			if len(part.Comments) > 8 || part.After != after || part.Later != int64(len(made)-len(shared)) {
				t.Fatalf("%d comments after %q, and %d later ones", len(part.Comments), part.After, part.Later)
			}
			after, more = shared[len(shared)-1], part.Later > 0
		}
		for until, more := "", true; more; {
			part, err := w.ReportUntil(ctx, w.owner, s.ID, until)
			must(t, err)
			var ids []string
			for _, m := range part.Comments {
				ids = append(ids, m.ID)
			}
			shown = append(ids, shown...)
			if len(ids) > 8 || part.Earlier.Count != int64(len(made)-len(shown)) {
				t.Fatalf("%d comments until %q, and %d earlier ones", len(ids), until, part.Earlier.Count)
			}
			until, more = part.Earlier.Last.ID, part.Earlier.Count > 0
		}
		if !slices.Equal(shared, made) || !slices.Equal(shown, made) {
			t.Errorf("of %v the share has %v and the report %v", made, shared, shown)
		}
	})
}
