package tracker

import (
	"bugslice/api"
	"bugslice/internal/words"
)

// maxSearchedPerQuery is how many records a search by name reads at once. It reads a page first, which most often is
// enough.
const maxSearchedPerQuery = 500

// named returns the name of a record, and its key in the order of reading.
type named[T any] struct{ key, name func(T) string }

// searchNames returns at most limit records after a key whose names have words that begin with those of a text;
// without a text all. read returns the records whose names may have such words.
func searchNames[T any](
	text, after string, limit int, read func(searched []string, after string, limit int) ([]T, error), of named[T],
) ([]T, error) {
	var found []T
	if text == "" {
		return read(nil, after, limit)
	}
	searched := words.Split(text)
	if len(searched) == 0 {
		return nil, api.InvalidParameter("q", "no_words", "q has no letters or digits to search for")
	}
	for size := min(limit, maxSearchedPerQuery); len(found) < limit; size = min(2*size, maxSearchedPerQuery) {
		rows, err := read(searched, after, size)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if words.BeginWith(words.Split(of.name(r)), searched) {
				found = append(found, r)
			}
		}
		if len(rows) < size {
			break
		}
		after = of.key(rows[len(rows)-1])
	}
	return found[:min(len(found), limit)], nil
}
