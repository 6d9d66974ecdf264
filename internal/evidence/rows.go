package evidence

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"

	"bugslice/api"
)

// Filter selects rows with an index greater than After. Classes are the wanted classes; none means any.
type Filter struct {
	After   int
	Classes []int
}

// Rows calls fn for each row after filter.After, with its index, until fn returns false. It skips blocks without a
// row of the wanted classes, but fn must expect rows of other classes. A row is valid until fn returns.
func (r *Reader) Rows(kind api.AttachmentKind, filter Filter, fn func(index int, row []byte) (bool, error)) error {
	s := rowScan{kind, filter.After, fn}
	if r.index == nil {
		_, err := r.scanRows(s, block{}, r.size)
		return err
	}
	blocks := r.index.blocks
	for first, end := range r.index.runs(FirstIndex(kind), filter) {
		more, err := r.scanRows(s, blocks[first], blocks[end].raw)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// runs iterates over the runs of blocks that may contain rows which the filter selects: the first block of a run, and
// the block after it. A run has the blocks that continue its last line. firstIndex is the index of the first line.
func (x *Index) runs(firstIndex int, filter Filter) iter.Seq2[int, int] {
	return func(yield func(first, end int) bool) {
		last := len(x.blocks) - 1
		for i := 0; i < last; i++ {
			if !x.matches(i, firstIndex, filter) {
				continue
			}
			first := i
			for i++; i < last && (x.continues(i) || x.matches(i, firstIndex, filter)); {
				i++
			}
			if !yield(first, i) {
				return
			}
		}
	}
}

// matches reports whether a block may contain a row that the filter selects. The first line of all has the index
// firstIndex.
func (x *Index) matches(i, firstIndex int, filter Filter) bool {
	b, end := &x.blocks[i], x.blocks[i+1].line
	return end > b.line && firstIndex+end-1 > filter.After && (len(filter.Classes) == 0 || b.count(filter.Classes) > 0)
}

// continues reports whether no line begins in a block.
func (x *Index) continues(i int) bool { return x.blocks[i+1].line == x.blocks[i].line }

// rowScan calls fn for the rows after an index, until fn returns false.
type rowScan struct {
	kind  api.AttachmentKind
	after int
	fn    func(index int, row []byte) (bool, error)
}

// scanRows scans the lines from the start of a block to an offset. It reports whether more rows may follow.
func (r *Reader) scanRows(s rowScan, from block, to int64) (more bool, err error) {
	if _, err := r.Seek(from.raw, io.SeekStart); err != nil {
		return false, err
	}
	index := FirstIndex(s.kind) + from.line - 1
	more = true
	lines := bufio.NewReaderSize(io.LimitReader(r, to-from.raw), lineBuffer)
	err = scan(lines, func(line []byte) (bool, error) {
		index++
		if index <= s.after {
			return true, nil
		}
		row, ok := Row(s.kind, index, line)
		if !ok { // the line after the last row
			more = false
			return false, nil
		}
		more, err = s.fn(index, row)
		return more, err
	})
	return more, err
}

// partBuffer bounds the length of a part, and so the memory of each reader that takes little.
const partBuffer = 8 << 10

// Parts calls fn for each part of each row, with the index of the row and whether the part is its first, so that a row
// of any length needs little memory. The row with index 0 is the ArchiveHead of a network set.
func (r *Reader) Parts(kind api.AttachmentKind, fn func(index int, first bool, part []byte) error) error {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(r, partBuffer)
	index := FirstIndex(kind)
	if index == 0 {
		index++
		if err := r.headParts(in, fn); err != nil {
			return err
		}
	}
	for ; ; index++ {
		start, err := in.Peek(len(entriesEnd) + 1)
		atEnd := len(start) == 0 && errors.Is(err, io.EOF)
		if atEnd || kind == api.KindNetwork && string(bytes.TrimRight(start, "\n")) == entriesEnd {
			return nil
		}
		err = lineParts(in, func(first, last bool, part []byte) error {
			if last && kind == api.KindNetwork {
				part = bytes.TrimSuffix(part, []byte(","))
			}
			return fn(index, first, part)
		})
		if err != nil {
			return err
		}
	}
}

// headParts calls fn for each part of the ArchiveHead of a network set, which the first line contains.
func (r *Reader) headParts(in *bufio.Reader, fn func(index int, first bool, part []byte) error) error {
	if r.index == nil { // an earlier version may have stored the line, which Row converts as a whole
		line, err := readLine(in)
		if err != nil {
			return err
		}
		head, _ := Row(api.KindNetwork, 0, line)
		return fn(0, true, head)
	}
	return lineParts(in, func(first, last bool, part []byte) error {
		if last {
			part = bytes.TrimSuffix(part, []byte("["))
		}
		return fn(0, first, part)
	})
}

// lineParts calls fn for each part of a line. The last byte of a line is in its last part, so that fn can trim it. A
// line without a line break is an error.
func lineParts(in *bufio.Reader, fn func(first, last bool, part []byte) error) error {
	for first := true; ; first = false {
		if start, err := in.Peek(2); len(start) < 2 && string(start) != "\n" {
			return err
		}
		buffered, _ := in.Peek(in.Buffered())
		part, _, last := bytes.Cut(buffered, []byte("\n"))
		length := len(part) + 1
		if !last { // the last byte stays in the buffer
			part = part[:len(part)-1]
			length = len(part)
		}
		if err := fn(first, last, part); err != nil {
			return err
		}
		if _, err := in.Discard(length); err != nil || last {
			return err
		}
	}
}
