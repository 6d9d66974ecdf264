package store

import (
	"fmt"
	"strings"

	"bugslice/api"
)

const commentColumns = "c.id, c.slice_id, c.body, c.author_type, c.author_id, c.author_name, c.created_at, c.updated_at"

func scanComment(r row) (c api.Comment, err error) {
	var created, updated int64
	err = r.Scan(&c.ID, &c.SliceID, &c.Body, &c.Author.Type, &c.Author.ID, &c.Author.Name, &created, &updated)
	c.CreatedAt, c.UpdatedAt = api.FromMillis(created), api.FromMillis(updated)
	return c, err
}

// InsertComment stores a new comment.
func (tx *Tx) InsertComment(c api.Comment) error {
	_, err := tx.db.exec(`INSERT INTO comments (id, slice_id, body, author_type, author_id, author_name, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		c.ID, c.SliceID, c.Body, c.Author.Type, c.Author.ID, c.Author.Name, c.CreatedAt.UnixMilli(), c.UpdatedAt.UnixMilli())
	return err
}

const commentByID = "SELECT " + commentColumns + " FROM comments c WHERE c.id = $1"

// Comment returns a comment, whoever sees it.
func (q Queries) Comment(id string) (api.Comment, error) {
	return one(q.db, scanComment, commentByID, id)
}

// LockComment is Comment with a row lock.
func (tx *Tx) LockComment(id string) (api.Comment, error) {
	return one(tx.db, scanComment, commentByID+tx.db.engine.lockRow, id)
}

// Comments returns at most limit comments of a slice behind afterID.
func (q Queries) Comments(sliceID, afterID string, limit int) ([]api.Comment, error) {
	return list(q.db, scanComment, "SELECT "+commentColumns+" FROM comments c WHERE c.slice_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3", sliceID, afterID, limit)
}

// UpdateComment stores the text of a comment.
func (tx *Tx) UpdateComment(c api.Comment) error {
	n, err := tx.db.exec("UPDATE comments SET body = $2, updated_at = $3 WHERE id = $1", c.ID, c.Body, c.UpdatedAt.UnixMilli())
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// DeleteComment removes a comment.
func (tx *Tx) DeleteComment(id string) error {
	n, err := tx.db.exec("DELETE FROM comments WHERE id = $1", id)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// Named returns what the users and keys are called that have one of the ids.
func (q Queries) Named(ids []string) (map[string]string, error) {
	names := map[string]string{}
	if len(ids) == 0 {
		return names, nil
	}
	var p params
	some := in(&p, ids)
	rows, err := list(q.db, func(r row) (v [2]string, err error) { return v, r.Scan(&v[0], &v[1]) },
		fmt.Sprintf("SELECT id, name FROM users WHERE id IN %[1]s UNION ALL SELECT id, name FROM api_keys WHERE id IN %[1]s", some), p.args...)
	for _, v := range rows {
		names[v[0]] = v[1]
	}
	return names, err
}

// Mentioned returns the members of a workspace that are called by their ids or their e-mail
// addresses, by both.
func (q Queries) Mentioned(workspaceID string, called []string) (map[string]api.Mention, error) {
	members := map[string]api.Mention{}
	if len(called) == 0 {
		return members, nil
	}
	var p params
	rows, err := list(q.db, func(r row) (v [3]string, err error) { return v, r.Scan(&v[0], &v[1], &v[2]) },
		"SELECT u.id, u.name, u.email FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = "+p.add(workspaceID)+
			" AND (u.id IN "+in(&p, called)+" OR u.email IN "+in(&p, called)+")", p.args...)
	for _, v := range rows {
		m := api.Mention{UserID: v[0], Name: v[1]}
		members[v[0]], members[v[2]] = m, m
	}
	return members, err
}

// ForgetComment replaces what every event about a slice tells of a comment, so that what was
// deleted is not told on. What is looked for stands in no text that somebody wrote: there quotes are
// escaped.
func (tx *Tx) ForgetComment(s Slice, commentID string, types []api.EventType, data []byte) error {
	p := params{args: []any{s.ID, `%"comment":{"id":"` + strings.ReplaceAll(commentID, "_", "!_") + `"%`}}
	which := " WHERE subject_id = $1 AND data LIKE $2 ESCAPE '!' AND type IN " + in(&p, types)
	bytes, err := list(tx.db, scanOne[int64], "SELECT octet_length(data) FROM events"+which, p.args...)
	if err != nil {
		return err
	}
	for _, n := range bytes {
		tx.Charge(s.WorkspaceID, int64(len(data))-n)
	}
	_, err = tx.db.exec("UPDATE events SET data = "+p.add(string(data))+which, p.args...)
	return err
}

// EventsAbout returns at most limit events about a subject behind afterID, of types that are
// shown, oldest first.
func (q Queries) EventsAbout(subjectID string, types []api.EventType, afterID string, limit int) ([]Event, error) {
	var p params
	return list(q.db, scanEvent, "SELECT "+eventColumns+" FROM events e WHERE e.subject_id = "+p.add(subjectID)+" AND e.id > "+p.add(afterID)+
		" AND e.type IN "+in(&p, types)+" ORDER BY e.id LIMIT "+p.add(limit), p.args...)
}
