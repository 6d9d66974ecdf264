package termindex

import (
	"hash/maphash"
	"slices"
	"strings"
)

// CheckRange is the number of documents that one Check compares, which takes 64 MiB. On SQLite, each Check reads all
// postings of the index.
const CheckRange = 8 << 20

// A Check compares the documents of a range of numbers with the terms that they should have. It keeps no terms, but
// one sum for each number: the hashes of the terms in the index less those of the terms that the document should
// have. Different terms collide once in 2^64.
type Check struct {
	engine  *Engine
	after   int64
	seed    maphash.Seed
	sums    []uint64 // of the numbers behind after
	outside map[int64]bool
}

// NewCheck returns a check of n documents behind a number. All documents that Found gets must be in this range, or in
// none.
func (e *Engine) NewCheck(after int64, n int) *Check {
	return &Check{engine: e, after: after, seed: maphash.MakeSeed(), sums: make([]uint64, n), outside: map[int64]bool{}}
}

// Found adds a row of Postings.
func (c *Check) Found(document int64, terms string) {
	n := document - c.after - 1
	if n < 0 || n >= int64(len(c.sums)) {
		if len(c.outside) < maxOutside {
			c.outside[document] = true
		}
		return
	}
	for t := range strings.SplitSeq(terms, " ") {
		c.sums[n] += maphash.String(c.seed, t)
	}
}

const maxOutside = 1000 // documents of no range that a Check counts

// Expect subtracts the terms of a document of the range; a term may be repeated. It is called when all postings of
// the range have been found. A document with more terms than Limit may lack some in the index: it is not compared, so
// its sum is zero.
func (c *Check) Expect(document int64, terms []string) {
	sum := &c.sums[document-c.after-1]
	if limit := c.engine.Limit(); limit > 0 && len(terms) > limit {
		*sum = 0
		return
	}
	known := make(map[string]bool, len(terms))
	for _, t := range terms {
		if !known[t] {
			known[t] = true
			*sum -= maphash.String(c.seed, t)
		}
	}
}

// Faulty returns the documents that have other terms than they should, in order.
func (c *Check) Faulty() (all []int64) {
	for n, sum := range c.sums {
		if sum != 0 {
			all = append(all, c.after+1+int64(n))
		}
	}
	for document := range c.outside {
		all = append(all, document)
	}
	slices.Sort(all)
	return all
}
