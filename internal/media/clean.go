package media

import (
	"bufio"
	"io"
)

// Clean returns a reader of a file of a media type without its metadata.
func Clean(r io.Reader, mediaType string) *Cleaner {
	c := &Cleaner{in: bufio.NewReaderSize(r, longestPeek)}
	switch mediaType {
	case "image/jpeg":
		c.format = &jpegFormat{}
	case "image/png":
		c.format = &pngFormat{}
	case "image/gif":
		c.format = &gifFormat{}
	case "image/webp":
		c.format = &webpFormat{}
	case "video/webm":
		c.format = matroska{}
	case "image/avif", "image/heic", "video/mp4", "video/quicktime":
		c.format = &boxes{}
	default:
		c.unclear = HasMetadata(mediaType)
	}
	return c
}

// HasMetadata reports whether a file of a media type may have metadata that nobody sees who looks at it. Text has
// none, but a drawing has the paths and names that its editor wrote.
func HasMetadata(mediaType string) bool { return !IsText(mediaType) || mediaType == "image/svg+xml" }
