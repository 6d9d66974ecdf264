package store

import (
	"errors"
	"iter"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

const commentColumns = `c.id, c.slice_id, c.body, c.author_type, c.author_id, c.author_name, c.via, c.visible_to_reporter,
	c.created_at, c.updated_at`

func scanComment(r sqldb.Row) (c api.Comment, err error) {
	var via string
	var visible, created, updated int64
	err = r.Scan(&c.ID, &c.SliceID, &c.Body, &c.Author.Type, &c.Author.ID, &c.Author.Name, &via, &visible, &created, &updated)
	if err != nil {
		return c, err
	}
	c.VisibleToReporter, c.CreatedAt, c.UpdatedAt = visible == 1, api.FromMillis(created), api.FromMillis(updated)
	return c, unpack(via, &c.Via)
}

// packVia returns a key as a column has it.
func packVia(via *api.Via) (text string, err error) {
	err = pack(&text, via, via == nil)
	return text, err
}

// CommentBytes returns the size of a comment.
func CommentBytes(c api.Comment) int64 {
	via, _ := packVia(c.Via) // it can be encoded
	return bytesOf(c.Body, via)
}

// InsertComment stores a new comment, by whose words and mentions lists find its slice, and with its files.
func (tx *Tx) InsertComment(c api.Comment) error {
	via, err := packVia(c.Via)
	if err != nil {
		return err
	}
	err = tx.db.Exec(`INSERT INTO comments (id, slice_id, body, author_type, author_id, author_name, via,
		created_at, updated_at, visible_to_reporter)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		c.ID, c.SliceID, c.Body, c.Author.Type, c.Author.ID, c.Author.Name, via, c.CreatedAt.UnixMilli(),
		c.UpdatedAt.UnixMilli(), sqldb.Flag(c.VisibleToReporter))
	if err != nil {
		return err
	}
	return errors.Join(tx.addTextFiles(c.SliceID, c.ID, &c.Body),
		tx.replaceFurtherText(c.SliceID, furtherText{}, furtherText{text: c.Body}))
}

const commentByID = "SELECT " + commentColumns + " FROM comments c WHERE c.id = $1"

// Comment returns a comment.
func (q Queries) Comment(id string) (api.Comment, error) {
	return sqldb.One(q.db, scanComment, commentByID, id)
}

// LockComment is Comment with a row lock.
func (tx *Tx) LockComment(id string) (api.Comment, error) {
	return sqldb.One(tx.db, scanComment, commentByID+tx.db.Engine.LockRow, id)
}

// Comments returns at most limit comments of a slice after afterID, by id.
func (q Queries) Comments(sliceID, afterID string, limit int) ([]api.Comment, error) {
	return sqldb.List(q.db, scanComment, "SELECT "+commentColumns+` FROM comments c
		WHERE c.slice_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3`, sliceID, afterID, limit)
}

// CommentsWithin is Comments that ends with the second or later comment with which they have more than maxBytes of
// text.
func (q Queries) CommentsWithin(sliceID, afterID string, limit, maxBytes int) ([]api.Comment, error) {
	return commentsUntil(maxBytes, sqldb.Rows(q.db, scanComment, "SELECT "+commentColumns+` FROM comments c
		WHERE c.slice_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3`, sliceID, afterID, limit))
}

// commentsUntil reads comments until the second or later one with which they have more than maxBytes of text.
func commentsUntil(maxBytes int, rows iter.Seq2[api.Comment, error]) ([]api.Comment, error) {
	var all []api.Comment
	bytes := 0
	for c, err := range rows {
		if err != nil {
			return nil, err
		}
		all, bytes = append(all, c), bytes+len(c.Body)
		if len(all) > 1 && bytes > maxBytes {
			break
		}
	}
	return all, nil
}

// NewestCommentsWithin is NewestComments that ends with the second or later comment with which they have more than
// maxBytes of text.
func (q Queries) NewestCommentsWithin(sliceID, until string, limit, maxBytes int) ([]api.Comment, error) {
	text, args := newestComments(sliceID, until, limit)
	return commentsUntil(maxBytes, sqldb.Rows(q.db, scanComment, text, args...))
}

// NewestComments returns the newest limit comments of a slice until an id, or until the last one when it is empty,
// newest first.
func (q Queries) NewestComments(sliceID, until string, limit int) ([]api.Comment, error) {
	text, args := newestComments(sliceID, until, limit)
	return sqldb.List(q.db, scanComment, text, args...)
}

func newestComments(sliceID, until string, limit int) (text string, args []any) {
	var p sqldb.Params
	where := "c.slice_id = " + p.Add(sliceID)
	if until != "" {
		where += " AND c.id <= " + p.Add(until)
	}
	text = "SELECT " + commentColumns + " FROM comments c WHERE " + where + " ORDER BY c.id DESC LIMIT " + p.Add(limit)
	return text, p.Args
}

// CountCommentsUntil counts the comments of a slice until an id.
func (q Queries) CountCommentsUntil(sliceID, until string) (int64, error) {
	return sqldb.One(q.db, sqldb.ScanOne[int64], "SELECT count(*) FROM comments WHERE slice_id = $1 AND id <= $2",
		sliceID, until)
}

// CountCommentsAfter counts the comments of a slice after an id.
func (q Queries) CountCommentsAfter(sliceID, afterID string) (int64, error) {
	return sqldb.One(q.db, sqldb.ScanOne[int64], "SELECT count(*) FROM comments WHERE slice_id = $1 AND id > $2",
		sliceID, afterID)
}

// UpdateComment stores the text of a comment, as InsertComment does.
func (tx *Tx) UpdateComment(c api.Comment) error {
	former, err := tx.Comment(c.ID)
	if err != nil {
		return err
	}
	err = tx.db.Exec("UPDATE comments SET body = $2, updated_at = $3, visible_to_reporter = $4 WHERE id = $1", c.ID, c.Body,
		c.UpdatedAt.UnixMilli(), sqldb.Flag(c.VisibleToReporter))
	if err != nil {
		return err
	}
	return errors.Join(tx.replaceTextFiles(c.SliceID, c.ID, &c.Body),
		tx.replaceFurtherText(c.SliceID, furtherText{text: former.Body}, furtherText{text: c.Body}))
}

// DeleteComment deletes a comment and its reactions. Lists find its slice no longer by its text alone.
func (tx *Tx) DeleteComment(c api.Comment) error {
	if err := tx.db.ExecOne(ErrNotFound, "DELETE FROM comments WHERE id = $1", c.ID); err != nil {
		return err
	}
	return errors.Join(tx.Reactions().DeleteOf(c.SliceID, c.ID),
		tx.replaceTextFiles(c.SliceID, c.ID, nil),
		tx.replaceFurtherText(c.SliceID, furtherText{text: c.Body}, furtherText{}))
}
