package tracker_test

import (
	"slices"
	"strings"
	"testing"

	"bugslice/api"
)

// TestDuplicatesAreListed: the duplicates of a slice are a list, which counts what the report counts: also those of
// another duplicate, and none that are deleted. With other filters it is the part that these select.
func TestDuplicatesAreListed(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		original, direct, indirect := w.file(t, "original", ""), w.file(t, "direct voucher", ""),
			w.file(t, "indirect", "")
		gone, other := w.file(t, "gone", ""), w.file(t, "other voucher", "")
		w.resolveAs(t, direct.ID, original.ID)
		w.resolveAs(t, indirect.ID, direct.ID)
		w.resolveAs(t, gone.ID, original.ID)
		_, err := w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: gone.ID}))
		must(t, err)
		reopened := api.SlicePatch{"labels": []any{"seen"}}
		_, err = w.UpdateSlice(t.Context(), w.owner, valid(api.UpdateSlice{SliceID: indirect.ID, Patch: reopened}))
		must(t, err)
		for _, c := range []struct {
			name  string
			f     api.SliceFilters
			wants []api.Slice
		}{
			{"all", api.SliceFilters{DuplicateOfID: []string{original.ID}}, []api.Slice{indirect, direct}},
			{"of a duplicate", api.SliceFilters{DuplicateOfID: []string{direct.ID}}, []api.Slice{indirect}},
			{"of several", api.SliceFilters{DuplicateOfID: []string{direct.ID, other.ID}}, []api.Slice{indirect}},
			{"of none", api.SliceFilters{DuplicateOfID: []string{other.ID}}, nil},
			{"of one that is deleted", api.SliceFilters{DuplicateOfID: []string{gone.ID}}, nil},
			{"with a workspace", api.SliceFilters{DuplicateOfID: []string{original.ID}, WorkspaceID: w.workspace},
				[]api.Slice{indirect, direct}},
			{"with a status", api.SliceFilters{DuplicateOfID: []string{original.ID}, Status: []api.Status{api.Open}},
				nil},
			{"with a label", api.SliceFilters{DuplicateOfID: []string{original.ID}, Label: []string{"seen"}},
				[]api.Slice{indirect}},
			{"with words", api.SliceFilters{DuplicateOfID: []string{original.ID}, Q: "voucher"}, []api.Slice{direct}},
		} {
			var got, want []string
			for _, s := range w.everySlice(t, c.f) {
				got = append(got, s.Reference)
			}
			for _, s := range c.wants {
				want = append(want, s.Reference)
			}
			counts, err := w.CountSlices(t.Context(), w.owner, valid(api.CountSlices{SliceFilters: c.f, By: "status"}))
			must(t, err)
			counted := 0
			for _, n := range counts.Data {
				counted += int(n.Count)
			}
			if !slices.Equal(got, want) || counted != len(want) || counts.More {
				t.Errorf("%s: %s and a count of %d, want %s", c.name, strings.Join(got, " "), counted,
					strings.Join(want, " "))
			}
		}
		r, err := w.Report(t.Context(), w.owner, original.Reference)
		must(t, err)
		if r.Duplicates.Count != 2 {
			t.Errorf("the report counts %d duplicates", r.Duplicates.Count)
		}
	})
}

// TestReportUntil: the conversation is read in parts, each until the last comment before the part after it. Together
// they have each comment and each change once. Until a comment that was deleted are those before it, and until one
// before all others the newest ones.
func TestReportUntil(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, s := t.Context(), w.file(t, "first", "")
		var made []api.Comment
		for n := range 405 {
			c, err := w.CreateComment(ctx, w.owner,
				valid(api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: "Seen"}}))
			must(t, err)
			if made = append(made, c); n%10 == 0 {
				status := []api.Status{api.InProgress, api.Open}[n/10%2]
				_, err := w.UpdateSlice(ctx, w.owner, valid(api.UpdateSlice{SliceID: s.ID,
					Patch: api.SlicePatch{"status": string(status)}}))
				must(t, err)
			}
		}
		var comments, changes []string
		for until, parts := "", 0; ; parts++ {
			r, err := w.ReportUntil(ctx, w.owner, s.Reference, until)
			must(t, err)
			if r.Until != until || parts > 2 {
				t.Fatalf("part %d is until %q, not %q", parts, r.Until, until)
			}
			for _, c := range slices.Backward(r.Comments) {
				comments = append(comments, c.ID)
			}
			for _, a := range r.Activity {
				changes = append(changes, a.ID)
			}
			if int64(len(comments))+r.Earlier.Count != 405 || r.More {
				t.Errorf("%d comments were read, and %d are earlier, more: %v", len(comments), r.Earlier.Count, r.More)
			}
			if r.Earlier.Count == 0 {
				break
			}
			until = r.Earlier.Last.ID
		}
		slices.Sort(changes)
		slices.Reverse(comments)
		if !slices.EqualFunc(comments, made, func(id string, c api.Comment) bool { return id == c.ID }) {
			t.Error("a comment is missing, or is there twice")
		}
		if n := len(changes); n != 42 || len(slices.Compact(changes)) != n {
			t.Errorf("%d changes were read", n)
		}
		for _, c := range []struct{ name, until, last string }{
			{"the last one", made[404].ID, ""},
			{"one before all", "cmt_" + strings.Repeat("0", 26), ""},
			{"one in the middle", made[100].ID, made[100].ID},
		} {
			if r, err := w.ReportUntil(ctx, w.owner, s.ID, c.until); err != nil || r.Until != c.last {
				t.Errorf("until %s: %q (%v)", c.name, r.Until, err)
			}
		}
		_, err := w.DeleteComment(ctx, w.owner, valid(api.DeleteComment{CommentID: made[100].ID}))
		must(t, err)
		if r, err := w.ReportUntil(ctx, w.owner, s.ID, made[100].ID); err != nil || r.Until != made[99].ID {
			t.Errorf("until a deleted one: %q (%v)", r.Until, err)
		}
	})
}
