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

// textsOfSlice are the members of a slice by which it is compared with others.
const textsOfSlice = "s.id, s.number, s.status, s.summary, s.source_url, s.symptoms"

func scanTexts(r row) (s Slice, err error) {
	err = r.Scan(&s.ID, &s.Number, &s.Status, &s.Summary, &s.SourceURL, &s.Symptoms, &s.WorkspaceKey)
	return s, err
}

// SlicesWithAny returns those of the newest maxWalked live slices of a workspace that have any of the words, at most limit, the newest
// first: only their ids, numbers, statuses and texts. complete is false when they are fewer and further slices may have the words.
func (q Queries) SlicesWithAny(workspaceID string, words []string, limit int) (all []Slice, complete bool, err error) {
	rows, complete, err := q.walk(walk{text: `SELECT s.row, s.id FROM slices s WHERE s.workspace_id = $1 AND s.deleted_at IS NULL
		ORDER BY s.id DESC LIMIT $2`, args: []any{workspaceID, maxWalked}, order: "s.id DESC", match: q.db.engine.anyOf(words),
		limit: limit, most: maxWalked})
	if err != nil || len(rows) == 0 {
		return nil, complete, err
	}
	p := params{args: []any{workspaceID}}
	text := "SELECT " + textsOfSlice + ", " + keyOf("$1") + " FROM slices s WHERE s.row IN " + in(&p, rows) + " ORDER BY s.id DESC"
	all, err = list(q.db, scanTexts, text, p.args...)
	return all, complete, err
}

// SlicesWithRare returns the newest live slices of a workspace with any of words that are rare, as SlicesWithAny. It looks at the newest
// maxMatches slices of the instance with any of them.
func (q Queries) SlicesWithRare(workspaceID string, words []string, limit int) ([]Slice, error) {
	return q.slicesMatching(workspaceID, q.db.engine.anyOf(words), limit)
}

// SlicesWithAll returns the newest live slices of a workspace with all of the words, as SlicesWithAny.
func (q Queries) SlicesWithAll(workspaceID string, words []string, limit int) ([]Slice, error) {
	return q.slicesMatching(workspaceID, q.db.engine.query(words), limit)
}

const (
	maxWalked  = 1000 // slices that are compared with any of some words
	maxMatches = 2000 // matches of the index
)

// slicesMatching reads the newest matches of the search index, which has no workspaces, and then each slice by its row. Otherwise
// PostgreSQL might scan the slices from the newest on.
func (q Queries) slicesMatching(workspaceID, match string, limit int) ([]Slice, error) {
	return list(q.db, scanTexts, "WITH newest AS MATERIALIZED ("+fmt.Sprintf(q.db.engine.newestMatches, "$2", "$4")+`),
		read AS MATERIALIZED (SELECT s.row, s.workspace_id, s.deleted_at FROM newest CROSS JOIN slices s WHERE s.row = newest.rowid),
		nearest AS MATERIALIZED (SELECT row FROM read WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY row DESC LIMIT $3)
		SELECT `+textsOfSlice+", "+keyOf("$1")+" FROM nearest CROSS JOIN slices s WHERE s.row = nearest.row ORDER BY s.id DESC",
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
