package decide

import (
	"strings"
	"unicode/utf8"

	"bugslice/internal/redact/lex"
)

// ShapeOf returns the shape of a text by itself: all but code and labels, which depend on what stands around it and
// on names.
func ShapeOf(s string) Shape {
	if IsPlaceholder(s) {
		return Placeholder
	}
	if strings.IndexByte(s, ' ') >= 0 || strings.IndexByte(s, '\t') >= 0 {
		return shapeOfWords(s)
	}
	if isUnspaced(s) {
		return Sentence
	}
	if len(s) > 1 && isProse(s) {
		return State
	}
	c := census(s)
	switch {
	case len(s) == 10 && isDate(s):
		return Technical
	case c.digits == len(s) || IsNumber(s):
		return shapeOfNumber(c.digits)
	case len(s) == 36 && lex.IsUUID(s):
		return UUID
	case c.digits > 0 && c.hex == len(s) && len(s) >= 20:
		return Hex
	case isTechnical(s, c):
		return Technical
	case c.isRandom(s):
		return Random
	case isPath(s):
		return Path
	case c.digits > 0 && c.letters > 0 && len(s) >= 6:
		if len(s) >= 12 {
			return Coded
		}
		return Mixed
	case c.other > 0 && c.letters > 0 && len(s) >= 8 && strings.ContainsAny(s, "!@#$%^&*+="):
		return Mixed
	case len(s) >= 20 && strings.IndexByte(s, '(') < 0 && c.letters+c.digits > 0:
		return LongWord
	}
	if len(s) > 3 && c.capitals == 1 && s[0] >= 'A' && s[0] <= 'Z' && c.letters == len(s) {
		return Title
	}
	return Word
}

func shapeOfNumber(digits int) Shape {
	switch {
	case digits < 3:
		return Count
	case digits == 3:
		return ThreeDigits
	}
	return Number
}

// shapeOfWords returns the shape of a text of several words.
func shapeOfWords(s string) Shape {
	if IsNumber(s) {
		return shapeOfNumber(census(s).digits)
	}
	if isSentence(s) {
		return Sentence
	}
	if len(s) >= 10 && isDate(s[:10]) {
		return Technical
	}
	n, numbers, plain, secret := 0, 0, 0, false
	for w := range strings.FieldsSeq(s) {
		n++
		switch {
		case len(w) < 3 && IsNumber(w):
			numbers++
		case IsPlainWord(w):
			plain++
		}
		secret = secret || lex.HasDigit(w) && LooksSecret(w)
	}
	switch {
	case numbers == 1 && plain > 1 && numbers+plain == n: // at least 8 letters, in any language
		return Sentence
	case secret && n <= 4:
		return Phrase
	}
	return Words
}

// isSentence reports whether a text of several words begins with a common word that a passphrase would not have, has
// it with another one, has three common words, or ends as sentences do.
func isSentence(s string) bool {
	if strings.IndexByte(".?:…", s[len(s)-1]) >= 0 {
		return true
	}
	common, n, strong := 0, 0, false
	for w := range strings.FieldsSeq(s) {
		if n++; n > 20 {
			break
		}
		if len(w) > 1 && IsCommonWord(w) {
			isStrong := !words().weak.has(strings.ToLower(strings.Trim(w, signsOfSentences)))
			strong = strong || isStrong
			if common++; n == 1 && isStrong || common == 2 && strong || common == 3 {
				return true
			}
		}
	}
	return false
}

// counts are the bytes of a text by what they are, and how often letters and digits alternate.
type counts struct {
	letters, digits, capitals, hex, other int
	turns                                 int // between a letter and a digit
	rises                                 int // from a small letter to a capital
	word, maxWord                         int // letters of one case in a row, and the most of them
	consonants, maxConsonants             int // in a row, and the most of them
}

func census(s string) (c counts) {
	const none, digit, small, capital = 0, 1, 2, 3
	before := none
	for i := range len(s) {
		b := s[i]
		now := none
		switch {
		case lex.IsDigit(b):
			now = digit
			c.digits++
		case b >= 'a' && b <= 'z':
			now = small
			c.letters++
		case b >= 'A' && b <= 'Z':
			now = capital
			c.letters++
			c.capitals++
		case b >= utf8.RuneSelf:
			c.letters++
		default:
			c.other++
		}
		if lex.In(b, lex.Hexits) {
			c.hex++
		}
		if c.consonants++; now < small || strings.IndexByte("aeiouyAEIOUY", b) >= 0 {
			c.consonants = 0
		}
		c.maxConsonants = max(c.maxConsonants, c.consonants)
		switch {
		case now == before && now >= small:
			c.word++
		case before != none && now != none && (before == digit) != (now == digit):
			c.turns++
			c.word = 1
		case before == small && now == capital:
			c.rises++
			c.word = 1
		case now != before && (before != capital || now != small || c.word != 1):
			c.word = 1
		}
		c.maxWord = max(c.maxWord, c.word)
		before = now
	}
	return c
}

