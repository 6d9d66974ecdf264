package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
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

// order returns how the bytes of UTF-16 are ordered that begins with a mark of it, or nil.
func order(head []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe, 0, 0}), len(head) < 2:
		return nil
	case head[0] == 0xff && head[1] == 0xfe:
		return binary.LittleEndian
	case head[0] == 0xfe && head[1] == 0xff:
		return binary.BigEndian
	}
	return nil
}

// UTF8 reads UTF-16 that begins with its mark as UTF-8, and everything else as it is.
func UTF8(src *bufio.Reader) *bufio.Reader {
	head, _ := src.Peek(4)
	if o := order(head); o != nil {
		_, _ = src.Discard(2)
		return bufio.NewReader(&decoder{src: src, order: o})
	}
	return src
}

func utf8Head(head []byte) []byte {
	if order(head) == nil {
		return head
	}
	plain, _ := io.ReadAll(UTF8(bufio.NewReader(bytes.NewReader(head[:len(head)&^1]))))
	return plain
}

// decoder reads UTF-16 as UTF-8. What is none stands as the replacement character.
type decoder struct {
	src   io.Reader
	order binary.ByteOrder
	high  rune // the first half of a pair
	odd   int  // bytes of a half that came
	out   []byte
	buf   [4096]byte
	err   error
}

func (d *decoder) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.fill()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

func (d *decoder) fill() {
	n, err := d.src.Read(d.buf[d.odd:])
	n += d.odd
	d.err, d.out = err, d.out[:0]
	for i := 0; i+1 < n; i += 2 {
		d.unit(rune(d.order.Uint16(d.buf[i:])))
	}
	if d.odd = n % 2; d.odd == 1 {
		d.buf[0] = d.buf[n-1]
	}
	if d.err != nil && (d.high != 0 || d.odd == 1) {
		d.add(utf8.RuneError)
	}
}

func (d *decoder) unit(u rune) {
	if d.high != 0 {
		both := utf16.DecodeRune(d.high, u)
		d.high = 0
		d.add(both)
		if both != utf8.RuneError {
			return
		}
	}
	if u >= 0xd800 && u < 0xdc00 {
		d.high = u
		return
	}
	d.add(u)
}

func (d *decoder) add(r rune) { d.out = utf8.AppendRune(d.out, r) }
