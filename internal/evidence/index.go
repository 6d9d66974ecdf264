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

// maxClasses is the number of classes that an index counts.
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
	footerSize   = 10 + 2 + 4 + 8 + 2 + 8
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

const maxField = 1<<16 - 1 - 4

// fieldOf returns the field of an emptyMember; ok is false for any other bytes.
func fieldOf(mark string, member []byte) (field []byte, ok bool) {
	if len(member) < 26 {
		return nil, false
	}
	field = member[16 : len(member)-10]
	return field, bytes.Equal(member, emptyMember(mark, field[:min(len(field), maxField)]))
}

// encode returns the index member and the footer, or nothing when the index is too long for a field.
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

// decodeIndex decodes an index, and validates every number.
func decodeIndex(field []byte) (*Index, error) {
	if len(field) == 0 || field[0] != indexVersion {
		return nil, ErrIndex
	}
	field = field[1:]
	damaged := false
	next := func(limit uint64) int64 {
		n, size := binary.Uvarint(field)
		if size <= 0 || n > limit {
			damaged, field = true, nil
			return 0
		}
		field = field[size:]
		return int64(n) //nolint:gosec // bounded above
	}
	count := next(maxField)
	x := &Index{blocks: make([]block, 1, count+1)}
	for range count {
		b := &x.blocks[len(x.blocks)-1]
		after := block{raw: b.raw + next(maxRead), packed: b.packed + next(maxRead), line: b.line + int(next(maxRead))}
		for i := range b.counts {
			b.counts[i] = uint16(next(blockSize - 1)) //nolint:gosec // bounded by blockSize
		}
		if damaged {
			return nil, ErrIndex
		}
		x.blocks = append(x.blocks, after)
	}
	if damaged || len(field) > 0 {
		return nil, ErrIndex
	}
	return x, nil
}

// Source is the file of a packed set.
type Source interface {
	io.ReadSeekCloser
	Size() int64
}

// tailSize is how many bytes at the end of a packed set are read first. They contain the index of most sets.
const tailSize = 8 << 10

// ReadIndex reads the index of a packed set whose lines have size bytes. It returns nil for a set that an earlier
// version stored without an index.
func ReadIndex(src Source, size int64) (*Index, error) {
	tail, err := readAt(src, max(0, src.Size()-tailSize), min(src.Size(), tailSize))
	if err != nil || len(tail) < footerSize {
		return nil, err
	}
	field, ok := fieldOf(footerMark, tail[len(tail)-footerSize:])
	if !ok || len(field) != 8 {
		return nil, nil //nolint:nilnil // it has no index
	}
	length := int64(binary.LittleEndian.Uint64(field)) //nolint:gosec // checked below
	at := src.Size() - footerSize - length
	if length < 0 || length > 1<<16+26 || at < 0 {
		return nil, ErrIndex
	}
	member := tail[:len(tail)-footerSize]
	if int64(len(member)) > length {
		member = member[int64(len(member))-length:]
	} else if member, err = readAt(src, at, length); err != nil {
		return nil, err
	}
	if field, ok = fieldOf(indexMark, member); !ok {
		return nil, ErrIndex
	}
	x, err := decodeIndex(field)
	if err == nil && (x.size() != size || x.blocks[len(x.blocks)-1].packed != at) {
		return nil, ErrIndex
	}
	return x, err
}

func readAt(src io.ReadSeeker, at, n int64) ([]byte, error) {
	if _, err := src.Seek(at, io.SeekStart); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err := io.ReadFull(src, b)
	return b, err
}
