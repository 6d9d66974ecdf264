package portable

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/media"
	"bugslice/internal/redact"
	"bugslice/internal/tracker"
)

// redactedFile opens a file as it is stored here. counts are what was removed from it, once it was read to its end.
type redactedFile struct {
	open        Opener
	counts      redact.Counts
	contentType string         // of the bytes of a file that is not evidence
	cleaner     *media.Cleaner // of a picture or a video
}

// metadata says what became of the metadata of a file that was read to its end, and counts what was removed.
func (f *redactedFile) metadata() api.FileMetadata {
	return tracker.StateOfMetadata(f.contentType, f.cleaner, f.counts)
}

// redactFile removes the secrets of a file that is evidence or text, and the metadata of another one, as an upload
// does. Of evidence it changes what the record says.
func (r *attachmentRecord) redactFile(b *batch) (*redactedFile, error) {
	switch {
	case r.Packed && b.redactor == nil:
		return &redactedFile{open: repack(r.Kind, b.open)}, nil
	case r.Packed:
		return r.redactEvidence(b)
	case b.redactor == nil:
		return &redactedFile{open: b.open}, nil
	}
	return b.redactFile(r.ContentType), nil
}

// redactFile removes the secrets of a file that is text, and the metadata of another one. The media type was declared.
func (b *batch) redactFile(declared string) *redactedFile {
	f := &redactedFile{}
	f.open = func(key string) (io.ReadCloser, error) {
		f.counts = redact.Counts{}
		file, err := b.open(key)
		if err != nil {
			return nil, err
		}
		head := bufio.NewReaderSize(file, media.HeadSize)
		first, err := head.Peek(media.HeadSize)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, errors.Join(err, file.Close())
		}
		f.contentType, _ = media.Detect(first, declared, "") // its name may have changed since
		if media.IsText(f.contentType) {
			return readCloser{b.redactor.Reader(media.UTF8(head), f.counts), file}, nil
		}
		if f.cleaner = b.redactor.Clean(head, f.contentType); f.cleaner == nil {
			return readCloser{head, file}, nil
		}
		return readCloser{f.cleaner, file}, nil
	}
	return f
}

type readCloser struct {
	io.Reader
	io.Closer
}

// repack packs evidence anew while it is read: its index is made here, and not taken from the export.
func repack(kind api.AttachmentKind, open Opener) Opener {
	return func(key string) (io.ReadCloser, error) {
		from, err := open(key)
		if err != nil {
			return nil, err
		}
		r, w := io.Pipe()
		go func() {
			err := evidence.Repack(kind, from, w)
			_ = w.CloseWithError(errors.Join(err, from.Close()))
		}()
		return r, nil
	}
}

// redactEvidence parses evidence and removes its secrets. Where there are none, its rows stay as they are.
func (r *attachmentRecord) redactEvidence(b *batch) (*redactedFile, error) {
	if r.Size > maxEvidenceRow {
		return nil, fmt.Errorf("/size is more than the %d MiB that are searched for secrets; --as-is imports it as it is",
			maxEvidenceRow>>20)
	}
	packed, err := openFile(r.Blob, b.open)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	lines := make([]byte, r.Size)
	if err := evidence.Unpack(packed, lines); err != nil {
		return nil, err
	}
	f := &redactedFile{open: repack(r.Kind, b.open), counts: redact.Counts{}}
	set, err := b.redactor.Evidence(r.Kind, lines, f.counts)
	if err != nil {
		return nil, fmt.Errorf("it cannot be searched for secrets: %w; --as-is imports it as it is", err)
	}
	if r.Faults = set.Faults(); len(f.counts) == 0 {
		return f, nil
	}
	stored, text, entries := set.Pack(), set.Lines(), int64(len(set.Rows))
	sum := sha256.Sum256(text)
	r.Size, r.SHA256, r.Entries = int64(len(text)), hex.EncodeToString(sum[:]), &entries
	f.open = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(stored)), nil }
	return f, nil
}
