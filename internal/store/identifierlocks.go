package store

import (
	"hash/fnv"
	"maps"
	"slices"

	"bugslice/internal/store/sqldb"
)

// locksPerWorkspace is the number of locks that the identifiers of a workspace share: a batch needs no more, which
// PostgreSQL keeps in a table of fixed size.
const locksPerWorkspace = 16

// LockIdentifiers locks the fingerprint and the external id of slices, and the further identifiers that each slice
// gets, until the transaction ends. A transaction that gives a slice an identifier which is unique among open or live
// slices locks all such identifiers by one call, before it locks a row. So transactions with the same identifiers run
// one after another and do not deadlock: each may read whether an identifier is free, and no other one writes it.
func (tx *Tx) LockIdentifiers(further map[string][]string) error {
	if tx.db.Engine.LockRow == "" || len(further) == 0 {
		return nil
	}
	var p sqldb.Params
	var keys []int64
	_, err := sqldb.List(tx.db, func(r sqldb.Row) (n int, err error) {
		var sliceID, workspaceID string
		var fingerprint, externalID *string
		if err := r.Scan(&sliceID, &workspaceID, &fingerprint, &externalID); err != nil {
			return 0, err
		}
		for _, v := range []*string{fingerprint, externalID} {
			if v != nil {
				keys = append(keys, lockKey(workspaceID, *v))
			}
		}
		for _, v := range further[sliceID] {
			keys = append(keys, lockKey(workspaceID, v))
		}
		return 0, nil
	}, "SELECT id, workspace_id, fingerprint, external_id FROM slices WHERE id IN "+
		sqldb.In(&p, slices.Collect(maps.Keys(further))),
		p.Args...)
	if err != nil {
		return err
	}
	return tx.db.LockKeys(keys)
}

// LockNewIdentifiers is LockIdentifiers for a slice that does not exist yet.
func (tx *Tx) LockNewIdentifiers(workspaceID string, identifiers ...string) error {
	keys := make([]int64, len(identifiers))
	for i, v := range identifiers {
		keys[i] = lockKey(workspaceID, v)
	}
	return tx.db.LockKeys(keys)
}

// lockKey returns the key of the lock of an identifier.
func lockKey(workspaceID, identifier string) int64 {
	workspace, value := fnv.New64a(), fnv.New64a()
	workspace.Write([]byte(workspaceID))
	value.Write([]byte(identifier))
	return int64(workspace.Sum64()/locksPerWorkspace*locksPerWorkspace +
		value.Sum64()%locksPerWorkspace) //nolint:gosec // a hash
}
