// Package pictures stores the pictures of users. A picture has a name of its own, by which the users of the
// organisation read it, and another picture has another name.
package pictures

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"bugslice/internal/store/sqldb"
)

// Reader reads pictures.
type Reader struct{ DB *sqldb.Executor }

// Of returns the names of the pictures of those users of an organisation who have one, by the id of the user.
func (q Reader) Of(orgID string, userIDs []string) (map[string]string, error) {
	all := map[string]string{}
	if len(userIDs) == 0 {
		return all, nil
	}
	p := sqldb.Params{Args: []any{orgID}}
	_, err := sqldb.List(q.DB, func(r sqldb.Row) (_ struct{}, err error) {
		var id, name string
		err = r.Scan(&id, &name)
		all[id] = name
		return struct{}{}, err
	}, "SELECT u.id, u.picture FROM users u WHERE u.org_id = $1 AND u.picture <> '' AND u.id IN "+sqldb.In(&p, userIDs), p.Args...)
	return all, err
}

// Named returns the bytes of a picture of an organisation, or the error of no row.
func (q Reader) Named(orgID, name string) ([]byte, error) {
	text, err := sqldb.One(q.DB, sqldb.ScanOne[string], `SELECT p.data FROM users u JOIN user_pictures p ON p.user_id = u.id
		WHERE u.picture = $2 AND u.picture <> '' AND u.org_id = $1`, orgID, name)
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(text)
}

// Writer changes pictures.
type Writer struct{ DB *sqldb.Executor }

// Set stores the picture of a user in place of the former one.
func (w Writer) Set(userID string, jpeg []byte) error {
	sum := sha256.Sum256(append([]byte(userID+"\n"), jpeg...))
	return errors.Join(
		w.DB.Exec("UPDATE users SET picture = $2 WHERE id = $1", userID, base64.RawURLEncoding.EncodeToString(sum[:12])),
		w.DB.Exec(`INSERT INTO user_pictures (user_id, data) VALUES ($1, $2)
			ON CONFLICT (user_id) DO UPDATE SET data = excluded.data`, userID, base64.StdEncoding.EncodeToString(jpeg)))
}

// Remove removes the picture of a user.
func (w Writer) Remove(userID string) error {
	return errors.Join(w.DB.Exec("UPDATE users SET picture = '' WHERE id = $1", userID),
		w.DB.Exec("DELETE FROM user_pictures WHERE user_id = $1", userID))
}
