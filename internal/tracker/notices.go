package tracker

import (
	"context"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store/notices"
)

const (
	doneRetention   = 30 * 24 * time.Hour  // of notices that are done
	noticeRetention = 90 * 24 * time.Hour  // of all notices
	maxNotices      = 10_000               // of a user; the oldest are deleted
	maxSnooze       = 366 * 24 * time.Hour // from now
	// MaxUnread is the number to which CountUnread counts.
	MaxUnread = 100
)

// ListNotices lists what the caller is told, newest first. Nothing is listed of what the caller may not read now.
func (t *Tracker) ListNotices(ctx context.Context, c access.Caller, v input.Valid[api.ListNotices]) (api.Page[api.Notice], error) {
	in, err := v.Value(c.Allow(api.OpListNotices))
	if err != nil {
		return api.Page[api.Notice]{}, err
	}
	return listPage(t, c, listing[api.Notice]{operation: api.OpListNotices, parameters: in, paging: in.Paging, positionParts: 1,
		position: func(n api.Notice) []string { return []string{n.ID} },
		read: func(after []string, limit int) ([]api.Notice, error) {
			q := t.access.Read(ctx)
			f, err := t.noticeFilter(q, c, in.NoticeFilters)
			if err != nil {
				return nil, err
			}
			rows, err := q.Notices().List(f, after[0], limit)
			if err != nil {
				return nil, err
			}
			return t.showNotices(q, rows)
		}})
}

// noticeFilter returns the filter of the notices that the caller sees.
func (t *Tracker) noticeFilter(q access.Queries, c access.Caller, in api.NoticeFilters) (f notices.Filter, err error) {
	f = notices.Filter{UserID: c.ID, States: in.State, Reasons: in.Reason, Now: t.clock()}
	if len(f.States) == 0 {
		f.States = []api.NoticeState{api.NoticeUnread, api.NoticeRead, api.NoticeSnoozed}
	}
	if f.Workspaces, err = c.ListedWorkspaces(q, in.WorkspaceID); err != nil || in.SliceID == "" {
		return f, err
	}
	s, err := c.Slice(q, in.SliceID)
	f.SliceID = s.ID
	return f, err
}

// showNotices returns notices as the API shows them.
func (t *Tracker) showNotices(q access.Queries, rows []notices.Notice) ([]api.Notice, error) {
	var events, sliceIDs, subjects []string
	for _, n := range rows {
		events = append(events, n.EventID)
		if n.SliceID != nil {
			sliceIDs = append(sliceIDs, *n.SliceID)
		}
		if n.SubjectID != nil {
			subjects = append(subjects, *n.SubjectID)
		}
	}
	activities, err := t.activitiesOf(q, events)
	if err != nil {
		return nil, err
	}
	found, err := q.SlicesByID(sliceIDs)
	if err != nil {
		return nil, err
	}
	links := map[string]*api.SliceLink{}
	for _, s := range found {
		shown := t.show(s)
		links[s.ID] = &api.SliceLink{ID: s.ID, Reference: shown.Reference, Summary: s.Summary, Status: s.Status, URL: shown.URL}
	}
	named, err := q.Notices().Subjects(subjects)
	if err != nil {
		return nil, err
	}
	all, now := make([]api.Notice, len(rows)), t.clock()
	for i, n := range rows {
		all[i] = api.Notice{ID: n.ID, State: n.State(now), WorkspaceID: n.WorkspaceID, SliceCount: n.Slices, Reason: n.Reason,
			SubjectID: n.SubjectID, Event: activities[n.EventID], DoneAt: n.DoneAt}
		if all[i].State == api.NoticeSnoozed {
			all[i].SnoozedUntil = n.SnoozedUntil
		}
		if n.SliceID != nil {
			all[i].Slice = links[*n.SliceID]
		} else {
			e := &all[i].Event
			e.Changes, e.Comment, e.Attachment = []api.Change{}, nil, nil
		}
		if s, ok := named[text(n.SubjectID)]; ok {
			all[i].SubjectName = &s.Name
		}
	}
	return all, nil
}

