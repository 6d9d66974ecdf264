package tracker

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/media"
	"bugslice/internal/redact"
	"bugslice/internal/schema"
	"bugslice/internal/store"
)

// Upload is the body of a request with a file.
type Upload struct {
	Body        io.Reader
	ContentType string
	Name        string
	Length      int64                  // of the body with the form around it; -1 when it is unknown
	SHA256      string                 // the expected digest in hexadecimal; empty for none
	ForText     bool                   // whether it comes for a text; a share shows it only with one that contains it
	CopyOf      string                 // the file of which it is an annotated copy, which a share shows like the file; empty for none
	Form        *api.CreateAttachment  // the fields of the form around the file, complete when Body has ended; nil without one
	Memory      *admission.Reservation // of the body while it is received; Reserve makes it when nil
}

// upload is an Upload while its file is stored.
type upload struct {
	store.Attachment
	in           *api.CreateAttachment // input of the request; resolveKind adds the fields of the form
	form         *api.CreateAttachment
	detectedKind string // by its name and its first bytes
	isJSON       bool   // by its first byte
	redactor     redactor
	counts       redact.Counts
	repairs      []api.Repair // of captured evidence
	memory       *admission.Reservation

	sentSHA256   string // of the file before redaction
	thumbnailKey string // reserved for an image
}

