package tracker

import (
	"bugslice/api"
	"bugslice/internal/words"
)

// maxSearchedPerQuery is how many records a search by name reads at once. It reads a page first, which most often is
// enough.
const maxSearchedPerQuery = 500

// named is a list of records with names. read returns at most limit records after a key, in its order: those whose
// names may have words that begin with the searched ones, or all.
type named[T any] struct {
	key, name func(T) string
	read      func(searched []string, after string, limit int) ([]T, error)
}

// search returns at most limit records after a key whose names have words that begin with those of a text; without a
// text all.
func (n named[T]) search(text, after string, limit int) ([]T, error) {
	var found []T
	if text == "" {
		return n.read(nil, after, limit)
	}
	searched := words.Split(text)
	if len(searched) == 0 {
		return nil, api.InvalidParameter("q", "no_words", "q has no letters or digits to search for")
	}
	for size := min(limit, maxSearchedPerQuery); len(found) < limit; size = min(2*size, maxSearchedPerQuery) {
		rows, err := n.read(searched, after, size)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if words.BeginWith(words.Split(n.name(r)), searched) {
				found = append(found, r)
			}
		}
		if len(rows) < size {
			break
		}
		after = n.key(rows[len(rows)-1])
	}
	return found[:min(len(found), limit)], nil
}