// activitiesOf returns events as activities, by id.
func (t *Tracker) activitiesOf(q access.Queries, eventIDs []string) (map[string]api.Activity, error) {
	rows, err := q.EventsByID(eventIDs)
	if err != nil {
		return nil, err
	}
	shown, err := t.showActivities(q, rows)
	all := map[string]api.Activity{}
	for _, a := range shown {
		all[a.ID] = a
	}
	return all, err
}

// UpdateNotices changes the state of notices of the caller.
func (t *Tracker) UpdateNotices(ctx context.Context, c access.Caller, v input.Valid[api.UpdateNotices]) (api.NoticesChanged, error) {
	var none api.NoticesChanged
	in, err := v.Value(c.Allow(api.OpUpdateNotices))
	if err != nil {
		return none, err
	}
	choice, err := chosenNotices(in.Body)
	if err != nil {
		return none, err
	}
	change := notices.Change{State: in.Body.State, Now: t.clock(), Until: in.Body.SnoozedUntil}
	if err := checkSnooze(change); err != nil {
		return none, err
	}
	if in.Body.SliceID != nil {
		s, err := c.Slice(t.access.Read(ctx), *in.Body.SliceID)
		if err != nil {
			return none, err
		}
		choice.SliceID = s.ID
	}
	return access.Write(ctx, t.access, c, api.OpUpdateNotices, func(tx *access.Tx, c access.Caller) (api.NoticesChanged, error) {
		return idempotent(t, tx, c, in, func() (api.NoticesChanged, error) {
			n, err := tx.Notices().Change(c.ID, choice, change)
			if n > 0 {
				tx.NotifyOnCommit()
			}
			return api.NoticesChanged{Changed: n, At: change.Now}, err
		})
	})
}

// chosenNotices returns which notices change. It refuses a body that says it in several ways, or in none.
func chosenNotices(u api.NoticesUpdate) (choice notices.Choice, err error) {
	ways := 0
	for _, given := range []bool{len(u.NoticeIDs) > 0, u.SliceID != nil, u.Through != nil, u.DoneAt != nil} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return choice, api.InvalidMember("/noticeIds", "one_of", "exactly one of noticeIds, sliceId, through and doneAt is required")
	}
	for _, one := range append(slices.Clone(u.NoticeIDs), text(u.Through)) {
		if one != "" && !id.Valid(id.Notice, one) {
			return choice, api.InvalidMember("/noticeIds", "wrong_form", "noticeIds and through must be ids of notices")
		}
	}
	return notices.Choice{IDs: u.NoticeIDs, Through: text(u.Through), DoneAt: u.DoneAt, From: u.From}, nil
}

// checkSnooze refuses a time that does not belong to a change.
func checkSnooze(c notices.Change) error {
	const pointer = "/snoozedUntil"
	switch {
	case c.State != api.ChangeSnoozed && c.Until != nil:
		return api.InvalidMember(pointer, "unexpected", "snoozedUntil stands with the state snoozed alone")
	case c.State != api.ChangeSnoozed:
		return nil
	case c.Until == nil:
		return api.InvalidMember(pointer, "required", "snoozedUntil is required with the state snoozed")
	case !c.Until.After(c.Now.Time) || c.Until.After(c.Now.Add(maxSnooze)):
		return api.InvalidMember(pointer, "out_of_range", "snoozedUntil must be in the future, and at most a year from now")
	}
	return nil
}

// Inbox is a page of the notices of a user by slice.
type Inbox struct {
	Groups []InboxGroup
	Next   string // what a further page begins after; empty for the last
}

// InboxGroup is the notices of a slice, or one of several slices.
type InboxGroup struct {
	ID      string // of the slice, or of the notice of several
	Count   int    // notices
	Unread  bool
	Notices []api.Notice // the newest, one to three
}

