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
	src    *offsetReader
	index  *Index // nil when there is none
	size   int64
	offset int64 // of the next Read

	zip      *gzip.Reader  // nil before the first block
	in       *bufio.Reader // the packed bytes that zip reads; nil before the first block
	lines    io.Reader     // the unpacked bytes of zip, normalized where there is no index
	unpacked int64         // offset of the next byte of lines
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
	r.unpacked = r.offset
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if r.offset < r.size {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil // the next Read returns io.EOF
}

// unpackTo moves lines to an offset: forward in the current block, or from the start of the block that contains it.
func (r *Reader) unpackTo(offset int64) error {
	if r.in != nil && r.unpacked == offset {
		return nil
	}
	start := &block{}
	if r.index != nil {
		start = r.index.find(offset)
	}
	if r.in == nil || offset < r.unpacked || start.raw > r.unpacked {
		if err := r.startAt(start); err != nil {
			return err
		}
	}
	n, err := io.CopyN(io.Discard, r.lines, offset-r.unpacked)
	r.unpacked += n
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
	if err := r.seekPacked(b.packed); err != nil {
		return err
	}
	var err error
	if r.zip == nil {
		r.zip, err = gzip.NewReader(r.in)
	} else {
		err = r.zip.Reset(r.in)
	}
	if err != nil {
		r.in, r.zip = nil, nil // the next call starts again
		return err
	}
	r.unpacked, r.lines = b.raw, r.zip
	if r.index == nil {
		r.lines = &lineNormalizer{r: r.zip}
	}
	return nil
}

// seekPacked moves in to an offset of the packed bytes.
func (r *Reader) seekPacked(offset int64) error {
	if r.in == nil {
		r.in = bufio.NewReaderSize(r.src, 8<<10)
	}
	gap := offset - (r.src.offset - int64(r.in.Buffered()))
	if r.zip != nil && gap >= 0 && gap <= maxDiscard {
		_, err := r.in.Discard(int(gap))
		return err
	}
	_, err := r.src.Seek(offset, io.SeekStart)
	r.in.Reset(r.src)
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

// Read implements io.Reader. It returns fewer bytes than it has read when it removes empty lines.
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
