package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bugslice/internal/store/sqldb"
	"bugslice/internal/store/termindex"
	"bugslice/internal/words"
)

// The terms of a slice in the index are those of its members, of its own texts, of its comments, and of the names of
// its files. A deleted slice has none. All writes of a slice, a comment or a file change them in the same
// transaction.

// furtherText is a text by which a slice is found beside its own: a comment, or the name of a file with its symptoms.
// What machines observed mentions nobody.
type furtherText struct{ text, symptoms string }

// terms returns the terms of a text: its words, and the users that it mentions.
func (t furtherText) terms(scope termindex.Scope) []string {
	return append(wordTerms(scope, words.Split(t.text+"\n"+t.symptoms)), mentionTerms(scope, t.text)...)
}

func wordTerms(scope termindex.Scope, all []string) []string {
	terms := make([]string, len(all))
	for i, w := range all {
		terms[i] = termindex.Word(scope, w)
	}
	return terms
}

func mentionTerms(scope termindex.Scope, text string) (terms []string) {
	for _, name := range Mentioned(text) {
		terms = append(terms, termindex.Facet(scope, mentionKind, name))
	}
	return terms
}

// identity returns the texts that identify a slice, and its labels.
func (s *Slice) identity() string {
	return strings.Join(slices.Concat(s.Labels, []string{textOrEmpty(s.ExternalID), textOrEmpty(s.Fingerprint)}), "\n")
}

// ownTerms is searchedTerms with the words of Terms, which are known before the transaction of a new slice.
func (s *Slice) ownTerms(searched []string) []string {
	scope := termindex.ScopeOf(s.WorkspaceID)
	return slices.Concat(wordTerms(scope, searched), wordTerms(scope, words.Split(s.identity())),
		mentionTerms(scope, textOrEmpty(s.Description)))
}

// searchedTerms returns the terms of the texts of a slice itself.
func (s *Slice) searchedTerms() []string { return s.ownTerms(Terms(s.SliceFields, s.Symptoms)) }

// hasSameTexts reports whether two states of a slice have the same terms of their own texts. The fingerprint never
// changes.
func (s *Slice) hasSameTexts(former *Slice) bool {
	return s.Summary == former.Summary && textOrEmpty(s.Description) == textOrEmpty(former.Description) &&
		s.Symptoms == former.Symptoms &&
		slices.Equal(s.Labels, former.Labels) && textOrEmpty(s.ExternalID) == textOrEmpty(former.ExternalID)
}

// changeTerms changes the terms of a slice after those that were changed before.
func (tx *Tx) changeTerms(c termindex.Change) {
	if len(c.Added)+len(c.Removed) > 0 {
		tx.shared.Pending.documents = append(tx.shared.Pending.documents, c)
	}
}

// addDocument adds all terms of a slice. searched are the words of Terms.
func (tx *Tx) addDocument(s *Slice, searched []string, further ...string) {
	if s.DeletedAt != nil {
		return
	}
	tx.changeTerms(termindex.Change{Row: s.Row, Whole: true,
		Added: slices.Concat(s.facetTerms(), s.ownTerms(searched), further)})
}

// updateDocument changes the terms of a slice from those of a former state.
func (tx *Tx) updateDocument(former, s *Slice) error {
	if former.DeletedAt != nil && s.DeletedAt != nil {
		return nil
	}
	var further []string // the terms of comments and files
	var err error
	textsChanged := !s.hasSameTexts(former)
	isToggled := (former.DeletedAt == nil) != (s.DeletedAt == nil)
	if textsChanged || isToggled {
		if further, err = tx.furtherTerms(s); err != nil {
			return err
		}
	}
	switch {
	case isToggled && s.DeletedAt == nil:
		tx.addDocument(s, Terms(s.SliceFields, s.Symptoms), further...)
		return nil
	case isToggled:
		tx.changeTerms(termindex.Change{Row: s.Row, Whole: true,
			Removed: slices.Concat(former.facetTerms(), former.searchedTerms(), further)})
		return nil
	}
	before, after := former.facetTerms(), s.facetTerms()
	if textsChanged {
		before = append(before, former.searchedTerms()...)
		after = slices.Concat(after, s.searchedTerms(), further)
		before = append(before, further...)
		if tx.isCut(len(before)) {
			tx.changeTerms(termindex.Change{Row: s.Row, Whole: true, Added: after})
			return nil
		}
	}
	tx.changeTerms(termindex.Change{Row: s.Row, Added: without(after, before), Removed: without(before, after)})
	return nil
}

// without returns the terms of all that others does not have.
func without(all, others []string) (rest []string) {
	known := make(map[string]bool, len(others))
	for _, t := range others {
		known[t] = true
	}
	for _, t := range all {
		if !known[t] {
			rest = append(rest, t)
		}
	}
	return rest
}

// furtherTerms returns the terms of the comments of a slice, and of the names of its files.
func (q Queries) furtherTerms(s *Slice) ([]string, error) {
	all, err := q.furtherTermsOf([]Slice{*s})
	return all[s.ID], err
}