// storeUpload detects the type of a file and stores its bytes. After an error no bytes are left.
func (t *Tracker) storeUpload(ctx context.Context, c access.Caller, in *api.CreateAttachment, up Upload, r redactor,
) (*upload, error) {
	if up.Form == nil && up.Length > t.maxUpload { // refused before the client sends it
		return nil, fileTooLarge(t.maxUpload)
	}
	checkDisk := func() error { return t.CheckDisk(api.OpCreateAttachment) }
	body := &limitedHasher{r: up.Body, max: t.maxUpload, hash: sha256.New(), checkDisk: checkDisk}
	buffered := bufio.NewReaderSize(body, media.HeadSize)
	head, err := buffered.Peek(media.HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	f := &upload{in: in, form: up.Form, redactor: r, counts: redact.Counts{}, memory: up.Memory}
	f.OnlyInTexts = up.ForText
	f.Blob, f.Name, f.Creator = id.New(id.Blob), fileName(in.Name, up.Name), reporter(c)
	f.ContentType, f.detectedKind = media.Detect(head, up.ContentType, f.Name)
	f.isJSON = media.IsJSON(head)
	if err := t.storeBody(ctx, c, f, media.UTF8(buffered), up.Length); err != nil {
		return nil, err
	}
	f.resolveKind()
	f.Name = fileName(in.Name, up.Name)
	if err = redactFields(r, &f.AttachmentFields, f.counts); err == nil {
		err = body.checkDigest(up.SHA256)
	}
	if mismatch := kindMismatch(f.Kind, f.ContentType); mismatch != "" && err == nil {
		err = api.InvalidParameter("kind", "not_allowed", mismatch)
	}
	if err != nil {
		t.deleteFiles(ctx, f.Attachment)
		return nil, err
	}
	if strings.HasPrefix(f.ContentType, "image/") {
		t.makeThumbnail(ctx, c, &f.Attachment, f.thumbnailKey)
	}
	f.sentSHA256 = body.sum()
	return f, nil
}

// resolveKind sets the kind that the request, or the part of the form that has been read, declares, else the detected
// one. It reports whether the kind is declared.
func (f *upload) resolveKind() (declared bool) {
	if f.form != nil {
		f.in.Kind, f.in.Name, f.in.Occurrence = f.form.Kind, f.form.Name, f.form.Occurrence
	}
	if f.Kind = f.in.Kind; f.Kind == "" {
		f.Kind = api.AttachmentKind(f.detectedKind)
	}
	return f.in.Kind != ""
}

// storeBody stores the bytes of a file: evidence in its packed form, other text redacted, and other files
// without their metadata.
// Evidence is read into memory first, and so is JSON, which a part of the form after the file may declare to be
// evidence.
func (t *Tracker) storeBody(ctx context.Context, c access.Caller, f *upload, src io.Reader, length int64) error {
	defer f.memory.Release()
	f.resolveKind()
	var document []byte
	if isEvidence(f.Kind) || f.isJSON {
		const limit = evidence.MaxBytes + 1 // a longer file is not redacted as one document
		var err error
		if document, err = f.memory.ReadAll(ctx, io.LimitReader(src, limit), min(length, limit)); err != nil {
			return err
		}
		declared := f.resolveKind()
		if isEvidence(f.Kind) {
			if stored, err := t.putEvidence(ctx, c, f, document, declared); stored || err != nil {
				return err
			}
		}
		src = io.MultiReader(bytes.NewReader(document), src)
	}
	return t.putFile(ctx, c, f, src, len(document))
}

// putFile stores a file that is not evidence, of which read bytes are in memory. Text is redacted: as one document if
// it has at most evidence.MaxBytes, else by lines.
func (t *Tracker) putFile(ctx context.Context, c access.Caller, f *upload, src io.Reader, read int) error {
	keys, err := t.reserveUpload(ctx, f)
	if err != nil {
		return err
	}
	src = t.extendWhileReading(ctx, src, keys...)
	slot := t.slots.Slot(c.Organization.ID)
	var cleaner *media.Cleaner
	switch {
	case media.IsText(f.ContentType):
		if read <= evidence.MaxBytes {
			if err := f.memory.StartProcessing(ctx, read); err != nil {
				return err
			}
			defer f.memory.EndProcessing()
		}
		src = slot.Reader(ctx, src, func(r io.Reader) io.Reader { return f.redactor.Reader(r, f.counts) })
	case !f.redactor.keepsMetadata:
		src = slot.Reader(ctx, src, func(r io.Reader) io.Reader {
			cleaner = media.Clean(r, f.ContentType)
			return cleaner
		})
	}
	info, err := t.blobs.Put(ctx, f.Blob, f.memory.Count(ctx, src, t.blobs.Memory()))
	f.Size, f.Stored, f.SHA256 = info.Size, info.Size, info.SHA256
	f.Metadata = StateOfMetadata(f.ContentType, cleaner, f.counts)
	if problem := f.redactor.checkCost(); err != nil && problem != nil {
		return problem
	}
	if declared := err == nil && f.resolveKind(); declared &&
		isEvidence(f.Kind) { // by a part of the form after the file
		t.deleteBlob(ctx, f.Blob)
		err = unreadableFile(f.Kind, "it is not JSON, or it is too large to be parsed before its kind is known; send kind before the file")
	}
	return err
}

// StateOfMetadata says what became of the metadata of a file of a media type that a cleaner has read; nil for a file
// that keeps it. It counts what was removed.
func StateOfMetadata(contentType string, c *media.Cleaner, counts redact.Counts) api.FileMetadata {
	if c != nil && c.Removed() > 0 {
		counts.AddKind("metadata", c.Removed())
	}
	switch {
	case !media.HasMetadata(contentType):
		return api.MetadataNone
	case c == nil && contentType != "image/svg+xml":
		return api.MetadataKept
	case c == nil || !c.Cleaned():
		return api.MetadataUnknown
	case c.Removed() > 0:
		return api.MetadataRemoved
	}
	return api.MetadataNone
}

// reserveUpload reserves the key of a file and, for an image, that of its thumbnail.
func (t *Tracker) reserveUpload(ctx context.Context, f *upload) ([]string, error) {
	keys := []string{f.Blob}
	if strings.HasPrefix(f.ContentType, "image/") {
		f.thumbnailKey = id.New(id.Blob)
		keys = append(keys, f.thumbnailKey)
	}
	return keys, t.reserveBlobs(ctx, keys...)
}

// putEvidence stores a file as evidence and reports whether it did. A file that was only detected as evidence, and
// cannot be parsed, is not evidence. A HAR that cannot be parsed is refused, because other rules would find fewer of
// its secrets.
func (t *Tracker) putEvidence(ctx context.Context, c access.Caller, f *upload, document []byte, declared bool,
) (stored bool, err error) {
	isNetwork := f.Kind == api.KindNetwork
	if len(document) > evidence.MaxBytes {
		if declared || isNetwork {
			limit := fmt.Sprintf("a file of the kind %s may have %d MiB", f.Kind, evidence.MaxBytes>>20)
			return false, api.NewProblem(api.CodeTooLarge,
				"A"+limit[1:]+". Send it in parts, or with kind=other (in a form, before the file).",
				api.Fault{Code: "too_large", Detail: limit})
		}
		f.detectedKind = string(api.KindOther)
		return false, nil
	}
	err = t.storeParsed(ctx, c, f, document)
	var invalid *evidence.Error
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, evidence.ErrLarge):
		return false, api.NewProblem(api.CodeTooLarge, fmt.Sprintf("The file cannot be stored as %s: %s.", f.Kind, err))
	case !errors.As(err, &invalid):
		return false, err
	case declared, isNetwork && (!invalid.OtherFormat || f.isHAR()):
		return false, unreadableFile(f.Kind, invalid.Error())
	}
	clear(f.counts) // of the secrets that were found until the parser failed
	f.detectedKind = string(api.KindOther)
	return false, nil
}

// storeParsed parses a file as evidence of its kind, redacts it and stores it.
func (t *Tracker) storeParsed(ctx context.Context, c access.Caller, f *upload, document []byte) error {
	if err := f.memory.StartProcessing(ctx, evidence.Size(document)); err != nil {
		return err
	}
	defer f.memory.EndProcessing()
	set, err := f.redactor.parse(f.Kind, document, f.counts)
	if problem := f.redactor.checkCost(); problem != nil { // it may be the cause of err
		return problem
	}
	if err != nil {
		return err
	}
	if err := t.reserveBlobs(ctx, f.Blob); err != nil {
		return err
	}
	f.repairs = evidence.Repairs(nil, []evidence.Set{set})
	return t.storeSet(ctx, c, &f.Attachment, set)
}

