package tracker_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
)

// inbox has a world with the owner and two members, who are told of what happens.
type inbox struct {
	*world
	ada, ben access.Caller
}

// inboxes runs a test on both databases.
func inboxes(t *testing.T, test func(t *testing.T, w *inbox)) {
	engines(t, func(t *testing.T, w *world) {
		test(t, &inbox{w, w.member(t, "ada@test.example"), w.member(t, "ben@test.example")})
	})
}

// member returns a new member of the workspace, whose calls are of no request.
func (w *world) member(t *testing.T, email string) access.Caller {
	t.Helper()
	c := w.colleague(t, email, api.RoleMember, api.RoleMember).Caller
	c.Request = access.Request{}
	return c
}

// told returns the notices of a user in some states, the oldest first, as "reference reason type".
func (w *inbox) told(t *testing.T, c access.Caller, states ...api.NoticeState) string {
	t.Helper()
	must(t, w.Notify(t.Context()))
	var all []string
	for _, n := range w.notices(t, c, states...) {
		reference := fmt.Sprint(n.SliceCount, " slices")
		if n.Slice != nil {
			reference = n.Slice.Reference
		}
		all = append(all, fmt.Sprintf("%s %s %s", reference, n.Reason, strings.TrimPrefix(string(n.Event.Type),
			"slice.")))
	}
	slices.Reverse(all)
	return strings.Join(all, ", ")
}

func (w *inbox) notices(t *testing.T, c access.Caller, states ...api.NoticeState) (all []api.Notice) {
	t.Helper()
	in := api.ListNotices{Paging: api.Paging{Limit: 40}, NoticeFilters: api.NoticeFilters{State: states}}
	for {
		page, err := w.ListNotices(t.Context(), c, valid(in))
		must(t, err)
		if all = append(all, page.Data...); !page.Pagination.HasMore {
			return all
		}
		in.Cursor = *page.Pagination.Cursor
	}
}

// fileBy files a report.
func (w *inbox) fileBy(t *testing.T, c access.Caller, summary string, change func(*api.NewSlice)) api.Slice {
	t.Helper()
	body := api.NewSlice{WorkspaceID: &w.workspace, SliceFields: api.SliceFields{Summary: summary}}
	if change != nil {
		change(&body)
	}
	made, err := w.CreateSlice(t.Context(), c, valid(api.CreateSlice{Body: body}))
	must(t, err)
	return made.Slice
}

func (w *inbox) comment(t *testing.T, c access.Caller, sliceID, body string) {
	t.Helper()
	must(t, second(w.CreateComment(t.Context(), c, valid(api.CreateComment{SliceID: sliceID,
		Body: api.CommentFields{Body: body}}))))
}

func (w *inbox) patch(t *testing.T, c access.Caller, sliceID string, patch api.SlicePatch) {
	t.Helper()
	must(t, second(w.UpdateSlice(t.Context(), c, valid(api.UpdateSlice{SliceID: sliceID, Patch: patch}))))
}

func (w *inbox) watch(t *testing.T, c access.Caller, subjectID string, level api.WatchLevel) {
	t.Helper()
	must(t, second(w.SetWatch(t.Context(), c, valid(api.SetWatch{Body: api.WatchFields{SubjectID: subjectID,
		Level: level}}))))
}

// change changes notices of a user.
func (w *inbox) change(t *testing.T, c access.Caller, u api.NoticesUpdate) api.NoticesChanged {
	t.Helper()
	out, err := w.UpdateNotices(t.Context(), c, valid(api.UpdateNotices{Body: u}))
	must(t, err)
	return out
}

