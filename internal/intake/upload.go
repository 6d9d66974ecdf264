package intake

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/store/uploads"
)

// Bounds of the files of a report.
const (
	maxFiles       = 20
	maxPieces      = 2000 // of a file: a line that breaks after 10 kB each time still brings 20 MB
	maxPart        = 100  // characters of the name of a file within its report
	uploadLifetime = 24 * time.Hour
	// PieceSize is the size of the pieces in which a request is stored while it arrives.
	PieceSize = 1 << 20

	piecePurpose = "pieces of uploads"
)

// File is a file that somebody wants to upload.
type File struct {
	Receipt   string // of its report
	Part      string // by which the browser knows the file within the report
	Kind      string
	Name      string
	MediaType string
	Encoding  string // gzip, or empty
	Length    int64
}

// Upload is a file that arrives in pieces.
type Upload struct {
	Address string // the last part of its address
	Offset  int64  // bytes that have arrived
	Length  int64
	Expires time.Time
	isDone  bool // the report has it
	row     uploads.Upload
}

// kindParts are the kinds of files that a visitor adds, with what the source must record for them.
var kindParts = map[api.AttachmentKind]api.CapturePart{
	api.KindConsole: api.CaptureConsole, api.KindNetwork: api.CaptureNetwork, api.KindActions: api.CaptureActions,
	api.KindReplay: api.CaptureReplay, api.KindScreenshot: api.CapturePicture, api.KindVideo: api.CapturePicture,
	api.KindLog: api.CapturePicture, api.KindOther: api.CapturePicture,
}

var (
	errNoReceipt = api.InvalidParameter("Upload-Metadata", "receipt",
		"the receipt is not one of this source, or it has expired")
	errNoUpload = api.NewProblem(api.CodeNotFound, "There is no such upload, or it has expired. Create it again.")
	errOffset   = api.NewProblem(api.CodeConflict,
		"The piece does not begin where the file ends. Ask for the offset, and go on from there.")
)

// Create begins an upload of a file of a report, or returns the one that has begun. It refuses a kind that the source
// does not record, and more files or bytes than a report may have.
func (s *Server) Create(ctx context.Context, site Site, f File) (Upload, error) {
	src := site.source
	r, ok := unseal[receipt](s.Secrets, receiptPurpose, f.Receipt)
	if !ok || r.Source != src.ID || !s.Now().Before(r.Expires) {
		return Upload{}, errNoReceipt
	}
	part, known := kindParts[api.AttachmentKind(f.Kind)]
	switch {
	case !known || !slices.Contains(src.Captures, part):
		return Upload{}, api.InvalidParameter("Upload-Metadata", "kind", "the source takes no file of this kind")
	case f.Part == "" || len(f.Part) > maxPart:
		return Upload{}, api.InvalidParameter("Upload-Metadata", "part",
			fmt.Sprintf("part must have 1 to %d characters", maxPart))
	case f.Encoding != "" && (f.Encoding != "gzip" || part == api.CapturePicture):
		return Upload{}, api.InvalidParameter("Upload-Metadata", "encoding",
			"must be gzip, for evidence alone, or missing")
	case f.Length < 1:
		return Upload{}, api.InvalidParameter("Upload-Length", "wrong_form", "the file is empty")
	case f.Length > src.MaxReportBytes:
		return Upload{}, tooLarge(src.MaxReportBytes)
	}
	if err := s.Tracker.CheckDisk(api.OpCreateAttachment); err != nil {
		return Upload{}, err
	}
	address := uploadAddress(s.Secrets, r, f.Part)
	now := s.clock()
	u := uploads.Upload{Hash: hashOf(address), SourceID: src.ID, Subject: r.Subject, Occurrence: r.Occurrence,
		Kind: f.Kind,
		Name: shorten(f.Name, maxReporterName), MediaType: shorten(f.MediaType, maxReporterName),
		Encoding: f.Encoding, Length: f.Length,
		ChangedAt: now, ExpiresAt: api.At(now.Add(uploadLifetime))}
	u, err := access.SystemWrite(ctx, s.authority, func(tx *access.Tx) (uploads.Upload, error) {
		stored, err := tx.Queries.Uploads().Upload(u.Hash, now)
		if err == nil && (stored.Length == u.Length || stored.AttachedAt != nil) {
			return stored, nil
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return u, err
		}
		return s.begin(tx, site, u)
	})
	if errors.Is(err, errFull) {
		return Upload{}, s.full(src)
	}
	return showUpload(address, u), err
}

// begin stores a new upload, in place of one of another length that a browser has begun before.
func (s *Server) begin(tx *access.Tx, site Site, u uploads.Upload) (uploads.Upload, error) {
	w, src := tx.Uploads(), site.source
	former, err := w.Delete(u.Hash)
	if err == nil {
		err = s.release(tx, former)
	}
	if err != nil {
		return u, err
	}
	number, bytes, err := w.Totals(u.Subject, u.Occurrence)
	if err != nil {
		return u, err
	}
	if number >= maxFiles || bytes+u.Length > src.MaxReportBytes {
		return u, tooLarge(src.MaxReportBytes)
	}
	ok, err := tx.Sources().TakeBytes(&src, s.clock(), u.Length)
	if err != nil {
		return u, err
	}
	if !ok {
		return u, errFull
	}
	return w.Create(u)
}

