package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// Errors of this package. They contain no text from the file.
var (
	ErrMalformed = errors.New("media: the image is malformed")
	ErrTooLarge  = errors.New("media: the image is too large to be decoded")
	ErrUnknown   = errors.New("media: the image format is not supported")
)

// Limits of an image that is decoded, and of a thumbnail.
const (
	maxPixels       = 32 << 20 // of one with up to 8 bits for each color; one with 16 has half of them
	maxSquarePixels = maxPixels / 2
	maxSide         = 16_384

	thumbWidth, thumbHeight = 480, 360
)

// Size is the size of an image in pixels.
type Size struct{ Width, Height int }

// Measure returns the size of an image in its EXIF orientation. It reads only the header.
func Measure(r io.ReadSeeker, mediaType string) (s Size, err error) {
	s, _, err = measure(r, mediaType)
	return s, err
}

// measure is Measure, and reports whether the image has 16 bits for each color.
func measure(r io.ReadSeeker, mediaType string) (s Size, deep bool, err error) {
	defer recoverMalformed(&err)
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return Size{}, false, err
	}
	config, err := decodeConfig(io.LimitReader(r, 1<<20), mediaType)
	if err != nil {
		return Size{}, false, err
	}
	s = Size{config.Width, config.Height}
	deep = config.ColorModel == color.RGBA64Model || config.ColorModel == color.NRGBA64Model
	if s.Width < 1 || s.Height < 1 {
		return Size{}, false, ErrMalformed
	}
	if mediaType == "image/jpeg" && swapsSides(orientation(r)) {
		s.Width, s.Height = s.Height, s.Width
	}
	return s, deep, nil
}

// decodeConfig decodes the header of an image. It returns ErrUnknown for a media type that is not decoded.
func decodeConfig(r io.Reader, mediaType string) (c image.Config, err error) {
	switch mediaType {
	case "image/png":
		c, err = png.DecodeConfig(r)
	case "image/jpeg":
		c, err = jpeg.DecodeConfig(r)
	case "image/gif":
		c, err = gif.DecodeConfig(r)
	case "image/webp":
		c, err = webp.DecodeConfig(r)
	default:
		return c, ErrUnknown
	}
	if err != nil {
		return c, fmt.Errorf("%w: %s", ErrMalformed, mediaType)
	}
	return c, nil
}

// recoverMalformed turns a panic of a decoder into ErrMalformed.
func recoverMalformed(err *error) {
	if p := recover(); p != nil {
		*err = ErrMalformed
	}
}

// decoding is acquired to decode an image, which needs at least 4 bytes for each pixel, so that one is decoded at a
// time.
var decoding = make(chan struct{}, 1)

// Thumbnail returns a thumbnail of at most 480 by 360 pixels, as JPEG, or as PNG when the image is not opaque. It
// uses the first frame of an animation. It refuses an image that is too large before it decodes any pixel.
func Thumbnail(ctx context.Context, r io.ReadSeeker, mediaType string) (out []byte, err error) {
	return Scaled(ctx, r, mediaType, Size{thumbWidth, thumbHeight})
}

// Scaled is Thumbnail for another largest size.
func Scaled(ctx context.Context, r io.ReadSeeker, mediaType string, within Size) ([]byte, error) {
	return drawn(ctx, r, mediaType, maxPixels, func(img image.Image, orient int) *image.NRGBA {
		return scale(img, orient, within)
	})
}

// Square returns the middle square of an image with a number of pixels on each side, on white, as JPEG. It refuses as
// Thumbnail does, and half as large an image.
func Square(ctx context.Context, r io.ReadSeeker, mediaType string, side int) ([]byte, error) {
	return drawn(ctx, r, mediaType, maxSquarePixels, func(img image.Image, _ int) *image.NRGBA {
		b := img.Bounds()
		n := min(b.Dx(), b.Dy())
		from := image.Rect(0, 0, n, n).Add(b.Min).Add(image.Pt((b.Dx()-n)/2, (b.Dy()-n)/2))
		small := image.NewNRGBA(image.Rect(0, 0, side, side))
		draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src)
		draw.BiLinear.Scale(small, small.Bounds(), img, from, draw.Over, nil)
		return small
	})
}

