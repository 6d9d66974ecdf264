package tracker

import (
	"context"
	"encoding/json"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// ListComments lists the comments of a slice the caller sees, oldest first.
func (t *Tracker) ListComments(ctx context.Context, c access.Caller, v input.Valid[api.ListComments],
) (api.Page[api.Comment], error) {
	var none api.Page[api.Comment]
	in, err := v.Value(c.Allow(api.OpListComments))
	if err != nil {
		return none, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpListComments) // the texts are searched for mentions
	if err != nil {
		return none, err
	}
	defer slot.Release()
	l := listing[api.Comment]{operation: api.OpListComments, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(m api.Comment) string { return m.ID },
		func(afterID string, limit int) ([]api.Comment, error) {
			q := t.access.Read(ctx)
			s, err := c.Slice(q, in.SliceID)
			if err != nil {
				return nil, err
			}
			rows, err := q.Comments(s.ID, afterID, limit)
			if err == nil {
				err = resolveMentions(q, s.WorkspaceID, rows)
			}
			if err == nil {
				err = resolveReactions(q, c, s.ID, rows)
			}
			return rows, err
		}))
}

// resolveMentions sets the mentions of comments: the members of the workspace that their texts mention. The comments
// have no reactions then.
func resolveMentions(q access.Queries, workspaceID string, comments []api.Comment) error {
	var all []string
	mentioned := make([][]string, len(comments)) // ids and e-mail addresses
	for i := range comments {
		mentioned[i] = store.Mentioned(comments[i].Body)
		all = append(all, mentioned[i]...)
	}
	slices.Sort(all)
	members, err := q.FindMembers(workspaceID, slices.Compact(all))
	if err != nil {
		return err
	}
	for i := range comments {
		comments[i].Mentions, comments[i].Reactions = []api.Mention{}, []api.Reaction{}
		for _, name := range mentioned[i] {
			if m, ok := members[name]; ok && !slices.Contains(comments[i].Mentions, m) {
				comments[i].Mentions = append(comments[i].Mentions, m)
			}
		}
	}
	return nil
}

// withMentions returns a comment with its mentions.
func withMentions(q access.Queries, workspaceID string, comment api.Comment) (api.Comment, error) {
	one := []api.Comment{comment}
	err := resolveMentions(q, workspaceID, one)
	return one[0], err
}

// CreateComment adds a comment to a slice the caller sees.
func (t *Tracker) CreateComment(ctx context.Context, c access.Caller, v input.Valid[api.CreateComment],
) (api.Comment, error) {
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
	return access.Write(ctx, t.access, c, api.OpCreateComment,
		func(tx *access.Tx, c access.Caller) (api.Comment, error) {
			s, err := c.LockSlice(tx, in.SliceID)
			if err != nil {
				return api.Comment{}, err
			}
			return idempotent(t, tx, c, in, func() (api.Comment, error) { return t.insertComment(tx, c, s, fields) })
		})
}

// insertComment adds a comment of the caller to a locked slice.
func (t *Tracker) insertComment(tx *access.Tx, c access.Caller, s store.Slice, fields api.CommentFields,
) (api.Comment, error) {
	comment := api.Comment{ID: t.newID(id.Comment), SliceID: s.ID, Author: reporter(c), Via: c.Via(),
		CommentFields: fields}
	comment.CreatedAt = api.At(id.Time(comment.ID))
	if err := checkVisible(tx.Queries, s.ID, fields); err != nil {
		return comment, err
	}
	comment.UpdatedAt = comment.CreatedAt
	if err := tx.InsertComment(comment); err != nil {
		return comment, err
	}
	tx.Charge(s.WorkspaceID, store.CommentBytes(comment))
	return t.publishComment(tx, c, s, event{Type: api.EventCommentCreated, ID: s.ID, Subject: comment})
}

// commentsAdded is the change of the number of comments of a slice by an event.
var commentsAdded = map[api.EventType]int64{api.EventCommentCreated: 1, api.EventCommentUpdated: 0,
	api.EventCommentDeleted: -1}

// publishComment publishes an event whose subject is a comment, and updates the number of comments of the slice. It
// returns the comment with its mentions.
func (t *Tracker) publishComment(tx *access.Tx, c access.Caller, s store.Slice, e event) (api.Comment, error) {
	comment := e.Subject.(api.Comment)
	if _, err := tx.BumpVersion(s.ID, store.SliceCounts{Comments: commentsAdded[e.Type]}, t.clock()); err != nil {
		return comment, access.OrNotFound(err, "slice")
	}
	comment, err := withMentions(tx.Queries, s.WorkspaceID, comment)
	if err != nil {
		return comment, err
	}
	e.Subject = comment
	return comment, t.publish(tx, c, s.WorkspaceID, e)
}