// inboxGroups is the number of groups of a page.
const inboxGroups = 50

// Inbox returns the notices of the caller by slice, those with unread ones first, after those of another page.
func (t *Tracker) Inbox(ctx context.Context, c access.Caller, filters api.NoticeFilters, after string) (out Inbox, err error) {
	if err := c.Allow(api.OpListNotices); err != nil {
		return out, err
	}
	q := t.access.Read(ctx)
	f, err := t.noticeFilter(q, c, filters)
	if err != nil {
		return out, err
	}
	groups, err := q.Notices().Groups(f, groupAfter(after), inboxGroups+1)
	if err != nil {
		return out, err
	}
	if len(groups) > inboxGroups {
		groups = groups[:inboxGroups]
		last := groups[inboxGroups-1]
		out.Next = map[bool]string{true: "u", false: "r"}[last.Unread] + last.Newest
	}
	var rows []notices.Notice
	for _, g := range groups {
		rows = append(rows, g.Notices...)
	}
	shown, err := t.showNotices(q, rows)
	if err != nil {
		return out, err
	}
	for _, g := range groups {
		if len(g.Notices) == 0 { // they have changed since the groups were read
			continue
		}
		out.Groups = append(out.Groups, InboxGroup{ID: g.ID, Count: g.Count, Unread: g.Unread, Notices: shown[:len(g.Notices)]})
		shown = shown[len(g.Notices):]
	}
	return out, nil
}

// groupAfter returns the group that a page of the inbox begins after: none for a text that is no Inbox.Next.
func groupAfter(text string) notices.Group {
	if text == "" || text[0] != 'u' && text[0] != 'r' || !id.Valid(id.Notice, text[1:]) {
		return notices.Group{}
	}
	return notices.Group{Unread: text[0] == 'u', Newest: text[1:]}
}

// CountUnread returns the number of slices of which the caller has unread notices, counted to MaxUnread.
func (t *Tracker) CountUnread(ctx context.Context, c access.Caller) (int, error) {
	if err := c.Allow(api.OpListNotices); err != nil {
		return 0, err
	}
	q := t.access.Read(ctx)
	f, err := t.noticeFilter(q, c, api.NoticeFilters{})
	if err != nil {
		return 0, err
	}
	return q.Notices().CountUnread(f, MaxUnread)
}

// ReadNotices marks the notices of a slice as read, which the caller sees, and reports whether it has.
func (t *Tracker) ReadNotices(ctx context.Context, c access.Caller, s api.Slice) (bool, error) {
	if err := c.Allow(api.OpUpdateNotices); err != nil {
		return false, err
	}
	f := notices.Filter{UserID: c.ID, Workspaces: []string{s.WorkspaceID}, SliceID: s.ID, Now: t.clock(),
		States: []api.NoticeState{api.NoticeUnread}}
	if n, err := t.access.Read(ctx).Notices().CountUnread(f, 1); err != nil || n == 0 {
		return false, err
	}
	err := access.Change(ctx, t.access, c, api.OpUpdateNotices, func(tx *access.Tx, c access.Caller) error {
		tx.NotifyOnCommit()
		return errorOf(tx.Notices().Change(c.ID, notices.Choice{SliceID: s.ID}, notices.Change{State: api.ChangeRead, Now: t.clock()}))
	})
	return err == nil, err
}

// wakeNotices makes some notices unread whose snooze has ended.
func (t *Tracker) wakeNotices(tx *access.Tx) (int, error) {
	n, err := tx.Notices().Wake(t.clock(), jobBatch)
	if n > 0 {
		tx.NotifyOnCommit()
	}
	return n, err
}

// deleteNotices deletes some notices whose retention has ended.
func (t *Tracker) deleteNotices(tx *access.Tx) (int, error) {
	oldest := id.Lowest(id.Notice, t.now().Add(-noticeRetention))
	return tx.Notices().DeleteOld(api.At(t.now().Add(-doneRetention)), oldest, maxNotices, jobBatch)
}
