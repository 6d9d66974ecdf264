package evidence

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
)

// Reader reads the lines of a packed set as one file, from any offset, with little memory. With an index, it unpacks
// from the block that contains the offset; without one, from the start.
type Reader struct {
	src   *offsetReader
	index *Index // nil when there is none
	size  int64

	offset int64 // of the next Read

	zip   *gzip.Reader // nil before the first block
	in    *bufio.Reader
	lines io.Reader // zip, normalized where there is no index
	at    int64     // offset of lines
}

// NewReader returns a Reader of a set whose lines have size bytes. Closing it closes src.
func NewReader(src Source, size int64, index *Index) *Reader {
	return &Reader{src: &offsetReader{Source: src}, index: index, size: size}
}

// Size returns the size of the lines in bytes.
func (r *Reader) Size() int64 { return r.size }

// Close closes the packed set.
func (r *Reader) Close() error { return r.src.Close() }

var errNegativeOffset = errors.New("evidence: negative offset")

// Seek implements io.Seeker. It does not read.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.offset
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errNegativeOffset
	}
	r.offset = offset
	return offset, nil
}

// Read implements io.Reader.
func (r *Reader) Read(b []byte) (int, error) {
	if r.offset >= r.size {
		return 0, io.EOF
	}
	if err := r.unpackTo(r.offset); err != nil {
		return 0, err
	}
	n, err := r.lines.Read(b[:min(int64(len(b)), r.size-r.offset)])
	r.offset += int64(n)
	r.at = r.offset
	if errors.Is(err, io.EOF) {
		if err = nil; r.offset < r.size {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

// unpackTo moves lines to an offset.
func (r *Reader) unpackTo(offset int64) error {
	if r.in != nil && r.at == offset {
		return nil
	}
	start := &block{}
	if r.index != nil {
		start = r.index.find(offset)
	}
	if r.in == nil || offset < r.at || start.raw > r.at {
		if err := r.startAt(start); err != nil {
			return err
		}
	}
	n, err := io.CopyN(io.Discard, r.lines, offset-r.at)
	r.at += n
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// maxDiscard is the largest gap, in packed bytes, that is read and discarded. A larger one is skipped by a seek, which
// costs a request when files are objects in a bucket.
const maxDiscard = 64 << 10

// startAt moves lines to the first byte of a block.
func (r *Reader) startAt(b *block) error {
	if r.in == nil {
		r.in = bufio.NewReaderSize(r.src, 8<<10)
	}
	gap := b.packed - (r.src.offset - int64(r.in.Buffered()))
	if r.zip != nil && gap >= 0 && gap <= maxDiscard {
		if _, err := r.in.Discard(int(gap)); err != nil {
			return err
		}
	} else {
		if _, err := r.src.Seek(b.packed, io.SeekStart); err != nil {
			return err
		}
		r.in.Reset(r.src)
	}
	var err error
	if r.zip == nil {
		r.zip, err = gzip.NewReader(r.in)
	} else {
		err = r.zip.Reset(r.in)
	}
	if r.lines = r.zip; r.index == nil {
		r.lines = &lineNormalizer{r: r.zip}
	}
	r.at = b.raw
	if err != nil { // the next call starts again
		r.in, r.zip = nil, nil
	}
	return err
}

// offsetReader is a Source that knows its offset.
type offsetReader struct {
	Source
	offset int64
}

func (r *offsetReader) Read(b []byte) (int, error) {
	n, err := r.Source.Read(b)
	r.offset += int64(n)
	return n, err
}

func (r *offsetReader) Seek(offset int64, whence int) (n int64, err error) {
	r.offset, err = r.Source.Seek(offset, whence)
	return r.offset, err
}

// lineNormalizer removes empty lines and ends the last line. An earlier version stored imported sets unchanged, and
// recorded the size that they have without these.
type lineNormalizer struct {
	r      io.Reader
	inLine bool
}

func (l *lineNormalizer) Read(b []byte) (int, error) {
	for len(b) > 0 {
		n, err := l.r.Read(b)
		out := b[:0]
		for _, c := range b[:n] {
			if c != '\n' || l.inLine {
				out = append(out, c)
			}
			l.inLine = c != '\n'
		}
		if errors.Is(err, io.EOF) && l.inLine {
			if len(out) < len(b) {
				out, l.inLine = append(out, '\n'), false
			} else {
				err = nil // the next Read ends the line
			}
		}
		if len(out) > 0 || err != nil {
			return len(out), err
		}
	}
	return 0, nil
}
