package media

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
)

// pngFormat walks through a PNG. It leaves the chunks of the picture, of its colours, its resolution and its
// animation, and removes texts, times, EXIF but for the orientation, chunks that it does not know, and what follows
// the end.
type pngFormat struct{ started, ended bool }

const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	pngChunks    = " IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV mDCv cLLI cLLi bKGD hIST pHYs acTL fcTL fdAT "
)

func (f *pngFormat) step(c *Cleaner) error {
	if f.ended {
		if err := c.atEnd(); err != nil {
			return err
		}
		return c.next(dropped, toEnd)
	}
	b, err := c.peek(8)
	if err != nil {
		return err
	}
	if !f.started {
		f.started = true
		if string(b) != pngSignature {
			return errDamaged
		}
		return c.next(passed, 8)
	}
	name, size := string(b[4:]), int64(binary.BigEndian.Uint32(b))+12
	f.ended = name == "IEND"
	switch {
	case size > 1<<31 || strings.Trim(name, letters) != "":
		return errDamaged
	case strings.Contains(pngChunks, " "+name+" "):
		return c.next(passed, size)
	case name == "eXIf" && size <= longestPeek:
		return f.stepEXIF(c, int(size))
	case name[0] < 'a': // one that a decoder must know
		c.unclear = true
		return c.next(passed, size)
	}
	return c.next(dropped, size)
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// stepEXIF leaves the orientation of a chunk with EXIF.
func (f *pngFormat) stepEXIF(c *Cleaner, size int) error {
	b, err := c.peek(size)
	if err != nil {
		return err
	}
	o := tiffOrientation(b[8 : size-4])
	if o <= 1 {
		return c.next(dropped, int64(size))
	}
	tiff := minimalEXIF(o)
	kept := binary.BigEndian.AppendUint32(nil, uint32(len(tiff)))
	kept = append(append(kept, "eXIf"...), tiff...)
	return c.shorten(b, binary.BigEndian.AppendUint32(kept, crc32.ChecksumIEEE(kept[4:])))
}