// isHAR reports whether a file has the name or the content type of a HAR.
func (f *upload) isHAR() bool {
	return strings.HasSuffix(strings.ToLower(f.Name), ".har") || f.ContentType == "application/har+json"
}

// unreadableFile refuses a file that cannot be parsed as its kind. The fault has what is wrong, and the problem what
// a client may do.
func unreadableFile(kind api.AttachmentKind, detail string) error {
	fault := fmt.Sprintf("the file cannot be parsed as %s: %s", kind, detail)
	return api.NewProblem(api.CodeInvalidBody, "T"+fault[1:]+
		". With kind=other it is stored as text, in which fewer secrets are found.",
		api.Fault{Code: "unreadable", Detail: fault})
}

// kindMismatch returns why a file cannot have a kind, empty when it can: a video is no screenshot.
func kindMismatch(kind api.AttachmentKind, contentType string) string {
	if media.Fits(string(kind), contentType) {
		return ""
	}
	return fmt.Sprintf("the file is %s, which is not a valid %s; without kind it is detected from the file",
		contentType, kind)
}

// storeSet packs a set of evidence and stores it under the key of its attachment.
func (t *Tracker) storeSet(ctx context.Context, c access.Caller, a *store.Attachment, set evidence.Set) error {
	slot, err := t.AcquireSlot(ctx, c)
	if err != nil {
		return err
	}
	packed := packSet(a, set)
	slot.Release()
	_, err = t.blobs.Put(ctx, a.Blob, bytes.NewReader(packed))
	return err
}

// packSet returns the packed bytes of a set of evidence, and sets the members of its attachment that describe it.
func packSet(a *store.Attachment, set evidence.Set) []byte {
	lines := set.Lines()
	packed, rows := set.Pack(), int64(len(set.Rows))
	a.Metadata = api.MetadataNone
	a.Faults, a.Symptoms = set.Faults(), symptomsOf([]evidence.Set{set})
	if a.Packed, a.Entries, a.ContentType = true, &rows, "application/x-ndjson"; set.Kind == api.KindNetwork {
		a.ContentType = "application/json"
	}
	a.Size, a.Stored, a.SHA256 = int64(len(lines)), int64(len(packed)), digest(lines)
	return packed
}

// makeThumbnail sets the size of an image and stores a thumbnail under a reserved key. It ignores errors, because the
// upload is complete without them: an image that cannot be read or decoded has no size and no thumbnail.
func (t *Tracker) makeThumbnail(ctx context.Context, c access.Caller, a *store.Attachment, key string) {
	slot, err := t.slots.Acquire(ctx, c.Organization.ID)
	if err != nil {
		return
	}
	defer slot.Release()
	r, err := t.blobs.Open(ctx, a.Blob)
	if err != nil {
		return
	}
	defer r.Close()
	size, err := media.Measure(r, a.ContentType)
	if err != nil {
		return
	}
	w, h := int64(size.Width), int64(size.Height)
	a.Width, a.Height = &w, &h
	thumbnail, err := media.Thumbnail(ctx, r, a.ContentType)
	if err != nil {
		return
	}
	if _, err := t.blobs.Put(ctx, key, bytes.NewReader(thumbnail)); err == nil {
		a.ThumbnailBlob = &key
		a.Stored += int64(len(thumbnail))
	}
}

// fileName returns the first usable name, without folders, control characters and characters that are not seen. A
// direction mark would show another extension than the file has.
func fileName(names ...string) string {
	for _, n := range names {
		n = strings.TrimSpace(schema.WithoutHidden(path.Base(strings.ReplaceAll(strings.ToValidUTF8(n, ""), "\\",
			"/"))))
		if n != "" && n != "." && n != ".." && n != "/" {
			return truncate(n, 255)
		}
	}
	return "file"
}

// limitedHasher reads a file and hashes it. It refuses a file with more than max bytes, and the rest of a file while
// the disk is nearly full.
type limitedHasher struct {
	r             io.Reader
	max, read     int64
	hash          hash.Hash
	checkDisk     func() error
	diskCheckedAt int64 // bytes that were read before the last check
}

const diskCheckEvery = 1 << 20 // bytes of a file

func (m *limitedHasher) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	m.hash.Write(b[:n])
	if m.read += int64(n); m.read > m.max {
		return 0, fileTooLarge(m.max)
	}
	if m.read-m.diskCheckedAt >= diskCheckEvery {
		m.diskCheckedAt = m.read
		if err := m.checkDisk(); err != nil {
			return 0, err
		}
	}
	return n, err
}

func fileTooLarge(limit int64) error {
	return api.NewProblem(api.CodeTooLarge, fmt.Sprintf("A file may have at most %d MiB.", limit>>20))
}

func (m *limitedHasher) sum() string { return hex.EncodeToString(m.hash.Sum(nil)) }

func (m *limitedHasher) checkDigest(want string) error {
	if got := m.sum(); want != "" && got != want {
		return api.NewProblem(api.CodeDigest,
			"The received file has the SHA-256 "+got+", which differs from Content-Digest. Send it again.")
	}
	return nil
}
