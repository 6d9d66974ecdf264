package tracker

import (
	"context"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/store/reactions"
)

// maxReactionNames is the number of names of those who have reacted to a comment in one way that a report has.
const maxReactionNames = 10

// SetReaction adds a reaction of the calling user to a comment, or takes it back. What is so already changes nothing.
// It refuses a service.
func (t *Tracker) SetReaction(ctx context.Context, c access.Caller, v input.Valid[api.SetReaction]) (api.Comment, error) {
	in, err := v.Value(c.Allow(api.OpSetReaction))
	if err != nil {
		return api.Comment{}, err
	}
	return access.Write(ctx, t.access, c, api.OpSetReaction, func(tx *access.Tx, c access.Caller) (api.Comment, error) {
		comment, s, err := c.LockComment(tx, in.CommentID)
		if err != nil {
			return comment, err
		}
		if c.Type != access.UserCaller {
			return comment, api.NewProblem(api.CodeForbidden, "A workspace service token cannot react. Use a personal access token.")
		}
		if err := t.setReaction(tx, c, s, comment.ID, in.Body); err != nil {
			return comment, err
		}
		if comment, err = withMentions(tx.Queries, s.WorkspaceID, comment); err != nil {
			return comment, err
		}
		return withReactions(tx.Queries, c, comment)
	})
}

// setReaction changes a reaction to a locked comment, and publishes the change. The version of the slice changes, by
// which open pages and copies of the report know that they are old; the time of its last change stays.
func (t *Tracker) setReaction(tx *access.Tx, c access.Caller, s store.Slice, commentID string, set api.ReactionSetting) error {
	r := reactions.Reaction{SliceID: s.ID, CommentID: commentID, UserID: c.ID, Kind: set.Kind, At: t.clock()}
	write := tx.Reactions().Add
	if set.Remove {
		write = tx.Reactions().Remove
	}
	changed, err := write(r)
	if err != nil || !changed {
		return err
	}
	if _, err := tx.BumpVersion(s.ID, store.SliceCounts{}, s.UpdatedAt); err != nil {
		return access.OrNotFound(err, "slice")
	}
	return t.publish(tx, c, s.WorkspaceID, event{Type: api.EventCommentReacted, ID: s.ID, Subject: api.ReactionChange{
		CommentID: commentID, SliceID: s.ID, UserID: c.ID, Kind: set.Kind, Removed: set.Remove}})
}

// resolveReactions sets the reactions of comments of a slice. Those of the caller are its own.
func resolveReactions(q access.Queries, c access.Caller, sliceID string, comments []api.Comment) error {
	counts, err := q.Reactions().Counts(reactions.Of(sliceID, comments), c.ID)
	for i := range comments {
		comments[i].Reactions = append([]api.Reaction{}, counts[comments[i].ID]...)
	}
	return err
}

// withReactions returns a comment with its reactions.
func withReactions(q access.Queries, c access.Caller, comment api.Comment) (api.Comment, error) {
	one := []api.Comment{comment}
	err := resolveReactions(q, c, comment.SliceID, one)
	return one[0], err
}

// readReactions reads the reactions to the comments of a report, and the names of those who have reacted.
func readReactions(q access.Queries, c access.Caller, r *Report) error {
	if err := resolveReactions(q, c, r.ID, r.Comments); err != nil {
		return err
	}
	for _, m := range r.Comments {
		if len(m.Reactions) > 0 {
			var err error
			r.Reacted, err = q.Reactions().Names(reactions.Of(r.ID, r.Comments), maxReactionNames)
			return err
		}
	}
	return nil
}
