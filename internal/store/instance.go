package store

import "bugslice/internal/store/sqldb"

// Instance identifies the instance of a database, and binds it to the storage of its files. The storage has Token,
// or NextToken while the token is renewed. Origin is the database's Store.Origin when the storage was bound.
type Instance struct{ ID, Token, NextToken, Origin string }

// Instance returns the database's instance; ErrNotFound before it has one.
func (q Queries) Instance() (Instance, error) {
	return sqldb.One(q.db, func(r sqldb.Row) (i Instance, err error) {
		return i, r.Scan(&i.ID, &i.Token, &i.NextToken, &i.Origin)
	}, "SELECT id, token, next_token, origin FROM instance WHERE row_number = 1")
}

// InsertInstance stores the database's instance, unless it has one.
func (tx *Tx) InsertInstance(i Instance) error {
	return tx.db.Exec(`INSERT INTO instance (row_number, id, token, next_token, origin) VALUES (1, $1, $2, $3, $4)
		ON CONFLICT (row_number) DO NOTHING`, i.ID, i.Token, i.NextToken, i.Origin)
}

// ReplaceInstance stores i if the database still has old, and reports whether it did.
func (tx *Tx) ReplaceInstance(old, i Instance) (bool, error) {
	n, err := tx.db.ExecCount(`UPDATE instance SET id = $1, token = $2, next_token = $3, origin = $4
		WHERE row_number = 1 AND id = $5 AND token = $6 AND next_token = $7 AND origin = $8`,
		i.ID, i.Token, i.NextToken, i.Origin, old.ID, old.Token, old.NextToken, old.Origin)
	return n == 1, err
}
