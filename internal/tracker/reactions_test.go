package tracker_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
)

// react sets or removes a reaction to a comment.
func (w *world) react(t *testing.T, c access.Caller, commentID string, kind api.ReactionKind, remove bool) api.Comment {
	t.Helper()
	comment, err := w.SetReaction(t.Context(), c, valid(api.SetReaction{CommentID: commentID,
		Body: api.ReactionSetting{Kind: kind, Remove: remove}}))
	must(t, err)
	return comment
}

// inWords returns reactions as kinds, numbers and whether the reader is one of them.
func inWords(all []api.Reaction) (words []string) {
	for _, r := range all {
		words = append(words, fmt.Sprintf("%s %d %t", r.Kind, r.Count, r.Own))
	}
	return words
}

// commented files a slice with two comments of the owner.
func (w *world) commented(t *testing.T) (s api.Slice, first, second api.Comment) {
	t.Helper()
	s = w.file(t, "one", "")
	for _, c := range []*api.Comment{&first, &second} {
		var err error
		*c, err = w.CreateComment(t.Context(), w.owner,
			valid(api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: "seen"}}))
		must(t, err)
	}
	assert.Equal(t, "reactions of a new comment", first.Reactions, []api.Reaction{})
	return s, first, second
}

// TestReactions: each reader sees how many have reacted in each way, in one order, and whether it is one of them. What
// is so already changes nothing. A change is an event and a version of the slice, and leaves the time of its last
// change as it was. A share and the Markdown show the numbers alone.
func TestReactions(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s, first, other := w.commented(t)
		ada := w.colleague(t, "ada@test.example", api.RoleMember, api.RoleMember).Caller
		before := w.slice(t, s.ID)
		w.react(t, ada, first.ID, "heart", false)
		w.react(t, w.owner, first.ID, "heart", false)
		got := w.react(t, ada, first.ID, "+1", false)
		assert.Equal(t, "for who reacts", inWords(got.Reactions), []string{"+1 1 true", "heart 2 true"})
		after := w.slice(t, s.ID)
		assert.Equal(t, "versions", after.Version-before.Version, int64(3))
		assert.Equal(t, "the time of the last change", after.UpdatedAt, before.UpdatedAt)
		events := len(w.events(t))
		w.react(t, ada, first.ID, "heart", false)
		w.react(t, ada, other.ID, "eyes", true)
		assert.Equal(t, "events without a change", len(w.events(t)), events)

		listed, err := w.ListComments(t.Context(), w.owner, valid(api.ListComments{SliceID: s.ID, Paging: ten}))
		must(t, err)
		assert.Equal(t, "for another reader", inWords(listed.Data[0].Reactions), []string{"+1 1 false", "heart 2 true"})
		assert.Equal(t, "of another comment", listed.Data[1].Reactions, []api.Reaction{})
		report, err := w.Report(t.Context(), w.owner, s.ID)
		must(t, err)
		names := report.Reacted[first.ID]["heart"]
		slices.Sort(names)
		assert.Equal(t, "names", names, []string{ada.Name, w.owner.Name})
		text, err := w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID, MaxTokens: 10_000}))
		must(t, err)
		if !strings.Contains(text, ", reactions: +1 ×1 heart ×2:") || strings.Count(text, "reactions") != 1 {
			t.Errorf("the Markdown is %s", text)
		}
		shared, err := w.SharedSlice(t.Context(), w.openShare(t, w.share(t, w.owner, s.ID, api.ShareComments)))
		must(t, err)
		assert.Equal(t, "shared", inWords(shared.Comments[0].Reactions), []string{"+1 1 false", "heart 2 false"})

		edited, err := w.UpdateComment(t.Context(), w.owner, valid(api.UpdateComment{CommentID: first.ID,
			Patch: api.CommentPatch{"body": "changed"}}))
		must(t, err)
		assert.Equal(t, "of an edited comment", edited.Reactions, listed.Data[0].Reactions)
		got = w.react(t, ada, first.ID, "heart", true)
		assert.Equal(t, "after one is taken back", inWords(got.Reactions), []string{"+1 1 true", "heart 1 false"})
		last := w.events(t)
		if e := last[len(last)-1]; e.Type != api.EventCommentReacted || !strings.Contains(e.Data, `"removed":true`) {
			t.Errorf("the last event is %v", e)
		}
	})
}

// TestReactionsEnd: reactions go with their comment, and with the user who is erased.
func TestReactionsEnd(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s, first, other := w.commented(t)
		ada := w.colleague(t, "ada@test.example", api.RoleMember, api.RoleMember).Caller
		for _, c := range []access.Caller{ada, w.owner} {
			w.react(t, c, first.ID, "+1", false)
			w.react(t, c, other.ID, "rocket", false)
		}
		db := w.database(t)
		left := func() int { return w.rows(t, db, " WHERE slice_id = '"+s.ID+"'", "reactions")[0] }
		assert.Equal(t, "at first", left(), 4)
		must(t, second(w.DeleteComment(t.Context(), w.owner, valid(api.DeleteComment{CommentID: first.ID}))))
		assert.Equal(t, "after a comment is deleted", left(), 2)
		must(t, w.Operator.EraseUser(t.Context(), ada.ID))
		assert.Equal(t, "after a user is erased", left(), 1)
	})
}

// TestReactionsOfServices: a service does not react, and neither does who does not see the comment.
func TestReactionsOfServices(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		_, first, _ := w.commented(t)
		in := valid(api.SetReaction{CommentID: first.ID, Body: api.ReactionSetting{Kind: "+1"}})
		if _, err := w.SetReaction(t.Context(), w.authenticate(t, w.service(t).Token),
			in); code(err) != api.CodeForbidden {
			t.Errorf("a service: %v", err)
		}
		outside := w.colleague(t, "outside@test.example", api.RoleMember, "").Caller
		if _, err := w.SetReaction(t.Context(), outside, in); code(err) != api.CodeNotFound {
			t.Errorf("who is no member: %v", err)
		}
	})
}
