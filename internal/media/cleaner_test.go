package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/image/webp"

	"bugslice/internal/assert"
)

// marker stands for a position or a name in the metadata of a file.
const marker = "52.5170N 13.3889E Ada"

// clean returns a file without its metadata, how many parts were removed, and whether it is clean.
func clean(t testing.TB, file []byte, mediaType string) ([]byte, int, bool) {
	t.Helper()
	c := Clean(bytes.NewReader(file), mediaType)
	out, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return out, c.Removed(), c.Cleaned()
}

// join returns the bytes of strings, byte slices and numbers of a byte.
func join(parts ...any) (out []byte) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(out, p...)
		case []byte:
			out = append(out, p...)
		case int:
			out = append(out, byte(p))
		}
	}
	return out
}

func be32(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
func be16(n int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(n)) }

// tiffWith returns EXIF with an orientation and a text.
func tiffWith(orientation int, text string) []byte {
	return join("II*\x00\x08\x00\x00\x00\x02\x00", "\x12\x01\x03\x00\x01\x00\x00\x00", orientation, 0, 0, 0,
		"\x0e\x01\x02\x00", len(text), 0, 0, 0, 38, 0, 0, 0, 0, 0, 0, 0, text)
}

func segment(m int, body ...any) []byte {
	b := join(body...)
	return join(0xff, m, be16(len(b)+2), b)
}

// jpegWith puts segments in front of a JPEG, and bytes behind it.
func jpegWith(head []byte, tail string) []byte {
	return join(0xff, 0xd8, head, jpegOf(16, 8, 0)[2:], tail)
}

func chunk(name string, body ...any) []byte {
	b := join(body...)
	return join(be32(len(b)), name, b, be32(int(crc32.ChecksumIEEE(join(name, b)))))
}

// pngWith puts chunks behind the head of a PNG, and bytes behind its end.
func pngWith(chunks []byte, tail string) []byte {
	b := pngOf(16, 8, color.White)
	return join(b[:33], chunks, b[33:], tail)
}

// gifWith puts blocks in front of the pictures of a GIF, and bytes behind its end.
func gifWith(blocks []byte, tail string) []byte {
	b := animated()
	at := 13 + int(gifColours(b[10]))
	return join(b[:at], blocks, b[at:], tail)
}

func subBlocks(parts ...string) (out []byte) {
	for _, p := range parts {
		out = join(out, len(p), p)
	}
	return append(out, 0)
}

var webpPixel, _ = base64.StdEncoding.DecodeString("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=")

func riffChunk(name string, body ...any) []byte {
	b := join(body...)
	return join(name, binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b, make([]byte, len(b)%2))
}

// webpWith puts chunks behind the picture of a WebP, and bytes behind its end.
func webpWith(chunks []byte, tail string) []byte {
	body := join("WEBP", riffChunk("VP8X", 0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0), riffChunk("ICCP", "profile"),
		webpPixel[12:], chunks)
	return join("RIFF", binary.LittleEndian.AppendUint32(nil, uint32(len(body))), body, tail)
}

// decoders decode pictures of a media type.
var decoders = map[string]func(io.Reader) error{
	"image/jpeg": func(r io.Reader) error { _, err := jpeg.Decode(r); return err },
	"image/png":  func(r io.Reader) error { _, err := png.Decode(r); return err },
	"image/gif":  func(r io.Reader) error { _, err := gif.DecodeAll(r); return err },
	"image/webp": func(r io.Reader) error { _, err := webp.Decode(r); return err },
}

