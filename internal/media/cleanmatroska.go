package media

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
)

// matroska walks through a WebM or Matroska video. The elements that are needed to play it stay; all others, such as
// tags, attached files, titles and times, become void elements of the same size. The names of the programs that wrote
// it are overwritten. Elements are known by their ids on every level, so that it enters those whose size is not
// known, as browsers record them. A file with a track that is neither picture nor sound is not cleaned.
type matroska struct{}

const (
	ebmlVoid     = 0xec
	trackType    = 0x83
	longestEBML  = 12 // the head of an element
	unknownSize  = -1
	audioOrVideo = 2
)

func (matroska) step(c *Cleaner) error {
	if err := c.atEnd(); err != nil {
		return err
	}
	id, head, size, err := readElement(c)
	if err != nil {
		return err
	}
	switch id {
	case 0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0x1f43b675,
		0xa0: // Segment, Info, Tracks, TrackEntry, Cluster, BlockGroup
		return c.next(passed, int64(head))
	}
	if size == unknownSize {
		return errDamaged
	}
	switch id {
	case trackType:
		b, err := c.peek(head + 1)
		if err != nil {
			return err
		}
		c.unclear = c.unclear || size != 1 || b[head] < 1 || b[head] > audioOrVideo
		return c.next(passed, int64(head)+size)
	case ebmlVoid, 0x4d80, 0x5741: // MuxingApp, WritingApp: every file has them
		if err := c.passHead(head); err != nil {
			return err
		}
		return c.next(erased, size)
	case 0x1a45dfa3, 0x114d9b74, 0x1c53bb6b, // EBML, SeekHead, Cues
		0x2ad7b1, 0x4489, // TimestampScale, Duration
		0xe7, 0xa7, 0xab, 0xa3, 0xa1, 0x9b, 0xfb, 0xfa, 0x75a2, 0x75a1, 0xa4, // of a Cluster
		0xd7, 0x73c5, 0xb9, 0x88, 0x55aa, 0x55ab, 0x55ac, 0x55ad, 0x55ae, 0x55af, 0x9c, 0x6de7, 0x6df8,
		// of a TrackEntry
		0x23e383, 0x234e7a, 0x23314f, 0x55ee, 0x41e4, 0x22b59c, 0x22b59d, 0x86, 0x63a2, 0x56aa, 0x56bb, 0xe0, 0xe1,
		0x6d80, 0xe2:
		return c.next(passed, int64(head)+size)
	}
	return voidElement(c, head, size)
}

// readElement reads the id of the next element, the size of its head, and its size without that.
func readElement(c *Cleaner) (id uint64, head int, size int64, err error) {
	b, err := c.in.Peek(longestEBML)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, 0, err
	}
	idSize := bits.LeadingZeros8(b[0]) + 1
	if idSize > 4 || len(b) <= idSize {
		return 0, 0, 0, errDamaged
	}
	id = number(b[:idSize])
	b = b[idSize:]
	n := bits.LeadingZeros8(b[0]) + 1
	if n > 8 || len(b) < n {
		return 0, 0, 0, errDamaged
	}
	value := number(b[:n]) &^ (1 << (7 * n))
	if size = int64(value); value == 1<<(7*n)-1 { //nolint:gosec // it has at most 56 bits
		size = unknownSize
	}
	return id, idSize + n, size, nil
}

// voidElement replaces an element by a void one of its size.
func voidElement(c *Cleaner, head int, size int64) error {
	total := int64(head) + size
	void := []byte{ebmlVoid, 0x80 | byte(total-2)}
	if total >= 9 {
		void = binary.BigEndian.AppendUint64([]byte{ebmlVoid},
			1<<56|uint64(total-9)) //nolint:gosec // it has at most 56 bits
	}
	if _, err := c.peek(max(head, len(void))); err != nil {
		return err
	}
	if extra := head - len(void); extra > 0 {
		void = append(void, make([]byte, extra)...)
	}
	c.removed++
	if err := c.replace(len(void), void); err != nil {
		return err
	}
	return c.next(erased, total-int64(len(void)))
}
