package evidence

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"bugslice/api"
)

// Reader reads the lines of a packed set as one file, from any place, and holds little of it in
// memory, whatever is read. With an index it reads from the block on that holds the place; without
// one, of a set that an earlier version kept, from the beginning.
type Reader struct {
	src   *following
	index *Index // nil when there is none
	size  int64

	pos int64 // where the next byte is read
	at  int64 // where lines is; meaningless without in
	in  *bufio.Reader
	zip *gzip.Reader
	raw io.Reader // zip, tidied where there is no index
}

// NewReader returns a Reader of a set whose lines have size bytes. Closing it closes src.
func NewReader(src Source, size int64, index *Index) *Reader {
	return &Reader{src: &following{Source: src}, index: index, size: size}
}

// Size returns how many bytes the lines have.
func (r *Reader) Size() int64 { return r.size }

// Close closes what the Reader reads from.
func (r *Reader) Close() error { return r.src.Close() }

var errPlace = errors.New("evidence: there is no such place")

// Seek implements io.Seeker. It reads nothing.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.pos
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errPlace
	}
	r.pos = offset
	return offset, nil
}

// Read implements io.Reader.
func (r *Reader) Read(b []byte) (int, error) {
	if r.pos >= r.size {
		return 0, io.EOF
	}
	if err := r.position(); err != nil {
		return 0, err
	}
	n, err := r.raw.Read(b[:min(int64(len(b)), r.size-r.pos)])
	r.pos += int64(n)
	r.at = r.pos
	if errors.Is(err, io.EOF) {
		if err = nil; r.pos < r.size {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

// position brings the decompression to where the next byte is read.
func (r *Reader) position() error {
	if r.in != nil && r.at == r.pos {
		return nil
	}
	from := &block{}
	if r.index != nil {
		from = r.index.find(r.pos)
	}
	if r.in == nil || r.pos < r.at || from.raw > r.at {
		if err := r.begin(from); err != nil {
			return err
		}
	}
	n, err := io.CopyN(io.Discard, r.raw, r.pos-r.at)
	r.at += n
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// readThrough is the largest gap, in compressed bytes, that is read and discarded. A larger one is skipped by
// a seek, which costs a request when files are objects in a bucket.
const readThrough = 64 << 10

// begin positions the reader at the first byte of a block.
func (r *Reader) begin(b *block) error {
	if r.in == nil {
		r.in = bufio.NewReaderSize(r.src, 8<<10)
	}
	gap := b.packed - (r.src.at - int64(r.in.Buffered()))
	if r.zip != nil && gap >= 0 && gap <= readThrough {
		if _, err := r.in.Discard(int(gap)); err != nil {
			return err
		}
	} else {
		if _, err := r.src.Seek(b.packed, io.SeekStart); err != nil {
			return err
		}
		r.in.Reset(r.src)
	}
	var err error
	if r.zip == nil {
		r.zip, err = gzip.NewReader(r.in)
	} else {
		err = r.zip.Reset(r.in)
	}
	if r.raw = r.zip; r.index == nil {
		r.raw = &tidy{r: r.zip}
	}
	r.at = b.raw
	if err != nil { // it must begin anew
		r.in, r.zip = nil, nil
	}
	return err
}

// following knows where it reads.
type following struct {
	Source
	at int64
}

func (f *following) Read(b []byte) (int, error) {
	n, err := f.Source.Read(b)
	f.at += int64(n)
	return n, err
}

func (f *following) Seek(offset int64, whence int) (n int64, err error) {
	f.at, err = f.Source.Seek(offset, whence)
	return f.at, err
}

// tidy leaves out empty lines and ends the last one: sets that were imported by an earlier version
// are kept as they came, and counted so.
type tidy struct {
	r    io.Reader
	open bool // within a line
}

func (t *tidy) Read(b []byte) (int, error) {
	for len(b) > 0 {
		n, err := t.r.Read(b)
		kept := b[:0]
		for _, c := range b[:n] {
			if c != '\n' || t.open {
				kept = append(kept, c)
			}
			t.open = c != '\n'
		}
		if errors.Is(err, io.EOF) && t.open && len(kept) < len(b) {
			kept, t.open = append(kept, '\n'), false
		} else if errors.Is(err, io.EOF) && t.open {
			err = nil // the end comes with the next read
		}
		if len(kept) > 0 || err != nil {
			return len(kept), err
		}
	}
	return 0, nil
}

// Want says which rows are asked for: those behind a place, of the classes, of any when there are none.
type Want struct {
	After   int
	Classes []int
}

// Rows shows rows and their places, which begin at 1, until fn returns false. Blocks without any row
// that is wanted are passed over; of the others all rows behind the place are shown, whatever their
// class. A row is there until fn returns.
func (r *Reader) Rows(kind api.AttachmentKind, want Want, fn func(place int, row []byte) (bool, error)) error {
	if r.index == nil {
		_, err := r.span(kind, 0, r.size, First(kind), want, fn)
		return err
	}
	all := r.index.blocks
	for i := 0; i < len(all)-1; {
		if !r.index.wanted(i, First(kind), want) {
			i++
			continue
		}
		first := i
		i++
		for i < len(all)-1 && (r.index.continues(i) || r.index.wanted(i, First(kind), want)) {
			i++
		}
		more, err := r.span(kind, all[first].raw, all[i].raw, First(kind)+all[first].line, want, fn)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// wanted says whether a block has rows that are asked for. place is that of the first line of all.
func (x *Index) wanted(i, place int, want Want) bool {
	b, end := &x.blocks[i], x.blocks[i+1].line
	return end > b.line && place+end-1 > want.After && (len(want.Classes) == 0 || b.count(want.Classes) > 0)
}

// continues says whether no line begins in a block: it continues one.
func (x *Index) continues(i int) bool { return x.blocks[i+1].line == x.blocks[i].line }

// span shows the wanted rows of whole lines, of which the first has a place.
func (r *Reader) span(kind api.AttachmentKind, from, to int64, place int, want Want, fn func(place int, row []byte) (bool, error)) (more bool, err error) {
	if _, err := r.Seek(from, io.SeekStart); err != nil {
		return false, err
	}
	more = true
	err = scan(bufio.NewReaderSize(io.LimitReader(r, to-from), lineBuffer), func(line []byte) (bool, error) {
		here := place
		place++
		if here <= want.After {
			return true, nil
		}
		row, ok := Row(kind, here, line)
		if !ok {
			more = false
			return false, nil
		}
		var err error
		more, err = fn(here, row)
		return more, err
	})
	return more, err
}

// Parts shows what a set has as parts of its rows, with their places, so that a row may be as long
// as it likes. What stands before the entries of a HAR is the row with place 0.
func (r *Reader) Parts(kind api.AttachmentKind, fn func(place int, first bool, part []byte) error) error {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(r, lineBuffer)
	place := First(kind)
	if place == 0 {
		place++
		if err := r.head(in, fn); err != nil {
			return err
		}
	}
	for ; ; place++ {
		start, err := in.Peek(len(archiveEnd) + 1)
		if len(start) == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if kind == api.KindNetwork && string(bytes.TrimRight(start, "\n")) == archiveEnd {
			return nil
		}
		err = line(in, func(first, last bool, part []byte) error {
			if last && kind == api.KindNetwork {
				part = bytes.TrimSuffix(part, []byte(","))
			}
			return fn(place, first, part)
		})
		if err != nil {
			return err
		}
	}
}

// head shows what stands before the entries. Without an index it may be the log alone, which is
// told by its end.
func (r *Reader) head(in *bufio.Reader, fn func(place int, first bool, part []byte) error) error {
	if r.index != nil {
		return line(in, func(first, last bool, part []byte) error {
			if last {
				part = bytes.TrimSuffix(part, []byte("["))
			}
			return fn(0, first, part)
		})
	}
	var whole []byte
	err := line(in, func(_, _ bool, part []byte) error {
		whole = append(whole, part...)
		return nil
	})
	if err != nil {
		return err
	}
	row, _ := Row(api.KindNetwork, 0, whole)
	return fn(0, true, row)
}

// line shows a line in parts. What is its last byte is in its last part.
func line(in *bufio.Reader, fn func(first, last bool, part []byte) error) error {
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
