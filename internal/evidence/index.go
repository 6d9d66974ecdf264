package evidence

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"sort"
)

// blockSize is how many bytes of lines a block has at most. A longer line has blocks of its own.
const blockSize = 64 << 10

// maxClasses is the number of classes whose rows an index counts.
const maxClasses = 10

// Index lists the blocks of a packed set. It is immutable.
type Index struct {
	blocks []block // in order; an empty one marks the end
}

// block describes a block. A block in which no line begins continues a long line.
type block struct {
	raw, packed int64              // offsets at which it begins, in the lines and in the packed bytes
	line        int                // how many lines begin before it
	counts      [maxClasses]uint16 // how many rows of each class begin in it
}

// Weight estimates the memory of an index in bytes.
func (x *Index) Weight() int {
	if x == nil {
		return 0
	}
	return 64 + 48*len(x.blocks)
}

// Count returns the number of rows of the classes.
func (x *Index) Count(classes []int) (n int) {
	for i := range x.blocks {
		n += x.blocks[i].count(classes)
	}
	return n
}

func (b *block) count(classes []int) (n int) {
	for _, c := range classes {
		if c >= 0 {
			n += int(b.counts[c])
		}
	}
	return n
}

// size returns the size of the lines in bytes.
func (x *Index) size() int64 { return x.blocks[len(x.blocks)-1].raw }

// find returns the block that contains an offset in the lines.
func (x *Index) find(raw int64) *block {
	i := sort.Search(len(x.blocks), func(i int) bool { return x.blocks[i].raw > raw })
	return &x.blocks[max(0, i-1)]
}

// The blocks are gzip members. The index follows them, in the extra field of a member without content. A footer, which
// is another such member of fixed size, contains the length of the index member. The file is thus a valid gzip file of
// the lines.
const (
	indexVersion = 1
	footerSize   = memberHeader + 8 + memberTrailer
	indexMark    = "bi"
	footerMark   = "bf"
)

// emptyMember returns a gzip member without content whose extra field, of at most maxField bytes, has a mark.
func emptyMember(mark string, field []byte) []byte {
	var b bytes.Buffer
	b.Write([]byte{0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255})
	_ = binary.Write(&b, binary.LittleEndian, uint16(len(field)+4)) //nolint:gosec // bounded by maxField
	b.WriteString(mark)
	_ = binary.Write(&b, binary.LittleEndian, uint16(len(field))) //nolint:gosec // bounded by maxField
	b.Write(field)
	b.Write([]byte{3, 0, 0, 0, 0, 0, 0, 0, 0, 0}) // an empty deflate block, its checksum and its length
	return b.Bytes()
}

// Sizes of the parts of an emptyMember.
const (
	memberHeader  = 16
	memberTrailer = 10
	maxField      = 1<<16 - 1 - 4
)

// fieldOf returns the field of an emptyMember; ok is false for any other bytes.
func fieldOf(mark string, member []byte) (field []byte, ok bool) {
	if len(member) < memberHeader+memberTrailer {
		return nil, false
	}
	field = member[memberHeader : len(member)-memberTrailer]
	return field, bytes.Equal(member, emptyMember(mark, field[:min(len(field), maxField)]))
}

// encode returns the index member and the footer. It returns nothing when the index is too long for a field: the set is
// then read from its start, like one of an earlier version. A number is encoded as its difference to the block before.
func (x *Index) encode() []byte {
	field := binary.AppendUvarint([]byte{indexVersion}, uint64(len(x.blocks)-1))
	for i, b := range x.blocks[:len(x.blocks)-1] {
		next := x.blocks[i+1]
		for _, n := range []int64{next.raw - b.raw, next.packed - b.packed, int64(next.line - b.line)} {
			field = binary.AppendUvarint(field, uint64(n)) //nolint:gosec // a length
		}
		for _, n := range b.counts {
			field = binary.AppendUvarint(field, uint64(n))
		}
	}
	if len(field) > maxField {
		return nil
	}
	member := emptyMember(indexMark, field)
	return append(member, emptyMember(footerMark, binary.LittleEndian.AppendUint64(nil, uint64(len(member))))...)
}

// ErrIndex says that the index of a packed set is damaged.
var ErrIndex = errors.New("evidence: the index of a set is damaged")

// decodeIndex decodes an index. It refuses numbers that no set can have, and bytes after the last one.
func decodeIndex(field []byte) (*Index, error) {
	if len(field) == 0 || field[0] != indexVersion {
		return nil, ErrIndex
	}
	in := uvarints{rest: field[1:]}
	count := in.next(maxField)
	x := &Index{blocks: make([]block, 1, count+1)}
	for range count {
		b := &x.blocks[len(x.blocks)-1]
		end := block{raw: b.raw + in.next(maxRead), packed: b.packed + in.next(maxRead), line: b.line +
			int(in.next(maxRead))}
		for i := range b.counts {
			b.counts[i] = uint16(in.next(blockSize - 1)) //nolint:gosec // bounded by blockSize
		}
		if in.damaged {
			return nil, ErrIndex
		}
		x.blocks = append(x.blocks, end)
	}
	if in.damaged || len(in.rest) > 0 {
		return nil, ErrIndex
	}
	return x, nil
}

// uvarints decodes one number after the other. It remembers that one was damaged, and returns 0 from then on.
type uvarints struct {
	rest    []byte
	damaged bool
}

// next returns the next number. A number above the limit is damaged.
func (u *uvarints) next(limit uint64) int64 {
	n, size := binary.Uvarint(u.rest)
	if size <= 0 || n > limit {
		u.damaged, u.rest = true, nil
		return 0
	}
	u.rest = u.rest[size:]
	return int64(n) //nolint:gosec // bounded above
}

// Source is the file of a packed set.
type Source interface {
	io.ReadSeekCloser
	Size() int64
}

// tailSize is how many bytes at the end of a packed set are read first. They contain the index of most sets.
const tailSize = 8 << 10

// ReadIndex reads the index of a packed set whose lines have size bytes. It returns nil for a set that an earlier
// version stored without an index, and refuses an index that does not fit the set.
func ReadIndex(src Source, size int64) (*Index, error) {
	tail, err := readAt(src, max(0, src.Size()-tailSize), min(src.Size(), tailSize))
	if err != nil || len(tail) < footerSize {
		return nil, err
	}
	tail, footer := tail[:len(tail)-footerSize], tail[len(tail)-footerSize:]
	encoded, ok := fieldOf(footerMark, footer)
	if !ok || len(encoded) != 8 {
		return nil, nil //nolint:nilnil // it has no index
	}
	length := int64(binary.LittleEndian.Uint64(encoded)) //nolint:gosec // validated here
	start := src.Size() - footerSize - length
	if length < 0 || length > memberHeader+maxField+memberTrailer || start < 0 {
		return nil, ErrIndex
	}
	var member []byte
	if missing := length - int64(len(tail)); missing <= 0 {
		member = tail[-missing:]
	} else if member, err = readAt(src, start, length); err != nil {
		return nil, err
	}
	field, ok := fieldOf(indexMark, member)
	if !ok {
		return nil, ErrIndex
	}
	x, err := decodeIndex(field)
	if err != nil {
		return nil, err
	}
	if x.size() != size || x.blocks[len(x.blocks)-1].packed != start {
		return nil, ErrIndex
	}
	return x, nil
}

// readAt reads n bytes from an offset.
func readAt(src io.ReadSeeker, at, n int64) ([]byte, error) {
	if _, err := src.Seek(at, io.SeekStart); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err := io.ReadFull(src, b)
	return b, err
}
