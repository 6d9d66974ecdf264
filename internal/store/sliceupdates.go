package store

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
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
	return inStatements(all, func(u sliceUpdate) []string { return u.columns }, tx.writeTogether)
}

// inStatements calls write with the rows of each statement: rows that change the same columns. It sorts all.
func inStatements[T any](all []T, columns func(T) []string, write func([]T) error) error {
	slices.SortStableFunc(all, func(a, b T) int { return slices.Compare(columns(a), columns(b)) })
	for len(all) > 0 {
		same := 1
		for same < len(all) && slices.Equal(columns(all[same]), columns(all[0])) {
			same++
		}
		n := rowsPerStatement(same)
		if err := write(all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// rowsPerStatement returns how many of n rows a statement writes: a power of two, so that few different statements are prepared.
func rowsPerStatement(n int) int {
	const most = 32
	return 1 << (bits.Len(uint(min(n, most))) - 1)
}

// writeTogether writes updates of the same columns by one statement, each over the version that it follows, else ErrConflict.
func (tx *Tx) writeTogether(all []sliceUpdate) error {
	var p params
	set := "version = slices.version + 1"
	for i, name := range all[0].columns {
		set += ", " + name + " = v.column" + strconv.Itoa(i+3)
	}
	rows := make([]string, len(all))
	for i, u := range all {
		values := []string{p.add(u.id), p.add(u.version)}
		for _, v := range u.values {
			values = append(values, p.add(v))
		}
		if i == 0 { // PostgreSQL takes the types of all rows from the first one
			values[0], values[1] = "CAST("+values[0]+" AS TEXT)", "CAST("+values[1]+" AS BIGINT)"
			for j, name := range u.columns {
				values[j+2] = "CAST(" + values[j+2] + " AS " + columnType(name) + ")"
			}
		}
		rows[i] = "(" + strings.Join(values, ", ") + ")"
	}
	n, err := tx.db.execCount("UPDATE slices SET "+set+" FROM (VALUES "+strings.Join(rows, ", ")+
		") AS v WHERE slices.id = v.column1 AND slices.version = v.column2", p.args...)
	if err == nil && n != int64(len(all)) {
		err = ErrConflict
	}
	return err
}

// columnType returns the type of a changeable column.
func columnType(name string) string {
	if strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "_count") || strings.HasPrefix(name, "evidence_") {
		return "BIGINT"
	}
	return "TEXT"
}
