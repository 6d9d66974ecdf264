package store

import (
	"cmp"
	"slices"
)

// indexLater makes the search find a slice by the words of a document, in place of those that it had. flush writes the index.
func (tx *Tx) indexLater(d document) { tx.documents = append(tx.documents, d) }

// flush writes the search index in the order of rows. On SQLite it does so once for all writes that share the transaction, as the last
// statements before COMMIT: between others, or with a savepoint between them, a segment of the index would be written for each.
func (tx *Tx) flush() error {
	slices.SortStableFunc(tx.documents, func(a, b document) int { return cmp.Compare(a.row, b.row) })
	for _, d := range tx.documents {
		if !d.isNew {
			if err := tx.db.exec("DELETE FROM slice_search WHERE rowid = $1", d.row); err != nil {
				return err
			}
		}
		if err := tx.indexWords(d.row, d.workspaceID, d.sliceID, d.words); err != nil {
			return err
		}
	}
	tx.documents = nil
	return nil
}
