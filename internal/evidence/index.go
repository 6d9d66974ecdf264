package evidence

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sort"

	"bugslice/api"
)

// blockSize is how many bytes of lines are compressed together. A longer line has blocks of its own.
const blockSize = 64 << 10

// maxClasses is how many classes of rows an index counts at most.
const maxClasses = 10

// noClass is the class of a row that belongs to none.
const noClass = -1

// Index says where the blocks of a packed set begin, and what they hold. It is read only.
type Index struct {
	blocks []block // in order; the last one is empty and marks the end
}

// block is where a block begins, in the lines and in the packed bytes, how many lines begin before
// it, and how many rows of each class begin in it. A block in which no line begins continues one.
type block struct {
	raw, packed int64
	line        int
	counts      [maxClasses]uint16
}

// Class returns the class of a row: the level of a console line, the first digit of the status of a
// request. Rows of other kinds, and rows that cannot be read, have none.
func Class(kind api.AttachmentKind, row []byte) int {
	switch kind {
	case api.KindConsole:
		var e struct{ Level api.ConsoleLevel }
		if json.Unmarshal(row, &e) == nil {
			return LevelClass(e.Level)
		}
	case api.KindNetwork:
		if n, err := Summary(row); err == nil {
			return StatusClass(n)
		}
	}
	return noClass
}

var levels = api.ConsoleLevel("").Values()

// LevelClass is the class of the console lines of a level.
func LevelClass(l api.ConsoleLevel) int { return slices.Index(levels, string(l)) }

// StatusClass is the class of a request: the first digit of its status, and 0 without an answer.
func StatusClass(n api.NetworkEntry) int {
	if n.Status > 0 && n.Status < 100 {
		return noClass
	}
	return int(n.Status / 100)
}

// Weight estimates the memory that an index takes, in bytes.
func (x *Index) Weight() int {
	if x == nil {
		return 0
	}
	return 64 + 48*len(x.blocks)
}

// Count returns how many rows of the classes there are.
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

// size returns how many bytes the lines have.
func (x *Index) size() int64 { return x.blocks[len(x.blocks)-1].raw }

// find returns the block that holds a byte of the lines.
func (x *Index) find(raw int64) *block {
	i := sort.Search(len(x.blocks), func(i int) bool { return x.blocks[i].raw > raw })
	return &x.blocks[max(0, i-1)]
}

// The index stands in the extra field of a gzip member without content, behind the blocks, which
// are members too. Behind it stands another, of fixed size, which says how long the first is. So the
// whole is still one gzip file of the lines.
const (
	indexVersion = 1
	footerSize   = 10 + 2 + 4 + 8 + 2 + 8
	indexMark    = "bi"
	footerMark   = "bf"
)

// emptyMember is a gzip member without content that has a field. The field has at most maxField bytes.
func emptyMember(mark string, field []byte) []byte {
	var b bytes.Buffer
	b.Write([]byte{0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255})
	_ = binary.Write(&b, binary.LittleEndian, uint16(len(field)+4)) //nolint:gosec // bounded by maxField
	b.WriteString(mark)
	_ = binary.Write(&b, binary.LittleEndian, uint16(len(field))) //nolint:gosec // bounded by maxField
	b.Write(field)
	b.Write([]byte{3, 0, 0, 0, 0, 0, 0, 0, 0, 0}) // an empty block, and the sum and the length of nothing
	return b.Bytes()
}

const maxField = 1<<16 - 1 - 4

// fieldOf returns the field of a member that emptyMember made.
func fieldOf(mark string, member []byte) ([]byte, bool) {
	if len(member) < 26 {
		return nil, false
	}
	field := member[16 : len(member)-10]
	return field, bytes.Equal(member, emptyMember(mark, field[:min(len(field), maxField)]))
}

// encode writes an index and its footer; nothing when it is too long for a field.
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

// ErrIndex says that what stands where an index should is none.
var ErrIndex = errors.New("evidence: the index of a set is damaged")

// decodeIndex reads an index. It takes nothing on trust.
func decodeIndex(field []byte) (*Index, error) {
	if len(field) == 0 || field[0] != indexVersion {
		return nil, ErrIndex
	}
	field = field[1:]
	bad := false
	next := func(most uint64) int64 {
		n, size := binary.Uvarint(field)
		if size <= 0 || n > most {
			bad, field = true, nil
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
		if bad {
			return nil, ErrIndex
		}
		x.blocks = append(x.blocks, after)
	}
	if bad || len(field) > 0 {
		return nil, ErrIndex
	}
	return x, nil
}

// Source is where a packed set is read from.
type Source interface {
	io.ReadSeekCloser
	Size() int64
}

// tail is how much of the end of a packed set is read at once: the index of most.
const tail = 8 << 10

// ReadIndex reads the index of a packed set whose lines have size bytes. One that was kept by an
// earlier version has none: the answer is nil.
func ReadIndex(src Source, size int64) (*Index, error) {
	end, err := readAt(src, max(0, src.Size()-tail), min(src.Size(), tail))
	if err != nil || len(end) < footerSize {
		return nil, err
	}
	field, ok := fieldOf(footerMark, end[len(end)-footerSize:])
	if !ok || len(field) != 8 {
		return nil, nil //nolint:nilnil // there is none
	}
	length := int64(binary.LittleEndian.Uint64(field)) //nolint:gosec // checked below
	at := src.Size() - footerSize - length
	if length < 0 || length > 1<<16+26 || at < 0 {
		return nil, ErrIndex
	}
	member := end[:len(end)-footerSize]
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
