package media

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// looksLikeText reports whether bytes look like text in an encoding that extends ASCII: at most 1 of 32 is a control
// character. For a file that is declared as text it is 1 of 8, if at least 3 of 4 bytes are UTF-8.
func looksLikeText(head []byte, declared bool) bool {
	n := countControls(head)
	return n*32 <= len(head) || declared && n*8 <= len(head) && countInvalid(head)*4 <= len(head)
}

// countInvalid counts the bytes that are not UTF-8.
func countInvalid(b []byte) int {
	n := 0
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			n++
		}
		b = b[size:]
	}
	return n
}

// isTextWithPrefix reports whether the first 32 bytes are text, so that a signature of letters is only its first word.
func isTextWithPrefix(head []byte) bool {
	return len(head) > 0 && head[0] < utf8.RuneSelf && countControls(head[:min(len(head), 32)]) == 0
}

// countControls counts the control characters that do not appear in text.
func countControls(b []byte) int {
	n := 0
	for _, c := range b {
		if c < 0x20 && bytes.IndexByte([]byte("\t\n\v\f\r\b\x1b"), c) < 0 {
			n++
		}
	}
	return n
}

// isUTF16 reports whether a text starts with a byte order mark of UTF-16, and not of UTF-32.
func isUTF16(head []byte) bool {
	little := bytes.HasPrefix(head, []byte{0xff, 0xfe}) && !bytes.HasPrefix(head, []byte{0xff, 0xfe, 0, 0})
	return little || bytes.HasPrefix(head, []byte{0xfe, 0xff})
}

// UTF8 converts UTF-16 with a byte order mark to UTF-8, and invalid UTF-16 to replacement characters. It leaves any
// other text unchanged.
func UTF8(src *bufio.Reader) *bufio.Reader {
	head, _ := src.Peek(4)
	if !isUTF16(head) {
		return src
	}
	return bufio.NewReader(transform.NewReader(src,
		unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()))
}

// utf8Head converts the start of a file like UTF8.
func utf8Head(head []byte) []byte {
	if !isUTF16(head) {
		return head
	}
	text, _ := io.ReadAll(UTF8(bufio.NewReader(bytes.NewReader(head[:len(head)&^1]))))
	return text
}