// furtherTermsOf returns the terms of the comments of slices, and of the names of their files, by slice.
func (q Queries) furtherTermsOf(all []Slice) (map[string][]string, error) {
	scopes := map[string]termindex.Scope{}
	for i := range all {
		if s := &all[i]; s.CommentCount+s.AttachmentCount > 0 {
			scopes[s.ID] = termindex.ScopeOf(s.WorkspaceID)
		}
	}
	return q.furtherTermsIn(scopes)
}

// furtherTermsIn is furtherTermsOf for slices whose scopes are known, by the id of the slice.
func (q Queries) furtherTermsIn(scopes map[string]termindex.Scope) (map[string][]string, error) {
	terms := make(map[string][]string, len(scopes))
	if len(scopes) == 0 {
		return terms, nil
	}
	var p sqldb.Params
	ids := sqldb.In(&p, slices.Sorted(maps.Keys(scopes)))
	err := q.db.Each(func(r sqldb.Row) error {
		var sliceID string
		var t furtherText
		if err := r.Scan(&sliceID, &t.text, &t.symptoms); err != nil {
			return err
		}
		terms[sliceID] = append(terms[sliceID], t.terms(scopes[sliceID])...)
		return nil
	}, "SELECT c.slice_id, c.body, '' FROM comments c WHERE c.slice_id IN "+ids+
		" UNION ALL SELECT a.slice_id, a.name, a.symptoms FROM attachments a WHERE a.slice_id IN "+ids, p.Args...)
	return terms, err
}

// replaceFurtherText replaces the terms of a comment or a file in those of its slice: former is no longer stored, text
// is. Either may be empty.
func (tx *Tx) replaceFurtherText(sliceID string, former, text furtherText) error {
	if former == text {
		return nil
	}
	if err := tx.ApplySlices(); err != nil {
		return err
	}
	s, err := sqldb.One(tx.db, scanIndexed, "SELECT "+indexedColumns+" FROM slices s WHERE s.id = $1", sliceID)
	if err != nil {
		return fmt.Errorf("read the slice of a text: %w", err)
	}
	if s.DeletedAt != nil {
		return nil
	}
	scope := termindex.ScopeOf(s.WorkspaceID)
	c := termindex.Change{Row: s.Row, Added: text.terms(scope)}
	if former != (furtherText{}) {
		further, err := tx.furtherTermsIn(map[string]termindex.Scope{sliceID: scope})
		if err != nil {
			return err
		}
		kept := append(s.searchedTerms(), further[sliceID]...)
		c.Removed = without(former.terms(scope), kept)
		if tx.isCut(len(kept) + len(c.Removed)) {
			return tx.replaceDocument(sliceID, kept)
		}
	}
	tx.changeTerms(c)
	return nil
}

// isCut reports whether the index may lack words of a slice that had so many terms of texts. Half of the limit is far
// enough from it for the facets, which are not counted, so that all words are written again whenever there is room
// for them.
func (tx *Tx) isCut(terms int) bool {
	limit := tx.terms().Limit()
	return limit > 0 && terms > limit/2
}

// replaceDocument writes all terms of a slice, which has some of texts.
func (tx *Tx) replaceDocument(sliceID string, ofTexts []string) error {
	s, err := sqldb.One(tx.db, scanSlice, "SELECT "+sliceRecord+", '' FROM slices s WHERE s.id = $1", sliceID)
	if err == nil {
		tx.changeTerms(termindex.Change{Row: s.Row, Whole: true, Added: append(s.facetTerms(), ofTexts...)})
	}
	return err
}

// indexedColumns are the columns of the texts of a slice that the index has.
const indexedColumns = "s.row, s.id, s.workspace_id, s.number, s.summary, s.description, s.symptoms, s.labels, s.external_id, " +
	"s.fingerprint, s.deleted_at"

func scanIndexed(r sqldb.Row) (s Slice, err error) {
	var labels string
	var deleted *int64
	err = r.Scan(&s.Row, &s.ID, &s.WorkspaceID, &s.Number, &s.Summary, &s.Description, &s.Symptoms, &labels,
		&s.ExternalID,
		&s.Fingerprint, &deleted)
	s.DeletedAt = sqldb.TimeAt(deleted)
	return s, errors.Join(err, unpack(labels, &s.Labels))
}

// flush writes the statistics and the terms that the writes of a transaction have changed. Nothing is written after it.
func flush(shared *transaction) error {
	tx := &Tx{Queries: Queries{db: shared.Executor}, shared: shared}
	if err := tx.writeStatistics(); err != nil {
		return err
	}
	changes := termindex.Fold(shared.Pending.documents)
	shared.Pending.documents = nil
	return termindex.Of(shared.Engine.Name).Write(shared.Exec, changes)
}

// terms returns how the database stores the index.
func (q Queries) terms() *termindex.Engine { return termindex.Of(q.db.Engine.Name) }
