package media

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

const (
	longestItems = 256 << 10 // bytes of the longest list of the items of a picture that is read; it is in memory
	mostHidden   = 1 << 10   // items with metadata, and extents of them outside of the list; pictures have three
)

// describesPicture reports whether a meta box has the items of a picture. Others have metadata alone.
func describesPicture(c *Cleaner, b box) bool {
	if b.size < b.head+24 {
		return false
	}
	h, err := c.peek(int(b.head) + 24)
	return err == nil && string(h[b.head+8:b.head+12]) == "hdlr" && string(h[b.head+20:b.head+24]) == "pict"
}

// itemList is the meta box of a picture in AVIF or HEIC.
type itemList struct {
	removed   int
	metadata  map[uint32]bool // the items that are no coded picture
	locations []byte
	data      []byte // of items, within the box
	erased    uint64 // bytes of extents in data
	outside   []extent
}

// stepItems cleans the items of a picture. It notes where those with metadata are in the data that follow. A file has
// one list of items.
func (f *boxes) stepItems(c *Cleaner, b box) error {
	if b.size > longestItems || f.listed {
		return errDamaged
	}
	whole := make([]byte, b.size)
	n, err := io.ReadFull(c.in, whole)
	c.pending = append(c.pending, whole[:n]...)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errDamaged
	}
	l := itemList{metadata: map[uint32]bool{}}
	if err != nil || !eachBox(whole[b.head+4:], l.cleanBox) || !l.locate() {
		return errors.Join(err, errDamaged)
	}
	c.pending, f.pos, f.listed = whole, f.pos+b.size, true
	c.removed += l.removed
	slices.SortFunc(l.outside, func(a, b extent) int { return int(min(max(a.start-b.start, -1), 1)) })
	if len(l.outside) > 0 && l.outside[0].start < f.pos { // it was read already
		c.unclear = true
	}
	f.hidden = l.outside
	return nil
}

// eachBox calls fn for the boxes of a list, with the whole box and the size of its head. It returns false for a
// damaged list, and when fn does.
func eachBox(list []byte, fn func(b []byte, head int) bool) bool {
	for len(list) > 0 {
		if len(list) < 8 {
			return false
		}
		size := int(binary.BigEndian.Uint32(list))
		if size == 0 {
			size = len(list)
		}
		if size < 8 || size > len(list) || !fn(list[:size], 8) {
			return false
		}
		list = list[size:]
	}
	return true
}

// erase overwrites bytes of a list with zeros.
func (l *itemList) erase(b []byte) {
	if !isZero(b) {
		l.removed++
		clear(b)
	}
}

func (l *itemList) free(b []byte, head int) {
	l.erase(b[head:])
	copy(b[4:], freeBox)
}

// cleanBox cleans a box of the list.
func (l *itemList) cleanBox(b []byte, head int) bool {
	body := b[head:]
	switch string(b[4:8]) {
	case "pitm", "iref", "dinf", "grpl":
	case "hdlr":
		l.erase(body[min(12, len(body)):])
	case "iloc":
		if l.locations != nil {
			return false
		}
		l.locations = body
	case "idat":
		if l.data != nil {
			return false
		}
		l.data = body
	case "iprp":
		return eachBox(body, l.cleanProperties)
	case "iinf":
		skip := 6
		if len(body) > 0 && body[0] > 0 {
			skip = 8
		}
		return len(body) >= skip && eachBox(body[skip:], l.cleanItem)
	default:
		l.free(b, head)
	}
	return true
}

