// Package words splits text into the words of the search index. Both databases store and look up these words, so that a
// search has the same results on each.
package words

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	maxRunes = 64   // of a word; a longer word is truncated
	maxWords = 5000 // of a text; later words are not indexed
)

// Split returns the distinct words of a text in order of appearance. A word is a sequence of letters and digits, in lower
// case and without accents. In scripts without spaces between words, each character is a word.
func Split(text string) []string {
	var all []string
	seen := map[string]bool{}
	var word strings.Builder
	length := 0
	endWord := func() {
		if w := word.String(); w != "" && !seen[w] && len(all) < maxWords {
			seen[w] = true
			all = append(all, w)
		}
		word.Reset()
		length = 0
	}
	for _, r := range fold(text) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			endWord()
			word.WriteRune(r)
			endWord()
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if length < maxRunes {
				word.WriteRune(r)
				length++
			}
		default:
			endWord()
		}
	}
	endWord()
	return all
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

// fold removes case, accents and compatibility forms (NFKD and full case folding of Unicode).
func fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	unaccented := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(text))
	return cases.Fold().String(unaccented)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