// TestNotices: those who have to do with a report are told of it once, with the reason, and nobody of an own act.
func TestNotices(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		s := w.fileBy(t, w.ada, "checkout fails", func(n *api.NewSlice) {
			n.AssigneeID = &w.ben.ID
			n.Description = new("Seen by @" + w.owner.Email)
		})
		assert.Equal(t, "the reporter", w.told(t, w.ada), "")
		assert.Equal(t, "the assignee", w.told(t, w.ben), "ONE-1 assigned created")
		assert.Equal(t, "somebody mentioned", w.told(t, w.owner), "ONE-1 mentioned created")

		w.comment(t, w.ben, s.Reference, "I look at it")
		w.patch(t, w.owner, s.ID, api.SlicePatch{"status": "in_progress", "labels": []any{"checkout"}})
		assert.Equal(t, "the reporter", w.told(t, w.ada),
			"ONE-1 reported comment.created, ONE-1 reported status_changed")
		assert.Equal(t, "the assignee", w.told(t, w.ben), "ONE-1 assigned created, ONE-1 assigned status_changed")
		assert.Equal(t, "somebody mentioned before", w.told(t, w.owner),
			"ONE-1 mentioned created, ONE-1 mentioned comment.created")

		w.patch(t, w.owner, s.ID, api.SlicePatch{"assigneeId": w.ada.ID, "priority": "high"})
		assert.Contains(t, "the new assignee", w.told(t, w.ada), "ONE-1 assigned assigned")
		assert.Equal(t, "told again", w.told(t, w.ada), w.told(t, w.ada))

		w.comment(t, w.ada, s.ID, "@"+w.ben.Email+" and @"+w.ben.ID)
		w.patch(t, w.ada, s.ID, api.SlicePatch{"description": "Seen by @" + w.owner.Email + " and @" + w.ben.Email})
		assert.Equal(t, "mentioned once in a comment, and in the changed description", w.told(t, w.ben),
			"ONE-1 assigned created, ONE-1 assigned status_changed, ONE-1 mentioned comment.created, ONE-1 mentioned updated")
		n := w.notices(t, w.ben)[1]
		assert.Equal(t, "the actor", *n.Event.ActorName, w.ada.Name)
		assert.Contains(t, "the comment", n.Event.Comment.Body, w.ben.ID)
		unread, err := w.CountUnread(t.Context(), w.ben)
		must(t, err)
		assert.Equal(t, "unread reports", unread, 1)
	})
}

// TestNoticesFollowRights: who has left the workspace, or is disabled, is told nothing, also of what was told before;
// nobody sees notices of a deleted report.
func TestNoticesFollowRights(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		s := w.fileBy(t, w.ada, "checkout fails", nil)
		w.comment(t, w.ben, s.ID, "first")
		must(t, w.Notify(t.Context()))
		w.comment(t, w.ben, s.ID, "second")
		in := w.In(w.owner.Organization)
		must(t, in.RemoveMember(t.Context(), w.workspace, w.ada.ID))
		assert.Equal(t, "after the membership", w.told(t, w.ada), "")
		must(t, in.PutMember(t.Context(), w.workspace, w.ada.ID, api.RoleMember))
		again, _ := w.signIn(t, "ada@test.example") // a caller keeps the roles of its request
		w.ada = again.Caller
		assert.Equal(t, "a member again", w.told(t, w.ada), "ONE-1 reported comment.created")
		_, err := w.DeleteSlice(t.Context(), w.ben, valid(api.DeleteSlice{SliceID: s.ID}))
		must(t, err)
		assert.Equal(t, "of a deleted report", w.told(t, w.ada), "")
		unread, err := w.CountUnread(t.Context(), w.ada)
		must(t, err)
		assert.Equal(t, "unread", unread, 0)
		must(t, second(w.RestoreSlice(t.Context(), w.ben, valid(api.RestoreSlice{SliceID: s.ID}))))
		assert.Equal(t, "restored", w.told(t, w.ada), "ONE-1 reported comment.created")

		service := w.authenticate(t, w.service(t).Token)
		_, err = w.ListNotices(t.Context(), service, valid(api.ListNotices{Paging: api.Paging{Limit: 1}}))
		assert.Equal(t, "a service", code(err), api.CodeForbidden)
	})
}

