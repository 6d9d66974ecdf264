package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"bugslice/internal/store/sqldb"
	"bugslice/internal/store/termindex"
)

// timeLimit is the time that the database has for a list or a count, unless Options.TimeLimit is another one.
const timeLimit = time.Second

// withinLimit runs fn with queries that end after timeLimit: then it returns ErrTooBroad.
func withinLimit[T any](q Queries, fn func(Queries) (T, error)) (v T, err error) {
	isOver, err := q.db.Within(cmp.Or(q.timeLimit, timeLimit), func(x *sqldb.Executor) (err error) {
		q.db = x
		v, err = fn(q)
		return err
	})
	if isOver && !errors.Is(err, ErrIndexing) {
		err = fmt.Errorf("%w: %w", ErrTooBroad, err)
	}
	return v, err
}

// IndexBuild is the state of the index of terms while it is built, in the order of rows. New slices are in it at once.
type IndexBuild struct{ AfterRow, UntilRow int64 }

// Percent returns how much of the index is built.
func (b IndexBuild) Percent() int64 { return 100 * b.AfterRow / max(b.UntilRow, 1) }

// selectIndexBuild selects the state of a build. It begins before row 0: with preparations.
const selectIndexBuild = "SELECT after_row, until_row FROM slice_terms_build"

func scanIndexBuild(r sqldb.Row) (b IndexBuild, err error) {
	return b, r.Scan(&b.AfterRow, &b.UntilRow)
}

// IndexBuild returns the state of the index while it is built; ErrNotFound when it is complete.
func (q Queries) IndexBuild() (IndexBuild, error) {
	b, err := sqldb.One(q.db, scanIndexBuild, selectIndexBuild)
	b.AfterRow = max(b.AfterRow, 0)
	return b, err
}

// IndexingError is an ErrIndexing with the state of the index.
type IndexingError struct{ IndexBuild }

func (e *IndexingError) Error() string { return fmt.Sprintf("%v: %d %%", ErrIndexing, e.Percent()) }

func (e *IndexingError) Unwrap() error { return ErrIndexing }

// requireIndex returns an ErrIndexing unless the index is complete.
func (q Queries) requireIndex() error {
	b, err := q.IndexBuild()
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil {
		err = &IndexingError{b}
	}
	return err
}

// indexBatch is the number of slices of a transaction of BuildIndex.
const indexBatch = 200

// BuildIndex completes the index, beside others that build it, and calls progress after each transaction. When it is
// interrupted, the next one goes on.
func (s *Store) BuildIndex(ctx context.Context, progress func(IndexBuild)) error {
	var b IndexBuild
	for {
		next, err := s.Read(ctx).IndexBuild()
		if errors.Is(err, ErrNotFound) {
			progress(IndexBuild{b.UntilRow, b.UntilRow})
			return nil
		}
		if err != nil {
			return err
		}
		b = next
		progress(b)
		if err := s.Write(ctx, func(tx *Tx) error {
			_, err := tx.AdvanceIndex(indexBatch)
			return err
		}); err != nil {
			return err
		}
	}
}

// BeginIndex begins to build the index anew. BuildIndex or a server continues the build.
func (s *Store) BeginIndex(ctx context.Context) error { return s.Write(ctx, (*Tx).BeginIndex) }

// BeginIndex begins to build the index anew. Its documents are removed, or replaced one by one.
func (tx *Tx) BeginIndex() error {
	if err := tx.db.Exec("DELETE FROM slice_terms_build"); err != nil {
		return err
	}
	if err := tx.db.Exec(`INSERT INTO slice_terms_build (after_row, until_row)
		SELECT -1, n FROM (SELECT COALESCE(max(row), 0) AS n FROM slices) AS s WHERE n > 0`); err != nil {
		return err
	}
	return tx.terms().Clear(tx.db.Exec)
}

