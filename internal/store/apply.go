package store

import (
	"maps"
	"slices"
)

// Apply writes the changes of a write, in this order:
//
//  1. slices, which are locked. UpdateSlice has written those that a unique index may refuse;
//  2. the bytes and the sequences of workspaces, in the order of their ids, which locks them;
//  3. events;
//  4. the slices that recur;
//  5. statistics and then releases, in the order of their keys. No row is locked after them.
//
// The terms by which lists find slices are written later, for all writes that share the transaction, and on SQLite,
// where nothing is locked, the statistics as well: see flush. The end of a write applies its changes. A write that
// must know that it waits for no more locks calls Apply before its last statement.
func (tx *Tx) Apply() error {
	for _, apply := range []func() error{tx.ApplySlices, tx.applyCounters, tx.applyEvents, tx.writeRecurring,
		tx.countSlices} {
		if err := apply(); err != nil {
			return err
		}
	}
	return nil
}

// applyCounters writes charges and sequences.
func (tx *Tx) applyCounters() error {
	changed := slices.AppendSeq(slices.Collect(maps.Keys(tx.charges)), maps.Keys(tx.sequences))
	slices.Sort(changed)
	for _, id := range slices.Compact(changed) {
		if bytes, sequences := tx.charges[id], tx.sequences[id]; bytes != 0 || sequences != 0 {
			if err := tx.db.Exec("UPDATE workspaces SET stored = stored + $2, last_sequence = last_sequence + $3 WHERE id = $1",
				id, bytes, sequences); err != nil {
				return err
			}
		}
	}
	tx.charges, tx.counters, tx.sequences = nil, nil, nil
	return nil
}
