package reporttext

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// tokenCost is the cost of one token. The costs of pieces are fractions of it.
const tokenCost = 20

// tokens estimates the tokens of a text: for prose, code and logs at least as many as o200k_base and cl100k_base
// count, and at least one for four bytes. The estimate of a text is at most the sum of those of its lines.
func tokens(text string) int {
	cost, previous := 0, byte(' ')
	for rest := text; rest != ""; {
		n, c := nextPiece(rest, previous)
		cost += c
		previous, rest = rest[n-1], rest[n:]
	}
	return (max(cost, len(text)*tokenCost/4) + tokenCost - 1) / tokenCost
}

// nextPiece returns the length and the cost of the first piece of a text: a word, digits, spaces, or punctuation.
func nextPiece(text string, previous byte) (n, cost int) {
	switch first := text[0]; {
	case isLetter(first):
		return nextWord(text, previous)
	case isDigit(first):
		n = runLength(text, isDigit)
		return n, (n + 2) / 3 * 24
	case isSpace(first):
		n = runLength(text, isSpace)
		if first == ' ' && n == 1 && (n >= len(text) || !isDigit(text[n])) { // part of the next token
			return n, 0
		}
		return n, tokenCost
	case first < utf8.RuneSelf:
		if n = runLength(text, func(b byte) bool { return b == first }); n == 1 {
			return n, 16
		}
		return n, 11 * n
	}
	_, n = utf8.DecodeRuneInString(text)
	return n, []int{18, 18, 18, 35, 55}[n]
}

// nextWord returns the length and the cost of the word at the start of a text: capital letters, then small ones. Long
// words, clusters of consonants, and letters beside digits cost more.
func nextWord(text string, previous byte) (n, cost int) {
	n = runLength(text, isUpper)
	n += runLength(text[n:], isLower)
	cost = tokenCost + 7*max(0, n-6)
	for i, consonants := 0, 0; i < n && n > 2; i++ {
		if consonants++; strings.IndexByte("aeiouAEIOU", text[i]) >= 0 {
			consonants = 0
		}
		if consonants > 2 {
			cost += 7
		}
	}
	if n > 1 && (isDigit(previous) || n < len(text) && isDigit(text[n])) {
		cost += 10
	}
	return n, cost
}

// runLength returns how many bytes at the start of a text are of a kind.
func runLength(text string, is func(byte) bool) (n int) {
	for n < len(text) && is(text[n]) {
		n++
	}
	return n
}

func isUpper(b byte) bool  { return 'A' <= b && b <= 'Z' }
func isLower(b byte) bool  { return 'a' <= b && b <= 'z' }
func isLetter(b byte) bool { return isUpper(b) || isLower(b) }
func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
func isSpace(b byte) bool  { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// truncateTokens returns the beginning of a text with at most n tokens.
func truncateTokens(text string, n int) string {
	tooLong := sort.Search(len(text)+1, func(i int) bool { return tokens(text[:i]) > n })
	return strings.ToValidUTF8(text[:max(0, tooLong-1)], "")
}
