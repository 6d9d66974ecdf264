package tracker

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// ListComments lists the comments of a slice the caller sees, oldest first.
func (t *Tracker) ListComments(ctx context.Context, c Caller, v input.Valid[api.ListComments]) (api.Page[api.Comment], error) {
	var none api.Page[api.Comment]
	in, err := v.Value(c.Allow(api.OpListComments))
	if err != nil {
		return none, err
	}
	slot, err := t.acquireSlot(ctx, c, api.OpListComments) // who is mentioned is searched in all of the text
	if err != nil {
		return none, err
	}
	defer slot.Release()
	bind := cursorScope(api.OpListComments, c, in.SliceID)
	at, err := t.decodeCursor(in.Paging, bind, 1)
	if err != nil {
		return none, err
	}
	q := t.store.Read(ctx)
	s, err := t.slice(q, c, in.SliceID)
	if err != nil {
		return none, err
	}
	rows, err := q.Comments(in.SliceID, at[0], in.Limit+1)
	if err != nil {
		return none, err
	}
	if err := resolveMentions(q, s.WorkspaceID, rows); err != nil {
		return none, err
	}
	return newPage(t, rows, in.Limit, bind, func(c api.Comment) []string { return []string{c.ID} }), nil
}

// mentionPattern finds who is called in a comment: by id, or by e-mail address.
var mentionPattern = regexp.MustCompile(`(?:^|[^\w.@])@(usr_[0-9a-hjkmnp-tv-z]{26}\b|[\w.+-]+@\w[\w-]*(?:\.\w[\w-]*)+)`)

const maxMentions = 50 // in one comment

// resolveMentions fills in whom the comments name, of the members of their workspace.
func resolveMentions(q store.Queries, workspaceID string, comments []api.Comment) error {
	var all []string
	calls := make([][]string, len(comments))
	for i := range comments {
		for _, m := range mentionPattern.FindAllStringSubmatch(comments[i].Body, maxMentions) {
			calls[i] = append(calls[i], strings.ToLower(m[1]))
		}
		all = append(all, calls[i]...)
	}
	slices.Sort(all)
	members, err := q.Mentioned(workspaceID, slices.Compact(all))
	if err != nil {
		return err
	}
	for i := range comments {
		comments[i].Mentions = []api.Mention{}
		for _, name := range calls[i] {
			if m, ok := members[name]; ok && !slices.Contains(comments[i].Mentions, m) {
				comments[i].Mentions = append(comments[i].Mentions, m)
			}
		}
	}
	return nil
}

// CreateComment says something about a slice the caller sees.
func (t *Tracker) CreateComment(ctx context.Context, c Caller, v input.Valid[api.CreateComment]) (api.Comment, error) {
	in, err := v.Value(c.Allow(api.OpCreateComment))
	if err != nil {
		return api.Comment{}, err
	}
	r, err := t.redactorForSlice(ctx, c, in.SliceID)
	if err != nil {
		return api.Comment{}, err
	}
	said := in.Body
	if err := redactFields(r, &said, nil); err != nil {
		return api.Comment{}, err
	}
	return write(t, ctx, c, api.OpCreateComment, func(tx *store.Tx, c Caller) (api.Comment, error) {
		s, err := t.lockSlice(tx, c, in.SliceID)
		if err != nil {
			return api.Comment{}, err
		}
		return idempotent(t, tx, c, api.OpCreateComment, in.IdempotencyKey, in, func() (api.Comment, error) {
			m := api.Comment{ID: id.New(id.Comment), SliceID: s.ID, Author: c.reporter(), CommentFields: said}
			m.CreatedAt = api.At(id.Time(m.ID))
			m.UpdatedAt = m.CreatedAt
			if err := tx.InsertComment(m); err != nil {
				return m, err
			}
			tx.Charge(s.WorkspaceID, store.CommentBytes(m.Body))
			return t.publishComment(tx, c, s, m, 1, event{api.EventCommentCreated, s.ID, nil, nil})
		})
	})
}

