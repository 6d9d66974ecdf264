package notices

import (
	"fmt"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Notice is what a user is told: an event of a slice, or the slices that one request has changed.
type Notice struct {
	ID, UserID, WorkspaceID string
	SliceID                 *string // nil for several
	EventID                 string
	Type                    api.EventType
	Reason                  api.NoticeReason
	SubjectID               *string // the view, the space or the workspace that the user watches
	RequestID               *string
	Slices                  int64
	ReadAt, DoneAt          *api.Time
	SnoozedUntil            *api.Time
}

// State returns the state of a notice at a time.
func (n Notice) State(now api.Time) api.NoticeState {
	switch {
	case n.DoneAt != nil:
		return api.NoticeDone
	case n.SnoozedUntil != nil && n.SnoozedUntil.After(now.Time):
		return api.NoticeSnoozed
	case n.ReadAt != nil:
		return api.NoticeRead
	}
	return api.NoticeUnread
}

const noticeColumns = `n.id, n.user_id, n.workspace_id, n.slice_id, n.event_id, n.type, n.reason, n.subject_id, n.request_id, n.slices,
	n.read_at, n.done_at, n.snoozed_until`

func scanNotice(r sqldb.Row) (n Notice, err error) {
	var read, done, snoozed *int64
	err = r.Scan(&n.ID, &n.UserID, &n.WorkspaceID, &n.SliceID, &n.EventID, &n.Type, &n.Reason, &n.SubjectID, &n.RequestID, &n.Slices,
		&read, &done, &snoozed)
	n.ReadAt, n.DoneAt, n.SnoozedUntil = sqldb.TimeAt(read), sqldb.TimeAt(done), sqldb.TimeAt(snoozed)
	return n, err
}

// Filter selects notices of a user. Empty members filter nothing.
type Filter struct {
	UserID     string
	Workspaces []string // those that the user sees; none selects nothing
	States     []api.NoticeState
	Reasons    []api.NoticeReason
	SliceID    string
	Now        api.Time
}

// where returns the condition of notices n: of slices that exist and are not deleted.
func (f Filter) where(p *sqldb.Params) string {
	if len(f.Workspaces) == 0 {
		return "1 = 0"
	}
	all := []string{"n.user_id = " + p.Add(f.UserID), "n.workspace_id IN " + sqldb.In(p, f.Workspaces),
		"(n.slice_id IS NULL OR EXISTS (SELECT 1 FROM slices s WHERE s.id = n.slice_id AND s.deleted_at IS NULL))"}
	if len(f.States) > 0 {
		states := make([]string, len(f.States))
		for i, s := range f.States {
			states[i] = f.inState(p, s)
		}
		all = append(all, "("+strings.Join(states, " OR ")+")")
	}
	if len(f.Reasons) > 0 {
		all = append(all, "n.reason IN "+sqldb.In(p, f.Reasons))
	}
	if f.SliceID != "" {
		all = append(all, "n.slice_id = "+p.Add(f.SliceID))
	}
	return strings.Join(all, " AND ")
}

// inState returns the condition that notice n has a state.
func (f Filter) inState(p *sqldb.Params, s api.NoticeState) string {
	if s == api.NoticeDone {
		return "n.done_at IS NOT NULL"
	}
	now := p.Add(f.Now.UnixMilli())
	awake := "n.done_at IS NULL AND (n.snoozed_until IS NULL OR n.snoozed_until <= " + now + ")"
	switch s {
	case api.NoticeSnoozed:
		return "n.done_at IS NULL AND n.snoozed_until > " + now
	case api.NoticeRead:
		return "n.read_at IS NOT NULL AND " + awake
	}
	return "n.read_at IS NULL AND " + awake
}

// List returns at most limit notices before an id, the newest first; an empty id is the begin.
func (q Reader) List(f Filter, before string, limit int) ([]Notice, error) {
	var p sqldb.Params
	where := f.where(&p)
	if before != "" {
		where += " AND n.id < " + p.Add(before)
	}
	return sqldb.List(q.DB, scanNotice, "SELECT "+noticeColumns+" FROM notices n WHERE "+where+" ORDER BY n.id DESC LIMIT "+p.Add(limit),
		p.Args...)
}

// Chosen returns those of some notices that a filter selects, oldest first.
func (q Reader) Chosen(f Filter, ids []string) ([]Notice, error) {
	var p sqldb.Params
	where := f.where(&p) + " AND n.id IN " + sqldb.In(&p, ids)
	return sqldb.List(q.DB, scanNotice, "SELECT "+noticeColumns+" FROM notices n WHERE "+where+" ORDER BY n.id", p.Args...)
}

// CountUnread returns the number of slices with unread notices, counted to most. A notice of several slices counts as
// one.
func (q Reader) CountUnread(f Filter, most int) (int, error) {
	var p sqldb.Params
	f.States = []api.NoticeState{api.NoticeUnread}
	where := f.where(&p)
	return sqldb.One(q.DB, sqldb.ScanOne[int], "SELECT count(*) FROM (SELECT DISTINCT COALESCE(n.slice_id, n.id) FROM notices n WHERE "+
		where+" LIMIT "+p.Add(most)+") AS u", p.Args...)
}

// Group is the notices of a slice, or one of several slices.
type Group struct {
	ID      string // of the slice, or of the notice of several
	Newest  string // the id of the newest notice
	Count   int
	Unread  bool
	Notices []Notice // the newest, at most PerGroup
}

// PerGroup is the number of notices that a group has.
const PerGroup = 3

// Groups returns at most limit groups of notices after one, those with unread ones first, and then the newest first. A
// group has the notices of its slice that the filter selects.
func (q Reader) Groups(f Filter, after Group, limit int) ([]Group, error) {
	var p sqldb.Params
	where := f.where(&p)
	unread := "max(CASE WHEN " + f.inState(&p, api.NoticeUnread) + " THEN 1 ELSE 0 END)"
	having := ""
	if after.Newest != "" {
		rank, newest := p.Add(sqldb.Flag(after.Unread)), p.Add(after.Newest)
		having = " HAVING " + unread + " < " + rank + " OR " + unread + " = " + rank + " AND max(n.id) < " + newest
	}
	groups, err := sqldb.List(q.DB, func(r sqldb.Row) (g Group, err error) {
		var rank int64
		err = r.Scan(&g.ID, &g.Newest, &g.Count, &rank)
		g.Unread = rank > 0
		return g, err
	}, "SELECT COALESCE(n.slice_id, n.id) AS grp, max(n.id) AS newest, count(*), "+unread+" AS unread FROM notices n WHERE "+where+
		" GROUP BY COALESCE(n.slice_id, n.id)"+having+" ORDER BY unread DESC, newest DESC LIMIT "+p.Add(limit), p.Args...)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	return groups, q.fill(f, groups)
}

// fill gives groups their newest notices.
func (q Reader) fill(f Filter, groups []Group) error {
	var p sqldb.Params
	at, ids := map[string]int{}, make([]string, len(groups))
	for i, g := range groups {
		at[g.ID], ids[i] = i, g.ID
	}
	where := f.where(&p) + " AND COALESCE(n.slice_id, n.id) IN " + sqldb.In(&p, ids)
	return q.DB.Each(func(r sqldb.Row) error {
		n, err := scanNotice(r)
		key := n.ID
		if n.SliceID != nil {
			key = *n.SliceID
		}
		if i, ok := at[key]; ok && err == nil {
			groups[i].Notices = append(groups[i].Notices, n)
		}
		return err
	}, "SELECT "+noticeColumns+" FROM (SELECT n.*, row_number() OVER (PARTITION BY COALESCE(n.slice_id, n.id) ORDER BY n.id DESC) AS place"+
		" FROM notices n WHERE "+where+fmt.Sprintf(") AS n WHERE n.place <= %d ORDER BY n.id DESC", PerGroup), p.Args...)
}

// Versions returns the versions of the inboxes of users who have one.
func (q Reader) Versions(userIDs []string) (map[string]int64, error) {
	var p sqldb.Params
	all := map[string]int64{}
	err := q.DB.Each(func(r sqldb.Row) error {
		var userID string
		var version int64
		err := r.Scan(&userID, &version)
		all[userID] = version
		return err
	}, "SELECT user_id, version FROM inboxes WHERE user_id IN "+sqldb.In(&p, userIDs), p.Args...)
	return all, err
}

// CountAll returns the number of notices of a user, whatever the user sees.
func (q Reader) CountAll(userID string) (int, error) {
	return sqldb.One(q.DB, sqldb.ScanOne[int], "SELECT count(*) FROM notices WHERE user_id = $1", userID)
}
