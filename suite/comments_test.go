package suite

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	public "bugslice/client"
	"bugslice/internal/assert"
)

// TestComments: comments are created, edited and deleted by their authors, counted, and published.
func TestComments(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "comments")
		member, memberID := o.newUser(t, "Mara", o.Workspace)
		made := o.file(t, api.SliceFields{})
		comment := func(c client, sliceID, body string) api.Comment {
			t.Helper()
			return call(t, c, api.CreateComment{SliceID: sliceID, Body: api.CommentFields{Body: body}})
		}
		theirs := comment(member, made.ID, "Seen it, too. @"+o.UserID+" @"+o.UserID+" @usr_01ja8m2c9tf3qb6h0v5r4x7kyz")
		if len(theirs.Mentions) != 1 || theirs.Mentions[0].UserID != o.UserID || theirs.Author.ID == nil ||
			*theirs.Author.ID != memberID {
			t.Errorf("%+v", theirs)
		}
		address := *call(t, member, api.GetMe{}).Email
		for body, n := range map[string]int{"@" + strings.ToUpper(address) + ", please": 1, "(@" + address + ")": 1,
			"mail " + address: 0,
			"x@" + address:    0, "@nobody@example.com": 0, "@" + address + " @" + memberID: 1} {
			m := comment(o.client, o.file(t, api.SliceFields{}).ID, body).Mentions
			if len(m) != n || n == 1 && m[0].UserID != memberID {
				t.Errorf("%s: want %d mentions: %v", body, n, m)
			}
		}
		edit := func(body string) api.UpdateComment {
			return api.UpdateComment{CommentID: theirs.ID, Patch: api.CommentPatch{}.Body(body)}
		}
		refused(t, o.client, api.CodeForbidden, edit("not mine"))
		if e := call(t, member, edit("edited")); e.Body != "edited" || !e.UpdatedAt.After(e.CreatedAt.Time) {
			t.Errorf("want the edited body, and updatedAt behind createdAt: %+v", e)
		}
		refused(t, o.client, api.CodeInvalidBody,
			api.CreateComment{SliceID: made.ID, Body: api.CommentFields{Body: "  "}})
		mine := comment(o.client, made.ID, "mine")
		refused(t, member, api.CodeForbidden, api.DeleteComment{CommentID: mine.ID})
		if n := call(t, o.client, api.GetSlice{SliceID: made.ID}).CommentCount; n != 2 {
			t.Errorf("%d comments, want 2", n)
		}
		call(t, o.client, api.DeleteComment{CommentID: theirs.ID}) // an admin may
		refused(t, o.client, api.CodeNotFound, edit("gone"))
		log := jsonOf(t, call(t, o.client, api.ListEvents{Paging: api.Paging{Limit: 100}, WorkspaceID: o.Workspace})) +
			jsonOf(t, call(t, o.client, api.ListActivity{Paging: api.Paging{Limit: 100}, SliceID: made.ID}))
		assert.NotContains(t, "the log after a deletion", log, "Seen it, too", "edited")
		assert.Contains(t, "the log", log, "mine")
		rows := call(t, o.client, api.ListComments{Paging: api.Paging{Limit: 1}, SliceID: made.ID})
		if len(rows.Data) != 1 || rows.Data[0].ID != mine.ID || rows.Pagination.HasMore {
			t.Errorf("%+v", rows)
		}
		o.checkActivity(t, made.ID, memberID)
	})
}

// checkActivity moves a slice, and compares its activity, of which it reads pages.
func (o org) checkActivity(t *testing.T, sliceID, memberID string) {
	t.Helper()
	patch := api.SlicePatch{}.Status(api.InProgress).AssigneeID(&memberID)
	call(t, o.client, api.UpdateSlice{SliceID: sliceID, Patch: patch})
	var all []api.Activity
	for a, err := range public.All(t.Context(), o.typed(t),
		api.ListActivity{Paging: api.Paging{Limit: 2}, SliceID: sliceID}) {
		must(t, err)
		all = append(all, a)
	}
	types := make([]api.EventType, len(all))
	for i, a := range all {
		types[i] = a.Type
	}
	assert.Equal(t, "the activity", types,
		[]api.EventType{api.EventSliceCreated, api.EventCommentCreated, api.EventCommentUpdated,
			api.EventCommentCreated, api.EventCommentDeleted, api.EventSliceUpdated})
	last := all[len(all)-1]
	want := `[{"field":"assigneeId","from":null,"to":"` + memberID +
		`"},{"field":"status","from":"open","to":"in_progress"}]`
	if got := jsonOf(t, last.Changes); got != want || last.ActorName == nil {
		t.Errorf("the update is %s by %v, want %s", got, last.ActorName, want)
	}
	if !slices.IsSortedFunc(all, func(a, b api.Activity) int { return a.Timestamp.Compare(b.Timestamp.Time) }) {
		t.Error("the activity is not in the order of time")
	}
}

// jsonOf returns a value as JSON.
func jsonOf(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	return string(text)
}
