package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The signs of Chinese and Japanese text between a name and its value, of three bytes each.
const wideSigns = "：＝"

// wideSign scans the sign at i if it is one of wideSigns, as assignment does, and returns where to continue.
func (x *scan) wideSign(i int) int {
	s := x.s
	isColon := strings.HasPrefix(s[i:], wideSigns[:3])
	if !isColon && !strings.HasPrefix(s[i:], wideSigns[3:]) {
		return i + 1
	}
	v := i + 3
	x.foreignName(i)
	if x.to < 0 {
		return v
	}
	name, quoted, ok := x.nameBefore(i)
	if !ok {
		return v
	}
	m := x.nameMeaning(name, quoted)
	if !m.isSecret() {
		return v
	}
	for v = run(s, v, space); strings.HasPrefix(s[v:], "\u3000"); v = run(s, v, space) {
		v += len("\u3000")
	}
	return x.removeValue(v, m, quoted || !isColon, false)
}

const maxForeign = 80 // bytes of a name

// foreignName makes a sensitive name with letters beyond ASCII before the sign at i the last word. It may have three words.
func (x *scan) foreignName(i int) {
	s := x.s
	to := i
	for to > 0 && (sets[s[to-1]]&(space|quote) != 0 || s[to-1] == '*' || s[to-1] == '\\' || s[to-1] == ']') {
		to--
	}
	if to == 0 || s[to-1] < utf8.RuneSelf && (x.to != to || x.from == 0 || s[x.from-1] < utf8.RuneSelf) {
		return
	}
	from := to
	for range 3 {
		for from > 0 && to-from < maxForeign && (s[from-1] >= utf8.RuneSelf || sets[s[from-1]]&word != 0) {
			from--
		}
		if x.r.meaningOf(s[from:to]).isSecret() {
			x.before, x.from, x.to = -1, from, to
			return
		}
		if from < 2 || s[from-1] != ' ' || s[from-2] < utf8.RuneSelf && sets[s[from-2]]&word == 0 {
			return
		}
		from--
	}
}

// isUnspaced reports whether a text is in a script without blanks between words, so that it may be a sentence.
func isUnspaced(s string) (found bool) {
	for _, c := range s {
		if c < utf8.RuneSelf {
			return false
		}
		found = found || unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
			unicode.Myanmar)
	}
	return found
}