// publishComment counts a comment of a slice, fills in whom it mentions, and announces.
func (t *Tracker) publishComment(tx *store.Tx, c Caller, s store.Slice, m api.Comment, count int, e event) (api.Comment, error) {
	if _, err := tx.Touch(s.ID, 0, count, t.clock()); err != nil {
		return m, orNotFound(err, "slice")
	}
	one := []api.Comment{m}
	if err := resolveMentions(tx.Queries, s.WorkspaceID, one); err != nil {
		return m, err
	}
	e.Subject = one[0]
	return one[0], t.announce(tx, c, s.WorkspaceID, e)
}

// comment returns a comment of a slice the caller sees, and the slice.
func (t *Tracker) comment(q store.Queries, c Caller, commentID string) (api.Comment, store.Slice, error) {
	m, err := q.Comment(commentID)
	if err != nil {
		return m, store.Slice{}, orNotFound(err, "comment")
	}
	s, err := t.slice(q, c, m.SliceID)
	return m, s, maskNotFound(err, "comment")
}

// lockComment is comment with row locks on both.
func (t *Tracker) lockComment(tx *store.Tx, c Caller, commentID string) (api.Comment, store.Slice, error) {
	m, err := tx.LockComment(commentID)
	if err != nil {
		return m, store.Slice{}, orNotFound(err, "comment")
	}
	s, err := t.lockSlice(tx, c, m.SliceID)
	return m, s, maskNotFound(err, "comment")
}

// isAuthor says whether the caller is who wrote a comment.
func (c Caller) isAuthor(m api.Comment) bool { return m.Author.ID != nil && *m.Author.ID == c.ID }

// UpdateComment edits the caller's own comment.
func (t *Tracker) UpdateComment(ctx context.Context, c Caller, v input.Valid[api.UpdateComment]) (api.Comment, error) {
	in, err := v.Value(c.Allow(api.OpUpdateComment))
	if err != nil {
		return api.Comment{}, err
	}
	m, _, err := t.comment(t.store.Read(ctx), c, in.CommentID)
	if err != nil {
		return api.Comment{}, err
	}
	r, err := t.redactorForSlice(ctx, c, m.SliceID)
	if err != nil {
		return api.Comment{}, err
	}
	patch, err := redactPatch(r, in.Patch, nil)
	if err != nil {
		return api.Comment{}, err
	}
	return write(t, ctx, c, api.OpUpdateComment, func(tx *store.Tx, c Caller) (api.Comment, error) {
		m, s, err := t.lockComment(tx, c, in.CommentID)
		if err != nil {
			return m, err
		}
		if !c.isAuthor(m) {
			return m, api.Refuse(api.CodeForbidden, "A comment is edited by whoever wrote it.")
		}
		was := m.Body
		previous, err := apply(&m.CommentFields, patch)
		if err != nil {
			return m, err
		}
		if len(previous) > 0 {
			m.UpdatedAt = maxTime(t.clock(), m.UpdatedAt)
			if err := tx.UpdateComment(m); err != nil {
				return m, orNotFound(err, "comment")
			}
			tx.Charge(s.WorkspaceID, store.CommentBytes(m.Body)-store.CommentBytes(was))
			return t.publishComment(tx, c, s, m, 0, event{api.EventCommentUpdated, s.ID, nil, previous})
		}
		one := []api.Comment{m}
		return one[0], resolveMentions(tx.Queries, s.WorkspaceID, one)
	})
}