// UpdateComment changes the caller's own comment.
func (t *Tracker) UpdateComment(ctx context.Context, c access.Caller, v input.Valid[api.UpdateComment],
) (api.Comment, error) {
	in, err := v.Value(c.Allow(api.OpUpdateComment))
	if err != nil {
		return api.Comment{}, err
	}
	current, _, err := c.Comment(t.access.Read(ctx), in.CommentID)
	if err != nil {
		return api.Comment{}, err
	}
	r, err := t.redactorForSlice(ctx, c, current.SliceID)
	if err != nil {
		return api.Comment{}, err
	}
	patch, err := redactPatch[api.CommentFields](r, in.Patch, nil)
	if err != nil {
		return api.Comment{}, err
	}
	return access.Write(ctx, t.access, c, api.OpUpdateComment,
		func(tx *access.Tx, c access.Caller) (api.Comment, error) {
			comment, s, err := c.LockComment(tx, in.CommentID)
			if err != nil {
				return comment, err
			}
			if !isAuthor(c, comment) {
				return comment, api.NewProblem(api.CodeForbidden, "Only its author may change a comment.")
			}
			if comment, err = t.patchComment(tx, c, s, comment, patch); err != nil {
				return comment, err
			}
			return withReactions(tx.Queries, c, comment)
		})
}

// patchComment applies a patch to a locked comment. A patch that changes nothing stores and publishes nothing.
func (t *Tracker) patchComment(tx *access.Tx, c access.Caller, s store.Slice, comment api.Comment,
	patch api.CommentPatch) (
	api.Comment, error,
) {
	before := comment.Body
	previous, err := applyPatch(&comment.CommentFields, patch)
	if err != nil {
		return comment, err
	}
	if len(previous) == 0 {
		return withMentions(tx.Queries, s.WorkspaceID, comment)
	}
	if hasKey(previous, "visibleToReporter") {
		if err := checkVisible(tx.Queries, s.ID, comment.CommentFields); err != nil {
			return comment, err
		}
	}
	comment.UpdatedAt = maxTime(t.clock(), comment.UpdatedAt)
	if err := tx.UpdateComment(comment); err != nil {
		return comment, access.OrNotFound(err, "comment")
	}
	tx.Charge(s.WorkspaceID, int64(len(comment.Body)-len(before)))
	return t.publishComment(tx, c, s, event{Type: api.EventCommentUpdated, ID: s.ID, Subject: comment,
		Previous: previous})
}

// DeleteComment deletes the caller's own comment. An admin of the workspace deletes any.
func (t *Tracker) DeleteComment(ctx context.Context, c access.Caller, v input.Valid[api.DeleteComment],
) (api.Nothing, error) {
	in, err := v.Value(c.Allow(api.OpDeleteComment))
	if err != nil {
		return api.Nothing{}, err
	}
	return access.Write(ctx, t.access, c, api.OpDeleteComment,
		func(tx *access.Tx, c access.Caller) (api.Nothing, error) {
			comment, s, err := c.LockComment(tx, in.CommentID)
			if err != nil {
				return api.Nothing{}, err
			}
			if !isAuthor(c, comment) {
				if err := c.RequireAdmin(tx.Queries, s.WorkspaceID); err != nil {
					return api.Nothing{}, err
				}
			}
			return api.Nothing{}, t.deleteComment(tx, c, s, comment)
		})
}

// deleteComment deletes a locked comment of a locked slice, also from the events.
func (t *Tracker) deleteComment(tx *access.Tx, c access.Caller, s store.Slice, comment api.Comment) error {
	if err := tx.DeleteComment(comment); err != nil {
		return access.OrNotFound(err, "comment")
	}
	tx.Charge(s.WorkspaceID, -store.CommentBytes(comment))
	if err := eraseBody(tx, s, comment); err != nil {
		return err
	}
	comment.Body = deletedBody
	_, err := t.publishComment(tx, c, s, event{Type: api.EventCommentDeleted, ID: s.ID, Subject: comment})
	return err
}

// deletedBody replaces the text of a deleted comment in the log.
const deletedBody = "[deleted]"

// eraseBody replaces the text of a comment in the events of the log.
func eraseBody(tx *access.Tx, s store.Slice, comment api.Comment) error {
	comment.Body, comment.Mentions, comment.Reactions = deletedBody, []api.Mention{}, []api.Reaction{}
	data, err := json.Marshal(api.EventData{Comment: &comment})
	if err != nil {
		return err
	}
	return tx.ScrubComment(s, comment.ID, []api.EventType{api.EventCommentCreated, api.EventCommentUpdated}, data)
}
