package evidence

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

const replacement = `\ufffd` // as long as the escape that it replaces

// repairText returns JSON without characters that no strict reader takes: in strings U+0000, halves of surrogate
// pairs and invalid UTF-8 are U+FFFD, and other control characters are escaped; NaN, Infinity and undefined outside
// of strings are null. It returns the number of replaced characters. Other text, and JSON that needs no repair, is
// returned as it is.
func repairText(raw []byte) (out []byte, replaced int) {
	copied, quoted := 0, false
	put := func(from, to int, with string) {
		out = append(append(out, raw[copied:from]...), with...)
		copied = to
	}
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case !quoted:
			if end := strayConstant(raw, i); end > i {
				put(i, end, "null")
				i = end - 1
			}
		case c == '\\':
			n, broken := escapeLength(raw[i:])
			if broken {
				put(i, i+n, replacement)
				replaced++
			}
			i += n - 1
		case c == 0:
			put(i, i+1, replacement)
			replaced++
		case c < ' ':
			put(i, i+1, `\u00`+hexByte(c))
		case c >= utf8.RuneSelf:
			char, n := utf8.DecodeRune(raw[i:])
			if char == utf8.RuneError && n == 1 {
				put(i, i+1, replacement)
				replaced++
			}
			i += n - 1
		}
	}
	if out == nil {
		return raw, 0
	}
	return append(out, raw[copied:]...), replaced
}

func hexByte(c byte) string {
	text := strconv.FormatUint(uint64(c), 16)
	return "0"[:2-len(text)] + text
}

// escapeLength returns the length of the escape that begins a text, and whether it is that of U+0000 or of half a
// surrogate pair.
func escapeLength(s []byte) (length int, broken bool) {
	unit, ok := escapedUnit(s)
	if !ok {
		return min(2, len(s)), false
	}
	switch {
	case unit >= 0xd800 && unit < 0xdc00:
		if low, ok := escapedUnit(s[6:]); ok && low >= 0xdc00 && low < 0xe000 {
			return 12, false
		}
		return 6, true
	case unit == 0, unit >= 0xdc00 && unit < 0xe000:
		return 6, true
	}
	return 6, false
}

// escapedUnit returns the UTF-16 code unit of the escape \uXXXX that begins a text.
func escapedUnit(s []byte) (unit uint64, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return unit, err == nil
}

// strayConstant returns the end of a constant of JavaScript or Python that JSON does not have and that begins at i,
// or i.
func strayConstant(raw []byte, i int) int {
	switch raw[i] {
	case 'N', 'I', '-', 'u':
	default:
		return i
	}
	for _, name := range [...]string{"NaN", "Infinity", "-Infinity", "-NaN", "undefined"} {
		if bytes.HasPrefix(raw[i:], []byte(name)) {
			return i + len(name)
		}
	}
	return i
}