// isRandom reports whether a text of these counts is one long text that no person would write.
func (c counts) isRandom(s string) bool {
	if len(s) < 16 || lex.Run(s, 0, lex.Base64|lex.Dot) < len(s) || c.digits == 0 && c.rises < 4 {
		return false
	}
	if strings.IndexByte(s, '/') >= 0 && hasPlainSegment(s) {
		return false
	}
	if len(s) >= 20 && c.digits > 0 && c.maxConsonants > 4 && lex.Run(s, 0, lex.Alnum) == len(s) {
		return true
	}
	if c.maxWord > 9 && (c.turns < 4 || c.maxWord > 14) {
		return false
	}
	alternates := c.turns + c.rises
	return c.turns >= 4 && alternates*6 >= len(s) || c.turns >= 2 && c.rises >= 2 && alternates*6 >= len(s) ||
		c.rises >= 4 && c.rises*5 >= len(s) && c.maxWord < 6
}

// hasPlainSegment reports whether a part of a path is a word of small letters.
func hasPlainSegment(s string) bool {
	for part := range strings.SplitSeq(s, "/") {
		if len(part) > 3 && isOneOf(part, "abcdefghijklmnopqrstuvwxyz") {
			return true
		}
	}
	return false
}

// isTechnical reports whether a word is a date, a version, a technique, a size, an address of a network, or a number
// with a unit.
func isTechnical(s string, c counts) bool {
	if c.digits == 0 || len(s) > 40 {
		return false
	}
	bare := strings.ToLower(strings.Trim(s, ".,;:?()"))
	switch {
	case words().technique.has(bare), len(s) >= 10 && isDate(s[:10]), IsVersion(bare):
		return true
	case c.letters == 0 && c.digits+c.other == len(s): // 10.0.4.17, 10:00, 1/2
		return lex.Run(s, 0, lex.Alnum|lex.Dot|lex.Base|lex.Under) == len(s) || isOneOf(s, "0123456789.:/,-+%")
	}
	return len(s) <= 12 && (isQuantity(bare) || isNumbered(bare))
}

// isDate reports whether a text begins with a year, a month and a day.
func isDate(s string) bool {
	return (strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20")) && s[4] == s[7] &&
		(s[4] == '-' || s[4] == '/' || s[4] == '.') &&
		isOneOf(s[:4]+s[5:7]+s[8:10], "0123456789")
}

// isQuantity reports whether a word is a number with a unit, or two numbers with a sign between: 500ms, 1280x720, v2,
// 1st, s17, utf8.
func isQuantity(s string) bool {
	i := 0
	for i < len(s) && (lex.IsDigit(s[i]) || s[i] == '.') {
		i++
	}
	j := i
	for j < len(s) && s[j] >= 'a' && s[j] <= 'z' {
		j++
	}
	switch {
	case i > 0 && j == len(s):
		return j-i <= 3 && j <= 6
	case i > 0:
		return j-i == 1 && s[i] == 'x' && isOneOf(s[j:], "0123456789")
	}
	return j > 0 && j <= 2 && isOneOf(s[j:], "0123456789.")
}

// isNumbered reports whether a word is a common one with a number, such as reset99.
func isNumbered(s string) bool {
	stem := strings.TrimRight(s, "0123456789")
	return len(s)-len(stem) <= 3 && (words().common.has(stem) || words().types.has(stem) || words().product.has(stem))
}

const pathLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/_-.$"

// isPath reports whether a text is a path, an address or the name of a file.
func isPath(s string) bool {
	if strings.Contains(s, "://") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") ||
		strings.HasPrefix(s, "~/") {
		return true
	}
	if s[0] == '/' && strings.Count(s, "/") > 1 && strings.IndexByte(s, '=') < 0 {
		return true
	}
	if hasPlainSegment(s) && strings.IndexByte(s, '/') > 0 && isOneOf(s, pathLetters+"0123456789") {
		return true
	}
	return strings.IndexByte(s, '/') > 0 && !lex.HasDigit(s) && isOneOf(strings.Trim(s, "#"), pathLetters)
}

// LooksSecret reports whether a word looks like a secret and not like a word of a sentence.
func LooksSecret(s string) bool {
	var letters, numbers int
	for i := range len(s) {
		switch c := s[i]; {
		case lex.IsDigit(c):
			numbers++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
		}
	}
	switch {
	case numbers > 0 && letters > 0 && len(s) >= 6, letters == 0 && numbers >= 4 && numbers == len(s):
		return true
	}
	return len(s) >= 20 && strings.IndexByte(s, '(') < 0
}

// LooksRandom reports whether a text is one long word with digits, as tokens and encoded documents are.
func LooksRandom(s string) bool {
	return len(s) >= 12 && !strings.ContainsAny(s, " \t") && lex.HasDigit(s) && LooksSecret(s)
}

// IsNumber reports whether a text consists of digits, also in groups.
func IsNumber(s string) bool {
	digits := false
	for i := range len(s) {
		if lex.IsDigit(s[i]) {
			digits = true
		} else if s[i] != ' ' && s[i] != '-' {
			return false
		}
	}
	return digits
}
