package store

import (
	"slices"
	"strings"
)

// factColumns are the columns of live_facts beside its keys.
var factColumns = []string{"reporter_id", "space_id", "severity", "release", "browser", "os", "viewport", "unlabelled"}

// facts returns the values of factColumns.
func (c counted) facts() []any {
	all := make([]any, 0, len(factColumns))
	for _, text := range []string{c.reporter, c.space, c.severity, c.release, c.browser, c.os, c.viewport} {
		if text == "" {
			all = append(all, nil)
		} else {
			all = append(all, text)
		}
	}
	return append(all, flag(len(c.labels) == 0))
}

// changedFacts returns the columns of live_facts that a change of a slice changes: all of them for a new row.
func (r recount) changedFacts() (columns []string) {
	before, after := r.before.facts(), r.after.facts()
	for i, name := range factColumns {
		if !r.before.exists || before[i] != after[i] {
			columns = append(columns, name)
		}
	}
	return columns
}

// factUpdate is a row of live_facts that is stored, and its columns that differ from the row before.
type factUpdate struct {
	values  []any
	columns []string
}

// writeFacts writes the changes of live_facts that pending changes of slices make. SQLite writes each index of a column that a statement
// stores, so that rows with the same changed columns share statements.
func (tx *Tx) writeFacts() error {
	var updates []factUpdate
	var deleted []int64
	for _, r := range changesOfRows(tx.recounts) {
		if !r.after.exists {
			if r.before.exists {
				deleted = append(deleted, r.row)
			}
			continue
		}
		if columns := r.changedFacts(); len(columns) > 0 {
			updates = append(updates, factUpdate{append([]any{r.row, r.sliceID, r.workspaceID}, r.after.facts()...), columns})
		}
	}
	for same := range withSameColumns(updates, func(u factUpdate) []string { return u.columns }) {
		if err := tx.storeFacts(same); err != nil {
			return err
		}
	}
	const rowsPerDeletion = 100
	for chunk := range slices.Chunk(deleted, rowsPerDeletion) {
		var p params
		if err := tx.db.exec("DELETE FROM live_facts WHERE row IN "+in(&p, chunk), p.args...); err != nil {
			return err
		}
	}
	return nil
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

// storeFacts inserts rows of live_facts, or updates the same columns of those that exist.
func (tx *Tx) storeFacts(all []factUpdate) error {
	rows, set := make([][]any, len(all)), make([]string, len(all[0].columns))
	for i, u := range all {
		rows[i] = u.values
	}
	for i, name := range all[0].columns {
		set[i] = name + " = excluded." + name
	}
	columns := "row BIGINT, slice_id TEXT, workspace_id TEXT, " + strings.Join(factColumns, " TEXT, ") + " SMALLINT"
	_, err := tx.db.insert("live_facts", columns, rows, "ON CONFLICT (row) DO UPDATE SET "+strings.Join(set, ", "))
	return err
}

// listAllFacts stores the facts of all slices. live_facts is empty before.
func (tx *Tx) listAllFacts() error {
	fact := tx.db.engine.fact
	return tx.db.exec("INSERT INTO live_facts (row, slice_id, workspace_id, " + strings.Join(factColumns, ", ") + ")" +
		" SELECT row, id, workspace_id, reporter_id, space_id, severity, " + fact("release") + ", " + fact("browser") + ", " + fact("os") +
		", " + fact("viewport") + ", CASE WHEN labels = '' THEN 1 ELSE 0 END FROM slices WHERE deleted_at IS NULL")
}
