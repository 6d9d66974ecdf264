package admission

import (
	"context"
	"errors"
	"io"
)

// firstBuffer is the size of a buffer before the first read.
const firstBuffer = 1 << 10

// ReadAll reads src to its end into memory that it reserves as bytes arrive. The buffer doubles in size, but not beyond
// the declared length when src has that length; -1 is unknown. It returns the bytes before an error with the error.
func (r *Reservation) ReadAll(ctx context.Context, src io.Reader, declared int64) ([]byte, error) {
	var b []byte
	for {
		if len(b) == cap(b) {
			larger, err := r.enlarge(ctx, b, declared)
			if err != nil {
				return b, err
			}
			b = larger
		}
		n, err := src.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}

// Count returns a reader that reserves twice the bytes that are read, up to limit, because its user collects them in a
// buffer that doubles in size.
func (r *Reservation) Count(ctx context.Context, src io.Reader, limit int64) io.Reader {
	return &countingReader{src: src, left: limit, grow: func(n int64) error { return r.grow(ctx, n) }}
}

type countingReader struct {
	src  io.Reader
	left int64
	grow func(int64) error
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.src.Read(b)
	if more := min(2*int64(n), c.left); more > 0 {
		if err := c.grow(more); err != nil {
			return n, err
		}
		c.left -= more
	}
	return n, err
}

// enlarge returns a buffer of twice the size with the same bytes. Both buffers are reserved while the bytes are copied.
func (r *Reservation) enlarge(ctx context.Context, b []byte, declared int64) ([]byte, error) {
	size := int64(max(2*cap(b), firstBuffer))
	if end := declared + 1; int64(cap(b)) < end && end < size {
		size = end // one more than declared, so that the end is read without another buffer
	}
	if err := r.grow(ctx, size); err != nil {
		return nil, err
	}
	larger := make([]byte, len(b), size)
	copy(larger, b)
	if len(b) > 0 {
		r.shrink(int64(cap(b)))
	}
	return larger, nil
}
