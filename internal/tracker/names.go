package tracker

import (
	"bugslice/api"
	"bugslice/internal/words"
)

// searchedPerQuery is how many records a search by name reads at once.
const searchedPerQuery = 500

// named returns the name of a record, and its key in the order of reading.
type named[T any] struct{ key, name func(T) string }

// searchNames returns at most limit records after a key whose names have words that begin with those of a text; without a text all.
func searchNames[T any](text, after string, limit int, read func(after string, limit int) ([]T, error), of named[T]) ([]T, error) {
	var found []T
	if text == "" {
		return read(after, limit)
	}
	searched := words.Split(text)
	if len(searched) == 0 {
		return nil, api.InvalidParameter("q", "no_words", "q has no letters or digits to search for")
	}
	for len(found) < limit {
		rows, err := read(after, searchedPerQuery)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if words.BeginWith(words.Split(of.name(r)), searched) {
				found = append(found, r)
			}
		}
		if len(rows) < searchedPerQuery {
			break
		}
		after = of.key(rows[len(rows)-1])
	}
	return found[:min(len(found), limit)], nil
}
