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
	slot, err := t.acquireSlot(ctx, c, api.OpListComments) // the texts are searched for mentions
	if err != nil {
		return none, err
	}
	defer slot.Release()
	l := listing[api.Comment]{operation: api.OpListComments, parameters: in, paging: in.Paging}
	return listByID(t, c, l, func(m api.Comment) string { return m.ID }, func(afterID string, limit int) ([]api.Comment, error) {
		q := t.store.Read(ctx)
		s, err := t.slice(q, c, in.SliceID)
		if err != nil {
			return nil, err
		}
		rows, err := q.Comments(s.ID, afterID, limit)
		if err == nil {
			err = resolveMentions(q, s.WorkspaceID, rows)
		}
		return rows, err
	})
}

// mentionPattern matches a mention of a user in a comment, by id or by e-mail address.
var mentionPattern = regexp.MustCompile(`(?:^|[^\w.@])@(usr_[0-9a-hjkmnp-tv-z]{26}\b|[\w.+-]+@\w[\w-]*(?:\.\w[\w-]*)+)`)

const maxMentions = 50 // in one comment

// resolveMentions sets the mentions of comments: the members of the workspace that their texts mention.
func resolveMentions(q store.Queries, workspaceID string, comments []api.Comment) error {
	var all []string
	mentioned := make([][]string, len(comments)) // ids and e-mail addresses
	for i := range comments {
		for _, m := range mentionPattern.FindAllStringSubmatch(comments[i].Body, maxMentions) {
			mentioned[i] = append(mentioned[i], strings.ToLower(m[1]))
		}
		all = append(all, mentioned[i]...)
	}
	slices.Sort(all)
	members, err := q.FindMembers(workspaceID, slices.Compact(all))
	if err != nil {
		return err
	}
	for i := range comments {
		comments[i].Mentions = []api.Mention{}
		for _, name := range mentioned[i] {
			if m, ok := members[name]; ok && !slices.Contains(comments[i].Mentions, m) {
				comments[i].Mentions = append(comments[i].Mentions, m)
			}
		}
	}
	return nil
}

// CreateComment adds a comment to a slice the caller sees.
func (t *Tracker) CreateComment(ctx context.Context, c Caller, v input.Valid[api.CreateComment]) (api.Comment, error) {
	in, err := v.Value(c.Allow(api.OpCreateComment))
	if err != nil {
		return api.Comment{}, err
	}
	r, err := t.redactorForSlice(ctx, c, in.SliceID)
	if err != nil {
		return api.Comment{}, err
	}
	fields := in.Body
	if err := redactFields(r, &fields, nil); err != nil {
		return api.Comment{}, err
	}
	return write(t, ctx, c, api.OpCreateComment, func(tx *store.Tx, c Caller) (api.Comment, error) {
		s, err := t.lockSlice(tx, c, in.SliceID)
		if err != nil {
			return api.Comment{}, err
		}
		return idempotent(t, tx, c, in, func() (api.Comment, error) {
			m := api.Comment{ID: id.New(id.Comment), SliceID: s.ID, Author: c.reporter(), CommentFields: fields}
			m.CreatedAt = api.At(id.Time(m.ID))
			m.UpdatedAt = m.CreatedAt
			if err := tx.InsertComment(m); err != nil {
				return m, err
			}
			tx.Charge(s.WorkspaceID, store.CommentBytes(m.Body))
			return t.publishComment(tx, c, s, 1, event{api.EventCommentCreated, s.ID, m, nil})
		})
	})
}

// publishComment publishes an event whose subject is a comment, and adds added to the number of comments of the slice.
// It returns the comment with its mentions.
func (t *Tracker) publishComment(tx *store.Tx, c Caller, s store.Slice, added int, e event) (api.Comment, error) {
	comment := []api.Comment{e.Subject.(api.Comment)}
	if _, err := tx.BumpVersion(s.ID, 0, added, t.clock()); err != nil {
		return comment[0], orNotFound(err, "slice")
	}
	if err := resolveMentions(tx.Queries, s.WorkspaceID, comment); err != nil {
		return comment[0], err
	}
	e.Subject = comment[0]
	return comment[0], t.publish(tx, c, s.WorkspaceID, e)
}

// UpdateComment changes the caller's own comment.
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
			return m, api.Refuse(api.CodeForbidden, "Only its author may change a comment.")
		}
		before := m.Body
		previous, err := applyPatch(&m.CommentFields, patch)
		if err != nil {
			return m, err
		}
		if len(previous) == 0 {
			unchanged := []api.Comment{m}
			err := resolveMentions(tx.Queries, s.WorkspaceID, unchanged)
			return unchanged[0], err
		}
		m.UpdatedAt = maxTime(t.clock(), m.UpdatedAt)
		if err := tx.UpdateComment(m); err != nil {
			return m, orNotFound(err, "comment")
		}
		tx.Charge(s.WorkspaceID, store.CommentBytes(m.Body)-store.CommentBytes(before))
		return t.publishComment(tx, c, s, 0, event{api.EventCommentUpdated, s.ID, m, previous})
	})
}

// DeleteComment deletes the caller's own comment. An admin of the workspace deletes any.
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
		_, err = t.publishComment(tx, c, s, -1, event{api.EventCommentDeleted, s.ID, m, nil})
		return api.Nothing{}, err
	})
}

// deletedBody replaces the text of a deleted comment in the log.
const deletedBody = "[deleted]"

// eraseBody replaces the text of a comment in the events of the log.
func eraseBody(tx *store.Tx, s store.Slice, m api.Comment) error {
	m.Body, m.Mentions = deletedBody, []api.Mention{}
	data, err := json.Marshal(api.EventData{Comment: &m})
	if err != nil {
		return err
	}
	return tx.ScrubComment(s, m.ID, []api.EventType{api.EventCommentCreated, api.EventCommentUpdated}, data)
}
