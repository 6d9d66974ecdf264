package admission

import (
	"context"
	"errors"
	"io"
)

// firstBuffer is what a body uses before it has sent anything.
const firstBuffer = 1 << 10

// ReadAll reads src to its end into memory that it reserves as bytes arrive. The buffer doubles, and ends
// at declared bytes when that many come; -1 is not known. What was read before an error is returned with it.
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

// Count returns a reader that reserves twice what is read through it, up to most bytes, for whoever collects
// it in buffers that double.
func (r *Reservation) Count(ctx context.Context, src io.Reader, most int64) io.Reader {
	return &counting{src: src, left: most, grow: func(n int64) error { return r.grow(ctx, n) }}
}

type counting struct {
	src  io.Reader
	left int64
	grow func(int64) error
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.src.Read(b)
	if more := min(2*int64(n), c.left); more > 0 {
		if err := c.grow(more); err != nil {
			return n, err
		}
		c.left -= more
	}
	return n, err
}

// enlarge returns a buffer of twice the size with the same bytes. Both are counted while there are two.
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