// placesOfMetadata are files with a marker in each kind of place for metadata.
func placesOfMetadata(text string) map[string]map[string][]byte {
	xmp := "http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta>" + text
	return map[string]map[string][]byte{
		"image/jpeg": {
			"EXIF":         jpegWith(segment(0xe1, "Exif\x00\x00", tiffWith(1, text)), ""),
			"EXIF, turned": jpegWith(segment(0xe1, "Exif\x00\x00", tiffWith(6, text)), ""),
			"two EXIF": jpegWith(join(segment(0xe1, "Exif\x00\x00", tiffWith(6, "")),
				segment(0xe1, "Exif\x00\x00", tiffWith(3, text))), ""),
			"XMP":              jpegWith(segment(0xe1, xmp), ""),
			"long XMP":         jpegWith(segment(0xe1, "http://ns.adobe.com/xmp/extension/\x00", text), ""),
			"a long segment":   jpegWith(segment(0xe1, xmp, strings.Repeat(" ", 65500-len(xmp))), ""),
			"IPTC":             jpegWith(segment(0xed, "Photoshop 3.0\x008BIM", text), ""),
			"comment":          jpegWith(segment(0xfe, text), ""),
			"JFIF thumbnail":   jpegWith(segment(0xe0, "JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x02\x02", text), ""),
			"JFXX":             jpegWith(segment(0xe0, "JFXX\x00\x10", text), ""),
			"MPF":              jpegWith(segment(0xe2, "MPF\x00", text), ""),
			"longer Adobe":     jpegWith(segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01", text), ""),
			"FlashPix":         jpegWith(segment(0xe2, "FPXR\x00", text), ""),
			"maker":            jpegWith(segment(0xe7, text), ""),
			"reserved":         jpegWith(segment(0xf0, text), ""),
			"between segments": jpegWith([]byte(text), ""),
			"behind its end":   jpegWith(nil, text),
			"second picture":   jpegWith(nil, string(jpegWith(segment(0xfe, text), ""))),
			"after fill bytes": jpegWith(join(0xff, 0xff, segment(0xfe, text)), ""),
			"among other tables": jpegWith(join(segment(0xe2, "ICC_PROFILE\x00\x01\x01profile"), segment(0xfe, text)),
				""),
		},
		"image/png": {
			"tEXt":    pngWith(chunk("tEXt", "Author\x00", text), ""),
			"zTXt":    pngWith(chunk("zTXt", "Author\x00\x00", text), ""),
			"iTXt":    pngWith(chunk("iTXt", "XML:com.adobe.xmp\x00\x00\x00\x00\x00", text), ""),
			"eXIf":    pngWith(chunk("eXIf", tiffWith(1, text)), ""),
			"turned":  pngWith(chunk("eXIf", tiffWith(6, text)), ""),
			"unknown": pngWith(chunk("gpSx", text), ""),
			"palette": pngWith(chunk("sPLT", text, "\x00\x08"), ""),
			"tIME":    pngWith(chunk("tIME", text), ""),
			"behind":  pngWith(nil, text),
			"long":    pngWith(chunk("eXIf", tiffWith(6, ""), strings.Repeat(text, 5000)), ""),
		},
		"image/gif": {
			"comment":     gifWith(join(0x21, 0xfe, subBlocks("x", text)), ""),
			"text":        gifWith(join(0x21, 0x01, subBlocks(strings.Repeat("x", 12), text)), ""),
			"XMP":         gifWith(join(0x21, 0xff, subBlocks("XMP DataXMP", text)), ""),
			"application": gifWith(join(0x21, 0xff, subBlocks("MADEUP  1.0", text)), ""),
			"short name":  gifWith(join(0x21, 0xff, subBlocks("NETSCAPE", text)), ""),
			"loop":        gifWith(join(0x21, 0xff, subBlocks("NETSCAPE2.0", "\x01\x00\x00", text)), ""),
			"unknown":     gifWith(join(0x21, 0x77, subBlocks(text)), ""),
			"behind":      gifWith(nil, text),
		},
		"image/webp": {
			"EXIF":        webpWith(riffChunk("EXIF", tiffWith(1, text)), ""),
			"EXIF, named": webpWith(riffChunk("EXIF", "Exif\x00\x00", tiffWith(6, text)), ""),
			"XMP":         webpWith(riffChunk("XMP ", text), ""),
			"unknown":     webpWith(riffChunk("GPS ", text), ""),
			"behind":      webpWith(nil, text),
		},
		"video/mp4":  moviesWith(text),
		"image/heic": itemsWith(text),
		"video/webm": matroskaWith(text),
	}
}

// TestMetadataIsRemoved: no place of any format keeps what stands in it. What is left is decoded, is not longer, is
// removed once, and is the same however the file arrives.
func TestMetadataIsRemoved(t *testing.T) {
	for mediaType, places := range placesOfMetadata(marker) {
		for place, file := range places {
			name := mediaType + ", " + place
			out, removed, isClean := clean(t, file, mediaType)
			if bytes.Contains(out, []byte(marker[3:12])) || len(out) > len(file) {
				t.Errorf("%s: %d bytes become %d: %.400q", name, len(file), len(out), out)
			}
			if decode := decoders[mediaType]; decode != nil && decode(bytes.NewReader(out)) != nil {
				t.Errorf("%s: not decoded: %v", name, decode(bytes.NewReader(out)))
			}
			assert.Equal(t, name+": removed, and clean", []bool{removed > 0, isClean}, []bool{true, true})
			again, removed, isClean := clean(t, out, mediaType)
			assert.Equal(t, name+": once more", []any{string(again), removed, isClean}, []any{string(out), 0, true})
			slow, err := io.ReadAll(Clean(iotest.OneByteReader(bytes.NewReader(file)), mediaType))
			if err != nil || !bytes.Equal(slow, out) {
				t.Errorf("%s: a byte after the other: %v, %d bytes, want %d", name, err, len(slow), len(out))
			}
		}
	}
}

// TestWhatStays: files without metadata are unchanged, and orientation, colours, resolution and repetitions stay.
func TestWhatStays(t *testing.T) {
	profile := segment(0xe2, "ICC_PROFILE\x00\x01\x01profile")
	loop := join(0x21, 0xff, subBlocks("NETSCAPE2.0", "\x01\x05\x00"))
	for name, c := range map[string]struct {
		mediaType  string
		file, want []byte
	}{
		"jpeg":   {"image/jpeg", jpegOf(64, 48, 0), nil},
		"turned": {"image/jpeg", jpegWith(segment(0xe1, "Exif\x00\x00", minimalEXIF(8)), ""), nil},
		"also turned": {"image/jpeg", jpegWith(segment(0xe1, "Exif\x00\x00", tiffWith(8, "x")), ""),
			jpegWith(segment(0xe1, "Exif\x00\x00", minimalEXIF(8)), "")},
		"colours": {"image/jpeg", jpegWith(join(profile, segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01")), ""), nil},
		"png": {"image/png", pngWith(join(chunk("iCCP", "sRGB\x00\x00"),
			chunk("pHYs", "\x00\x00\x0b\x13\x00\x00\x0b\x13\x01"), chunk("acTL", "12345678")), ""), nil},
		"png, turned": {"image/png", pngWith(chunk("eXIf", tiffWith(6, "x")), ""),
			pngWith(chunk("eXIf", minimalEXIF(6)), "")},
		"gif":          {"image/gif", gifWith(join(loop, 0x21, 0xff, subBlocks("ICCRGBG1012", "profile")), ""), nil},
		"webp":         {"image/webp", webpPixel, nil},
		"webp, turned": {"image/webp", webpWith(riffChunk("EXIF", minimalEXIF(6)), ""), nil},
		"text":         {"text/plain", []byte("Exif"), nil},
	} {
		out, removed, isClean := clean(t, c.file, c.mediaType)
		if c.mediaType == "image/webp" && len(c.file) > 60 {
			c.want = bytes.Replace(c.file, join("VP8X", 10, 0, 0, 0, 0x2c), join("VP8X", 10, 0, 0, 0, 0x28), 1)
		}
		if c.want == nil {
			assert.Equal(t, name+": removed", removed, 0)
			c.want = c.file
		}
		assert.Equal(t, name, []any{string(out), isClean}, []any{string(c.want), true})
	}
}

// TestSeveralEXIF: of several segments with EXIF the first with an orientation counts, for what is stored as for the
// thumbnail.
func TestSeveralEXIF(t *testing.T) {
	exif := func(orientation int, tag string) []byte {
		tiff := tiffWith(orientation, "x")
		copy(tiff[10:], tag)
		return segment(0xe1, "Exif\x00\x00", tiff)
	}
	const oriented, plain = "\x12\x01", "\x0f\x01"
	turned, upright := exif(6, oriented), exif(1, oriented)
	for name, c := range map[string]struct {
		head []byte
		want int
	}{
		"none before it":    {join(exif(6, plain), turned), 6},
		"damaged before it": {join(segment(0xe1, "Exif\x00\x00MM"), exif(9, oriented), turned), 6},
		"XMP before it":     {join(segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00<x/>"), turned), 6},
		"another after it":  {join(turned, exif(3, oriented)), 6},
		"upright before it": {join(upright, turned), 1},
		"none":              {join(exif(6, plain), exif(6, plain)), 1},
	} {
		file := jpegWith(c.head, "")
		want := jpegWith(nil, "")
		if c.want > 1 {
			want = jpegWith(segment(0xe1, "Exif\x00\x00", minimalEXIF(c.want)), "")
		}
		out, _, isClean := clean(t, file, "image/jpeg")
		assert.Equal(t, name, []any{string(out), isClean, orientation(bytes.NewReader(file)),
			orientation(bytes.NewReader(out))},
			[]any{string(want), true, c.want, c.want})
	}
}

// TestNotCleaned: a file that cannot be cleaned says so, and stays as it is where it cannot be read.
func TestNotCleaned(t *testing.T) {
	for name, c := range map[string]struct{ mediaType, file string }{
		"TIFF":               {"image/tiff", "II*\x00"},
		"BMP":                {"image/bmp", "BM"},
		"PDF":                {"application/pdf", "%PDF-1.7"},
		"anything":           {octets, "\x00\x01"},
		"drawing":            {"image/svg+xml", "<svg><metadata/></svg>"},
		"no JPEG":            {"image/jpeg", "\xff\xd7\xff\xfe"},
		"cut JPEG":           {"image/jpeg", string(jpegOf(16, 8, 0)[:200])},
		"segment of no size": {"image/jpeg", "\xff\xd8\xff\xfe\x00\x01" + marker},
		"no PNG":             {"image/png", "\x89PNG"},
		"cut PNG":            {"image/png", string(pngOf(16, 8, color.White)[:50])},
		"odd chunk":          {"image/png", pngSignature + "\x00\x00\x00\x04a b\x00" + marker},
		"needed chunk":       {"image/png", string(pngWith(chunk("GPSx", marker), ""))},
		"cut GIF":            {"image/gif", string(animated()[:40])},
		"odd block":          {"image/gif", string(gifWith([]byte{0x99}, ""))},
		"cut WebP":           {"image/webp", string(webpPixel[:30])},
		"long chunk":         {"image/webp", "RIFF\x10\x00\x00\x00WEBPEXIF\xff\x00\x00\x00"},
		"cut movie":          {"video/mp4", string(boxOf("ftyp", "isom")) + "\x00\x00\x01\x00mdatxx"},
		"short box":          {"video/mp4", string(boxOf("ftyp", "isom")) + "\x00\x00\x00\x07moovxx"},
		"longer than around": {"video/mp4", "\x00\x00\x00\x10moov\x00\x00\x00\x20mvhd"},
		"compressed":         {"video/mp4", string(boxOf("moov", boxOf("cmov", marker)))},
		"track of positions": {"video/mp4",
			string(boxOf("moov", boxOf("trak", boxOf("mdia", handlerBox("meta", "")))))},
		"no element":   {"video/webm", "\x1aE\xdf\xa3\x80\x00\x00"},
		"subtitles":    {"video/webm", string(element("\x83", "\x11"))},
		"unknown size": {"video/webm", "\x12\x54\xc3\x67\xff"},
	} {
		out, _, isClean := clean(t, []byte(c.file), c.mediaType)
		assert.Equal(t, name, []any{string(out), isClean}, []any{c.file, false})
	}
	failing := Clean(io.MultiReader(bytes.NewReader(jpegOf(16, 8, 0)[:40]), iotest.ErrReader(io.ErrClosedPipe)),
		"image/jpeg")
	if _, err := io.ReadAll(failing); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("an error of the source is lost: %v", err)
	}
}

// FuzzClean: any bytes are read to their end, get no longer, and keep no marker in a place that is known. A picture
// that is decoded before is decoded after.
func FuzzClean(f *testing.F) {
	types := []string{"image/jpeg", "image/png", "image/gif", "image/webp", "video/mp4", "image/heic", "video/webm"}
	for n, mediaType := range types {
		for _, file := range placesOfMetadata(marker)[mediaType] {
			f.Add(n, file)
		}
	}
	f.Fuzz(func(t *testing.T, n int, file []byte) {
		if n < 0 || n >= len(types) || len(file) > 1<<20 {
			return
		}
		out, isClean := cleanBounded(t, file, types[n])
		if len(out) > len(file) {
			t.Fatalf("%d bytes become %d", len(file), len(out))
		}
		again, removed, _ := clean(t, out, types[n])
		if isClean && (removed != 0 || !bytes.Equal(again, out)) {
			t.Fatalf("cleaned again: %d more, %q becomes %q", removed, out, again)
		}
		if decode := decoders[types[n]]; decode != nil && isClean && small(file, types[n]) &&
			decode(bytes.NewReader(file)) == nil {
			if err := decode(bytes.NewReader(out)); err != nil {
				t.Fatalf("%s: %q becomes %q: %v", types[n], file, out, err)
			}
		}
	})
}

// small reports whether a picture may be decoded by a test.
func small(file []byte, mediaType string) bool {
	s, err := Measure(bytes.NewReader(file), mediaType)
	return err == nil && s.Width*s.Height < 1<<16
}
