package store

import "fmt"

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
		ORDER BY s.id DESC LIMIT $2`, args: []any{workspaceID, maxWalked}, order: "s.id DESC", condition: q.db.engine.walkedMatch,
		match: q.db.engine.anyOf(workspaceTerms(workspaceID, words)), limit: limit, most: maxWalked})
	if err != nil || len(rows) == 0 {
		return nil, complete, err
	}
	all, err = q.textsOfSlices(workspaceID, rows)
	return all, complete, err
}

// SlicesWithRare returns the newest live slices of a workspace with any of words that are rare, as SlicesWithAny.
func (q Queries) SlicesWithRare(workspaceID string, words []string, limit int) ([]Slice, error) {
	return q.slicesMatching(workspaceID, SliceFilter{Words: words, Limit: limit, anyWord: true})
}

// SlicesWithAll returns the newest live slices of a workspace with all of the words, as SlicesWithAny.
func (q Queries) SlicesWithAll(workspaceID string, words []string, limit int) ([]Slice, error) {
	return q.slicesMatching(workspaceID, SliceFilter{Words: words, Limit: limit})
}

const (
	maxWalked  = 1000 // slices that are compared with any of some words
	maxMatches = 2000 // matches of the index, when these are too many to read all of a period
)

// slicesMatching returns the first slices of a search by id. It reads all that have the words when these are few, and otherwise periods
// of their creation. When these have too many, it looks at the maxMatches slices that were stored last.
func (q Queries) slicesMatching(workspaceID string, f SliceFilter) ([]Slice, error) {
	rows, complete, err := q.firstMatches(f, workspaceID, nil, maxCompared)
	if err == nil && !complete {
		rows, complete, err = q.searchFirst(f, workspaceID)
	}
	if err == nil && !complete {
		rows, err = q.newestMatches(f, workspaceID)
	}
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return q.textsOfSlices(workspaceID, rows)
}

// newestMatches returns the first rows of a search by id among the last maxMatches of the index.
func (q Queries) newestMatches(f SliceFilter, workspaceID string) ([]int64, error) {
	e, match := q.db.engine, q.db.engine.allOf
	if f.anyWord {
		match = e.anyOf
	}
	return list(q.db, scanOne[int64], "WITH newest AS MATERIALIZED ("+fmt.Sprintf(e.newestMatches, "$2", "$4")+`),
		read AS MATERIALIZED (SELECT s.row, s.id, s.workspace_id FROM newest CROSS JOIN `+e.members+` WHERE s.row = newest.rowid
			AND s.deleted_at IS NULL)
		SELECT row FROM read WHERE workspace_id = $1 ORDER BY id DESC LIMIT $3`,
		workspaceID, match(workspaceTerms(workspaceID, f.Words)), f.Limit, maxMatches)
}

// textsOfSlices returns what is compared of slices, the newest first.
func (q Queries) textsOfSlices(workspaceID string, rows []int64) ([]Slice, error) {
	p := params{args: []any{workspaceID}}
	return list(q.db, scanTexts, "SELECT "+textsOfSlice+", "+keyOf("$1")+" FROM slices s WHERE s.row IN "+in(&p, rows)+
		" ORDER BY s.id DESC", p.args...)
}

// UpdateSliceText replaces the words by which the search finds a slice, and the mentions in its description.
func (tx *Tx) UpdateSliceText(s *Slice, terms []string) error {
	if err := tx.replaceMentions(s.ID, "", s.Description); err != nil {
		return err
	}
	if err := tx.db.exec("DELETE FROM slice_search WHERE rowid = $1", s.Row); err != nil {
		return err
	}
	return tx.indexWords(s.Row, s.WorkspaceID, s.ID, terms)
}

// indexWords makes the search find a slice by words.
func (tx *Tx) indexWords(row int64, workspaceID, sliceID string, words []string) error {
	if len(words) == 0 {
		return nil
	}
	return tx.db.exec("INSERT INTO slice_search (rowid, words) VALUES ($1, $2)", row,
		tx.db.engine.document(documentTerms(workspaceID, sliceID, words)))
}

// rebuildSearch indexes all slices again.
func (tx *Tx) rebuildSearch() error {
	if err := tx.db.exec("DELETE FROM slice_search"); err != nil {
		return err
	}
	const page = 1000
	for after := int64(0); ; {
		all, err := list(tx.db, func(r row) (s Slice, err error) {
			return s, r.Scan(&s.Row, &s.ID, &s.WorkspaceID, &s.Summary, &s.Description, &s.Symptoms)
		}, `SELECT s.row, s.id, s.workspace_id, s.summary, s.description, s.symptoms FROM slices s
			WHERE s.row > $1 ORDER BY s.row LIMIT $2`, after, page)
		if err != nil {
			return err
		}
		for _, s := range all {
			if err := tx.indexWords(s.Row, s.WorkspaceID, s.ID, Terms(s.SliceFields, s.Symptoms)); err != nil {
				return err
			}
			after = s.Row
		}
		if len(all) < page {
			return nil
		}
	}
}
