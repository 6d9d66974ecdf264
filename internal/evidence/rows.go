package evidence

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"bugslice/api"
)

// Filter selects rows with an index greater than After. Classes are the wanted classes; none means any.
type Filter struct {
	After   int
	Classes []int
}

// Rows calls fn for each row after filter.After, with its index, until fn returns false. It skips blocks without a row of
// the wanted classes, but fn must expect rows of other classes. A row is valid until fn returns.
func (r *Reader) Rows(kind api.AttachmentKind, filter Filter, fn func(index int, row []byte) (bool, error)) error {
	s := rowScan{kind, filter.After, fn}
	if r.index == nil {
		_, err := r.scanRows(s, 0, r.size, FirstIndex(kind))
		return err
	}
	blocks, first := r.index.blocks, FirstIndex(kind)
	for i := 0; i < len(blocks)-1; {
		if !r.index.matches(i, first, filter) {
			i++
			continue
		}
		start := blocks[i]
		i++
		for i < len(blocks)-1 && (r.index.continues(i) || r.index.matches(i, first, filter)) {
			i++
		}
		more, err := r.scanRows(s, start.raw, blocks[i].raw, first+start.line)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// matches says whether a block may contain a row that the filter selects. The first line of all has the index first.
func (x *Index) matches(i, first int, filter Filter) bool {
	b, end := &x.blocks[i], x.blocks[i+1].line
	return end > b.line && first+end-1 > filter.After && (len(filter.Classes) == 0 || b.count(filter.Classes) > 0)
}

// continues says whether no line begins in a block.
func (x *Index) continues(i int) bool { return x.blocks[i+1].line == x.blocks[i].line }

// rowScan calls fn for the rows after an index, until fn returns false.
type rowScan struct {
	kind  api.AttachmentKind
	after int
	fn    func(index int, row []byte) (bool, error)
}

// scanRows scans the lines from one offset to another, of which the first has the index.
func (r *Reader) scanRows(s rowScan, from, to int64, index int) (more bool, err error) {
	if _, err := r.Seek(from, io.SeekStart); err != nil {
		return false, err
	}
	more = true
	err = scan(bufio.NewReaderSize(io.LimitReader(r, to-from), lineBuffer), func(line []byte) (bool, error) {
		i := index
		index++
		if i <= s.after {
			return true, nil
		}
		row, ok := Row(s.kind, i, line)
		if !ok {
			more = false
			return false, nil
		}
		var err error
		more, err = s.fn(i, row)
		return more, err
	})
	return more, err
}

// Parts calls fn for each part of each row, with the index of the row and whether the part is its first, so that a row
// of any length needs little memory. The row with index 0 is the ArchiveHead of a network set.
func (r *Reader) Parts(kind api.AttachmentKind, fn func(index int, first bool, part []byte) error) error {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(r, lineBuffer)
	index := FirstIndex(kind)
	if index == 0 {
		index++
		if err := r.headParts(in, fn); err != nil {
			return err
		}
	}
	for ; ; index++ {
		start, err := in.Peek(len(entriesEnd) + 1)
		if len(start) == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if kind == api.KindNetwork && string(bytes.TrimRight(start, "\n")) == entriesEnd {
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

// headParts calls fn for each part of the ArchiveHead of a network set, which the first line holds. A set without an
// index may come from an earlier version, whose first line was only the log of the HAR: Row needs that line completely
// to return the ArchiveHead, so fn gets it as one part.
func (r *Reader) headParts(in *bufio.Reader, fn func(index int, first bool, part []byte) error) error {
	if r.index == nil {
		var line []byte
		err := lineParts(in, func(_, _ bool, part []byte) error {
			line = append(line, part...)
			return nil
		})
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

// lineParts calls fn for each part of a line. The last byte of a line is in its last part, so that fn can trim it.
func lineParts(in *bufio.Reader, fn func(first, last bool, part []byte) error) error {
	for first := true; ; first = false {
		if _, err := in.Peek(2); err != nil && in.Buffered() < 2 {
			if b, _ := in.Peek(1); string(b) != "\n" {
				return err
			}
		}
		part, _ := in.Peek(in.Buffered())
		n, last := len(part)-1, false
		if i := bytes.IndexByte(part, '\n'); i >= 0 {
			n, part, last = i+1, part[:i], true
		} else {
			part = part[:n]
		}
		if err := fn(first, last, part); err != nil {
			return err
		}
		if _, err := in.Discard(n); err != nil || last {
			return err
		}
	}
}
