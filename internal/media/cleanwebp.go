package media

import (
	"encoding/binary"
	"strings"
)

// webpFormat walks through a WebP. The size of the file comes first, so that chunks with metadata stay, filled with
// zeros, under a name that no decoder knows; a chunk with EXIF has the orientation alone.
type webpFormat struct {
	started bool
	left    int64 // bytes of the file
}

const (
	webpChunks = "VP8 VP8LALPHANIMICCP"
	webpJunk   = "JUNK"

	webpHasXMP = 0x04 // a flag of the header
)

func (f *webpFormat) step(c *Cleaner) error {
	if !f.started {
		f.started = true
		b, err := c.peek(12)
		if err != nil {
			return err
		}
		f.left = int64(binary.LittleEndian.Uint32(b[4:])) - 4
		if string(b[:4]) != "RIFF" || string(b[8:]) != "WEBP" {
			return errDamaged
		}
		return c.next(passed, 12)
	}
	if f.left <= 0 {
		if err := c.atEnd(); err != nil {
			return err
		}
		return c.next(dropped, toEnd)
	}
	b, err := c.peek(8)
	if err != nil {
		return err
	}
	name, size := string(b[:4]), int64(binary.LittleEndian.Uint32(b[4:]))
	size += size & 1
	if 8+size > f.left {
		return errDamaged
	}
	if name == "ANMF" && size >= 16 { // the chunks of a frame follow its head
		f.left -= 24
		return c.next(passed, 24)
	}
	f.left -= 8 + size
	return f.stepChunk(c, name, size)
}

func (f *webpFormat) stepChunk(c *Cleaner, name string, size int64) error {
	switch {
	case name == "VP8X" && size >= 10:
		b, err := c.peek(18)
		if err != nil {
			return err
		}
		head := append([]byte{}, b...)
		head[8] &^= webpHasXMP
		if err := c.replace(18, head); err != nil {
			return err
		}
		return c.next(erased, size-10)
	case name == "EXIF" && size <= longestPeek-8:
		return f.stepEXIF(c, int(size))
	case strings.Index(webpChunks, name)%4 == 0:
		return c.next(passed, 8+size)
	}
	b, err := c.peek(8)
	if err != nil {
		return err
	}
	if err := c.replace(8, append([]byte(webpJunk), b[4:8]...)); err != nil {
		return err
	}
	return c.next(erased, size)
}

// stepEXIF leaves the orientation of a chunk with EXIF, or that of an upright picture.
func (f *webpFormat) stepEXIF(c *Cleaner, size int) error {
	b, err := c.peek(8 + size)
	if err != nil {
		return err
	}
	kept := make([]byte, len(b))
	copy(kept, b[:8])
	tiff := b[8:]
	if strings.HasPrefix(string(tiff), "Exif\x00\x00") { // some programs write it as in a JPEG
		tiff = tiff[6:]
	}
	if left := minimalEXIF(max(1, tiffOrientation(tiff))); size >= len(left) {
		copy(kept[8:], left)
	}
	return c.shorten(b, kept)
}
