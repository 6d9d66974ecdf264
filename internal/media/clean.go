package media

import (
	"bufio"
	"io"
)

// Clean returns a reader of a file of a media type without its metadata.
func Clean(r io.Reader, mediaType string) *Cleaner {
	c := &Cleaner{in: bufio.NewReaderSize(r, longestPeek)}
	switch {
	case mediaType == "image/jpeg":
		c.format = &jpegFormat{}
	case mediaType == "image/png":
		c.format = &pngFormat{}
	case mediaType == "image/gif":
		c.format = &gifFormat{}
	case mediaType == "image/webp":
		c.format = &webpFormat{}
	case mediaType == "video/webm":
		c.format = matroska{}
	case mediaType == "image/avif", mediaType == "image/heic", mediaType == "video/mp4", mediaType == "video/quicktime":
		c.format = &boxes{}
	default:
		c.unclear = HasMetadata(mediaType)
	}
	return c
}

// HasMetadata reports whether a file of a media type may have metadata that nobody sees who looks at it. Text has none, but a drawing
// has the paths and names that its editor wrote.
func HasMetadata(mediaType string) bool { return !IsText(mediaType) || mediaType == "image/svg+xml" }
