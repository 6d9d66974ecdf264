package intake

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/klauspost/compress/gzip"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/input"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/store/uploads"
	"bugslice/internal/tracker"
)

// attach adds a complete file to its report, unless the report has it. A file that the report refuses for good is
// deleted.
func (s *Server) attach(ctx context.Context, request access.Request, hash string) error {
	q := s.rights.Read(ctx)
	u, err := q.Uploads().Upload(hash, s.clock())
	if err != nil {
		return access.OrNotFound(err, "upload")
	}
	if u.AttachedAt != nil || !u.IsComplete() {
		return nil
	}
	err = s.store(ctx, q, request, u)
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Status < 500 && p.Status != http.StatusTooManyRequests &&
		p.Code != api.CodeRequestTimeout {
		return errors.Join(err, s.Delete(ctx, showUpload("", u)))
	}
	if err != nil {
		return err
	}
	return access.SystemChange(ctx, s.authority, func(tx *access.Tx) error {
		blobs, err := tx.Uploads().Attach(hash, s.clock())
		if err != nil {
			return err
		}
		return s.release(tx, blobs)
	})
}

// store passes the file to the tracker, under the name of the upload: a repetition after a crash stores it once.
func (s *Server) store(ctx context.Context, q access.Queries, request access.Request, u uploads.Upload) error {
	source, err := q.Sources().Source(u.SourceID)
	if errors.Is(err, store.ErrNotFound) {
		return errNotTaken
	}
	if err != nil {
		return err
	}
	pieces, err := q.Uploads().Pieces(u.Hash)
	if err != nil {
		return err
	}
	content := &pieceReader{ctx: ctx, blobs: s.Blobs, secrets: s.Secrets, upload: u.Hash, pieces: pieces}
	file := tracker.Upload{Body: content, Name: u.Name, ContentType: u.MediaType, Length: u.Length}
	if u.Encoding == "gzip" {
		unpacked, err := gzip.NewReader(content)
		if err != nil {
			return content.damaged()
		}
		file.Body, file.Length = &unpacker{unpacked, content}, -1
	}
	c, err := s.Tracker.Visitors().Caller(access.Reporting{Source: source, SliceID: u.Subject, Request: request})
	if err != nil {
		return err
	}
	in, err := input.Check(api.CreateAttachment{Idempotency: api.Idempotency{IdempotencyKey: u.Hash},
		SliceID: u.Subject,
		Kind:    api.AttachmentKind(u.Kind), Occurrence: int(u.Occurrence)})
	if err != nil {
		return err
	}
	return s.Tracker.Visitors().Attach(ctx, c, in, file)
}

// unpacker reads a packed file. A file that is not packed as it says is refused for good; a piece that cannot be read
// is not.
type unpacker struct {
	io.Reader
	content *pieceReader
}

func (u *unpacker) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = u.content.damaged()
	}
	return n, err
}

// damaged returns why a packed file cannot be read: a piece that could not be, or else the file itself.
func (r *pieceReader) damaged() error {
	if r.failed != nil {
		return r.failed
	}
	return api.NewProblem(api.CodeInvalidBody, "The file is not packed by gzip, or it is damaged.")
}

// pieceReader reads the pieces of an upload one after the other.
type pieceReader struct {
	ctx     context.Context
	blobs   blob.Store
	secrets *secret.Ring
	upload  string
	pieces  []uploads.Piece
	current []byte
	failed  error // why a piece cannot be read
}

func (r *pieceReader) Read(b []byte) (int, error) {
	for len(r.current) == 0 {
		if len(r.pieces) == 0 {
			return 0, io.EOF
		}
		if r.current, r.failed = r.open(r.pieces[0]); r.failed != nil {
			return 0, r.failed
		}
		r.pieces = r.pieces[1:]
	}
	n := copy(b, r.current)
	r.current = r.current[n:]
	return n, nil
}

func (r *pieceReader) open(p uploads.Piece) ([]byte, error) {
	f, err := r.blobs.Open(r.ctx, p.Blob)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sealed, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return r.secrets.Open(piecePurpose, sealed, pieceName(r.upload, p.Start))
}
