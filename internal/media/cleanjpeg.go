package media

import (
	"bytes"
	"encoding/binary"
)

// jpegFormat walks through a JPEG. Of the application segments it leaves the colour profile, what decoding needs, and
// an EXIF segment with the orientation, the first when there are several. It removes comments, other pictures, and
// all bytes that belong to no segment or follow the end, such as the video of a motion photo.
type jpegFormat struct {
	started, inScan, ended, oriented bool
}

// Markers of a JPEG, after the byte 0xff.
const (
	markerSOI, markerEOI, markerSOS = 0xd8, 0xd9, 0xda
	markerAPP0, markerAPP1          = 0xe0, 0xe1
	markerAPP2, markerAPP14         = 0xe2, 0xee
)

func (f *jpegFormat) step(c *Cleaner) error {
	switch {
	case f.ended:
		if err := c.atEnd(); err != nil {
			return err
		}
		return c.next(dropped, toEnd)
	case f.inScan:
		return f.stepScan(c)
	}
	b, err := c.peek(2)
	if err != nil {
		return err
	}
	switch m := b[1]; {
	case !f.started:
		f.started = true
		if b[0] != 0xff || m != markerSOI {
			return errDamaged
		}
		return c.next(passed, 2)
	case b[0] != 0xff:
		return c.next(dropped, 1)
	case m == 0xff:
		_, err := c.in.Discard(1) // a fill byte
		return err
	case m == markerEOI:
		f.ended = true
		return c.next(passed, 2)
	case m <= 1 || m >= 0xd0 && m <= markerSOI: // stands alone, and has no meaning here
		return c.next(dropped, 2)
	default:
		return f.stepSegment(c, m)
	}
}

// stepScan passes the coded picture, up to a marker that ends it.
func (f *jpegFormat) stepScan(c *Cleaner) error {
	if _, err := c.peek(2); err != nil {
		return err
	}
	b, _ := c.in.Peek(c.in.Buffered())
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], 0xff)
		if i < 0 {
			return c.next(passed, int64(len(b)))
		}
		at += i
		if at+1 == len(b) {
			return c.next(passed, int64(at))
		}
		if m := b[at+1]; m != 0 && m != 0xff && (m < 0xd0 || m > 0xd7) {
			f.inScan = false
			return c.next(passed, int64(at))
		} else if m != 0xff {
			at++
		}
		at++
	}
}

func (f *jpegFormat) stepSegment(c *Cleaner, marker byte) error {
	b, err := c.peek(4)
	if err != nil {
		return err
	}
	length := 2 + int(binary.BigEndian.Uint16(b[2:]))
	if length < 4 {
		return errDamaged
	}
	if b, err = c.peek(length); err != nil {
		return err
	}
	switch body := b[4:]; {
	case marker == markerSOS:
		f.inScan = true
		return c.next(passed, int64(length))
	case marker >= 0xc0 && marker < 0xe0: // tables and frames
		return c.next(passed, int64(length))
	case marker == markerAPP0 && bytes.HasPrefix(body, []byte("JFIF\x00")) && length >= 18:
		kept := append([]byte{0xff, marker, 0, 16}, body[:14]...)
		kept[16], kept[17] = 0, 0 // without its thumbnail
		return c.shorten(b, kept)
	case marker == markerAPP1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")) && !f.oriented:
		o := exifOrientation(body)
		if f.oriented = o > 0; o <= 1 {
			return c.next(dropped, int64(length))
		}
		tiff := minimalEXIF(o)
		kept := append([]byte{0xff, marker, 0, byte(8 + len(tiff))}, "Exif\x00\x00"...)
		return c.shorten(b, append(kept, tiff...))
	case marker == markerAPP2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")):
		return c.next(passed, int64(length))
	case marker == markerAPP14 && bytes.HasPrefix(body, []byte("Adobe")) && length >= 16: // the meaning of the colours
		return c.shorten(b, append([]byte{0xff, marker, 0, 14}, body[:12]...))
	}
	return c.next(dropped, int64(length))
}

// minimalEXIF returns EXIF, from its TIFF header on, with nothing but an orientation.
func minimalEXIF(orientation int) []byte {
	return []byte{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(orientation), 0, 0, 0, 0, 0,
		0}
}
