package lex

import (
	"math/bits"
	"strings"
)

// QuoteAt returns the level of the opening quote at i, from 1, and where its text begins. Each level of escaping
// doubles the backslashes before the quote. The level is 0 when there is no quote.
func QuoteAt(s string, i int) (level, from int) {
	if n := EntityLength(s, i); n > 0 {
		return byEntity + n, i + n
	}
	n := i
	for n < len(s) && s[n] == '\\' && n-i < 64 {
		n++
	}
	if n == len(s) || !In(s[n], Quote) {
		return 0, i
	}
	if (n-i)&(n-i+1) != 0 {
		return 0, i
	}
	return bits.Len(uint(n-i)) + 1, n + 1
}

// QuoteEnd returns where the text in a quote of a level ends, and the index after the closing quote. A quote that is
// not closed ends with the line.
func QuoteEnd(s string, i, level, from int) (to, next int) {
	if level > byEntity {
		if k := strings.Index(s[from:], s[from-(level-byEntity):from]); k >= 0 {
			return from + k, from + k + level - byEntity
		}
		return len(s), len(s)
	}
	q := s[from-1]
	for k := from; k < len(s); k++ {
		if s[k] != q {
			continue
		}
		n := k
		for n > from && s[n-1] == '\\' {
			n--
		}
		escapes := k - n
		for l := 1; l <= level; l++ {
			if escapes%2 == 0 {
				return max(from, k-(1<<(l-1)-1)), k + 1
			}
			escapes = (escapes - 1) / 2
		}
	}
	return len(s), len(s)
}

// byEntity is added to the level of a quote that is written as an entity.
const byEntity = 1000

// quoteEntities are the entities of quotes in the attributes of pages, without the ampersand.
var quoteEntities = [...]string{"quot;", "#34;", "#034;", "#x22;", "apos;", "#39;", "#039;", "#x27;",
	"amp;quot;", "amp;#34;", "amp;#39;", "amp;apos;"}

// EntityLength returns the length of the entity of a quote at i, or 0.
func EntityLength(s string, i int) int {
	if i+4 > len(s) || s[i] != '&' {
		return 0
	}
	switch s[i+1] | 0x20 {
	case 'q', 'a', '#':
	default:
		return 0
	}
	for _, name := range quoteEntities {
		if end := i + 1 + len(name); end <= len(s) && strings.EqualFold(s[i+1:end], name) {
			return end - i
		}
	}
	return 0
}

// Quoted returns where the text in the quotes that open at i begins and ends, and the index after them; ok is false
// when no quote opens.
func Quoted(s string, i int) (from, to, next int, ok bool) {
	level, from := QuoteAt(s, i)
	if level == 0 {
		return i, i, i, false
	}
	to, next = QuoteEnd(s, i, level, from)
	return from, to, max(next, from), true
}