// DeleteComment removes the caller's own comment, or as an admin of the workspace any.
func (t *Tracker) DeleteComment(ctx context.Context, c Caller, v input.Valid[api.DeleteComment]) (api.Nothing, error) {
	in, err := v.Value(c.Allow(api.OpDeleteComment))
	if err != nil {
		return api.Nothing{}, err
	}
	return write(t, ctx, c, api.OpDeleteComment, func(tx *store.Tx, c Caller) (api.Nothing, error) {
		m, s, err := t.lockComment(tx, c, in.CommentID)
		if err != nil {
			return api.Nothing{}, err
		}
		if !c.isAuthor(m) {
			if err := c.requireAdmin(tx.Queries, s.WorkspaceID); err != nil {
				return api.Nothing{}, err
			}
		}
		if err := tx.DeleteComment(m.ID); err != nil {
			return api.Nothing{}, orNotFound(err, "comment")
		}
		tx.Charge(s.WorkspaceID, -store.CommentBytes(m.Body))
		if err := eraseBody(tx, s, m); err != nil {
			return api.Nothing{}, err
		}
		m.Body = deletedBody
		_, err = t.publishComment(tx, c, s, m, -1, event{api.EventCommentDeleted, s.ID, nil, nil})
		return api.Nothing{}, err
	})
}

// deletedBody stands in the log where a comment was.
const deletedBody = "[deleted]"

// eraseBody removes what a comment said from the log.
func eraseBody(tx *store.Tx, s store.Slice, m api.Comment) error {
	m.Body, m.Mentions = deletedBody, []api.Mention{}
	data, err := json.Marshal(api.EventData{Comment: &m})
	if err != nil {
		return err
	}
	return tx.ForgetComment(s, m.ID, []api.EventType{api.EventCommentCreated, api.EventCommentUpdated}, data)
}

// ListActivity lists what was done with a slice the caller sees, oldest first.
func (t *Tracker) ListActivity(ctx context.Context, c Caller, v input.Valid[api.ListActivity]) (api.Page[api.Activity], error) {
	var none api.Page[api.Activity]
	in, err := v.Value(c.Allow(api.OpListActivity))
	if err != nil {
		return none, err
	}
	slot, err := t.acquirePageSlot(ctx, c, api.OpListActivity, in.Limit)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	bind := cursorScope(api.OpListActivity, c, in.SliceID)
	at, err := t.decodeCursor(in.Paging, bind, 1)
	if err != nil {
		return none, err
	}
	q := t.store.Read(ctx)
	if _, err := t.slice(q, c, in.SliceID); err != nil {
		return none, err
	}
	rows, err := q.EventsAbout(in.SliceID, api.ActivityTypes(), at[0], in.Limit+1)
	if err != nil {
		return none, err
	}
	var ids []string
	for _, r := range rows {
		if r.Actor.ID != nil {
			ids = append(ids, *r.Actor.ID)
		}
	}
	names, err := q.Named(ids)
	if err != nil {
		return none, err
	}
	shown := make([]api.Activity, len(rows))
	for i, r := range rows {
		if shown[i], err = t.showActivity(r, names); err != nil {
			return none, err
		}
	}
	return newPage(t, shown, in.Limit, bind, func(a api.Activity) []string { return []string{a.ID} }), nil
}

func (t *Tracker) showActivity(row store.Event, names map[string]string) (api.Activity, error) {
	e, err := showEvent(row)
	a := api.Activity{ID: e.ID, Type: e.Type, Timestamp: e.Timestamp, Actor: e.Actor, Changes: []api.Change{}, Comment: e.Data.Comment, Attachment: e.Data.Attachment}
	if err != nil {
		return a, err
	}
	if f := a.Attachment; f != nil { // it may tell of another instance
		small := f.Thumbnail != nil
		if f.URL, f.Thumbnail = t.attachmentURL(f.ID), nil; small {
			address := f.URL + "/thumbnail"
			f.Thumbnail = &address
		}
	}
	if e.Actor.ID != nil {
		if name, ok := names[*e.Actor.ID]; ok {
			a.ActorName = &name
		}
	}
	var subject any
	switch {
	case e.Data.Slice != nil:
		subject = e.Data.Slice
	case e.Data.Comment != nil:
		subject = e.Data.Comment
	case e.Data.Attachment != nil:
		subject = e.Data.Attachment
	}
	now, err := members(subject)
	for name, from := range e.Data.Previous {
		to := now[name]
		a.Changes = append(a.Changes, api.Change{Field: name, From: &from, To: &to})
	}
	slices.SortFunc(a.Changes, func(x, y api.Change) int { return strings.Compare(x.Field, y.Field) })
	return a, err
}
