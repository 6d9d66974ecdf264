package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"bugslice/internal/store/sqldb"
)

// fingerprintKey is a fingerprint in a workspace.
type fingerprintKey struct{ workspaceID, fingerprint string }

// selectRecurring selects the rows of recurring_slices: the live slices that were reported more than once, or with
// whose fingerprint there is another one.
const selectRecurring = `SELECT s.id, s.workspace_id, s.created_at, s.fingerprint, s.occurrence_count FROM slices s
	WHERE s.deleted_at IS NULL AND s.fingerprint IS NOT NULL AND (s.occurrence_count > 1 OR EXISTS (SELECT 1 FROM slices o
		WHERE o.workspace_id = s.workspace_id AND o.fingerprint = s.fingerprint AND o.deleted_at IS NULL AND o.id <> s.id))`

// listAllRecurring stores the rows of all slices. recurring_slices is empty before.
func (tx *Tx) listAllRecurring() error { return tx.insertRecurring("") }

// insertRecurring stores the rows of the slices that satisfy a further condition, which begins with AND, or of all
// when it is empty.
func (tx *Tx) insertRecurring(condition string, args ...any) error {
	return tx.db.Exec("INSERT INTO recurring_slices (slice_id, workspace_id, created_at, fingerprint, occurrence_count) "+
		selectRecurring+condition, args...)
}

// writeRecurring derives those rows of recurring_slices again that pending changes of slices may have changed: those
// of the slices, and of another one with the fingerprint of a slice that came or went.
func (tx *Tx) writeRecurring() error {
	changes := slices.DeleteFunc(changesOfRows(tx.recounts),
		func(r recount) bool { return r.before.reports == r.after.reports })
	moved := map[fingerprintKey][]string{} // the slices that came or went, by their fingerprint
	for _, r := range changes {
		for _, f := range []string{r.before.fingerprint, r.after.fingerprint} {
			if f != "" && r.before.fingerprint != r.after.fingerprint {
				k := fingerprintKey{r.workspaceID, f}
				moved[k] = append(moved[k], r.sliceID)
			}
		}
	}
	others, err := tx.slicesBeside(moved)
	if err != nil {
		return err
	}
	ids := slices.Concat(slices.Collect(maps.Values(others))...)
	for _, r := range changes {
		k := fingerprintKey{r.workspaceID, r.after.fingerprint}
		if isFirst := r.before.fingerprint == "" && r.after.count == 1 && len(moved[k]) == 1 &&
			len(others[k]) == 0; !isFirst {
			ids = append(ids, r.sliceID)
		}
	}
	const rowsPerStatement = 100
	for chunk := range slices.Chunk(ids, rowsPerStatement) {
		var p sqldb.Params
		if err := tx.db.Exec("DELETE FROM recurring_slices WHERE slice_id IN "+sqldb.In(&p, chunk),
			p.Args...); err != nil {
			return err
		}
		p = sqldb.Params{}
		if err := tx.insertRecurring(" AND s.id IN "+sqldb.In(&p, chunk), p.Args...); err != nil {
			return err
		}
	}
	return nil
}

// slicesBeside returns the first and the last of the live slices with each of some fingerprints, without some slices:
// no other one changes when these come and go.
func (tx *Tx) slicesBeside(without map[fingerprintKey][]string) (map[fingerprintKey][]string, error) {
	found := map[fingerprintKey][]string{}
	const keysPerStatement = 100
	for chunk := range slices.Chunk(slices.Collect(maps.Keys(without)), keysPerStatement) {
		var p sqldb.Params
		var values, ids []string
		for _, k := range chunk {
			values = append(values, "("+p.Add(k.workspaceID)+", "+p.Add(k.fingerprint)+")")
			ids = append(ids, without[k]...)
		}
		other := `(SELECT o.id FROM slices o WHERE o.workspace_id = f.workspace_id AND o.fingerprint = f.fingerprint
			AND o.deleted_at IS NULL AND o.id NOT IN ` + sqldb.In(&p, ids) + " ORDER BY o.id %s LIMIT 1)"
		text := fmt.Sprintf("WITH f (workspace_id, fingerprint) AS (VALUES %s) SELECT workspace_id, fingerprint, %s, %s FROM f",
			strings.Join(values, ", "), fmt.Sprintf(other, ""), fmt.Sprintf(other, "DESC"))
		_, err := sqldb.List(tx.db, func(r sqldb.Row) (k fingerprintKey, err error) {
			var first, last *string
			if err = r.Scan(&k.workspaceID, &k.fingerprint, &first, &last); err == nil && first != nil {
				found[k] = slices.Compact([]string{*first, *last})
			}
			return k, err
		}, text, p.Args...)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// changesOfRows returns one change for each slice: from before its first change to after its last one.
func changesOfRows(all []recount) (changes []recount) {
	at := map[int64]int{}
	for _, r := range all {
		if i, found := at[r.row]; found {
			changes[i].after = r.after
			continue
		}
		at[r.row] = len(changes)
		changes = append(changes, r)
	}
	return changes
}
