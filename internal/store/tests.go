package store

import "bugslice/internal/store/testcounts"

// Tests reads the counts of tests.
func (q Queries) Tests() testcounts.Reader { return testcounts.Reader{DB: q.db} }

// Tests counts tests.
func (tx *Tx) Tests() testcounts.Writer { return testcounts.Writer{DB: tx.db} }
