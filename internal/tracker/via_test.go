package tracker_test

import (
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/reporttext"
)

// TestViaKeys: slices, comments and the activity say with which key they were written, also after it was revoked, and
// that none was used in the web application. The Markdown says it, too.
func TestViaKeys(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		byKey, keyID := w.key(t)
		filed, err := w.CreateSlice(t.Context(), byKey, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
			SliceFields: api.SliceFields{Summary: "s"}}}))
		must(t, err)
		comment := func(c access.Caller) {
			t.Helper()
			must(t, second(w.CreateComment(t.Context(), c, valid(api.CreateComment{SliceID: filed.ID,
				Body: api.CommentFields{Body: "text"}}))))
		}
		comment(byKey)
		w.person(t, "person@test.example")
		session, _ := w.signIn(t, "person@test.example")
		person := session.Caller
		comment(person)
		must(t, second(w.UpdateSlice(t.Context(), person, valid(api.UpdateSlice{SliceID: filed.ID,
			Patch: api.SlicePatch{"summary": "other"}}))))
		must(t, second(w.RevokeKey(t.Context(), w.owner, valid(api.RevokeKey{KeyID: keyID}))))

		want := &api.Via{KeyID: &keyID, Name: "k"}
		s, err := w.GetSlice(t.Context(), person, valid(api.GetSlice{SliceID: filed.ID}))
		must(t, err)
		assert.Equal(t, "the slice", s.Via, want)
		comments, err := w.ListComments(t.Context(), person, valid(api.ListComments{SliceID: filed.ID, Paging: ten}))
		must(t, err)
		assert.Equal(t, "the comments", []*api.Via{comments.Data[0].Via, comments.Data[1].Via}, []*api.Via{want, nil})
		activity, err := w.ListActivity(t.Context(), person, valid(api.ListActivity{SliceID: filed.ID, Paging: ten}))
		must(t, err)
		all := map[api.EventType][]*api.Via{}
		for _, a := range activity.Data {
			all[a.Type] = append(all[a.Type], a.Via)
		}
		assert.Equal(t, "the activity", all, map[api.EventType][]*api.Via{api.EventSliceCreated: {want},
			api.EventCommentCreated: {want, nil}, api.EventSliceUpdated: {nil}})
		for _, a := range activity.Data {
			assert.Equal(t, "imported", a.Imported, false)
		}
		occurrences, err := w.ListOccurrences(t.Context(), person, valid(api.ListOccurrences{SliceID: filed.ID, Paging: ten}))
		must(t, err)
		assert.Equal(t, "the only occurrence", occurrences.Data[0].Via, want)
		text, err := w.Markdown(t.Context(), person, valid(api.GetSlice{SliceID: filed.ID, MaxTokens: 4000}))
		must(t, err)
		if n := strings.Count(text, " via the key `k`"); n != 2 {
			t.Errorf("the Markdown names the key %d times, want 2:\n%s", n, text)
		}
	})
}

// TestViaOfOccurrences: each occurrence has the key with which it was filed, and its size counts. The Markdown and the
// lists name it.
func TestViaOfOccurrences(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		byKey, keyID := w.key(t)
		w.person(t, "person@test.example")
		session, _ := w.signIn(t, "person@test.example")
		var s api.FiledSlice
		for _, c := range []access.Caller{session.Caller, byKey} {
			var err error
			s, err = w.CreateSlice(t.Context(), c, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				Fingerprint: new("print"), SliceFields: api.SliceFields{Summary: "s"}}}))
			must(t, err)
		}
		page, err := w.ListOccurrences(t.Context(), w.owner, valid(api.ListOccurrences{SliceID: s.ID, Paging: ten}))
		must(t, err)
		assert.Equal(t, "occurrences", []*api.Via{page.Data[0].Via, page.Data[1].Via},
			[]*api.Via{{KeyID: &keyID, Name: "k"}, nil})
		text, err := w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID, Occurrence: 1, MaxTokens: 4000}))
		must(t, err)
		assert.Contains(t, "the Markdown", text, " via the key `k`, without evidence")
		must(t, second(w.CreateComment(t.Context(), byKey, valid(api.CreateComment{SliceID: s.ID,
			Body: api.CommentFields{Body: "text"}}))))
		activity, err := w.ListActivity(t.Context(), w.owner, valid(api.ListActivity{SliceID: s.ID, Paging: ten}))
		must(t, err)
		comments, err := w.ListComments(t.Context(), w.owner, valid(api.ListComments{SliceID: s.ID, Paging: ten}))
		must(t, err)
		assert.Equal(t, "keys in the list of the activity", strings.Count(reporttext.Activity(activity), " via the key `k`: "), 2)
		assert.Contains(t, "the list of comments", reporttext.Comments(comments), " via the key `k`:")
	})
}
