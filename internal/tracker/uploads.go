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
	"bugslice/internal/admission"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/media"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// Upload is a file on its way in.
type Upload struct {
	Body        io.Reader
	ContentType string // what it was sent as
	Name        string
	Length      int64                  // of the body with what is around it; -1 when it is not known
	SHA256      string                 // what it must be, in hexadecimal; empty for any
	Form        *api.CreateAttachment  // what the form around it says, whole when Body has ended; nil without one
	Memory      *admission.Reservation // of the body while it arrives; made when nil
}

// storeUpload reads a file as what it is and stores its bytes. It returns the digest of what arrived,
// too, and adds to in what a form says behind the file. When it fails nothing is left.
func (t *Tracker) storeUpload(ctx context.Context, c Caller, in *api.CreateAttachment, up Upload, rules redactor) (store.Attachment, string,
	redact.Counts, error) {
	body := &limitedHasher{r: up.Body, max: t.maxUpload, hash: sha256.New(), checkDisk: func() error { return t.CheckDisk(api.OpCreateAttachment) }}
	head := bufio.NewReaderSize(body, media.HeadSize)
	first, err := head.Peek(media.HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return store.Attachment{}, "", nil, err
	}
	f := upload{in: in, form: up.Form, rules: rules, counts: redact.Counts{}, memory: up.Memory}
	f.Blob, f.Name, f.Creator = id.New(id.Blob), fileName(in.Name, up.Name), c.reporter()
	f.ContentType, f.inferred = media.Detect(first, up.ContentType, f.Name)
	f.isJSON = media.IsJSON(first)
	if err := t.storeBody(ctx, c, &f, media.UTF8(head), up.Length); err != nil {
		return f.Attachment, "", nil, storageError(err)
	}
	f.resolveKind()
	f.Name = fileName(in.Name, up.Name)
	if err = redactFields(rules, &f.AttachmentFields, f.counts); err == nil {
		err = body.checkDigest(up.SHA256)
	}
	if why := kindMismatch(f.Kind, f.ContentType); why != "" && err == nil {
		err = api.InvalidParameter("kind", "not_allowed", why)
	}
	if err != nil {
		t.deleteFiles(ctx, f.Attachment)
		return f.Attachment, "", nil, err
	}
	if strings.HasPrefix(f.ContentType, "image/") {
		t.makeThumbnail(ctx, c, &f.Attachment, f.thumbnailKey)
	}
	return f.Attachment, body.sum(), f.counts, nil
}

// upload is a file that is read.
type upload struct {
	store.Attachment
	in       *api.CreateAttachment
	form     *api.CreateAttachment
	inferred string // its kind, by its name and its first bytes
	isJSON   bool   // its first byte says so
	rules    redactor
	counts   redact.Counts
	memory   *admission.Reservation

	thumbnailKey string // reserved for an image
}

// resolveKind takes over what is said of the file by now, and returns whether that is its kind.
func (f *upload) resolveKind() bool {
	if f.form != nil {
		f.in.Kind, f.in.Name = f.form.Kind, f.form.Name
	}
	if f.Kind = f.in.Kind; f.Kind == "" {
		f.Kind = api.AttachmentKind(f.inferred)
	}
	return f.in.Kind != ""
}

