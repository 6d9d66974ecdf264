package media

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// isText says whether bytes look like text, in whatever encoding keeps ASCII as it is: few of
// them control anything. Of what was said to be text more may, unless much of it is no UTF-8, as
// in noise.
func isText(head []byte, said bool) bool {
	n := controls(head)
	return n*32 <= len(head) || said && n*8 <= len(head) && broken(head)*4 <= len(head)
}

// broken counts the bytes that are no UTF-8.
func broken(b []byte) int {
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

// lettered says whether a signature is of letters alone and text follows it.
func lettered(head []byte) bool {
	return len(head) > 0 && head[0] < utf8.RuneSelf && controls(head[:min(len(head), 32)]) == 0
}

// controls counts the bytes that texts do not have.
func controls(b []byte) int {
	n := 0
	for _, c := range b {
		if c < 0x20 && bytes.IndexByte([]byte("\t\n\v\f\r\b\x1b"), c) < 0 {
			n++
		}
	}
	return n
}

// isUTF16 says whether a text begins with the byte order mark of UTF-16, and not with that of UTF-32.
func isUTF16(head []byte) bool {
	little := bytes.HasPrefix(head, []byte{0xff, 0xfe}) && !bytes.HasPrefix(head, []byte{0xff, 0xfe, 0, 0})
	return little || bytes.HasPrefix(head, []byte{0xfe, 0xff})
}

// UTF8 reads UTF-16 with a byte order mark as UTF-8, with replacement characters for what is not
// UTF-16. It reads everything else unchanged.
func UTF8(src *bufio.Reader) *bufio.Reader {
	head, _ := src.Peek(4)
	if !isUTF16(head) {
		return src
	}
	return bufio.NewReader(transform.NewReader(src, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()))
}

func utf8Head(head []byte) []byte {
	if !isUTF16(head) {
		return head
	}
	text, _ := io.ReadAll(UTF8(bufio.NewReader(bytes.NewReader(head[:len(head)&^1]))))
	return text
}
