package store

import (
	"maps"
	"slices"

	"bugslice/internal/store/sqldb"
)

// recount changes the statistics of the workspace of a slice by its counted members before and after a
// change. The end of the transaction writes them.
func (tx *Tx) recount(s *Slice, before, after *counted) {
	tx.recounts = append(tx.recounts, recount{row: s.Row, sliceID: s.ID, workspaceID: s.WorkspaceID, before: before,
		after: after})
}

// changedStatistics returns the changes of the rows that count slices.
func changedStatistics(recounts []recount) map[statisticKey]tally {
	changes := map[statisticKey]tally{}
	add := func(k statisticKey, change tally) {
		t := changes[k]
		t.opened, t.resolved, t.unresolved = t.opened+change.opened, t.resolved+change.resolved, t.unresolved+
			change.unresolved
		changes[k] = t
	}
	subtract := func(k statisticKey, t tally) { add(k, tally{-t.opened, -t.resolved, -t.unresolved}) }
	for _, r := range recounts {
		if !r.before.equalInTime(*r.after) {
			r.before.eachStatistic(r.workspaceID, subtract)
			r.after.eachStatistic(r.workspaceID, add)
		}
		r.before.eachPresent(r.workspaceID, subtract)
		r.after.eachPresent(r.workspaceID, add)
	}
	maps.DeleteFunc(changes, func(_ statisticKey, t tally) bool { return t == tally{} })
	return changes
}

// countSlices adds the changes of the write to those of the statistics. Where writes lock rows, they are written at
// once.
func (tx *Tx) countSlices() error {
	tx.shared.Pending.statistics, tx.recounts = append(tx.shared.Pending.statistics, tx.recounts...), nil
	if tx.db.Engine.IsEmbedded {
		return nil
	}
	return tx.writeStatistics()
}

// writeStatistics writes the pending changes of statistics, in the order of their keys, and deletes rows that count
// nothing, and then the releases. No lock is acquired after those of the rows.
func (tx *Tx) writeStatistics() error {
	changes := changedStatistics(tx.shared.Pending.statistics)
	var empty []statisticKey
	keys := slices.SortedFunc(maps.Keys(changes), statisticKey.compare)
	rows := make([][]any, len(keys))
	for i, k := range keys {
		t := changes[k]
		rows[i] = []any{k.workspaceID, k.kind, k.span, int64(k.start), k.value, t.opened, t.resolved, t.unresolved}
	}
	const names = "workspace_id, kind, span, start, value, opened, resolved, unresolved"
	err := tx.db.EachTable("workspace_id TEXT, kind TEXT, span BIGINT, start BIGINT, value TEXT, opened BIGINT, resolved BIGINT, "+
		"unresolved BIGINT", rows, func(from string, args []any) error {
		counts, err := sqldb.List(tx.db, scanTally, "INSERT INTO slice_statistics ("+names+") SELECT "+names+" FROM "+from+` WHERE 1 = 1
			ON CONFLICT (workspace_id, kind, span, start, value) DO UPDATE SET
				opened = slice_statistics.opened + excluded.opened, resolved = slice_statistics.resolved + excluded.resolved,
				unresolved = slice_statistics.unresolved + excluded.unresolved
			RETURNING `+names, args...)
		for _, c := range counts {
			if c.opened == 0 && c.resolved == 0 {
				empty = append(empty, c.statisticKey)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	recounts := tx.shared.Pending.statistics
	tx.shared.Pending.statistics = nil
	if err := tx.deleteEmptyStatistics(empty); err != nil {
		return err
	}
	return writeReleases(tx.db, recounts)
}

// deleteEmptyStatistics deletes those of some rows of statistics that count nothing. The keys are in order, and those
// that differ in their values alone share a statement.
func (tx *Tx) deleteEmptyStatistics(keys []statisticKey) error {
	const valuesPerStatement = 100
	for len(keys) > 0 {
		first := keys[0]
		var values []string
		for _, k := range keys[:min(len(keys), valuesPerStatement)] {
			if k.workspaceID != first.workspaceID || k.kind != first.kind || k.span != first.span ||
				k.start != first.start {
				break
			}
			values = append(values, k.value)
		}
		keys = keys[len(values):]
		p := sqldb.Params{Args: []any{first.workspaceID, first.kind, first.span, int64(first.start)}}
		if err := tx.db.Exec(`DELETE FROM slice_statistics WHERE workspace_id = $1 AND kind = $2 AND span = $3 AND start = $4
				AND value IN `+sqldb.In(&p, values)+" AND opened = 0 AND resolved = 0", p.Args...); err != nil {
			return err
		}
	}
	return nil
}

// storedTally is a row of the statistics.
type storedTally struct {
	statisticKey
	tally
}

func scanTally(r sqldb.Row) (t storedTally, err error) {
	return t, r.Scan(&t.workspaceID, &t.kind, &t.span, &t.start, &t.value, &t.opened, &t.resolved, &t.unresolved)
}
