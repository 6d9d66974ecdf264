package evidence

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"

	"bugslice/api"
)

// Writer packs lines into gzip blocks that can be read one by one, followed by an index of the blocks. Any gzip reader
// reads the lines.
type Writer struct {
	out   io.Writer
	zip   *gzip.Writer
	index Index
	block block        // the current one
	lines bytes.Buffer // of the current block
	count int          // of all lines so far
}

// NewWriter returns a Writer, which must be closed.
func NewWriter(out io.Writer) *Writer {
	return &Writer{out: out, zip: gzip.NewWriter(io.Discard)}
}

// Line writes a line whose row has the class. A line that is as long as a block has blocks of its own.
func (w *Writer) Line(line []byte, class int) error {
	if w.lines.Len()+len(line)+1 > blockSize {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.count++
	if class >= 0 && class < maxClasses {
		w.block.counts[class]++
	}
	if len(line) < blockSize {
		w.lines.Write(line)
		return w.lines.WriteByte('\n')
	}
	for ; len(line) >= blockSize; line = line[blockSize:] {
		w.lines.Write(line[:blockSize])
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.lines.Write(line)
	w.lines.WriteByte('\n')
	return w.flush()
}

// flush writes the current block as a gzip member, and begins the next one.
func (w *Writer) flush() error {
	if w.lines.Len() == 0 {
		return nil
	}
	packed := &countingWriter{w: w.out}
	w.zip.Reset(packed)
	raw := int64(w.lines.Len())
	if _, err := w.lines.WriteTo(w.zip); err != nil {
		return err
	}
	if err := w.zip.Close(); err != nil {
		return err
	}
	w.index.blocks = append(w.index.blocks, w.block)
	w.block = block{raw: w.block.raw + raw, packed: w.block.packed + packed.n, line: w.count}
	return nil
}

// Close writes the last block and the index.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	w.index.blocks = append(w.index.blocks, w.block)
	_, err := w.out.Write(w.index.encode())
	return err
}

// countingWriter counts the bytes that are written.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// Repack packs the lines of a packed set again, with a new index.
func Repack(kind api.AttachmentKind, packed io.Reader, to io.Writer) error {
	w := NewWriter(to)
	index := FirstIndex(kind)
	err := EachLine(packed, 0, func(line []byte) (bool, error) {
		class := noClass
		if row, ok := Row(kind, index, line); ok && index > 0 { // not a line before or after the rows
			class = Class(kind, row)
		}
		index++
		return true, w.Line(line, class)
	})
	if err != nil {
		return err
	}
	return w.Close()
}
