package store

// UpdateSliceText replaces the words by which the search finds a slice, and the mentions and the files in its description.
func (tx *Tx) UpdateSliceText(s *Slice, terms []string) error {
	if err := tx.replaceText(s.ID, "", s.Description); err != nil {
		return err
	}
	tx.indexLater(document{row: s.Row, workspaceID: s.WorkspaceID, sliceID: s.ID, words: terms})
	return nil
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
		all, err := list(tx.db, scanIndexed, `SELECT s.row, s.id, s.workspace_id, s.summary, s.description, s.symptoms FROM slices s
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
