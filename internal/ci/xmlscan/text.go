package xmlscan

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

const maxReference = 12 // bytes of a reference to a character, such as &#x10FFFF;

// appendText appends a text as it is read: with \n at the end of each line, a picture in place of each control
// character, and the characters that references stand for.
func appendText(to, b []byte, references bool) []byte {
	for len(b) > 0 {
		i := bytes.IndexFunc(b, special)
		if i < 0 {
			return append(to, b...)
		}
		to = append(to, b[:i]...)
		b = b[i:]
		switch c := b[0]; {
		case c == '&' && references:
			r, n := reference(b)
			to, b = appendCharacter(to, r), b[n:]
		case c == '\r':
			if len(b) == 1 || b[1] != '\n' {
				to = append(to, '\n')
			}
			b = b[1:]
		default:
			to, b = appendCharacter(to, rune(c)), b[1:]
		}
	}
	return to
}

// special reports whether a character may stand for another one.
func special(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == '&' }

// appendCharacter appends a character: for a control character its picture, such as ␛.
func appendCharacter(to []byte, r rune) []byte {
	if r < ' ' && r != '\n' && r != '\t' && r != '\r' {
		r += '␀'
	}
	return utf8.AppendRune(to, r)
}

var named = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"', "apos": '\''}

// reference returns the character that a reference stands for, and the length of the reference. An & that begins no
// reference stands for itself.
func reference(b []byte) (r rune, n int) {
	end := bytes.IndexByte(b[:min(len(b), maxReference)], ';')
	if end < 2 {
		return '&', 1
	}
	name := string(b[1:end])
	if r, ok := named[name]; ok {
		return r, end + 1
	}
	if name[0] != '#' {
		return '&', 1
	}
	digits, base := name[1:], 10
	if len(digits) > 1 && digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	code, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return '&', 1
	}
	if code > utf8.MaxRune || !utf8.ValidRune(rune(code)) {
		return utf8.RuneError, end + 1
	}
	return rune(code), end + 1
}
