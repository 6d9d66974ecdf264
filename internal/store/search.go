package store

import (
	"fmt"

	"bugslice/api"
	"bugslice/internal/words"
)

// Terms returns the words by which the search finds a slice: those of its summary, description and symptoms.
func Terms(f api.SliceFields, symptoms string) []string {
	text := f.Summary
	if f.Description != nil {
		text += "\n" + *f.Description
	}
	return words.Split(text + "\n" + symptoms)
}

// SlicesWithAny returns the newest live slices of a workspace with any of the words, at most limit. It looks at
// the newest maxMatches slices of the instance with any of the words.
func (q Queries) SlicesWithAny(workspaceID string, words []string, limit int) ([]Slice, error) {
	return q.slicesMatching(workspaceID, q.db.engine.anyOf(words), limit)
}

// SlicesWithAll is SlicesWithAny for slices with all of the words.
func (q Queries) SlicesWithAll(workspaceID string, words []string, limit int) ([]Slice, error) {
	return q.slicesMatching(workspaceID, q.db.engine.query(words), limit)
}

const maxMatches = 20_000

// slicesMatching reads all matches of the search index, which has no workspaces, and then the slices. Otherwise
// PostgreSQL might scan the slices from the newest on.
func (q Queries) slicesMatching(workspaceID, match string, limit int) ([]Slice, error) {
	return list(q.db, scanSlice, "WITH found AS MATERIALIZED ("+fmt.Sprintf(q.db.engine.match, "$2")+`),
		newest AS MATERIALIZED (SELECT rowid FROM found ORDER BY rowid DESC LIMIT $4),
		nearest AS MATERIALIZED (SELECT s.row FROM newest CROSS JOIN slices s
			WHERE s.row = newest.rowid AND s.workspace_id = $1 AND s.deleted_at IS NULL ORDER BY s.row DESC LIMIT $3)
		SELECT `+sliceRecord+", "+keyOf("$1")+" FROM nearest CROSS JOIN slices s WHERE s.row = nearest.row ORDER BY s.id DESC",
		workspaceID, match, limit, maxMatches)
}

// UpdateSliceText replaces the words by which the search finds a slice, and the mentions in its description.
func (tx *Tx) UpdateSliceText(s *Slice, terms []string) error {
	if err := tx.replaceMentions(s.ID, "", s.Description); err != nil {
		return err
	}
	if err := tx.db.exec("DELETE FROM slice_search WHERE rowid = $1", s.Row); err != nil {
		return err
	}
	return tx.indexTerms(s.Row, terms)
}

func (tx *Tx) indexTerms(row int64, terms []string) error {
	if len(terms) == 0 {
		return nil
	}
	return tx.db.exec("INSERT INTO slice_search (rowid, words) VALUES ($1, $2)", row, tx.db.engine.document(terms))
}