// AdvanceIndex carries out the next step of building the index, and returns whether another step follows. A step is a
// preparation, at most limit slices, or the end. It locks the slices in the order of their ids, so that they cannot
// change before their terms are written.
func (tx *Tx) AdvanceIndex(limit int) (more bool, err error) {
	b, err := sqldb.One(tx.db, scanIndexBuild, selectIndexBuild+tx.db.Engine.LockRow)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if b.AfterRow < 0 {
		return true, tx.prepareIndex()
	}
	ids, err := sqldb.List(tx.db, sqldb.ScanOne[string],
		"SELECT id FROM (SELECT id, row FROM slices WHERE row > $1 AND row <= $2 ORDER BY row LIMIT $3) AS s",
		b.AfterRow, b.UntilRow, limit)
	if err != nil {
		return false, err
	}
	if len(ids) == 0 {
		return false, tx.completeIndex(b.AfterRow)
	}
	changes, last, err := tx.documentsOf(ids)
	if err != nil {
		return false, err
	}
	if err := errors.Join(tx.db.Exec("UPDATE slice_terms_build SET after_row = $1", last),
		tx.removeStrays(b.AfterRow, last)); err != nil {
		return false, err
	}
	tx.shared.Pending.documents = append(tx.shared.Pending.documents, changes...)
	return true, nil
}

// prepareIndex does one of the preparations of a build, which lock no slices: it drops what is obsolete, and lastly
// prepares the index.
func (tx *Tx) prepareIndex() error {
	if dropped, err := tx.dropObsolete(); dropped || err != nil {
		return err
	}
	return tx.execAll(tx.terms().BeginBuild, "UPDATE slice_terms_build SET after_row = 0")
}

// completeIndex ends a build whose last document is that of a row. It locks no slices.
func (tx *Tx) completeIndex(last int64) error {
	if err := tx.removeStrays(last, math.MaxInt64); err != nil {
		return err
	}
	return tx.execAll(tx.terms().EndBuild, "DELETE FROM slice_terms_build")
}

func (tx *Tx) execAll(statements []string, last string) error {
	for _, text := range append(slices.Clone(statements), last) {
		if err := tx.db.Exec(text); err != nil {
			return err
		}
	}
	return nil
}

// removeStrays removes the documents of a range of rows that are no slices.
func (tx *Tx) removeStrays(after, until int64) error {
	return tx.terms().RemoveStrays(tx.db.Exec, "slices", after, until)
}

// documentsOf returns all terms of slices, and the last of their rows. It locks them.
func (tx *Tx) documentsOf(ids []string) (changes []termindex.Change, last int64, err error) {
	var p sqldb.Params
	all, err := sqldb.List(tx.db, scanSlice, "SELECT "+sliceRecord+", '' FROM slices s WHERE s.id IN "+
		sqldb.In(&p, ids)+" ORDER BY s.id"+
		tx.db.Engine.LockRow, p.Args...)
	if err != nil {
		return nil, 0, err
	}
	further, err := tx.furtherTermsOf(all)
	for i := range all {
		s := &all[i]
		last = max(last, s.Row)
		changes = append(changes, termindex.Change{Row: s.Row, Whole: true, Added: s.allTerms(further[s.ID])})
	}
	return changes, last, err
}

// allTerms returns the terms of a slice, with those of its comments and files: none of a deleted one.
func (s *Slice) allTerms(further []string) []string {
	if s.DeletedAt != nil {
		return nil
	}
	return slices.Concat(s.facetTerms(), s.searchedTerms(), further)
}

// MergeIndex merges some segments of the index of SQLite, so that lists look into fewer. It takes milliseconds.
func (tx *Tx) MergeIndex() error {
	if text := tx.terms().Merge; text != "" {
		return tx.db.Exec(text)
	}
	return nil
}

// PurgeIndex removes terms of deleted rows from the index of SQLite, a part of them in a transaction. It reports
// whether more may remain.
func (tx *Tx) PurgeIndex() (bool, error) {
	text := tx.terms().MergeAll
	if text == "" {
		return false, nil
	}
	const changes = "SELECT total_changes()"
	before, err := sqldb.One(tx.db, sqldb.ScanOne[int64], changes)
	if err != nil {
		return false, err
	}
	if err := tx.db.Exec(text); err != nil {
		return false, err
	}
	after, err := sqldb.One(tx.db, sqldb.ScanOne[int64], changes)
	return after-before >= 2, err // as the documentation of FTS5 says
}

// dropAllObsolete drops all that is obsolete, unless the index is to be built, which begins with that.
func (s *Store) dropAllObsolete(ctx context.Context) error {
	if _, err := s.Read(ctx).IndexBuild(); !errors.Is(err, ErrNotFound) {
		return err
	}
	for {
		if dropped, err := Write(ctx, s, (*Tx).dropObsolete); !dropped || err != nil {
			return err
		}
	}
}
