package media

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

// Cleaner reads a picture or a video without its metadata: positions, times, names, serial numbers, comments and
// thumbnails. The orientation and the colour profile stay. It has at most 700 KiB of the file in memory. A part that
// a file needs at its place, such as a box of a video, is overwritten with zeros, so that no position in the file
// changes.
//
// A file of another format, and the rest of a damaged one, are read as they are.
type Cleaner struct {
	in      *bufio.Reader
	format  format
	pending []byte // is returned before the part
	part    part   // of the input, that follows
	removed int
	unclear bool
}

// format walks through the parts of a file.
type format interface {
	// step looks at the next part of the input and says what becomes of it. It returns errDamaged when it cannot
	// tell, and has taken no byte that is not pending; io.EOF at the end of a file that may end there.
	step(c *Cleaner) error
}

// part are bytes of the input with the same fate.
type part struct {
	left    int64
	fate    fate
	counted bool // as removed, because a byte was not zero
}

type fate int

const (
	passed fate = iota
	dropped
	erased // overwritten with zeros
)

const (
	toEnd       = 1 << 62
	longestPeek = 66 << 10 // holds any segment of a JPEG
)

var errDamaged = errors.New("media: the file is damaged")

// Removed returns how many parts with metadata were removed until now.
func (c *Cleaner) Removed() int { return c.removed }

// Cleaned reports whether the file, which was read to its end, has no metadata any more.
func (c *Cleaner) Cleaned() bool { return !c.unclear }

// Read reads the next bytes.
func (c *Cleaner) Read(b []byte) (int, error) {
	for len(b) > 0 {
		if len(c.pending) > 0 {
			n := copy(b, c.pending)
			c.pending = c.pending[n:]
			return n, nil
		}
		if c.part.left > 0 {
			if n, err := c.readPart(b); n > 0 || err != nil {
				return n, err
			}
			continue
		}
		if c.format == nil {
			return c.in.Read(b)
		}
		switch err := c.format.step(c); {
		case errors.Is(err, errDamaged):
			c.format, c.unclear = nil, true
		case err != nil:
			return 0, err
		}
	}
	return 0, nil
}

// readPart reads bytes of the part. It returns none when they were dropped.
func (c *Cleaner) readPart(b []byte) (int, error) {
	n, err := c.in.Read(b[:min(int64(len(b)), c.part.left)])
	if errors.Is(err, io.EOF) && c.part.left < toEnd/2 {
		c.unclear = true
	}
	c.part.left -= int64(n)
	if c.part.fate == passed {
		return n, err
	}
	if !c.part.counted && !isZero(b[:n]) {
		c.part.counted = true
		c.removed++
	}
	clear(b[:n])
	if c.part.fate == dropped {
		n = 0
	}
	return n, err
}

// peek returns the next n bytes, which stay in the input. It returns errDamaged when there are fewer.
func (c *Cleaner) peek(n int) ([]byte, error) {
	b, err := c.in.Peek(n)
	if errors.Is(err, io.EOF) {
		err = errDamaged
	}
	return b, err
}

// atEnd returns io.EOF when the input has ended.
func (c *Cleaner) atEnd() error {
	_, err := c.in.Peek(1)
	return err
}

// next says what becomes of the next n bytes of the input.
func (c *Cleaner) next(f fate, n int64) error {
	c.part = part{left: n, fate: f}
	return nil
}

// replace returns b in place of the next bytes of the input, which were peeked.
func (c *Cleaner) replace(n int, b []byte) error {
	c.pending = append(c.pending, b...)
	_, err := c.in.Discard(n)
	return err
}

// passHead passes the next n bytes, of which more is known after them.
func (c *Cleaner) passHead(n int) error {
	b, err := c.peek(n)
	if err != nil {
		return err
	}
	return c.replace(n, b)
}

// shorten replaces a peeked part by the one that is left of it.
func (c *Cleaner) shorten(b, kept []byte) error {
	if !bytes.Equal(b, kept) {
		c.removed++
	}
	return c.replace(len(b), kept)
}

func isZero(b []byte) bool { return !slices.ContainsFunc(b, func(v byte) bool { return v != 0 }) }