// TestWatching: who watches a report, a space or a workspace is told of what happens there; who mutes it, of mentions
// alone. The nearest choice counts.
func TestWatching(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		space, err := w.CreateSpace(t.Context(), w.owner, valid(api.CreateSpace{WorkspaceID: w.workspace,
			Body: api.SpaceFields{Name: "Checkout"}}))
		must(t, err)
		w.watch(t, w.ada, w.workspace, api.Watching)
		w.watch(t, w.ben, space.ID, api.Watching)
		in := func(n *api.NewSlice) { n.SpaceID = &space.ID }
		s := w.fileBy(t, w.owner, "in the space", in)
		w.fileBy(t, w.owner, "elsewhere", nil)
		assert.Equal(t, "of the workspace", w.told(t, w.ada), "ONE-1 workspace created, ONE-2 workspace created")
		assert.Equal(t, "of the space", w.told(t, w.ben), "ONE-1 space created")
		assert.Equal(t, "its name", *w.notices(t, w.ben)[0].SubjectName, "Checkout")

		w.watch(t, w.ada, s.Reference, api.Muted)
		w.watch(t, w.ben, space.ID, api.Muted)
		w.comment(t, w.owner, s.ID, "a comment")
		w.comment(t, w.owner, s.ID, "for @"+w.ada.Email)
		assert.Equal(t, "a muted report", w.told(t, w.ada),
			"ONE-1 workspace created, ONE-2 workspace created, ONE-1 mentioned comment.created")
		assert.Equal(t, "a muted space", w.told(t, w.ben), "ONE-1 space created")

		w.watch(t, w.ben, s.ID, api.Watching)
		w.comment(t, w.owner, s.ID, "another one")
		assert.Equal(t, "a watched report of a muted space", w.told(t, w.ben),
			"ONE-1 space created, ONE-1 watching comment.created")
		page, err := w.ListWatches(t.Context(), w.ben, valid(api.ListWatches{Paging: api.Paging{Limit: 9}}))
		must(t, err)
		var chosen []string
		for _, c := range page.Data {
			chosen = append(chosen, fmt.Sprint(c.Kind, " ", c.Name, " ", c.Level))
		}
		assert.Equal(t, "what is chosen", strings.Join(chosen, ", "),
			"slice in the space watching, space Checkout muted")

		w.watch(t, w.ben, s.ID, api.Automatic)
		w.comment(t, w.ben, s.ID, "mine")
		is, err := w.GetWatch(t.Context(), w.ben, valid(api.GetWatch{SubjectID: s.ID}))
		must(t, err)
		assert.Equal(t, "why", *is.Reason, api.ReasonCommented)
		for _, other := range []string{"spc_01ja8m2c9tf3qb6h0v5r4x7kyz", "nothing", "slc_1", ""} {
			_, err = w.GetWatch(t.Context(), w.ben, valid(api.GetWatch{SubjectID: other}))
			assert.Equal(t, "unknown "+other, code(err), api.CodeNotFound)
		}
	})
}

// TestWatchedViews: a watched view tells of what it gets, once, and not of what it has when the watching begins. A view
// of another user cannot be watched, and a user watches 20.
func TestWatchedViews(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		old := w.fileBy(t, w.ben, "old and urgent", func(n *api.NewSlice) { n.Priority = new(api.Priority("urgent")) })
		view := w.view(t, &w.workspace, "priority:urgent status:open")
		w.watch(t, w.ada, view.ID, api.Watching)
		w.patch(t, w.ben, old.ID, api.SlicePatch{"summary": "old and still urgent"})
		s := w.fileBy(t, w.ben, "not urgent", nil)
		w.fileBy(t, w.ben, "urgent", func(n *api.NewSlice) { n.Priority = new(api.Priority("urgent")) })
		assert.Equal(t, "filed", w.told(t, w.ada), "ONE-3 view created")
		w.patch(t, w.ben, s.ID, api.SlicePatch{"priority": "urgent"})
		assert.Equal(t, "changed", w.told(t, w.ada), "ONE-3 view created, ONE-2 view updated")
		w.patch(t, w.ben, s.ID, api.SlicePatch{"status": "resolved"})
		w.patch(t, w.ben, s.ID, api.SlicePatch{"status": "open"})
		assert.Equal(t, "again", w.told(t, w.ada), "ONE-3 view created, ONE-2 view updated")

		mine := w.view(t, nil, "assignee:me words workspace:ONE")
		_, err := w.SetWatch(t.Context(), w.ada, valid(api.SetWatch{Body: api.WatchFields{SubjectID: mine.ID,
			Level: api.Watching}}))
		assert.Equal(t, "of another user", code(err), api.CodeNotFound)
		w.watch(t, w.owner, mine.ID, api.Watching)
		w.fileBy(t, w.ben, "some words", func(n *api.NewSlice) { n.AssigneeID = &w.owner.ID })
		w.fileBy(t, w.ben, "other words", nil)
		assert.Equal(t, "the strongest reason", w.told(t, w.owner), "ONE-4 assigned created")

		for range 19 {
			w.watch(t, w.owner, w.view(t, &w.workspace, "status:open").ID, api.Watching)
		}
		_, err = w.SetWatch(t.Context(), w.owner, valid(api.SetWatch{Body: api.WatchFields{SubjectID: view.ID,
			Level: api.Watching}}))
		assert.Equal(t, "too many", code(err), api.CodeTooManyViews)
		must(t, second(w.DeleteView(t.Context(), w.owner, valid(api.DeleteView{ViewID: view.ID}))))
		w.fileBy(t, w.ben, "urgent as well", func(n *api.NewSlice) { n.Priority = new(api.Priority("urgent")) })
		assert.Equal(t, "a deleted view", w.told(t, w.ada), "ONE-3 view created, ONE-2 view updated")
	})
}