// storeBody stores the bytes of a file: as evidence when it is some, without secrets when it is text. Of
// what is searched as a whole, or could turn out to be evidence by what its form says behind it, as
// much is read before.
func (t *Tracker) storeBody(ctx context.Context, c Caller, f *upload, src io.Reader, length int64) error {
	defer f.memory.Release()
	f.resolveKind()
	var raw []byte
	if isEvidence(f.Kind) || f.isJSON {
		const most = evidence.MaxBytes + 1 // a longer file is not searched as one document
		var err error
		if raw, err = f.memory.ReadAll(ctx, io.LimitReader(src, most), min(length, most)); err != nil {
			return err
		}
		said := f.resolveKind()
		if isEvidence(f.Kind) {
			if kept, err := t.putEvidence(ctx, c, f, raw, said); kept || err != nil {
				return err
			}
		}
		src = io.MultiReader(bytes.NewReader(raw), src)
	}
	keys, err := t.reserveUpload(ctx, f)
	if err != nil {
		return err
	}
	src = t.extendWhileReading(ctx, src, keys...)
	if media.IsText(f.ContentType) {
		if len(raw) <= evidence.MaxBytes { // it is searched as one document; a longer one by lines, as it comes
			if err := f.memory.Process(ctx, len(raw)); err != nil {
				return err
			}
			defer f.memory.EndProcessing()
		}
		src = t.shares.Slot(c.Organization.ID).Reader(ctx, src, func(r io.Reader) io.Reader { return f.rules.Reader(r, f.counts) })
	}
	info, err := t.blobs.Put(ctx, f.Blob, f.memory.Count(ctx, src, t.blobs.Memory()))
	f.Size, f.Stored, f.SHA256 = info.Size, info.Size, info.SHA256
	if fault := f.rules.problem(); err != nil && fault != nil {
		return fault
	}
	if err == nil && f.resolveKind() && isEvidence(f.Kind) {
		t.deleteBlob(ctx, f.Blob)
		err = unreadableFile(f.Kind, "it is no JSON, or too large to be told from other files before its kind is; send kind before the file")
	}
	return err
}

// reserveUpload reserves the key of a file, and one for the small picture of an image.
func (t *Tracker) reserveUpload(ctx context.Context, f *upload) ([]string, error) {
	keys := []string{f.Blob}
	if strings.HasPrefix(f.ContentType, "image/") {
		f.thumbnailKey = id.New(id.Blob)
		keys = append(keys, f.thumbnailKey)
	}
	return keys, t.reserveBlobs(ctx, keys...)
}

// putEvidence stores a file as evidence and says whether it did. One that only looked like some is
// not: unless its kind was said, or it is a HAR with a fault, whose secrets only those rules find.
func (t *Tracker) putEvidence(ctx context.Context, c Caller, f *upload, raw []byte, said bool) (kept bool, err error) {
	archive := f.Kind == api.KindNetwork
	large := len(raw) > evidence.MaxBytes
	if large && (said || archive) {
		return false, api.Refuse(api.CodeTooLarge,
			fmt.Sprintf("A file that is read as %s may have %d MiB. Send it in parts, or with kind=other (in a form, before the file).",
				f.Kind, evidence.MaxBytes>>20))
	}
	var bad *evidence.Error
	if !large {
		if err := f.memory.Process(ctx, len(raw)); err != nil {
			return false, err
		}
		defer f.memory.EndProcessing()
		set, err := f.rules.parse(f.Kind, raw, f.counts)
		if fault := f.rules.problem(); fault != nil {
			return false, fault
		}
		switch {
		case err == nil:
			if err := t.reserveBlobs(ctx, f.Blob); err != nil {
				return false, err
			}
			return true, t.storeSet(ctx, c, &f.Attachment, set)
		case errors.Is(err, evidence.ErrLarge):
			return false, api.Refuse(api.CodeTooLarge, fmt.Sprintf("The file cannot be kept as %s: %s.", f.Kind, err))
		case !errors.As(err, &bad):
			return false, err
		case said, archive && (!bad.OtherFormat || f.isHAR()):
			return false, unreadableFile(f.Kind, bad.Error())
		}
	}
	clear(f.counts)
	f.inferred = string(api.KindOther)
	return false, nil
}

// isHAR says whether a file is called a HAR.
func (f *upload) isHAR() bool {
	return strings.HasSuffix(strings.ToLower(f.Name), ".har") || f.ContentType == "application/har+json"
}

