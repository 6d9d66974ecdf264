// Package words splits text into the words of the search index. Both databases store and look up these words, so that a
// search has the same results on each.
package words

import (
	"slices"
	"strings"
	"unicode"
)

const (
	maxRunes = 64   // of a word; a longer word is truncated
	maxWords = 5000 // of a text; later words are not indexed
)

// Split returns the distinct words of a text in order of appearance. A word is a sequence of letters and digits,
// folded by Fold. In scripts without spaces between words, each letter is a word; in Korean, where particles follow
// words without a space, and in scripts of few letters, each pair of adjacent ones is a word, too. So a text is found
// by every part of it.
func Split(text string) []string {
	s := splitter{seen: map[string]bool{}}
	for _, r := range Fold(text) {
		isLetter := unicode.IsLetter(r)
		switch {
		case r >= 'ก' && isLetter && unicode.In(r, paired...):
			s.endWord()
			s.add(string(r))
			if s.before != 0 {
				s.add(string([]rune{s.before, r}))
			}
			s.before = r
			continue
		case r >= 'ก' && unicode.In(r, unspaced...):
			s.endWord()
			s.add(string(r))
		case isLetter || unicode.IsDigit(r):
			if s.length < maxRunes {
				s.word.WriteRune(r)
				s.length++
			}
		default:
			s.endWord()
		}
		s.before = 0
	}
	s.endWord()
	return s.all
}

// unspaced are scripts without spaces between words, and with so many characters that each of them is a good word.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi}

// paired are scripts of which each pair of adjacent characters is a word: Hangul, and the alphabets that are written
// without spaces between words. Tibetan is none of them, since a mark ends each of its syllables. All of them are
// behind U+0E00.
var paired = []*unicode.RangeTable{unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	unicode.Javanese,
	unicode.Balinese, unicode.Sundanese, unicode.Cham, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham,
	unicode.Tai_Viet,
	unicode.Buginese, unicode.Batak, unicode.Rejang, unicode.Kayah_Li, unicode.Lepcha}

// splitter collects the words of a text.
type splitter struct {
	all    []string
	seen   map[string]bool
	word   strings.Builder
	length int  // characters of the word
	before rune // the character of a paired script before this one, 0 for none
}

func (s *splitter) add(word string) {
	if !s.seen[word] && len(s.all) < maxWords {
		s.seen[word] = true
		s.all = append(s.all, word)
	}
}

func (s *splitter) endWord() {
	if s.length > 0 {
		s.add(s.word.String())
	}
	s.word.Reset()
	s.length = 0
}

// BeginWith reports whether each of the searched words is the beginning of one of the words.
func BeginWith(words, searched []string) bool {
	for _, s := range searched {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, s) }) {
			return false
		}
	}
	return true
}
