package redact

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// streamKey is a private key in the texts of a stream.
type streamKey struct {
	open   bool // the key has begun and not ended
	size   int  // bytes of its lines
	others int  // texts since its last line
}

// maxOthers is how many texts without a line of the key may follow each other before its end is given up.
const maxOthers = 200

// next removes the lines of a key that an earlier text of the stream has begun from a text, and records a key that
// begins in it.
func (k *streamKey) next(s string, c Counts) string {
	if k.open {
		s = k.removeLines(s, c)
	}
	last := -1
	for from, head := pemStart(s, 0); from >= 0; from, head = pemStart(s, head) {
		last = head
	}
	if last >= 0 {
		if _, ended := afterPEM(s[last:]); !ended {
			*k = streamKey{open: true}
		}
	}
	return s
}

// removeLines removes the lines of the key from a text, up to its end.
func (k *streamKey) removeLines(s string, c Counts) string {
	lines := strings.Split(s, "\n")
	found := false
	for i, line := range lines {
		if tail, ended := afterPEM(line); ended {
			lines[i], k.open, found = lex.Marker(decide.KindKey)+tail, false, true
			break
		}
		at := keyLineStart(line)
		if at < 0 {
			continue
		}
		k.size += len(line) - at
		lines[i], found = line[:at]+lex.Marker(decide.KindKey), true
	}
	if !found {
		k.others++
		k.open = k.others < maxOthers
		return s
	}
	c.countUnseen(decide.PrivateKey.Rule)
	k.others = 0
	k.open = k.open && k.size < maxPEM
	return strings.Join(lines, "\n")
}

const lineEnds = " \t\r\"',;]|\\+" // may follow the base64 of a line

// lineStart returns where the blanks, quotes, signs and colors that may precede the base64 of a line end.
func lineStart(text string, i int) int {
	for i < len(text) {
		end := colorEnd(text, i)
		if end == i && strings.IndexByte(" \t\"'[>|+", text[i]) < 0 {
			break
		}
		i = max(end, i+1)
	}
	return i
}

// keyLineStart returns where the base64 of a line of a key begins: all of the line, or its last word after a prefix,
// as of a log. It is -1 for another line.
func keyLineStart(line string) int {
	text := strings.TrimRight(line, lineEnds)
	for at := strings.LastIndexByte(text, '\x1b'); at >= 0 &&
		colorEnd(text, at) == len(text); at = strings.LastIndexByte(text, '\x1b') {
		text = strings.TrimRight(text[:at], lineEnds)
	}
	text = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(text, `\n`), `\r`), lineEnds)
	start := lineStart(text, 0)
	word := text[start:]
	if lex.Run(word, 0, lex.Alnum|lex.Base) == len(word) {
		if word != "" && (len(word) >= 40 || !decide.IsPlainWord(word) && !decide.IsNumber(word)) {
			return start
		}
		return -1
	}
	from := lineStart(text, strings.LastIndexAny(text, " \t")+1)
	word = text[from:]
	isLong := len(word) >= 16 && lex.HasCapitalAndDigit(word) || len(word) >= 40
	if from > 0 && isLong && lex.Run(word, 0, lex.Alnum|lex.Base) == len(word) {
		return from
	}
	return -1
}
