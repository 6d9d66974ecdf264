package evidence

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"

	"bugslice/api"
)

// Writer packs lines in blocks that can be read one by one, with an index of them behind. Any
// reader of gzip reads the lines of it.
type Writer struct {
	out   io.Writer
	zip   *gzip.Writer
	lines bytes.Buffer // of the block that is being filled
	index Index
	at    block // where the block begins
	next  int   // how many lines have begun
}

// NewWriter returns a Writer. Close ends what it writes.
func NewWriter(out io.Writer) *Writer {
	return &Writer{out: out, zip: gzip.NewWriter(io.Discard)}
}

// Line writes a line of a class, or of none.
func (w *Writer) Line(line []byte, class int) error {
	if w.lines.Len()+len(line)+1 > blockSize {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.next++
	if class >= 0 && class < maxClasses {
		w.at.counts[class]++
	}
	long := len(line) >= blockSize
	for len(line) >= blockSize {
		w.lines.Write(line[:blockSize])
		line = line[blockSize:]
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.lines.Write(line)
	w.lines.WriteByte('\n')
	if long {
		return w.flush()
	}
	return nil
}

// flush writes the block that is being filled, as a gzip member.
func (w *Writer) flush() error {
	if w.lines.Len() == 0 {
		return nil
	}
	packed := &counting{w: w.out}
	w.zip.Reset(packed)
	raw := int64(w.lines.Len())
	if _, err := w.lines.WriteTo(w.zip); err != nil {
		return err
	}
	if err := w.zip.Close(); err != nil {
		return err
	}
	w.index.blocks = append(w.index.blocks, w.at)
	w.at = block{raw: w.at.raw + raw, packed: w.at.packed + packed.n, line: w.next}
	return nil
}

// Close writes what is left, and the index.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	w.index.blocks = append(w.index.blocks, w.at)
	_, err := w.out.Write(w.index.encode())
	return err
}

// counting counts what is written through it.
type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// Pack packs the lines of a set.
func (s Set) Pack() []byte {
	var b bytes.Buffer
	w := NewWriter(&b) // into memory: it cannot fail
	s.lines(func(line []byte, class int) { _ = w.Line(line, class) })
	_ = w.Close()
	return b.Bytes()
}

// Repack packs the lines of a packed set anew, with an index that is made here.
func Repack(kind api.AttachmentKind, packed io.Reader, to io.Writer) error {
	w := NewWriter(to)
	place := First(kind) - 1
	err := Each(packed, func(line []byte) (bool, error) {
		place++
		class := noClass
		if row, ok := Row(kind, place, line); ok && place > 0 {
			class = Class(kind, row)
		}
		return true, w.Line(line, class)
	})
	if err != nil {
		return err
	}
	return w.Close()
}
