package results

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

const maxLine = 1 << 20 // bytes of a line of go test -json or of TAP; the rest is left out

// lines reads a text line by line, in bounded memory.
type lines struct {
	in     *bufio.Reader
	number int
	buffer []byte
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 64<<10)} }

// linesOf yields the lines of a file by their numbers, each valid until the next one. When the file cannot be read
// further, this is a fault, and the lines end.
func (rd *reading) linesOf(r io.Reader) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		in := newLines(r)
		for {
			line, err := in.next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					rd.failed(in.number, err)
				}
				return
			}
			if !yield(in.number, line) {
				return
			}
		}
	}
}

// next returns a line without its end, valid until the next one is read.
func (l *lines) next() ([]byte, error) {
	l.buffer = l.buffer[:0]
	l.number++
	for {
		part, err := l.in.ReadSlice('\n')
		if free := maxLine - len(l.buffer); free > 0 {
			l.buffer = append(l.buffer, part[:min(free, len(part))]...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF && len(l.buffer) > 0, err == nil:
			return bytes.TrimRight(l.buffer, "\r\n"), nil
		default:
			return nil, err
		}
	}
}
