package store

import (
	"errors"
)

// AdvanceSearchBackfill indexes the words of at most limit older slices again, and returns how many it has passed: fewer than limit when
// none is left. Slices with ASCII characters alone are passed, since their words never change. It locks the slices in the order of their
// ids, so that no change of a text comes between its reading and its writing.
func (tx *Tx) AdvanceSearchBackfill(limit int) (n int, err error) {
	after, err := one(tx.db, scanOne[int64], "SELECT after_row FROM search_backfill"+tx.db.engine.lockRow)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	const isASCII = "octet_length(summary) + octet_length(coalesce(description, '')) + octet_length(symptoms) = " +
		"length(summary) + length(coalesce(description, '')) + length(symptoms)"
	type passed struct {
		row     int64
		id      string
		isASCII bool
	}
	all, err := list(tx.db, func(r row) (p passed, err error) { return p, r.Scan(&p.row, &p.id, &p.isASCII) },
		"SELECT row, id, "+isASCII+" FROM slices WHERE row > $1 ORDER BY row LIMIT $2", after, limit)
	if err != nil {
		return 0, err
	}
	var others []string
	for _, p := range all {
		if after = p.row; !p.isASCII {
			others = append(others, p.id)
		}
	}
	if err := tx.indexAgain(others); err != nil {
		return 0, err
	}
	if len(all) < limit {
		return len(all), tx.db.exec("DELETE FROM search_backfill")
	}
	return limit, tx.db.exec("UPDATE search_backfill SET after_row = $1", after)
}

// indexAgain replaces the words by which the search finds slices.
func (tx *Tx) indexAgain(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	var p params
	locked, err := list(tx.db, scanIndexed, "SELECT s.row, s.id, s.workspace_id, s.summary, s.description, s.symptoms FROM slices s "+
		"WHERE s.id IN "+in(&p, ids)+" ORDER BY s.id"+tx.db.engine.lockRow, p.args...)
	if err != nil {
		return err
	}
	for _, s := range locked {
		if err := tx.db.exec("DELETE FROM slice_search WHERE rowid = $1", s.Row); err != nil {
			return err
		}
		if err := tx.indexWords(s.Row, s.WorkspaceID, s.ID, Terms(s.SliceFields, s.Symptoms)); err != nil {
			return err
		}
	}
	return nil
}

// scanIndexed scans what the search index has of a slice.
func scanIndexed(r row) (s Slice, err error) {
	return s, r.Scan(&s.Row, &s.ID, &s.WorkspaceID, &s.Summary, &s.Description, &s.Symptoms)
}