func tooLarge(most int64) *api.Problem {
	return api.NewProblem(api.CodeTooLarge,
		fmt.Sprintf("A report of this source may have %d files and %d KiB with all of them.", maxFiles,
			most>>10))
}

// release lets the blobs of pieces be deleted now.
func (s *Server) release(tx *access.Tx, blobs []string) error {
	if len(blobs) == 0 {
		return nil
	}
	return tx.PostponeBlobDeletion(blobs, s.clock())
}

func showUpload(address string, u uploads.Upload) Upload {
	return Upload{Address: address, Offset: u.Received, Length: u.Length, Expires: u.ExpiresAt.Time,
		isDone: u.AttachedAt != nil,
		row:    u}
}

// Upload returns an upload by the last part of its address.
func (s *Server) Upload(ctx context.Context, site Site, address string) (Upload, error) {
	if len(address) > maxPart {
		return Upload{}, errNoUpload
	}
	u, err := s.rights.Read(ctx).Uploads().Upload(hashOf(address), s.clock())
	if errors.Is(err, store.ErrNotFound) || err == nil && u.SourceID != site.source.ID {
		err = errNoUpload
	}
	return showUpload(address, u), err
}

// BodyError is why a piece could not be read from its sender.
type BodyError struct{ error }

func (e *BodyError) Unwrap() error { return e.error }

// Piece is what a request adds to an upload.
type Piece struct {
	Upload Upload
	Offset int64 // at which it begins
	Body   io.Reader
	Memory *admission.Reservation // of the body
}

// Append adds the bytes of a request to an upload, whose offset they must continue, piece by piece as they arrive:
// also those before an error of the reader. When the file is complete, the report gets it before Append returns.
// Without bytes, a complete file is added to the report, unless it was.
func (s *Server) Append(ctx context.Context, site Site, p Piece) (Upload, error) {
	u := p.Upload
	if p.Offset != u.Offset {
		return u, errOffset
	}
	if u.isDone {
		return u, nil
	}
	if err := s.Tracker.CheckDisk(api.OpCreateAttachment); err != nil {
		return u, err
	}
	pieces, err := s.rights.Read(ctx).Uploads().Pieces(u.row.Hash)
	if err != nil {
		return u, err
	}
	if len(pieces) >= maxPieces && u.Offset < u.Length {
		return u, api.NewProblem(api.CodeTooLarge, fmt.Sprintf("The file came in more than %d pieces.", maxPieces))
	}
	counted, buffer := p.Memory.Count(ctx, p.Body, 2*PieceSize), bytes.Buffer{}
	for u.Offset < u.Length {
		buffer.Reset()
		_, readErr := io.CopyN(&buffer, counted, min(PieceSize, u.Length-u.Offset))
		if buffer.Len() > 0 {
			if err := s.addPiece(ctx, &u, buffer.Bytes()); err != nil {
				return u, err
			}
		}
		if errors.Is(readErr, io.EOF) && u.Offset < u.Length {
			return u, nil // the client goes on in another request
		}
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return u, &BodyError{readErr}
		}
	}
	if extra, _ := p.Body.Read(make([]byte, 1)); extra > 0 {
		return u, api.NewProblem(api.CodeTooLarge, "The file has more bytes than its Upload-Length.")
	}
	p.Memory.Release()
	if err := s.attach(ctx, site.visit.request(), u.row.Hash); err != nil {
		return u, err
	}
	u.isDone = true
	return u, nil
}

// storeTime bounds the time in which a piece is stored whose sender went away.
const storeTime = 30 * time.Second

// addPiece stores a piece, durable before it is counted, although the client may be gone.
func (s *Server) addPiece(ctx context.Context, u *Upload, piece []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	p := uploads.Piece{Start: u.Offset, Size: int64(len(piece)), Blob: id.New(id.Blob)}
	err := access.SystemChange(ctx, s.authority, func(tx *access.Tx) error {
		return tx.ReserveBlobs([]string{p.Blob}, u.row.ExpiresAt)
	})
	if err != nil {
		return err
	}
	sealed := s.Secrets.Seal(piecePurpose, piece, pieceName(u.row.Hash, p.Start))
	if _, err := s.Blobs.Put(ctx, p.Blob, bytes.NewReader(sealed)); err != nil {
		return err
	}
	err = access.SystemChange(ctx, s.authority, func(tx *access.Tx) error {
		return tx.Uploads().AddPiece(u.row.Hash, p, s.clock())
	})
	if errors.Is(err, uploads.ErrOffset) { // another request was quicker
		if err = access.SystemChange(ctx, s.authority, func(tx *access.Tx) error {
			return s.release(tx,
				[]string{p.Blob})
		}); err == nil {
			err = errOffset
		}
	}
	if err == nil {
		u.Offset += p.Size
	}
	return err
}

// pieceName binds an encrypted piece to its place.
func pieceName(upload string, start int64) []byte {
	return binary.BigEndian.AppendUint64([]byte(upload), uint64(start))
}

// Delete ends an upload.
func (s *Server) Delete(ctx context.Context, u Upload) error {
	return access.SystemChange(ctx, s.authority, func(tx *access.Tx) error {
		blobs, err := tx.Uploads().Delete(u.row.Hash)
		if err != nil {
			return err
		}
		return s.release(tx, blobs)
	})
}