// TestStatesOfNotices: done, snoozed and read ones, what undoes it, and the end of a snooze.
func TestStatesOfNotices(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		s := w.fileBy(t, w.ada, "one", nil)
		other := w.fileBy(t, w.ada, "two", nil)
		for _, id := range []string{s.ID, other.ID, s.ID} {
			w.comment(t, w.ben, id, "text")
		}
		const all = "ONE-1 reported comment.created, ONE-2 reported comment.created, ONE-1 reported comment.created"
		assert.Equal(t, "unread", w.told(t, w.ada, api.NoticeUnread), all)
		read, err := w.ReadNotices(t.Context(), w.ada, s)
		must(t, err)
		again, err := w.ReadNotices(t.Context(), w.ada, s)
		must(t, err)
		assert.Equal(t, "read by opening", []bool{read, again}, []bool{true, false})
		assert.Equal(t, "unread", w.told(t, w.ada, api.NoticeUnread), "ONE-2 reported comment.created")

		newest := w.notices(t, w.ada)[0].ID
		w.pass(t, time.Hour)
		done := w.change(t, w.ada, api.NoticesUpdate{Through: &newest, State: api.ChangeDone})
		assert.Equal(t, "done", []any{done.Changed, w.told(t, w.ada, api.NoticeDone), w.told(t, w.ada)},
			[]any{int64(3), all, ""})
		assert.Equal(t, "of others", w.change(t, w.ben, api.NoticesUpdate{NoticeIDs: []string{newest},
			State: api.ChangeRead}).Changed, int64(0))
		undone := w.change(t, w.ada, api.NoticesUpdate{DoneAt: &done.At, State: api.ChangeRestored})
		assert.Equal(t, "undone", []any{undone.Changed, w.told(t, w.ada, api.NoticeUnread), w.told(t, w.ada)},
			[]any{int64(3), "ONE-2 reported comment.created", all})

		until := api.At(w.now.Add(time.Hour))
		w.change(t, w.ada, api.NoticesUpdate{SliceID: &s.Reference, State: api.ChangeSnoozed, SnoozedUntil: &until})
		assert.Equal(t, "snoozed", w.told(t, w.ada, api.NoticeSnoozed),
			"ONE-1 reported comment.created, ONE-1 reported comment.created")
		from := api.NoticeSnoozed
		back := w.change(t, w.ada, api.NoticesUpdate{SliceID: &s.ID, From: &from, State: api.ChangeRestored})
		assert.Equal(t, "taken back", back.Changed, int64(2))
		w.change(t, w.ada, api.NoticesUpdate{SliceID: &s.Reference, State: api.ChangeSnoozed, SnoozedUntil: &until})
		w.pass(t, 2*time.Hour)
		assert.Equal(t, "afterwards", w.told(t, w.ada, api.NoticeUnread), all)

		for name, u := range map[string]api.NoticesUpdate{
			"nothing":  {State: api.ChangeDone},
			"two ways": {NoticeIDs: []string{newest}, SliceID: &s.ID, State: api.ChangeDone},
			"no id":    {NoticeIDs: []string{"1"}, State: api.ChangeDone},
			"no time":  {NoticeIDs: []string{newest}, State: api.ChangeSnoozed},
			"a time of before": {NoticeIDs: []string{newest}, State: api.ChangeSnoozed,
				SnoozedUntil: new(api.At(w.now.Add(-time.Hour)))},
			"another time": {NoticeIDs: []string{newest}, State: api.ChangeDone,
				SnoozedUntil: new(api.At(w.now.Add(time.Hour)))},
		} {
			_, err := w.UpdateNotices(t.Context(), w.ada, valid(api.UpdateNotices{Body: u}))
			assert.Equal(t, name, code(err), api.CodeInvalidBody)
		}
		page, err := w.Inbox(t.Context(), w.ada, api.NoticeFilters{}, "")
		must(t, err)
		var groups []string
		for _, g := range page.Groups {
			groups = append(groups, fmt.Sprint(g.Notices[0].Slice.Reference, " ", g.Count, " ", g.Unread))
		}
		assert.Equal(t, "by report", strings.Join(groups, ", "), "ONE-1 2 true, ONE-2 1 true")
	})
}

