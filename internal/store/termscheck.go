package store

import (
	"context"
	"fmt"
	"math"

	"bugslice/internal/store/sqldb"
	"bugslice/internal/store/termindex"
)

// IndexCheck is the result of a check of the index of terms.
type IndexCheck struct {
	Slices int64    `json:"reports"` // that were compared, the deleted ones included
	Faults int64    `json:"faults"`  // slices, and documents without a slice, that have other terms than they should
	Faulty []string `json:"faulty"`  // the ids of some of these, or the numbers of documents
}

const (
	checkPage = 500 // slices that are in memory
	maxFaulty = 20
)

// CheckIndex compares the whole index of terms with what it is made from, as of one instant: the slices, their
// comments and the names of their files. It blocks no writer, and needs about 80 MB of memory. After each page of
// slices it calls progress with the row of the last slice compared and the last row of all. While the index is being
// built, it returns an ErrIndexing.
func (s *Store) CheckIndex(ctx context.Context, progress func(done, all int64)) (c IndexCheck, err error) {
	c.Faulty = []string{} // [] in JSON, not null
	err = s.snapshot(ctx, func(q Queries) error {
		if err := q.requireIndex(); err != nil {
			return err
		}
		last, err := sqldb.One(q.db, sqldb.ScanOne[int64], "SELECT COALESCE(max(row), 0) FROM slices")
		if err != nil {
			return err
		}
		for after := int64(0); after == 0 ||
			after < last; after += termindex.CheckRange { // an empty database has an index, too
			if err := q.checkRange(after, last, &c, progress); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// checkRange compares the documents behind a number. The last range has all that follow.
func (q Queries) checkRange(after, last int64, c *IndexCheck, progress func(done, all int64)) error {
	until := min(after+termindex.CheckRange, last)
	check := q.terms().NewCheck(after, int(until-after))
	found := until
	if until == last {
		found = math.MaxInt64
	}
	if err := q.findPostings(check, after, found); err != nil {
		return err
	}
	for at := after; ; {
		all, err := sqldb.List(q.db, scanSlice, "SELECT "+sliceRecord+
			", '' FROM slices s WHERE s.row > $1 AND s.row <= $2 ORDER BY s.row LIMIT $3", at, until, checkPage)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			break
		}
		further, err := q.furtherTermsOf(all)
		if err != nil {
			return err
		}
		for i := range all {
			check.Expect(all[i].Row, all[i].allTerms(further[all[i].ID]))
		}
		at = all[len(all)-1].Row
		c.Slices += int64(len(all))
		progress(at, last)
	}
	return q.addFaults(c, check.Faulty())
}

// findPostings passes the postings of documents to a check.
func (q Queries) findPostings(check *termindex.Check, after, until int64) error {
	return q.db.Each(func(r sqldb.Row) error {
		var document int64
		var terms string
		if err := r.Scan(&document, &terms); err != nil {
			return err
		}
		check.Found(document, terms)
		return nil
	}, q.terms().Postings, after, until)
}

// addFaults adds faulty documents to the result.
func (q Queries) addFaults(c *IndexCheck, faulty []int64) error {
	c.Faults += int64(len(faulty))
	for _, row := range faulty[:min(len(faulty), maxFaulty-len(c.Faulty))] {
		ids, err := sqldb.List(q.db, sqldb.ScanOne[string], "SELECT id FROM slices WHERE row = $1", row)
		if err != nil {
			return err
		}
		c.Faulty = append(c.Faulty, append(ids, fmt.Sprint("document ", row))[0])
	}
	return nil
}