func unreadableFile(kind api.AttachmentKind, why string) error {
	return api.Refuse(api.CodeInvalidBody,
		fmt.Sprintf("The file cannot be read as %s: %s. With kind=other it is kept as text, in which fewer secrets are found.", kind, why))
}

// kindMismatch says why a file cannot be of a kind: a film is no screenshot.
func kindMismatch(kind api.AttachmentKind, contentType string) string {
	if media.Fits(string(kind), contentType) {
		return ""
	}
	return fmt.Sprintf("the file is %s, which is no %s; leave kind out, and it is told from the file", contentType, kind)
}

func (t *Tracker) storeSet(ctx context.Context, c Caller, a *store.Attachment, set evidence.Set) error {
	slot, err := t.AcquireSlot(ctx, c)
	if err != nil {
		return err
	}
	packed := packSet(a, set)
	slot.Release()
	_, err = t.blobs.Put(ctx, a.Blob, bytes.NewReader(packed))
	return err
}

// packSet describes a set in the record of its attachment, and returns its bytes as they are stored.
func packSet(a *store.Attachment, set evidence.Set) []byte {
	lines := set.Lines()
	packed, rows := set.Pack(), int64(len(set.Rows))
	if a.Packed, a.Entries, a.ContentType = true, &rows, "application/x-ndjson"; set.Kind == api.KindNetwork {
		a.ContentType = "application/json"
	}
	a.Size, a.Stored, a.SHA256 = int64(len(lines)), int64(len(packed)), digest(lines)
	return packed
}

// makeThumbnail measures an image and makes a small one of it, under a reserved key. What cannot be read as
// an image is kept as a file without either.
func (t *Tracker) makeThumbnail(ctx context.Context, c Caller, a *store.Attachment, key string) {
	slot, err := t.shares.Acquire(ctx, c.Organization.ID)
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
	small, err := media.Thumbnail(ctx, r, a.ContentType)
	if err != nil {
		return
	}
	if _, err := t.blobs.Put(ctx, key, bytes.NewReader(small)); err == nil {
		a.ThumbnailBlob = &key
		a.Stored += int64(len(small))
	}
}

// fileName is the first of the names that is one, without folders and control characters.
func fileName(names ...string) string {
	for _, n := range names {
		n = path.Base(strings.ReplaceAll(strings.ToValidUTF8(n, ""), "\\", "/"))
		n = strings.TrimSpace(strings.Map(func(r rune) rune {
			if r < 0x20 || r == 0x7f || r == '/' {
				return -1
			}
			return r
		}, n))
		if n != "" && n != "." && n != ".." {
			return truncate(n, 255)
		}
	}
	return "file"
}

// limitedHasher reads at most a number of bytes, for as long as there is room for them, and knows the digest of
// what it read.
type limitedHasher struct {
	r             io.Reader
	max, read     int64
	hash          hash.Hash
	checkDisk     func() error
	diskCheckedAt int64 // what was read when there was room last
}

// diskCheckEvery is after how many bytes of an upload it is asked whether there is room for more.
const diskCheckEvery = 1 << 20

func (m *limitedHasher) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	m.hash.Write(b[:n])
	if m.read += int64(n); m.read > m.max {
		return 0, api.Refuse(api.CodeTooLarge, fmt.Sprintf("A file may have at most %d MiB here.", m.max>>20))
	}
	if m.read-m.diskCheckedAt >= diskCheckEvery {
		m.diskCheckedAt = m.read
		if full := m.checkDisk(); full != nil {
			return 0, full
		}
	}
	return n, err
}

func (m *limitedHasher) sum() string { return hex.EncodeToString(m.hash.Sum(nil)) }

func (m *limitedHasher) checkDigest(want string) error {
	if got := m.sum(); want != "" && got != want {
		return api.Refuse(api.CodeDigest,
			"The file that arrived has the SHA-256 "+got+", which is not what Content-Digest says. Send it again.")
	}
	return nil
}
