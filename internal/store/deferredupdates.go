package store

import (
	"slices"
	"strconv"
	"strings"
)

// deferredUpdate is a change of a slice that a grouped transaction has not stored yet: the values of some of changeableColumns.
type deferredUpdate struct {
	id      string
	version int64 // before the change
	columns []int
	values  []any
}

// integerColumns are those of changeableColumns that are no texts.
var integerColumns = strings.Fields(`updated_at resolved_at deleted_at occurrence_count last_seen_at attachment_count evidence_console
	evidence_console_errors evidence_network evidence_failed_requests evidence_actions evidence_replays evidence_screenshots
	evidence_videos`)

// collidingColumns are those by which a slice may collide with another one. A change of them is stored at once, so that the item of a batch
// that makes it is refused.
var collidingColumns = []string{"status", "external_id", "deleted_at"}

// deferUpdate stores a change together with others, before the next statement of a grouped transaction. It returns whether it does.
func (tx *Tx) deferUpdate(s *Slice, columns []int, values []any) bool {
	isFinal := !slices.ContainsFunc(columns, func(i int) bool {
		return slices.Contains(collidingColumns, changeableColumns[i]) && (changeableColumns[i] != "status" || s.ResolvedAt == nil)
	})
	if !tx.grouped || tx.inSavepoint || !isFinal {
		return false
	}
	tx.updates = append(tx.updates, deferredUpdate{s.ID, s.Version, columns, values})
	tx.db.wrote, tx.db.before = true, tx.writeUpdates
	return true
}

// writeUpdates stores the deferred changes, those of the same columns by one statement. It does not count as a write of the item whose
// statement comes next.
func (tx *Tx) writeUpdates() error {
	updates, wrote := tx.updates, tx.db.wrote
	tx.updates = nil
	defer func() { tx.db.wrote = wrote }()
	for len(updates) > 0 {
		columns := updates[0].columns
		isOther := func(u deferredUpdate) bool { return !slices.Equal(u.columns, columns) }
		if err := tx.updateAll(columns, slices.DeleteFunc(slices.Clone(updates), isOther)); err != nil {
			return err
		}
		updates = slices.DeleteFunc(updates, func(u deferredUpdate) bool { return !isOther(u) })
	}
	return nil
}

func (tx *Tx) updateAll(columns []int, updates []deferredUpdate) error {
	var p params
	set := "version = slices.version + 1"
	for i, column := range columns {
		set += ", " + changeableColumns[column] + " = v.column" + strconv.Itoa(i+3)
	}
	rows := make([]string, len(updates))
	for i, u := range updates {
		row := "(CAST(" + p.add(u.id) + " AS TEXT), CAST(" + p.add(u.version) + " AS BIGINT)"
		for j, column := range columns {
			t := "TEXT"
			if slices.Contains(integerColumns, changeableColumns[column]) {
				t = "BIGINT"
			}
			row += ", CAST(" + p.add(u.values[j]) + " AS " + t + ")"
		}
		rows[i] = row + ")"
	}
	n, err := tx.db.execCount("UPDATE slices SET "+set+" FROM (VALUES "+strings.Join(rows, ", ")+
		") AS v WHERE slices.id = v.column1 AND slices.version = v.column2", p.args...)
	if err == nil && n != int64(len(updates)) {
		err = ErrConflict
	}
	return err
}
