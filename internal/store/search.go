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
		ORDER BY s.id DESC LIMIT $2`, args: []any{workspaceID, maxWalked}, order: "s.id DESC",
		match: q.db.engine.anyOf(workspaceTerms(workspaceID, words)), limit: limit, most: maxWalked})
	if err != nil || len(rows) == 0 {
		return nil, complete, err
	}
	p := params{args: []any{workspaceID}}
	text := "SELECT " + textsOfSlice + ", " + keyOf("$1") + " FROM slices s WHERE s.row IN " + in(&p, rows) + " ORDER BY s.id DESC"
	all, err = list(q.db, scanTexts, text, p.args...)
	return all, complete, err
}

// SlicesWithRare returns the newest live slices of a workspace with any of words that are rare, as SlicesWithAny. It looks at the newest
// maxMatches slices with any of them.
func (q Queries) SlicesWithRare(workspaceID string, words []string, limit int) ([]Slice, error) {
	return q.slicesMatching(workspaceID, q.db.engine.anyOf(workspaceTerms(workspaceID, words)), limit)
}

// SlicesWithAll returns the newest live slices of a workspace with all of the words, as SlicesWithAny.
func (q Queries) SlicesWithAll(workspaceID string, words []string, limit int) ([]Slice, error) {
	return q.slicesMatching(workspaceID, q.db.engine.allOf(workspaceTerms(workspaceID, words)), limit)
}

const (
	maxWalked  = 1000 // slices that are compared with any of some words
	maxMatches = 2000 // matches of the index
)

// slicesMatching reads the newest matches of the search index, by their members, and then the slices of the result by their rows. Otherwise
// PostgreSQL might scan the slices from the newest on.
func (q Queries) slicesMatching(workspaceID, match string, limit int) ([]Slice, error) {
	e := q.db.engine
	return list(q.db, scanTexts, "WITH newest AS MATERIALIZED ("+fmt.Sprintf(e.newestMatches, "$2", "$4")+`),
		read AS MATERIALIZED (SELECT s.row, s.id, s.workspace_id FROM newest CROSS JOIN `+e.members+` WHERE s.row = newest.rowid
			AND s.deleted_at IS NULL),
		nearest AS MATERIALIZED (SELECT row FROM read WHERE workspace_id = $1 ORDER BY id DESC LIMIT $3)
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
