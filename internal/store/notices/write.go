package notices

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// MostOfRequest is the number of slices of a request of which a user is told one by one.
const MostOfRequest = 50

// mostOfVisitors is the number of reports of the visitors of a source in an hour of which a user is told one by one.
const mostOfVisitors = 3

// visitorsPrefix begins the request of a notice of what visitors have reported.
const visitorsPrefix = "visitors "

// VisitorsRequest returns what stands in the place of the request in the notices of the reports of the visitors of a source: those
// of an hour are told as those of one request are, so that strangers fill no inbox.
func VisitorsRequest(sourceID string, at api.Time) string {
	return visitorsPrefix + sourceID + " " + strconv.FormatInt(at.Unix()/3600, 10)
}

// mostOf returns the number of slices of a request of which a user is told one by one.
func mostOf(requestID string) int {
	if strings.HasPrefix(requestID, visitorsPrefix) {
		return mostOfVisitors
	}
	return MostOfRequest
}

// recipient is a user who is told of what a request has changed.
type recipient struct{ userID, requestID string }

// told is what a user was told of a request.
type told struct {
	ids    []string
	slices []string
	all    *Notice // of several slices
}

// Add stores notices in their order, and changes the versions of the inboxes of their users. It returns those that are new.
func (w Writer) Add(all []Notice) (added []Notice, err error) {
	earlier, err := w.earlier(all)
	if err != nil {
		return nil, err
	}
	rest, parts := w.distinct(all, earlier)
	for _, part := range parts {
		former := earlier[part.recipient]
		if former.all == nil && len(former.ids)+len(part.notices) <= mostOf(part.requestID) {
			rest = append(rest, part.notices...)
			continue
		}
		joined, err := w.join(former, part.notices)
		if err != nil {
			return nil, err
		}
		rest = append(rest, joined...)
	}
	slices.SortStableFunc(rest, func(a, b Notice) int { return cmp.Compare(a.ID, b.ID) })
	if err := w.insert(rest); err != nil {
		return nil, err
	}
	users := make([]string, len(all))
	for i, n := range all {
		users[i] = n.UserID
	}
	return rest, w.Touch(users)
}

// earlier returns what the users of notices were told of their requests before.
func (w Writer) earlier(all []Notice) (map[recipient]*told, error) {
	var requests []string
	for _, n := range all {
		if n.RequestID != nil {
			requests = append(requests, *n.RequestID)
		}
	}
	slices.Sort(requests)
	earlier := map[recipient]*told{}
	for some := range slices.Chunk(slices.Compact(requests), 500) {
		var p sqldb.Params
		found, err := sqldb.List(w.DB, scanNotice, "SELECT "+noticeColumns+" FROM notices n WHERE n.request_id IN "+sqldb.In(&p, some)+
			" ORDER BY n.id", p.Args...)
		if err != nil {
			return nil, err
		}
		for _, n := range found {
			key := recipient{n.UserID, *n.RequestID}
			t := earlier[key]
			if t == nil {
				t = &told{}
				earlier[key] = t
			}
			if t.ids = append(t.ids, n.ID); n.SliceID == nil {
				t.all = &n
			} else {
				t.slices = append(t.slices, *n.SliceID)
			}
		}
	}
	return earlier, nil
}

// part is the new notices of a request for one user.
type part struct {
	recipient
	notices []Notice
}

// distinct returns the notices without a request, and those of each request for each user: of a slice the one
// with the strongest reason, and none of one of which the user was told before.
func (w Writer) distinct(all []Notice, earlier map[recipient]*told) (rest []Notice, parts []*part) {
	at := map[recipient]*part{}
	for _, n := range all {
		if n.RequestID == nil {
			rest = append(rest, n)
			continue
		}
		key := recipient{n.UserID, *n.RequestID}
		if earlier[key] == nil {
			earlier[key] = &told{}
		}
		if n.SliceID != nil && slices.Contains(earlier[key].slices, *n.SliceID) {
			continue
		}
		p := at[key]
		if p == nil {
			p = &part{recipient: key}
			at[key] = p
			parts = append(parts, p)
		}
		i := slices.IndexFunc(p.notices, func(o Notice) bool { return o.SliceID != nil && n.SliceID != nil && *o.SliceID == *n.SliceID })
		switch {
		case i < 0:
			p.notices = append(p.notices, n)
		case stronger(n.Reason, p.notices[i].Reason):
			p.notices[i] = n
		}
	}
	return rest, parts
}

// stronger reports whether a reason is stronger than another one.
func stronger(a, b api.NoticeReason) bool {
	order := a.Values()
	return slices.Index(order, string(a)) < slices.Index(order, string(b))
}

// join replaces the notices of a request by one of all of its slices, or adds to that. It returns the one to store.
func (w Writer) join(former *told, added []Notice) ([]Notice, error) {
	if former.all != nil {
		return nil, w.DB.Exec("UPDATE notices SET slices = slices + $2, read_at = NULL, done_at = NULL, snoozed_until = NULL WHERE id = $1",
			former.all.ID, len(added))
	}
	if len(former.ids) > 0 {
		var p sqldb.Params
		if err := w.DB.Exec("DELETE FROM notices WHERE id IN "+sqldb.In(&p, former.ids), p.Args...); err != nil {
			return nil, err
		}
	}
	all := added[len(added)-1]
	all.SliceID, all.Slices = nil, int64(len(former.ids)+len(added))
	return []Notice{all}, nil
}

