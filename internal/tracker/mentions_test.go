package tracker_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/operator"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// TestSlicesByMention: the filter follows the present comments and descriptions, counts a slice once, and finds
// nothing for a caller who is no member.
func TestSlicesByMention(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		here := w.In(w.owner.Organization)
		u, err := here.AddUser(ctx, operator.NewUser{Email: "mara@test.example", Name: "Mara"})
		must(t, err)
		stranger, err := here.AddUser(ctx, operator.NewUser{Email: "stranger@test.example", Name: "Stranger"})
		must(t, err)
		must(t, here.PutMember(ctx, w.workspace, u.UserID, api.RoleMember))
		describe := func(text string) api.Slice {
			return w.report(t, text, api.SliceFields{Description: &text})
		}
		say := func(s api.Slice, body string) api.Comment {
			c, err := w.CreateComment(ctx, w.owner,
				valid(api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: body}}))
			must(t, err)
			return c
		}
		check := func(what string, f api.SliceFilters, want ...api.Slice) {
			t.Helper()
			var got, ids []string
			for _, s := range w.everySlice(t, f) {
				got = append(got, s.ID)
			}
			for _, s := range want {
				ids = append(ids, s.ID)
			}
			if !slices.Equal(got, ids) {
				t.Errorf("%s: %v, want %v", what, got, ids)
			}
			w.checkCounts(t, f)
		}
		mara, me := api.SliceFilters{Mentions: []string{u.UserID}}, api.SliceFilters{Mentions: []string{"me"}}

		first := describe("Ask @mara@test.example and @MARA@test.example about it")
		middle := describe("nothing")
		third := describe("mail mara@test.example")
		c := say(middle, "@"+u.UserID+" please, @mara@test.example")
		say(first, "again @"+u.UserID)
		say(third, "@owner@test.example, and @"+stranger.UserID)
		check("written", mara, middle, first)
		check("me", me, third)
		check("several", api.SliceFilters{Mentions: []string{"me", u.UserID}, Status: []api.Status{api.Open}}, third,
			middle, first)
		check("no member", api.SliceFilters{Mentions: []string{stranger.UserID}})
		check("nobody", api.SliceFilters{Mentions: []string{"usr_01ja8m2c9tf3qb6h0v5r4x7kyz"}})
		check("page by update", api.SliceFilters{Mentions: []string{u.UserID}, WorkspaceID: w.workspace}, middle, first)

		must(t, second(w.UpdateComment(ctx, w.owner, valid(api.UpdateComment{CommentID: c.ID,
			Patch: api.CommentPatch{"body": "@owner@test.example"}}))))
		check("edited comment", mara, first)
		check("edited comment", me, third, middle)
		must(t, second(w.DeleteComment(ctx, w.owner, valid(api.DeleteComment{CommentID: c.ID}))))
		check("deleted comment", me, third)
		must(t, second(w.UpdateSlice(ctx, w.owner, valid(api.UpdateSlice{SliceID: third.ID,
			Patch: api.SlicePatch{"description": "@mara@test.example"}}))))
		check("edited description", mara, third, first)
		must(t, second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: third.ID}))))
		check("deleted slice", mara, first)
		must(t, second(w.RestoreSlice(ctx, w.owner, valid(api.RestoreSlice{SliceID: third.ID}))))
		check("restored slice", mara, third, first)

		must(t, second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: third.ID}))))
		must(t, w.store.Write(ctx, func(tx *store.Tx) error {
			later := api.At(w.now.Add(time.Hour))
			_, err := storetest.Purge(tx, later)
			return err
		}))
		check("purged slice", mara, first)
		must(t, here.RemoveMember(ctx, w.workspace, u.UserID))
		check("former member", mara)
	})
}

// TestMentionsInText: a name that is mentioned several times counts once; other uses of @ are no mentions.
func TestMentionsInText(t *testing.T) {
	if n := len(store.Mentioned(strings.Repeat("@a@b.c @x@y.z ", 30))); n != 2 {
		t.Errorf("%d names of two", n)
	}
	if got := store.Mentioned("a@b.example x@@b.example @nobody a.@b@c.d"); len(got) > 0 {
		t.Errorf("mentions: %v", got)
	}
}
