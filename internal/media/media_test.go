package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"bugslice/internal/assert"
)

func pngOf(w, h int, c color.Color) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func jpegOf(w, h, orientation int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for x := range w / 2 {
		for y := range h {
			img.Set(x, y, color.White)
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err)
	}
	if orientation == 0 {
		return b.Bytes()
	}
	exif := append([]byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01"),
		0, byte(orientation), 0, 0, 0, 0, 0, 0)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return append(append([]byte{0xff, 0xd8}, append(segment, exif...)...), b.Bytes()[2:]...)
}

// resized writes another size into the head of a PNG.
func resized(b []byte, w, h uint32) []byte {
	b = bytes.Clone(b)
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func animated() []byte {
	var all gif.GIF
	for range 3 {
		all.Image = append(all.Image, image.NewPaletted(image.Rect(0, 0, 60, 40),
			color.Palette{color.Black, color.White}))
		all.Delay = append(all.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &all); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// TestDetect: a signature of the bytes decides the media type, whatever type is declared.
func TestDetect(t *testing.T) {
	for _, c := range []struct{ head, declared, name, want, kind string }{
		{string(pngOf(2, 2, color.Black)), "text/html", "x.html", "image/png", Screenshot},
		{"\xff\xd8\xff\xe0aaaa", "", "", "image/jpeg", Screenshot},
		{"GIF89a\x10\x00\x10\x00\xf7\x00\x00<script>", "text/html", "", "image/gif", Screenshot},
		{"GIF89a<script>", "text/html", "", "text/html", Other},
		{"GIF89a is what it begins with", "", "", "text/plain", Log},
		{"BM\x36\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28", "", "", "image/bmp", Screenshot},
		{"BMW password=hunter2", "", "", "text/plain", Log},
		{"ID3\x03\x00\x00\x00\x00\x0f\x76", "", "", "audio/mpeg", Other},
		{"ID3 tags are lost", "", "notes.txt", "text/plain", Log},
		{"wOFF, he said", "", "", "text/plain", Log},
		{"wOF2\x00\x01\x00\x00", "", "", "font/woff2", Other},
		{"%!PS-Adobe-3.0", "", "", "text/plain", Log},
		{"ftypes", "", "", "text/plain", Log},
		{"the ftypisom", "", "", "text/plain", Log},
		{"M\xfcller\npassword=hunter2\n", "text/plain", "", "text/plain", Log},
		{"M\xfcller\npassword=hunter2\n", "", "", "text/plain", Log},
		{"BM\xfcller", "", "", "text/plain", Log},
		{"password=hunter2secret\x00\n", "text/plain", "", "text/plain", Log},
		{"password=hunter2secret\x00\n", "", "server.log", "text/plain", Log},
		{"\xff\xfep\x00a\x00s\x00s\x00", "text/plain", "", "text/plain", Log},
		{"\xfe\xff\x00{\x00}\x00", "application/json", "", "application/json", Other},
		{"\xff\xfe\x00\x00p\x00\x00\x00", "", "", "application/octet-stream", Other},
		{"\x1f\x8b\x08\x00aaaa", "text/plain", "x.txt", "application/x-gzip", Other},
		{"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00", "", "", "application/octet-stream", Other},
		{"RIFF\x10\x00\x00\x00WEBPVP8 ", "", "", "image/webp", Screenshot},
		{"\x00\x00\x00\x20ftypavif", "", "", "image/avif", Screenshot},
		{"\x00\x00\x00\x20ftypisom", "", "", "video/mp4", Video},
		{"\x00\x00\x00\x14ftypqt  ", "", "", "video/quicktime", Video},
		{"\x1aE\xdf\xa3aaaa", "video/webm", "", "video/webm", Video},
		{"%PDF-1.7", "text/plain", "", "application/pdf", Other},
		{"PK\x03\x04", "image/png", "x.png", "application/zip", Other},
		{"<html>", "image/png", "x.png", "text/html", Other},
		{"  <!DOCTYPE html><p>", "text/plain", "", "text/html", Other},
		{"<svg onload=x>", "image/png", "", "image/svg+xml", Other},
		{"<?xml version='1.0'?>\n<svg>", "", "", "image/svg+xml", Other},
		{"<?xml version='1.0'?><a/>", "", "", "application/xml", Other},
		{"just words", "image/png", "x.png", "text/plain", Log},
		{"just words", "application/json", "", "application/json", Other},
		{"", "image/png", "", "text/plain", Log},
		{"\x00\x01", "text/plain", "", "application/octet-stream", Other},
		{"caf\xc3", "text/plain", "", "text/plain", Log},
		{"a,b\n1,2", "", "x.csv", "text/csv", Other},
		{`{"log":{"creator":{}}}`, "", "x.json", "application/json", Network},
		{`{"log":{}}`, "", "x.har", "application/har+json", Network},
		{`[{"level":"error"}]`, "application/json", "console.json", "application/json", Console},
		{`[{"type":4,"timestamp":1}]`, "application/json", "replay.json", "application/json", Replay},
		{`[{"type":"click"}]`, "application/json", "actions.json", "application/json", Actions},
		{"10:00 up", "", "server.log", "text/plain", Log},
	} {
		if got, kind := Detect([]byte(c.head), c.declared, c.name); got != c.want || kind != c.kind {
			t.Errorf("%q as %q, %q: %s, %s; want %s, %s", c.head, c.declared, c.name, got, kind, c.want, c.kind)
		}
	}
	for kind, want := range map[string]bool{"image/png": true, "image/svg+xml": false,
		"text/html": false, "text/plain": true, "application/pdf": false} {
		if Inline(kind) != want {
			t.Errorf("%s inline: %v", kind, Inline(kind))
		}
	}
}

// TestDeclaredText: bytes declared as text are binary when most are control characters or invalid UTF-8, and stay
// text in other encodings or with separators between fields.
func TestDeclaredText(t *testing.T) {
	noise := make([]byte, HeadSize)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	for name, c := range map[string]struct{ text, want string }{
		"noise":         {string(noise), octets},
		"a little":      {string(noise[:256]), octets},
		"encrypted":     {"Salted__" + string(noise), octets},
		"signs between": {strings.Repeat("35=A\x01554=hunter2\x01", 100), "text/plain"},
		"and an umlaut": {strings.Repeat("58=M\xfcller\x01554=hunter2\x01", 100), "text/plain"},
		"environment":   {strings.Repeat("A=1\x00PASSWORD=hunter2\x00", 100), "text/plain"},
		"Windows-1252":  {strings.Repeat("\x93M\xfcller\x94 \x96 password=hunter2\r\n", 100), "text/plain"},
		"Windows-1251":  {strings.Repeat("\xcf\xe0\xf0\xee\xeb\xfc: hunter2\r\n", 100), "text/plain"},
		"code page 866": {strings.Repeat("\x8f\xa0\xe0\xae\xab\xec: hunter2\r\n", 100), "text/plain"},
		"Shift JIS":     {strings.Repeat("\x83p\x83X\x83\x8f\x81[\x83h: hunter2\n", 100), "text/plain"},
		"GBK":           {strings.Repeat("\xc3\xdc\xc2\xeb: hunter2\n", 100), "text/plain"},
	} {
		if got, _ := Detect([]byte(c.text[:min(len(c.text), HeadSize)]), "text/plain", "core.log"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestUTF8: UTF-16 with a byte order mark is read as UTF-8, also when it is malformed; other texts are unchanged.
func TestUTF8(t *testing.T) {
	long := strings.Repeat("é😀 password=hunter2\n", 1000)
	for in, want := range map[string]string{
		"plain":                         "plain",
		"":                              "",
		"\xff":                          "\xff",
		"M\xfcller":                     "M\xfcller",
		"\xff\xfea\x00\xe9\x00":         "aé",
		"\xfe\xff\x00a\x00\xe9":         "aé",
		"\xff\xfe":                      "",
		"\xff\xfea\x00b":                "a\ufffd",
		"\xff\xfe\x3d\xd8":              "\ufffd",
		"\xff\xfe\x3d\xd8a\x00":         "\ufffda",
		"\xff\xfe\x3d\xd8\x00\xde":      "😀",
		"\xff\xfe\x00\x00a\x00\x00\x00": "\xff\xfe\x00\x00a\x00\x00\x00",
		utf16Of(long):                   long,
	} {
		out, err := io.ReadAll(UTF8(bufio.NewReader(iotest.OneByteReader(strings.NewReader(in)))))
		if err != nil || string(out) != want {
			t.Errorf("%.40q: %v %.40q, want %.40q", in, err, out, want)
		}
	}
	if _, err := io.ReadAll(UTF8(bufio.NewReader(io.MultiReader(strings.NewReader("\xff\xfea\x00"),
		iotest.ErrReader(io.ErrUnexpectedEOF))))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("an error of the source is lost: %v", err)
	}
}

func utf16Of(s string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return string(out)
}

// TestMeasureAndThumbnail: sizes as shown, and small pictures that fit.
func TestMeasureAndThumbnail(t *testing.T) {
	for name, c := range map[string]struct {
		file   []byte
		kind   string
		w, h   int
		small  Size
		format string
	}{
		"wide":        {pngOf(1200, 300, color.White), "image/png", 1200, 300, Size{480, 120}, "jpeg"},
		"tall":        {pngOf(300, 1200, color.White), "image/png", 300, 1200, Size{90, 360}, "jpeg"},
		"tiny":        {pngOf(3, 2, color.White), "image/png", 3, 2, Size{3, 2}, "jpeg"},
		"transparent": {pngOf(600, 600, color.NRGBA{255, 0, 0, 100}), "image/png", 600, 600, Size{360, 360}, "png"},
		"thread":      {pngOf(1, 16000, color.White), "image/png", 1, 16000, Size{1, 360}, "jpeg"},
		"jpeg":        {jpegOf(800, 400, 0), "image/jpeg", 800, 400, Size{480, 240}, "jpeg"},
		"turned":      {jpegOf(800, 400, 6), "image/jpeg", 400, 800, Size{180, 360}, "jpeg"},
		"upside down": {jpegOf(800, 400, 3), "image/jpeg", 800, 400, Size{480, 240}, "jpeg"},
		"animated":    {animated(), "image/gif", 60, 40, Size{60, 40}, "jpeg"},
	} {
		r := bytes.NewReader(c.file)
		if s, err := Measure(r, c.kind); err != nil || s != (Size{c.w, c.h}) {
			t.Errorf("%s: %v %v", name, s, err)
		}
		out, err := Thumbnail(t.Context(), r, c.kind)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, format, err := image.DecodeConfig(bytes.NewReader(out))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		assert.Equal(t, name+": size and format", []any{Size{got.Width, got.Height}, format}, []any{c.small, c.format})
	}
	// Turned by a quarter: what was left is above.
	out, err := Thumbnail(t.Context(), bytes.NewReader(jpegOf(80, 40, 6)), "image/jpeg")
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	above, _, _, _ := img.At(20, 5).RGBA()
	below, _, _, _ := img.At(20, 75).RGBA()
	if above < 0xc000 || below > 0x4000 {
		t.Errorf("above %x, below %x", above, below)
	}
}

// TestHostileImages are refused, without memory and without a panic.
func TestHostileImages(t *testing.T) {
	good := pngOf(64, 64, color.White)
	bomb := resized(good, 65535, 65535)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Thumbnail(t.Context(), bytes.NewReader(bomb), "image/png"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("a bomb takes %d bytes", n)
	}
	for _, c := range []struct {
		file []byte
		kind string
		want error
	}{
		{resized(good, 20000, 1), "image/png", ErrTooLarge}, {resized(good, 0, 5), "image/png", ErrMalformed},
		{resized(good, 1<<31, 1), "image/png", ErrMalformed},
		{[]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"), "image/gif", ErrTooLarge},
		{[]byte("<html>"), "image/png", ErrMalformed}, {nil, "image/jpeg", ErrMalformed},
		{good, "image/avif", ErrUnknown}, {good, "image/jpeg", ErrMalformed},
		{[]byte("RIFF\xff\xff\xff\xffWEBPVP8X"), "image/webp", ErrMalformed},
	} {
		if _, err := Thumbnail(t.Context(), bytes.NewReader(c.file), c.kind); !errors.Is(err, c.want) {
			t.Errorf("%.20q as %s: %v, want %v", c.file, c.kind, err, c.want)
		}
	}
	var deep bytes.Buffer
	if err := png.Encode(&deep, image.NewNRGBA64(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	wide := resized(deep.Bytes(), 5000, 5000)
	if _, err := Thumbnail(t.Context(), bytes.NewReader(wide), "image/png"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("25 million pixels of 16 bits: %v", err)
	}
	_, err := Square(t.Context(), bytes.NewReader(resized(good, 5000, 5000)), "image/png", 128)
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("a square of 25 million pixels: %v", err)
	}
	for _, whole := range [][]byte{good, jpegOf(50, 50, 6), animated()} {
		for i := range len(whole) {
			for _, kind := range []string{"image/png", "image/jpeg", "image/gif", "image/webp"} {
				_, _ = Thumbnail(t.Context(), bytes.NewReader(whole[:i]), kind)
			}
		}
	}
}

func FuzzThumbnail(f *testing.F) {
	for _, b := range [][]byte{pngOf(3, 3, color.White), jpegOf(4, 4, 6), animated(),
		[]byte("RIFF\x10\x00\x00\x00WEBPVP8 ")} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		kind, _ := Detect(b, "", strings.Repeat("x", len(b)%9))
		_, _ = Thumbnail(t.Context(), bytes.NewReader(b), kind)
	})
}
