// Package reactions stores the reactions of users to comments, at most one of each kind by a user. Who adds one has
// locked the comment.
package reactions

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Reaction is a reaction of a user to a comment of a slice.
type Reaction struct {
	SliceID, CommentID, UserID string
	Kind                       api.ReactionKind
	At                         api.Time
}

// Between are the comments of a slice from First to Last, by id.
type Between struct{ SliceID, First, Last string }

// Of returns the comments of a slice between the lowest and the highest id of some.
func Of(sliceID string, comments []api.Comment) Between {
	b := Between{SliceID: sliceID}
	for i, c := range comments {
		if i == 0 || c.ID < b.First {
			b.First = c.ID
		}
		b.Last = max(b.Last, c.ID)
	}
	return b
}

// Reader reads reactions.
type Reader struct{ DB *sqldb.Executor }

// Counts returns the reactions to comments, by the id of the comment and in the order of their kinds. Those of the
// user are marked as own.
func (q Reader) Counts(of Between, userID string) (map[string][]api.Reaction, error) {
	all := map[string][]api.Reaction{}
	if of.Last == "" {
		return all, nil
	}
	_, err := sqldb.List(q.DB, func(r sqldb.Row) (_ struct{}, err error) {
		var commentID string
		var n api.Reaction
		var own int64
		err = r.Scan(&commentID, &n.Kind, &n.Count, &own)
		n.Own = own > 0
		all[commentID] = append(all[commentID], n)
		return struct{}{}, err
	}, `SELECT r.comment_id, r.kind, count(*), count(CASE WHEN r.user_id = $4 THEN 1 END) FROM reactions r
		WHERE r.slice_id = $1 AND r.comment_id BETWEEN $2 AND $3 GROUP BY r.comment_id, r.kind`,
		of.SliceID, of.First, of.Last, userID)
	order := api.ReactionKind("").Values()
	for _, list := range all {
		slices.SortFunc(list, func(a, b api.Reaction) int {
			return slices.Index(order, string(a.Kind)) - slices.Index(order, string(b.Kind))
		})
	}
	return all, err
}

// Names returns the names of the first users that have reacted to comments, at most limit to each in each way, by the
// id of the comment and the kind.
func (q Reader) Names(of Between, limit int) (map[string]map[api.ReactionKind][]string, error) {
	all := map[string]map[api.ReactionKind][]string{}
	_, err := sqldb.List(q.DB, func(r sqldb.Row) (_ struct{}, err error) {
		var commentID, name string
		var kind api.ReactionKind
		err = r.Scan(&commentID, &kind, &name)
		if all[commentID] == nil {
			all[commentID] = map[api.ReactionKind][]string{}
		}
		all[commentID][kind] = append(all[commentID][kind], name)
		return struct{}{}, err
	}, `SELECT n.comment_id, n.kind, u.name FROM (SELECT r.comment_id, r.kind, r.user_id,
			row_number() OVER (PARTITION BY r.comment_id, r.kind ORDER BY r.created_at, r.user_id) AS place
		FROM reactions r WHERE r.slice_id = $1 AND r.comment_id BETWEEN $2 AND $3) n JOIN users u ON u.id = n.user_id
		WHERE n.place <= $4 ORDER BY n.comment_id, n.kind, n.place`, of.SliceID, of.First, of.Last, limit)
	return all, err
}

// Writer changes reactions.
type Writer struct{ DB *sqldb.Executor }

// Add adds a reaction, and reports whether the user had not reacted so before.
func (w Writer) Add(r Reaction) (bool, error) {
	n, err := w.DB.ExecCount(`INSERT INTO reactions (slice_id, comment_id, kind, user_id, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (slice_id, comment_id, kind, user_id) DO NOTHING`, r.SliceID, r.CommentID, r.Kind, r.UserID, r.At.UnixMilli())
	return n > 0, err
}

// Remove takes a reaction back, and reports whether the user had reacted so.
func (w Writer) Remove(r Reaction) (bool, error) {
	n, err := w.DB.ExecCount("DELETE FROM reactions WHERE slice_id = $1 AND comment_id = $2 AND kind = $3 AND user_id = $4",
		r.SliceID, r.CommentID, r.Kind, r.UserID)
	return n > 0, err
}

// DeleteOf deletes the reactions to a comment.
func (w Writer) DeleteOf(sliceID, commentID string) error {
	return w.DB.Exec("DELETE FROM reactions WHERE slice_id = $1 AND comment_id = $2", sliceID, commentID)
}
