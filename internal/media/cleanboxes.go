package media

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// boxes walks through a file of the ISO base media format: MP4, QuickTime, AVIF, HEIC. It leaves the boxes that are
// needed to play and to show it. All others become free boxes of the same size, filled with zeros, so that the
// offsets of the samples stay right. The times of its creation and the names of its tracks are overwritten. It cannot
// overwrite samples: a file with a track that is neither picture nor sound, such as the positions of a camera, is not
// cleaned.
type boxes struct {
	pos     int64    // in the input
	ends    []int64  // of the boxes around pos
	dataEnd int64    // of the box with data around pos, if there is one
	hidden  []extent // of items with metadata, in order
	listed  bool     // the items of a picture have been read
}

// extent is a range of bytes of the file.
type extent struct{ start, end int64 }

// box is the head of a box.
type box struct {
	name       string
	head, size int64 // bytes; size is that of the whole box
}

const (
	freeBox    = "free"
	shortBox   = 4 << 10 // the longest box that is overwritten in part
	deepestBox = 16      // levels; films have six
)

func (f *boxes) step(c *Cleaner) error {
	if f.pos < f.dataEnd {
		return f.stepData(c)
	}
	for len(f.ends) > 0 && f.pos >= f.ends[len(f.ends)-1] {
		f.ends = f.ends[:len(f.ends)-1]
	}
	room := int64(toEnd)
	if len(f.ends) > 0 {
		room = f.ends[len(f.ends)-1] - f.pos
	}
	switch err := c.atEnd(); {
	case errors.Is(err, io.EOF) && room < toEnd/2:
		return errDamaged
	case err != nil:
		return err
	case room < 8: // QuickTime ends some lists with zeros
		return f.take(c, erased, room)
	}
	b, err := readBox(c, room)
	if err != nil {
		return err
	}
	return f.stepBox(c, b)
}

// take says what becomes of the next n bytes.
func (f *boxes) take(c *Cleaner, what fate, n int64) error {
	f.pos += n
	return c.next(what, n)
}

// readBox reads the head of the next box, which has room bytes at most.
func readBox(c *Cleaner, room int64) (box, error) {
	h, err := c.peek(8)
	if err != nil {
		return box{}, err
	}
	b := box{name: string(h[4:8]), head: 8, size: int64(binary.BigEndian.Uint32(h))}
	switch b.size {
	case 0: // up to the end
		b.size = room
	case 1:
		if h, err = c.peek(16); err != nil {
			return b, err
		}
		b.head, b.size = 16, int64(binary.BigEndian.Uint64(h[8:])) //nolint:gosec // a negative one is refused
	}
	if b.size < b.head || b.size > room {
		return b, errDamaged
	}
	return b, nil
}

func (f *boxes) stepBox(c *Cleaner, b box) error {
	switch b.name {
	case "moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "tapt", "gmhd", "mvex", "moof", "traf", "mfra":
		return f.enter(c, b, 0)
	case "dref": // its boxes follow their number
		return f.enter(c, b, 8)
	case "mdat":
		f.dataEnd = f.pos + b.size
		return f.take(c, passed, b.head)
	case "ftyp", "styp", "sidx", "ssix", "mfro", "tfra", "mehd", "trex", "trep", "leva", "mfhd", "tfhd", "tfdt", "trun",
		"senc", "saiz",
		"saio", "sbgp", "sgpd", "subs", "elst", "tref", "trgr", "clef", "prof", "enof", "vmhd", "smhd", "nmhd", "hmhd",
		"sthd", "gmin",
		"iods", "pssh", "stsd", "stts", "ctts", "cslg", "stss", "stsh", "stsz", "stz2", "stsc", "stco", "co64", "sdtp",
		"padb", "stdp":
		return f.take(c, passed, b.size)
	case "mvhd", "tkhd", "mdhd":
		return f.overwrite(c, b, clearTimes)
	case "hdlr":
		return f.overwrite(c, b, func(body []byte) { c.unclear = c.unclear || clearHandler(body) })
	case "url ", "urn ", "alis", "rsrc": // where samples are that are in another file
		return f.overwrite(c, b, func(body []byte) { clear(body[min(4, len(body)):]) })
	case "cmov": // a compressed list of boxes
		return errDamaged
	case "meta":
		if len(f.ends) == 0 && describesPicture(c, b) {
			return f.stepItems(c, b)
		}
	}
	return f.free(c, b)
}

// enter passes the head of a box, and more bytes that come before its boxes. It refuses one that lies deeper than
// those of any film.
func (f *boxes) enter(c *Cleaner, b box, more int64) error {
	if b.head+more > b.size || len(f.ends) == deepestBox {
		return errDamaged
	}
	f.ends = append(f.ends, f.pos+b.size)
	return f.take(c, passed, b.head+more)
}

// free replaces a box by a free one of its size.
func (f *boxes) free(c *Cleaner, b box) error {
	h, err := c.peek(int(b.head))
	if err != nil {
		return err
	}
	head := slices.Clone(h)
	copy(head[4:], freeBox)
	if err := c.replace(len(head), head); err != nil {
		return err
	}
	f.pos += b.size
	return c.next(erased, b.size-b.head)
}

// overwrite changes bytes of a short box.
func (f *boxes) overwrite(c *Cleaner, b box, change func(body []byte)) error {
	if b.size > shortBox {
		return errDamaged
	}
	before, err := c.peek(int(b.size))
	if err != nil {
		return err
	}
	after := slices.Clone(before)
	change(after[b.head:])
	f.pos += b.size
	return c.shorten(before, after)
}

// clearTimes overwrites the times of creation and of the last change, of 4 bytes each, or of 8 in the version 1.
func clearTimes(body []byte) {
	if len(body) < 20 {
		return
	}
	n := 8
	if body[0] == 1 {
		n = 16
	}
	clear(body[4 : 4+n])
}

// clearHandler overwrites all of a handler but the kind of its track, and reports whether that is neither picture nor
// sound. Handlers of data and of items describe no samples.
func clearHandler(body []byte) (other bool) {
	if len(body) < 12 {
		return true
	}
	clear(body[12:])
	switch string(body[8:12]) {
	case "vide", "soun", "pict", "auxv", "alis", "url ":
		return false
	}
	return true
}

// stepData passes data, but overwrites the items with metadata in it.
func (f *boxes) stepData(c *Cleaner) error {
	for len(f.hidden) > 0 && f.hidden[0].end <= f.pos {
		f.hidden = f.hidden[1:]
	}
	if len(f.hidden) > 0 {
		switch e := f.hidden[0]; {
		case e.start <= f.pos:
			return f.take(c, erased, min(e.end, f.dataEnd)-f.pos)
		case e.start < f.dataEnd:
			return f.take(c, passed, e.start-f.pos)
		}
	}
	return f.take(c, passed, f.dataEnd-f.pos)
}
