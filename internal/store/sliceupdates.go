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

// addUpdate adds the next version of a slice to the changes, which have no other one of it. When a unique index may
// refuse it, it is written at once, after the others, so that the caller gets the error.
func (tx *Tx) addUpdate(u sliceUpdate, refusable bool) error {
	if refusable || slices.ContainsFunc(tx.slices, func(other sliceUpdate) bool { return other.id == u.id }) {
		if err := tx.ApplySlices(); err != nil {
			return err
		}
	}
	if refusable {
		return tx.writeSame([]sliceUpdate{u})
	}
	tx.slices = append(tx.slices, u)
	return nil
}

// ApplySlices writes the changes of slices, so that the next statements see them. Changes of the same columns share
// statements. It returns ErrConflict when the stored version of a slice is not the version that was changed. Methods of
// Tx that lock or write slices begin with it, unless they are the first step of the transaction of a job.
func (tx *Tx) ApplySlices() error {
	all := slices.Clone(tx.slices) // taking changes back needs them in their order
	tx.slices = nil
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
	var updated int64
	err := tx.db.EachTable(columns, rows, func(from string, args []any) error {
		n, err := tx.db.ExecCount("UPDATE slices SET "+set+" FROM "+from+
			" WHERE slices.id = v.id AND slices.version = v.former", args...)
		updated += n
		return err
	})
	if err == nil && updated != int64(len(rows)) {
		err = ErrConflict
	}
	return err
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
