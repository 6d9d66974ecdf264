package portable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/id"
	"bugslice/internal/media"
	"bugslice/internal/redact"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

type attachmentRecord struct {
	store.Attachment
	exported string
	redacted int
}

func readAttachment(line []byte) (record, error) {
	row, err := readRow[attachmentRow](line)
	if err != nil {
		return nil, err
	}
	r := &attachmentRecord{exported: row.ID}
	r.Attachment = store.Attachment{Blob: row.Blob, ThumbnailBlob: row.Thumbnail, Packed: row.Packed == 1,
		Entries: row.Entries, Faults: row.Faults, OnlyInTexts: row.OnlyInTexts == 1,
		Symptoms: row.Symptoms}
	r.Attachment.Attachment = api.Attachment{
		ID: row.ID, SliceID: row.SliceID,
		AttachmentFields: api.AttachmentFields{Kind: api.AttachmentKind(row.Kind), Name: row.Name},
		Occurrence:       row.Occurrence, ContentType: row.ContentType, Size: row.Size, SHA256: row.SHA256,
		Width:     row.Width,
		Height:    row.Height,
		Metadata:  api.FileMetadata(row.Metadata),
		Creator:   api.Reporter{Type: row.CreatorType, ID: row.CreatorID, Name: row.CreatorName},
		CreatedAt: api.FromMillis(row.CreatedAt),
	}
	if !slices.Contains(r.Metadata.Values(), row.Metadata) {
		r.Metadata = api.MetadataUnknown
	}
	if err := r.SetReview(row.Reviewed); err != nil {
		return nil, fmt.Errorf("/reviewed: %w", err)
	}
	return r, nil
}

func (r *attachmentRecord) exportedID() string { return r.exported }

// prepare verifies and stores the file of a record that was not imported before, redacts the record and replaces its
// ids. Its error is fs.ErrNotExist for a file that was deleted while the export was written.
func (r *attachmentRecord) prepare(ctx context.Context, b *batch) error {
	if err := b.checkSlice("slice_id", r.SliceID); err != nil {
		return err
	}
	if err := b.checkUnshared(r); err != nil {
		return err
	}
	here := b.ids.remap(r.ID)
	if _, err := b.operator.Read(ctx).Attachment(here); errors.Is(err, store.ErrNotFound) {
		err = r.storeFiles(ctx, b)
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if b.redactor != nil {
		c := redact.Counts{}
		tracker.RedactFields(b.redactor, &r.AttachmentFields, c)
		r.Symptoms = b.redactor.Text(r.Symptoms, c)
		r.redacted += c.Total()
	}
	r.ID, r.SliceID, r.WorkspaceID = here, b.ids.remap(r.SliceID), b.workspaceID
	r.Creator.ID = b.ids.person(r.Creator.ID)
	if r.ReviewedBy != nil {
		r.ReviewedBy.ID = b.ids.person(r.ReviewedBy.ID)
	}
	return b.checkRedaction()
}

// checkUnshared refuses a file that another record of the export names, too: it would be deleted with the first of
// them.
func (d *destination) checkUnshared(r *attachmentRecord) error {
	if err := d.addFileKey("blob", r.Blob); err != nil || r.ThumbnailBlob == nil {
		return err
	}
	return d.addFileKey("thumbnail", *r.ThumbnailBlob)
}

func (d *destination) addFileKey(column, key string) error {
	if d.fileKeys[key] {
		return fmt.Errorf("/%s: %s is the file of another record, too", column, Printable(key))
	}
	d.fileKeys[key] = true
	return nil
}

// storeFiles verifies, redacts and stores the file and its thumbnail. It sets their keys, sizes and digest in the
// record.
func (r *attachmentRecord) storeFiles(ctx context.Context, b *batch) error {
	if _, _, err := mime.ParseMediaType(r.ContentType); err != nil {
		return fmt.Errorf("/content_type %q is none: %w", truncate(r.ContentType, maxQuoted), err)
	}
	if err := verifyBytes(&r.Attachment, b.open); err != nil {
		return err
	}
	file, err := r.redactFile(b)
	if err != nil {
		return err
	}
	key, info, err := b.store(ctx, r.Blob, file.open)
	if err != nil {
		return err
	}
	if !r.Packed {
		if b.redactor != nil {
			r.Metadata = r.metadataOf(file, info.SHA256)
		}
		r.Size, r.SHA256 = info.Size, info.SHA256
	}
	r.Blob, r.Stored, r.redacted = key, info.Size, file.counts.Total()
	if r.ThumbnailBlob == nil {
		return nil
	}
	return r.storeThumbnail(ctx, b)
}

// metadataOf says what became of the metadata of a file that is stored with a digest. Bytes that had lost theirs
// before the export, or had none, stay such also in a workspace that keeps it.
func (r *attachmentRecord) metadataOf(file *redactedFile, sha256 string) api.FileMetadata {
	state := file.metadata()
	isClean := r.Metadata == api.MetadataRemoved || r.Metadata == api.MetadataNone
	if isClean && sha256 == r.SHA256 && state != api.MetadataUnknown {
		return r.Metadata
	}
	return state
}

// storeThumbnail stores the thumbnail, without metadata as the file, and adds its size to that of the file.
func (r *attachmentRecord) storeThumbnail(ctx context.Context, b *batch) error {
	if err := checkThumbnail(*r.ThumbnailBlob, b.open); err != nil {
		return err
	}
	open := b.open
	if b.redactor != nil {
		open = b.redactFile("").open
	}
	key, info, err := b.store(ctx, *r.ThumbnailBlob, open)
	r.ThumbnailBlob, r.Stored = &key, r.Stored+info.Size
	return err
}

// store stores a file of the export under a key of this instance.
func (b *batch) store(ctx context.Context, exportedKey string, open Opener) (key string, info blob.Info, err error) {
	src, err := openFile(exportedKey, open)
	if err != nil {
		return "", blob.Info{}, err
	}
	key, info, err = b.files.Store(ctx, src)
	return key, info, errors.Join(err, src.Close())
}

// openFile opens a file of the export by what a record says is its key.
func openFile(key string, open Opener) (io.ReadCloser, error) {
	if !id.Valid(id.Blob, key) {
		return nil, fmt.Errorf("%q is no key of a file", truncate(key, maxQuoted))
	}
	return open(key)
}

// checkThumbnail refuses a thumbnail that is no picture.
func checkThumbnail(key string, open Opener) error {
	r, err := openFile(key, open)
	if err != nil {
		return err
	}
	defer r.Close()
	head, err := io.ReadAll(io.LimitReader(r, media.HeadSize))
	if err != nil {
		return fmt.Errorf("the bytes of %s: %w", key, err)
	}
	if kind, _ := media.Detect(head, "", ""); !strings.HasPrefix(kind, "image/") {
		return fmt.Errorf("/thumbnail: %s is no picture", key)
	}
	return nil
}

func (r *attachmentRecord) insert(tx *tracker.OperatorTx, _ *destination, report *ImportReport) error {
	if _, err := tx.Attachment(r.ID); err == nil {
		report.AlreadyThere++
		return nil
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err := tx.ImportAttachment(r.Attachment); err != nil {
		return err
	}
	report.Attachments++
	report.Redacted += r.redacted
	return nil
}
