package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Search is what a searched text asks for: whole words, and beginnings of words. Both are folded and distinct.
type Search struct{ Words, Prefixes []string }

// ParseSearch returns the words of a searched text. A word with an asterisk at its end is a prefix, and the other
// words are those of Split. Further asterisks in the same text between spaces, and those after other characters than
// letters and digits, mean nothing. In scripts without spaces a part of a text finds it anyway, so that an asterisk
// means nothing there, either.
func ParseSearch(text string) (s Search) {
	var rest strings.Builder
	for part := range strings.FieldsSeq(Fold(text)) {
		whole, prefix := cutPrefix(part)
		rest.WriteString(whole + " ")
		if prefix != "" && !slices.Contains(s.Prefixes, prefix) {
			s.Prefixes = append(s.Prefixes, prefix)
		}
	}
	s.Words = Split(rest.String())
	return s
}

// cutPrefix returns a folded text without spaces, without the word before the asterisk at its end, and that word;
// empty for none.
func cutPrefix(part string) (whole, prefix string) {
	before, found := strings.CutSuffix(part, "*")
	if !found || strings.Contains(before, "*") {
		return part, ""
	}
	at := strings.LastIndexFunc(before, func(r rune) bool { return !isOfWord(r) })
	if at >= 0 {
		_, size := utf8.DecodeRuneInString(before[at:])
		at += size
	}
	whole, prefix = before[:max(at, 0)], before[max(at, 0):]
	if runes := []rune(prefix); len(runes) > maxRunes {
		prefix = string(runes[:maxRunes])
	}
	return whole, prefix
}

// isOfWord reports whether a folded character is one of a word, and not a word by itself.
func isOfWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		(r < 'ก' || !unicode.In(r, paired...) && !unicode.In(r, unspaced...))
}

// Len returns the number of words and prefixes. It is 0 for a text without letters and digits.
func (s Search) Len() int { return len(s.Words) + len(s.Prefixes) }

// TooShort returns the first prefix that finds nearly everything, of one letter or digit; empty for none.
func (s Search) TooShort() string {
	for _, p := range s.Prefixes {
		if utf8.RuneCountInString(p) < 2 {
			return p
		}
	}
	return ""
}
