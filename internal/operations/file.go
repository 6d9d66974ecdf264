package operations

import (
	"io"
	"time"

	"bugslice/internal/blob"
	"bugslice/internal/media"
	"bugslice/internal/tracker"
)

// File is a file that a front end sends and closes.
type File struct {
	Name        string
	ContentType string
	ETag        string
	CreatedAt   time.Time
	Content     blob.Reader
}

// Attachment describes an attachment.
func Attachment(f tracker.File) (File, error) {
	return File{f.Name, f.ContentType, `"` + f.SHA256 + `"`, f.CreatedAt.Time, f.Bytes}, nil
}

// Thumbnail describes the thumbnail of an attachment. Its media type is detected, because it is not stored.
func Thumbnail(f tracker.File) (File, error) {
	head := make([]byte, 16)
	if _, err := io.ReadFull(f.Bytes, head); err != nil {
		_ = f.Bytes.Close()
		return File{}, err
	}
	contentType, _ := media.Detect(head, "", "")
	return File{f.Name, contentType, `"` + f.SHA256 + `-small"`, f.CreatedAt.Time, f.Bytes}, nil
}