// drawn returns what draw makes of an image, in the EXIF orientation of the image, which draw is told and leaves as it
// is.
func drawn(ctx context.Context, r io.ReadSeeker, mediaType string, most int, draw func(image.Image, int) *image.NRGBA) (
	out []byte, err error,
) {
	defer recoverMalformed(&err)
	size, deep, err := measure(r, mediaType)
	if err != nil {
		return nil, err
	}
	if deep {
		most /= 2
	}
	if size.Width > maxSide || size.Height > maxSide || size.Width*size.Height > most {
		return nil, ErrTooLarge
	}
	select {
	case decoding <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-decoding }()
	orient := 1
	if mediaType == "image/jpeg" {
		orient = orientation(r)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, err := decode(r, mediaType)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrMalformed, mediaType)
	}
	if b := img.Bounds(); b.Dx()*b.Dy() > most {
		return nil, ErrTooLarge
	}
	return encode(rotate(draw(img, orient), orient))
}

func decode(r io.Reader, mediaType string) (image.Image, error) {
	switch mediaType {
	case "image/png":
		return png.Decode(r)
	case "image/jpeg":
		return jpeg.Decode(r)
	case "image/gif":
		return gif.Decode(r) // the first frame
	case "image/webp":
		return webp.Decode(r)
	}
	return nil, ErrUnknown
}

// scale reduces an image to the size that it has before it is rotated.
func scale(img image.Image, orientation int, within Size) *image.NRGBA {
	width, height := within.Width, within.Height
	if swapsSides(orientation) {
		width, height = height, width
	}
	b := img.Bounds()
	w, h := float64(b.Dx()), float64(b.Dy())
	factor := min(1, float64(width)/w, float64(height)/h)
	small := image.NewNRGBA(image.Rect(0, 0, max(1, int(w*factor)), max(1, int(h*factor))))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), img, b, draw.Src, nil)
	return small
}

// swapsSides reports whether an EXIF orientation swaps width and height.
func swapsSides(orientation int) bool { return orientation >= 5 && orientation <= 8 }

// rotate applies an EXIF orientation.
func rotate(src *image.NRGBA, orientation int) *image.NRGBA {
	if orientation < 2 || orientation > 8 {
		return src
	}
	w, h := src.Bounds().Dx(), src.Bounds().Dy()
	size := image.Rect(0, 0, w, h)
	if swapsSides(orientation) {
		size = image.Rect(0, 0, h, w)
	}
	dst := image.NewNRGBA(size)
	for y := range h {
		for x := range w {
			tx, ty := x, y
			switch orientation {
			case 2:
				tx = w - 1 - x
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				ty = h - 1 - y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			dst.SetNRGBA(tx, ty, src.NRGBAAt(x, y))
		}
	}
	return dst
}

func encode(img *image.NRGBA) ([]byte, error) {
	var b bytes.Buffer
	if img.Opaque() {
		err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 80})
		return b.Bytes(), err
	}
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// orientation returns the EXIF orientation of a JPEG, the first when it has several. It is 1, upright, for a JPEG
// without one and for a damaged one.
func orientation(r io.ReadSeeker) int {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return 1
	}
	head := make([]byte, 64<<10)
	n, _ := io.ReadFull(r, head)
	head = head[:n]
	if len(head) < 4 || head[0] != 0xff || head[1] != 0xd8 {
		return 1
	}
	for at := 2; at+4 <= len(head) && head[at] == 0xff; {
		length := int(binary.BigEndian.Uint16(head[at+2:]))
		if end := at + 2 + length; head[at+1] == 0xe1 && end <= len(head) && length > 8 {
			if o := exifOrientation(head[at+4 : end]); o > 0 {
				return o
			}
		}
		at += 2 + max(length, 2)
	}
	return 1
}

// exifOrientation returns the orientation in an EXIF segment of a JPEG: the value of the tag 0x0112 in its first
// directory, or 0.
func exifOrientation(b []byte) int {
	if len(b) < 6 || string(b[:6]) != "Exif\x00\x00" {
		return 0
	}
	return tiffOrientation(b[6:])
}

// tiffOrientation returns the orientation of EXIF that begins with its TIFF header, or 0.
func tiffOrientation(b []byte) int {
	if len(b) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(b[:2]) == "II" {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(b[4:]))
	if at+2 > int64(len(b)) {
		return 0
	}
	for i := range int64(order.Uint16(b[at:])) {
		entry := at + 2 + 12*i
		if entry+12 > int64(len(b)) {
			return 0
		}
		if order.Uint16(b[entry:]) == 0x0112 {
			if v := int(order.Uint16(b[entry+8:])); v >= 1 && v <= 8 {
				return v
			}
			return 0
		}
	}
	return 0
}