func (w Writer) insert(all []Notice) error {
	rows := make([][]any, len(all))
	for i, n := range all {
		rows[i] = []any{n.ID, n.UserID, n.WorkspaceID, n.SliceID, n.EventID, n.Type, n.Reason, n.SubjectID, n.RequestID, n.Slices}
	}
	_, err := w.DB.Insert("notices", "id TEXT, user_id TEXT, workspace_id TEXT, slice_id TEXT, event_id TEXT, type TEXT, reason TEXT, "+
		"subject_id TEXT, request_id TEXT, slices BIGINT", rows, "")
	return err
}

// Touch changes the versions of the inboxes of users, in one order.
func (w Writer) Touch(users []string) error {
	users = slices.Clone(users)
	slices.Sort(users)
	var rows [][]any
	for _, userID := range slices.Compact(users) {
		rows = append(rows, []any{userID, 1})
	}
	_, err := w.DB.Insert("inboxes", "user_id TEXT, version BIGINT", rows,
		"ON CONFLICT (user_id) DO UPDATE SET version = inboxes.version + 1")
	return err
}

// Choice selects notices of a user: one of its members is set, and From of those in a state alone.
type Choice struct {
	IDs     []string
	SliceID string
	Through string    // this one and older ones that are not done
	DoneAt  *api.Time // those that were done at a time
	From    *api.NoticeState
}

// Change is what becomes of chosen notices.
type Change struct {
	State api.NoticeChange
	Now   api.Time
	Until *api.Time // of snoozed ones
}

// Change changes chosen notices of a user, and returns the number of those that it has changed.
func (w Writer) Change(userID string, choice Choice, c Change) (int64, error) {
	var p sqldb.Params
	set, changed := c.assignments(&p)
	where := "user_id = " + p.Add(userID)
	switch {
	case choice.SliceID != "":
		where += " AND slice_id = " + p.Add(choice.SliceID)
	case choice.Through != "":
		where += " AND id <= " + p.Add(choice.Through) + " AND done_at IS NULL"
	case choice.DoneAt != nil:
		where += " AND done_at = " + p.Add(choice.DoneAt.UnixMilli())
	default:
		where += " AND id IN " + sqldb.In(&p, choice.IDs)
	}
	if choice.From != nil {
		where += " AND " + Filter{Now: c.Now}.inState(&p, *choice.From)
	}
	n, err := w.DB.ExecCount("UPDATE notices AS n SET "+set+" WHERE "+where+" AND ("+changed+")", p.Args...)
	if err != nil || n == 0 {
		return n, err
	}
	return n, w.Touch([]string{userID})
}

// assignments returns what a change sets, and the condition of the notices that it changes.
func (c Change) assignments(p *sqldb.Params) (set, changed string) {
	switch c.State {
	case api.ChangeRead:
		return "read_at = " + p.Add(c.Now.UnixMilli()), "read_at IS NULL"
	case api.ChangeUnread:
		return "read_at = NULL, done_at = NULL, snoozed_until = NULL",
			"read_at IS NOT NULL OR done_at IS NOT NULL OR snoozed_until IS NOT NULL"
	case api.ChangeDone:
		return "done_at = " + p.Add(c.Now.UnixMilli()), "done_at IS NULL"
	case api.ChangeSnoozed:
		return "snoozed_until = " + p.Add(c.Until.UnixMilli()), "done_at IS NULL"
	}
	return "done_at = NULL, snoozed_until = NULL", "done_at IS NOT NULL OR snoozed_until IS NOT NULL"
}

// Wake makes at most limit notices unread whose snooze has ended, and returns their number.
func (w Writer) Wake(now api.Time, limit int) (int, error) {
	users, err := sqldb.List(w.DB, sqldb.ScanOne[string], `UPDATE notices SET snoozed_until = NULL, read_at = NULL WHERE id IN
		(SELECT id FROM notices WHERE snoozed_until <= $1 ORDER BY snoozed_until LIMIT $2) RETURNING user_id`, now.UnixMilli(), limit)
	if err != nil || len(users) == 0 {
		return 0, err
	}
	return len(users), w.Touch(users)
}

// DeleteOld deletes at most limit notices each that were done before a time, that are older than an id, and that are the
// oldest of a user who has more than most. It returns the number of the kind of which it has deleted most.
func (w Writer) DeleteOld(done api.Time, oldest string, most, limit int) (deleted int, err error) {
	texts := []struct {
		where string
		value any
	}{
		{"done_at < $1", done.UnixMilli()},
		{"id < $1", oldest},
	}
	for _, t := range texts {
		n, err := w.DB.ExecCount("DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE "+t.where+" ORDER BY id LIMIT $2)",
			t.value, limit)
		if err != nil {
			return deleted, err
		}
		deleted = max(deleted, int(n))
	}
	crowded, err := sqldb.List(w.DB, sqldb.ScanOne[string], "SELECT user_id FROM notices GROUP BY user_id HAVING count(*) > $1", most)
	for _, userID := range crowded {
		if err != nil {
			return deleted, err
		}
		var n int64
		n, err = w.DB.ExecCount(`DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE user_id = $1 AND id <=
			(SELECT id FROM notices WHERE user_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2) ORDER BY id LIMIT $3)`, userID, most, limit)
		deleted = max(deleted, int(n))
	}
	return deleted, err
}

// DeleteUser deletes the notices and the watches of a user.
func (w Writer) DeleteUser(userID string) error {
	for _, table := range []string{"notices", "watches", "view_matches", "inboxes"} {
		if err := w.DB.Exec("DELETE FROM "+table+" WHERE user_id = $1", userID); err != nil {
			return err
		}
	}
	return nil
}

// DeleteView deletes the watches of a view.
func (w Writer) DeleteView(viewID string) error {
	if err := w.DB.Exec("DELETE FROM view_matches WHERE view_id = $1", viewID); err != nil {
		return err
	}
	return w.DB.Exec("DELETE FROM watches WHERE subject_id = $1", viewID)
}
