package store

import (
	"hash/maphash"
	"slices"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

const maxComparedBytes = 32 << 20 // of compared slices in the cache

// Compared is what a slice is compared with others by.
type Compared struct {
	ID       string
	Number   int64
	Status   api.Status
	Summary  string
	Keywords []Word // stems, each once, in order of appearance
	// OfSummary is how many of the first keywords are of the summary.
	OfSummary int
	words     []Word // by which the search finds the slice, sorted
}

// Word stands for a word, in one process: the same one for equal words, and in practice another one for others.
type Word uint64

var wordSeed = maphash.MakeSeed()

// WordOf returns what stands for a word.
func WordOf(word string) Word { return Word(maphash.String(wordSeed, word)) }

func wordsOf(all []string) []Word {
	out := make([]Word, len(all))
	for i, w := range all {
		out[i] = WordOf(w)
	}
	return out
}

// has reports whether the search finds the slice by a word.
func (c *Compared) has(w Word) bool {
	_, found := slices.BinarySearch(c.words, w)
	return found
}

// bytes estimates the memory of c and of its entry in the cache. An array is up to an eighth longer than its words.
func (c *Compared) bytes() int {
	return 300 + len(c.ID) + len(c.Summary) + 9*(len(c.Keywords)+len(c.words))
}

// comparedRow is what a slice is compared by, with its row and version.
type comparedRow struct {
	row, version int64
	*Compared
}

func scanCompared(r sqldb.Row) (c comparedRow, err error) {
	var s Slice
	err = r.Scan(&c.row, &c.version, &s.ID, &s.Number, &s.Status, &s.Summary, &s.Description, &s.SourceURL, &s.Symptoms)
	found := wordsOf(Terms(s.SliceFields, s.Symptoms))
	slices.Sort(found)
	k := s.Keywords()
	c.Compared = &Compared{ID: s.ID, Number: s.Number, Status: s.Status, Summary: s.Summary,
		Keywords: wordsOf(k.Stems), OfSummary: k.OfSummary, words: found}
	return c, err
}
