package store

import (
	"iter"
	"slices"
)

// sliceUpdate is the next version of a slice: the values of the columns that change.
type sliceUpdate struct {
	id      string
	version int64 // the one before
	columns []string
	values  []any
}

// storeUpdate stores the next version of a slice. In a grouped transaction it waits for the next statement, with the others, unless a
// unique index may refuse it: then the caller gets the error.
func (tx *Tx) storeUpdate(u sliceUpdate, refusable bool) error {
	tx.updates = append(tx.updates, u)
	if tx.grouped && !refusable {
		tx.db.before = tx.writeUpdates
		return nil
	}
	return tx.writeUpdates()
}

// writeUpdates writes the pending updates of slices. Those of earlier attempts are no writes of the present one.
func (tx *Tx) writeUpdates() error {
	earlier, own, wrote := tx.earlier, tx.updates, tx.db.wrote
	tx.earlier, tx.updates, tx.db.before = nil, nil, nil
	err := tx.writeEach(earlier)
	tx.db.wrote = wrote
	if err == nil {
		err = tx.writeEach(own)
	}
	return err
}

// writeEach writes updates of slices. Those that change the same columns share statements.
func (tx *Tx) writeEach(all []sliceUpdate) error {
	for same := range withSameColumns(all, func(u sliceUpdate) []string { return u.columns }) {
		if err := tx.writeSame(same); err != nil {
			return err
		}
	}
	return nil
}

// writeSame writes updates of the same columns, each over the version that it follows, else it returns ErrConflict.
func (tx *Tx) writeSame(all []sliceUpdate) error {
	columns, set := "id TEXT, former BIGINT", "version = slices.version + 1"
	for _, name := range all[0].columns {
		columns += ", " + name + " " + members.member(name).cell.sqlType
		set += ", " + name + " = v." + name
	}
	rows := make([][]any, len(all))
	for i, u := range all {
		rows[i] = append([]any{u.id, u.version}, u.values...)
	}
	for some := range tx.db.engine.chunks(rows) {
		var p params
		from, err := tx.db.engine.rowsTable(&p, columns, some)
		if err != nil {
			return err
		}
		n, err := tx.db.execCount("UPDATE slices SET "+set+" FROM "+from+" WHERE slices.id = v.id AND slices.version = v.former", p.args...)
		if err == nil && n != int64(len(some)) {
			err = ErrConflict
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withSameColumns yields together what changes the same columns. It sorts all.
func withSameColumns[T any](all []T, columns func(T) []string) iter.Seq[[]T] {
	slices.SortStableFunc(all, func(a, b T) int { return slices.Compare(columns(a), columns(b)) })
	return func(yield func([]T) bool) {
		for n := 0; len(all) > 0; all = all[n:] {
			if n = slices.IndexFunc(all, func(v T) bool { return !slices.Equal(columns(v), columns(all[0])) }); n < 0 {
				n = len(all)
			}
			if !yield(all[:n]) {
				return
			}
		}
	}
}