// TestManyChangesAreOneNotice: a request that changes more than 50 reports is one notice for each user, also when its
// events are read in several parts; one that changes 50 is a notice for each report.
func TestManyChangesAreOneNotice(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		w.watch(t, w.ada, w.workspace, api.Watching)
		var items []api.BatchUpdateItem
		for i := range 100 {
			s := w.fileBy(t, w.ada, fmt.Sprint("report ", i), nil)
			items = append(items, api.BatchUpdateItem{ID: s.ID, Patch: api.SlicePatch{"status": "closed"}})
		}
		change := func(requestID string, items []api.BatchUpdateItem) {
			ben := w.ben
			ben.Request = access.Request{ID: requestID}
			must(t, second(w.BatchUpdateSlices(t.Context(), ben,
				valid(api.BatchUpdateSlices{Body: api.BatchUpdate{Items: items}}))))
			must(t, w.Notify(t.Context()))
		}
		change("req_1", items[:50])
		assert.Equal(t, "50 reports", len(w.notices(t, w.ada)), 50)
		change("req_1", items[50:60])
		assert.Equal(t, "60 reports", w.told(t, w.ada), "60 slices reported status_changed")
		change("req_1", items[60:])
		assert.Equal(t, "100 reports", w.told(t, w.ada), "100 slices reported status_changed")
		assert.Equal(t, "no details", len(w.notices(t, w.ada)[0].Event.Changes), 0)
		unread, err := w.CountUnread(t.Context(), w.ada)
		must(t, err)
		assert.Equal(t, "unread", unread, 1)
	})
}

// TestImportsTellNobody: what the operator files is told to nobody, and neither are events older than 7 days.
func TestImportsTellNobody(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		w.watch(t, w.ada, w.workspace, api.Watching)
		w.fileBy(t, w.In(w.owner.Organization).Caller(), "imported", nil)
		assert.Equal(t, "imported", w.told(t, w.ada), "")
		w.fileBy(t, w.ben, "old", nil)
		w.now = w.now.Add(8 * 24 * time.Hour)
		w.fileBy(t, w.ben, "new", nil)
		assert.Equal(t, "after a week", w.told(t, w.ada), "ONE-3 workspace created")
	})
}

// TestOldNoticesAreDeleted: done ones after 30 days, all after 90 days, and those of purged reports and of
// erased users.
func TestOldNoticesAreDeleted(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		count := func(user string) int {
			n, err := w.store.Read(t.Context()).Notices().CountAll(user)
			must(t, err)
			return n
		}
		s := w.fileBy(t, w.ada, "one", nil)
		w.comment(t, w.ben, s.ID, "done")
		must(t, w.Notify(t.Context()))
		w.change(t, w.ada, api.NoticesUpdate{SliceID: &s.ID, State: api.ChangeDone})
		w.comment(t, w.ben, s.ID, "open")
		must(t, w.Notify(t.Context()))
		w.pass(t, 31*24*time.Hour)
		assert.Equal(t, "after 31 days", count(w.ada.ID), 1)
		w.pass(t, 60*24*time.Hour)
		assert.Equal(t, "after 91 days", count(w.ada.ID), 0)

		ada, ben := w.member(t, "ada2@test.example"), w.owner
		s = w.fileBy(t, ada, "two", nil)
		w.watch(t, ada, s.ID, api.Watching)
		w.comment(t, ben, s.ID, "text")
		must(t, w.Notify(t.Context()))
		assert.Equal(t, "another one", count(ada.ID), 1)
		must(t, second(w.DeleteSlice(t.Context(), ben, valid(api.DeleteSlice{SliceID: s.ID}))))
		w.pass(t, 31*24*time.Hour)
		w.pass(t, time.Hour)
		assert.Equal(t, "of a purged report", count(ada.ID), 0)

		s = w.fileBy(t, w.owner, "three @"+ada.Email, func(n *api.NewSlice) { n.AssigneeID = &ada.ID })
		must(t, w.Notify(t.Context()))
		assert.Equal(t, "before the erasure", count(ada.ID), 1)
		in := w.In(w.owner.Organization)
		u, err := w.store.Read(t.Context()).User(ada.ID)
		must(t, err)
		must(t, in.EraseUser(t.Context(), u))
		assert.Equal(t, "after the erasure", count(ada.ID), 0)
	})
}

