package media

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"
)

// counting counts the steps of a format.
type counting struct {
	format
	steps int
}

func (f *counting) step(c *Cleaner) error {
	f.steps++
	return f.format.step(c)
}

// cleanBounded is clean, and fails when it takes more memory or steps than a small multiple of the file has bytes. A
// step looks at no more than a buffer of bytes, but for the one that reads a list of items.
func cleanBounded(t testing.TB, file []byte, mediaType string) ([]byte, bool) {
	t.Helper()
	c := Clean(bytes.NewReader(file), mediaType)
	steps := &counting{format: c.format}
	c.format = steps
	out := make([]byte, 0, len(file)+1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b := make([]byte, 32<<10); ; {
		n, err := c.Read(b)
		out = append(out, b[:n]...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if most := uint64(1<<20 + 4*len(file)); after.TotalAlloc-before.TotalAlloc > most {
		t.Fatalf("%s: %d bytes are allocated for %d, of which there may be %d",
			mediaType, after.TotalAlloc-before.TotalAlloc, len(file), most)
	}
	if steps.steps > len(file)+2 {
		t.Fatalf("%s: %d steps for %d bytes", mediaType, steps.steps, len(file))
	}
	return out, c.Cleaned()
}

// TestCleaningIsBounded: files that are made of the smallest parts, or of parts that name the same bytes, take memory
// and steps in proportion to their size.
func TestCleaningIsBounded(t *testing.T) {
	const size = 1 << 20
	fill := func(head, part any) []byte {
		h, p := join(head), join(part)
		return append(h, bytes.Repeat(p, (size-len(h))/len(p))...)
	}
	gif := string(animated()[:13+int(gifColours(animated()[10]))])
	riff := "RIFF\xff\xff\xff\x7fWEBP"
	for mediaType, files := range map[string][][]byte{
		"image/jpeg": {
			fill("\xff\xd8", "\xff"), fill("\xff\xd8", "\x01"), fill("\xff\xd8", "\xff\xd0"),
			fill("\xff\xd8", segment(0xfe)),
			fill("\xff\xd8", segment(0xda)), fill("\xff\xd8", segment(0xe1, "Exif\x00\x00")),
			fill("\xff\xd8\xff\xda\x00\x02", "\xff"),
			fill("\xff\xd8", segment(0xe0, "JFIF\x00", make([]byte, 9))), fill("\xff\xd8\xff\xda\x00\x02", "\xff\x00"),
			fill("\xff\xd8", segment(0xe1, "Exif\x00\x00II*\x00\x08\x00\x00\x00\xff\xff", make([]byte, 60000))),
		},
		"image/png": {
			fill(pngSignature, chunk("teXt")), fill(pngSignature, chunk("IDAT")), fill(pngSignature, chunk("eXIf")),
			fill(pngSignature, chunk("eXIf", tiffWith(6, ""))), fill(pngSignature, chunk("IEND")),
		},
		"image/gif": {
			fill(gif, 0), fill(gif, "!\xfe\x00"), fill(gif, "!\xfe\x01x\x00"), fill(gif+"!\xfe", "\x01x"),
			fill(gif, ";"),
			fill(gif+"!\xff\x0bNETSCAPE2.0", "\x01x"), fill(gif, join(",", make([]byte, 11))),
		},
		"image/webp": {
			fill(riff, riffChunk("EXIF")), fill(riff, riffChunk("JUNK")),
			fill(riff, riffChunk("VP8X", make([]byte, 10))),
			fill(riff, riffChunk("ANMF", make([]byte, 16))), fill(riff, riffChunk("EXIF", tiffWith(6, ""))),
			fill(riff, riffChunk("VP8 ")),
		},
		"video/mp4": {
			fill("", "\x00\x00\x00\x00moov"), fill("", boxOf("moov")), fill("", boxOf("udta")), fill("", boxOf("mdat")),
			fill("", boxOf("hdlr")), fill("", boxOf("mvhd", make([]byte, shortBox-8))), fill("", boxOf("meta")),
			fill("", boxOf("moov", 0, 0, 0, 0)), fill("", boxOf("stts")),
		},
		"image/heic": {
			fill("", listOfPlaces("\x00\x01", 20_000, 0, len(marker))),
			fill("", listOfPlaces("\x00\x00", 20_000, 1<<10, 1<<20)),
			fill(listOfPlaces("\x00\x00", mostHidden, 1<<10, 1<<20), boxOf("mdat", "x")),
			fill("", boxOf("meta", 0, 0, 0, 0, handlerBox("pict", ""), boxOf("free", make([]byte, longestItems-100)))),
		},
		"video/webm": {
			fill("", "\xec\x80"), fill("", "\xbf\x80"), fill("", "\xae\xff"), fill("", element("\x12\x54\xc3\x67")),
			fill("", "\xa3\x80"),
			fill("", "\x83\x81\x01"), fill("", "\xae\x01\xff\xff\xff\xff\xff\xff\xff"),
		},
	} {
		for _, file := range files {
			cleanBounded(t, file, mediaType)
		}
	}
}
