package tracker_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/operator"
)

// resolveAs resolves a slice as a duplicate of another one.
func (w *world) resolveAs(t *testing.T, sliceID, originalID string) {
	t.Helper()
	patch := api.SlicePatch{"status": "resolved", "resolution": "duplicate", "duplicateOfId": originalID}
	_, err := w.UpdateSlice(t.Context(), w.owner, valid(api.UpdateSlice{SliceID: sliceID, Patch: patch}))
	must(t, err)
}

// TestReportDuplicates: the report of an original counts its duplicates, also those of another duplicate, with their
// occurrences, and none that are deleted. Each duplicate names its original.
func TestReportDuplicates(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		original, indirect, gone := w.file(t, "original", ""), w.file(t, "indirect", ""), w.file(t, "gone", "")
		var direct api.FiledSlice
		for range 2 {
			fields := api.SliceFields{Summary: "direct"}
			var err error
			direct, err = w.CreateSlice(ctx, w.owner,
				valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace, SliceFields: fields,
					Fingerprint: new("f")}}))
			must(t, err)
		}
		w.resolveAs(t, direct.ID, original.ID)
		w.resolveAs(t, indirect.ID, direct.ID)
		w.resolveAs(t, gone.ID, original.ID)
		_, err := w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: gone.ID}))
		must(t, err)
		r, err := w.Report(ctx, w.owner, original.Reference)
		must(t, err)
		var found []string
		for _, s := range r.Duplicates.Slices {
			found = append(found, s.Reference)
		}
		if r.Duplicates.Count != 2 || r.Duplicates.Occurrences != 3 ||
			strings.Join(found, " ") != direct.Reference+" "+indirect.Reference || r.Original != nil {
			t.Errorf("the duplicates are %v, %+v", found, r.Duplicates)
		}
		r, err = w.Report(ctx, w.owner, direct.Reference)
		must(t, err)
		if r.Original == nil || r.Original.ID != original.ID || r.Duplicates.Count != 1 ||
			r.Duplicates.Occurrences != 1 {
			t.Errorf("the original is %+v, the duplicates are %+v", r.Original, r.Duplicates)
		}
		if r, err = w.Report(ctx, w.owner, indirect.Reference); err != nil || r.Duplicates.Count != 0 ||
			r.Duplicates.Occurrences != 0 {
			t.Errorf("%v: the duplicates are %+v", err, r.Duplicates)
		}
	})
}

// TestReportConversation: a report has its newest comments and changes, and the names of those who are mentioned or
// assigned.
func TestReportConversation(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, s := t.Context(), w.file(t, "first", "")
		u, err := w.In(w.owner.Organization).AddUser(ctx, operator.NewUser{Email: "u@test.example",
			Name: "Uma", Workspaces: []string{w.workspace}})
		must(t, err)
		for n := range 203 {
			body := fmt.Sprint("Comment ", n)
			if n == 202 {
				body = "@u@test.example and @usr_01ja8m2c9tf3qb6h0v5r4x7kyz, see ONE-1, one-1 and OTH-1"
			}
			_, err := w.CreateComment(ctx, w.owner,
				valid(api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: body}}))
			must(t, err)
		}
		for n := range 102 {
			patch := api.SlicePatch{"summary": fmt.Sprint("title ", n), "assigneeId": []any{u.UserID, w.owner.ID}[n%2]}
			_, err := w.UpdateSlice(ctx, w.owner, valid(api.UpdateSlice{SliceID: s.ID, Patch: patch}))
			must(t, err)
		}
		r, err := w.Report(ctx, w.owner, s.ID)
		must(t, err)
		if len(r.Comments) != 200 || r.Comments[0].Body != "Comment 3" ||
			len(r.Activity) != 100 || !r.More || r.Activity[99].Timestamp.Before(r.Activity[0].Timestamp.Time) {
			t.Errorf("%d comments, %d changes, more: %v", len(r.Comments), len(r.Activity), r.More)
		}
		if r.Names[u.UserID] != "Uma" || r.Names[w.owner.ID] == "" || len(r.Mentions) == 0 ||
			r.Mentions["u@test.example"] != "Uma" {
			t.Errorf("names %v, mentions %v", r.Names, r.Mentions)
		}
		if len(r.Referenced) != 1 || r.Referenced["ONE-1"].ID != s.ID {
			t.Errorf("references %v", r.Referenced)
		}
	})
}

// TestReportTimes: a bug that was reported several times has the times of the last weeks, the newest first. One that was
// reported once has none.
func TestReportTimes(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		var s api.Slice
		for _, pause := range []time.Duration{0, 40 * 24 * time.Hour, time.Hour} {
			w.now = w.now.Add(pause)
			s = w.report(t, "often", api.SliceFields{})
		}
		r, err := w.Report(t.Context(), w.owner, s.ID)
		must(t, err)
		want := []time.Time{w.now.Truncate(time.Millisecond), w.now.Add(-time.Hour).Truncate(time.Millisecond)}
		if !slices.EqualFunc(r.Occurred, want, time.Time.Equal) {
			t.Errorf("it was reported at %v, not %v", r.Occurred, want)
		}
		once, err := w.Report(t.Context(), w.owner, w.file(t, "once", "").ID)
		must(t, err)
		if once.Occurred != nil {
			t.Errorf("a single report was made at %v", once.Occurred)
		}
	})
}

// TestDeletedReport: a deleted slice is found by those who may restore it, as long as it can be restored.
func TestDeletedReport(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, s := t.Context(), w.file(t, "mistake", "")
		if _, err := w.DeletedReport(ctx, w.owner, s.Reference); code(err) != notFound {
			t.Errorf("a slice that is not deleted: %v", err)
		}
		_, err := w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: s.ID}))
		must(t, err)
		if d, err := w.DeletedReport(ctx, w.owner, s.Reference); err != nil ||
			d.Reference != s.Reference || d.Summary != "mistake" || d.By != "owner" {
			t.Errorf("%+v, %v", d, err)
		}
		if _, err := w.Report(ctx, w.owner, s.Reference); code(err) != notFound {
			t.Errorf("the report of a deleted slice: %v", err)
		}
		other, err := w.In(w.owner.Organization).
			AddUser(ctx, operator.NewUser{Email: "u@test.example", WithToken: true})
		must(t, err)
		colleague, err := w.Authenticate(ctx, other.Token)
		must(t, err)
		if _, err := w.DeletedReport(ctx, colleague, s.ID); code(err) != notFound {
			t.Errorf("who is no member sees %v", err)
		}
	})
}