// TestNodesTellOnce: nodes that tell users of the same events at once tell each of them once, in the order of the log.
func TestNodesTellOnce(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		s := w.fileBy(t, w.ada, "one", nil)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		for range 4 {
			go func() {
				for ctx.Err() == nil {
					if err := w.Notify(ctx); err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
				done <- struct{}{}
			}()
		}
		const comments = 60
		for i := range comments {
			w.comment(t, w.ben, s.ID, fmt.Sprint("comment ", i))
		}
		stop()
		for range 4 {
			<-done
		}
		must(t, w.Notify(t.Context()))
		all := w.notices(t, w.ada)
		assert.Equal(t, "notices", len(all), comments)
		for i, n := range all {
			assert.Equal(t, "in order", n.Event.Comment.Body, fmt.Sprint("comment ", comments-1-i))
		}
	})
}

// TestEventsMeanwhile: somebody is told once of an event that is committed after a node has read the end of the log.
func TestEventsMeanwhile(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		s := w.fileBy(t, w.ada, "one", nil)
		must(t, w.Notify(t.Context()))
		w.comment(t, w.ben, s.ID, "before")
		must(t, w.NotifyMeanwhile(t.Context(), func() { w.comment(t, w.ben, s.ID, "meanwhile") }))
		assert.Equal(t, "notices", w.told(t, w.ada), "ONE-1 reported comment.created, ONE-1 reported comment.created")
	})
}

// TestWorkspacesAreToldApart: a log that cannot be read keeps nobody from being told of others.
func TestWorkspacesAreToldApart(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		other, err := w.newWorkspace(w.owner, "Second", "TWO")
		must(t, err)
		again, _ := w.signIn(t, "ada@test.example")
		must(t, w.In(w.owner.Organization).PutMember(t.Context(), other.ID, w.ada.ID, api.RoleMember))
		w.ada = again.Caller
		w.fileBy(t, w.ben, "one", nil)
		must(t, second(w.database(t).ExecContext(t.Context(), `UPDATE events SET data = '{"slice":7}'`)))
		w.fileBy(t, w.owner, "two", func(n *api.NewSlice) { n.WorkspaceID, n.AssigneeID = &other.ID, &w.ada.ID })
		if w.Notify(t.Context()) == nil {
			t.Error("the log that cannot be read is not told")
		}
		unread, err := w.CountUnread(t.Context(), w.ada)
		must(t, err)
		assert.Equal(t, "unread", unread, 1)
	})
}

// TestInboxPositions: a position of the inbox that was never one is the begin, on each database.
func TestInboxPositions(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		s := w.fileBy(t, w.ada, "one", nil)
		w.comment(t, w.ben, s.ID, "text")
		must(t, w.Notify(t.Context()))
		for _, after := range []string{"", "u", "u\x00", "r\xff", "u" + strings.Repeat("z", 10_000), "rntc_"} {
			found, err := w.Inbox(t.Context(), w.ada, api.NoticeFilters{}, after)
			must(t, err)
			assert.Equal(t, after, len(found.Groups), 1)
		}
	})
}

// TestInboxMeanwhile: a group has notices, also when they change while it is read.
func TestInboxMeanwhile(t *testing.T) {
	inboxes(t, func(t *testing.T, w *inbox) {
		s := w.fileBy(t, w.ada, "one", nil)
		w.comment(t, w.ben, s.ID, "text")
		must(t, w.Notify(t.Context()))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range 400 {
				state := []api.NoticeChange{api.ChangeDone, api.ChangeRestored}[i%2]
				body := api.NoticesUpdate{SliceID: &s.ID, State: state}
				if _, err := w.UpdateNotices(t.Context(), w.ada, valid(api.UpdateNotices{Body: body})); err != nil {
					t.Error(err)
				}
			}
		}()
		for running := true; running; {
			found, err := w.Inbox(t.Context(), w.ada, api.NoticeFilters{State: []api.NoticeState{api.NoticeUnread}}, "")
			must(t, err)
			for _, g := range found.Groups {
				if len(g.Notices) == 0 {
					t.Error("a group without notices")
				}
			}
			select {
			case <-done:
				running = false
			default:
			}
		}
	})
}