// cleanProperties frees the properties that a decoder does not need, such as names and times. Items refer to others
// by their position.
func (l *itemList) cleanProperties(b []byte, head int) bool {
	if string(b[4:8]) != "ipco" {
		return string(b[4:8]) == "ipma"
	}
	return eachBox(b[head:], func(b []byte, head int) bool {
		switch string(b[4:8]) {
		case "ispe", "pixi", "colr", "pasp", "clap", "irot", "imir", "auxC", "rloc", "lsel", "a1lx", "a1op", "tols",
			"clli", "mdcv", "cclv",
			"amve", "ndwt", "av1C", "hvcC", "lhvC", "avcC", "vvcC", "jpgC", "j2kH", "cmpd", "uncC", "iscl", "rref":
		default:
			l.free(b, head)
		}
		return true
	})
}

// cleanItem erases the name of an item. An item that is no coded picture gets a type that no decoder knows.
func (l *itemList) cleanItem(b []byte, head int) bool {
	body := b[head:]
	idSize := 2
	if len(body) > 0 && body[0] == 3 {
		idSize = 4
	}
	at := 4 + idSize + 2 // of the type
	if string(b[4:8]) != "infe" || len(body) < at+4 || body[0] < 2 {
		return false
	}
	l.erase(body[at+4:])
	switch string(body[at : at+4]) {
	case "av01", "hvc1", "hev1", "lhv1", "avc1", "vvc1", "jpeg", "j2k1", "unci", "grid", "iden", "iovl", "tmap":
	default:
		copy(body[at:], freeBox)
		l.metadata[uint32(number(body[4:4+idSize]))] = true
	}
	return len(l.metadata) <= mostHidden
}

// number returns an unsigned number of some bytes.
func number(b []byte) (n uint64) {
	for _, v := range b {
		n = n<<8 | uint64(v)
	}
	return n
}

// fields reads numbers one after the other. ok is false when bytes were missing.
type fields struct {
	b  []byte
	ok bool
}

func (f *fields) number(size int) uint64 {
	if size > len(f.b) {
		f.ok, f.b = false, nil
		return 0
	}
	n := number(f.b[:size])
	f.b = f.b[size:]
	return n
}

func (f *fields) skip(n int) {
	if n > len(f.b) {
		f.ok, n = false, len(f.b)
	}
	f.b = f.b[n:]
}

// locate finds the bytes of the items with metadata, and erases those within the list. It returns false when it
// cannot tell where they are.
func (l *itemList) locate() bool {
	f := &fields{l.locations, true}
	if len(l.metadata) == 0 {
		return true
	}
	version := int(f.number(4) >> 24)
	sizes := f.number(2)
	offsetSize, lengthSize, baseSize, indexSize := int(sizes>>12), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	idSize := 2
	switch version {
	case 0:
		indexSize = 0
	case 2:
		idSize = 4
	}
	for items := f.number(idSize); items > 0 && f.ok; items-- {
		id, method := uint32(f.number(idSize)), uint64(0) //nolint:gosec // at most 4 bytes
		if version > 0 {
			method = f.number(2) & 15
		}
		f.number(2) // of another file
		base := f.number(baseSize)
		extents := int(f.number(2)) //nolint:gosec // 2 bytes
		if !l.metadata[id] {
			f.skip(extents * (indexSize + offsetSize + lengthSize))
			continue
		}
		for ; extents > 0 && f.ok; extents-- {
			f.number(indexSize)
			start, length := base+f.number(offsetSize), f.number(lengthSize)
			if !l.hide(method, start, length) {
				return false
			}
		}
	}
	return f.ok && version <= 2
}

// hide erases an extent of an item within the list, or notes that it is in the file. It refuses extents within the
// list that overlap so much that they have more bytes than there are, and too many in the file.
func (l *itemList) hide(method, start, length uint64) bool {
	if start >= toEnd || length >= toEnd || length == 0 {
		return false
	}
	switch {
	case method == 0:
		l.outside = append(l.outside, extent{int64(start), int64(start + length)})
		return len(l.outside) <= mostHidden
	case method == 1 && start+length <= uint64(len(l.data)):
		l.erase(l.data[start : start+length])
		l.erased += length
		return l.erased <= uint64(len(l.data))
	}
	return false
}
