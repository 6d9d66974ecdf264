package uploads

import (
	"errors"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Writer changes uploads and reports.
type Writer struct{ Reader }

// UseToken stores that a token was used for a report. It returns ErrUsed when it was used for another one.
func (w Writer) UseToken(hash, report string, expires api.Time) error {
	n, err := w.DB.ExecCount(`INSERT INTO used_tokens (hash, report, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (hash) DO NOTHING`, hash, report, expires.UnixMilli())
	if err != nil || n == 1 {
		return err
	}
	return w.DB.ExecOne(ErrUsed, "UPDATE used_tokens SET expires_at = $3 WHERE hash = $1 AND report = $2", hash, report,
		expires.UnixMilli())
}

// AddReport stores a report unless it was received before, and returns what is stored. On PostgreSQL it waits for a
// transaction that stores the same report.
func (w Writer) AddReport(r Report) (stored Report, added bool, err error) {
	n, err := w.DB.ExecCount(`INSERT INTO received_reports (source_id, name, subject, occurrence, received_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (source_id, name) DO NOTHING`, r.SourceID, r.Name, r.Subject, r.Occurrence, r.ReceivedAt.UnixMilli())
	if err != nil || n == 1 {
		return r, err == nil, err
	}
	stored, err = w.Report(r.SourceID, r.Name)
	return stored, false, err
}

// SetSubject stores what became of a report that AddReport has added.
func (w Writer) SetSubject(r Report) error {
	return w.DB.ExecOne(sqldb.ErrNotFound,
		`UPDATE received_reports SET subject = $3, occurrence = $4 WHERE source_id = $1 AND name = $2`,
		r.SourceID, r.Name, r.Subject, r.Occurrence)
}

// Create stores an upload without a piece, unless there is one with its address, and returns what is stored.
func (w Writer) Create(u Upload) (Upload, error) {
	err := w.DB.Exec(`INSERT INTO uploads (hash, source_id, subject, occurrence, kind, name, media_type, encoding, length, received,
			changed_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11) ON CONFLICT (hash) DO NOTHING`,
		u.Hash, u.SourceID, u.Subject, u.Occurrence, u.Kind, u.Name, u.MediaType, u.Encoding, u.Length,
		u.ChangedAt.UnixMilli(),
		u.ExpiresAt.UnixMilli())
	if err != nil {
		return u, err
	}
	return sqldb.One(w.DB, scanUpload, "SELECT "+uploadColumns+" WHERE hash = $1", u.Hash)
}

// AddPiece adds a piece to an upload. It returns ErrOffset unless the piece begins where the received bytes end, and
// ends within the length.
func (w Writer) AddPiece(hash string, p Piece, now api.Time) error {
	err := w.DB.ExecOne(ErrOffset, `UPDATE uploads SET received = received + $3, changed_at = $4
		WHERE hash = $1 AND received = $2 AND received + $3 <= length AND attached_at IS NULL`, hash, p.Start, p.Size, now.UnixMilli())
	if err != nil {
		return err
	}
	return w.DB.Exec("INSERT INTO upload_pieces (upload, start, size, blob) VALUES ($1, $2, $3, $4)", hash, p.Start,
		p.Size, p.Blob)
}

// Attach stores that the report has the file, and deletes the pieces. It returns the keys of their blobs, which
// nothing needs any more.
func (w Writer) Attach(hash string, now api.Time) ([]string, error) {
	err := w.DB.ExecOne(sqldb.ErrNotFound, `UPDATE uploads SET attached_at = $2 WHERE hash = $1 AND received = length
		AND attached_at IS NULL`, hash, now.UnixMilli())
	if errors.Is(err, sqldb.ErrNotFound) { // another request was quicker
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return w.deletePieces(hash)
}

// Delete deletes an upload with its pieces, and returns the keys of their blobs.
func (w Writer) Delete(hash string) ([]string, error) {
	blobs, err := w.deletePieces(hash)
	if err == nil {
		err = w.DB.Exec("DELETE FROM uploads WHERE hash = $1", hash)
	}
	return blobs, err
}

func (w Writer) deletePieces(hash string) ([]string, error) {
	return sqldb.List(w.DB, sqldb.ScanOne[string], "DELETE FROM upload_pieces WHERE upload = $1 RETURNING blob", hash)
}

// DeleteExpired deletes at most limit uploads and tokens that have expired, and as many reports that were received
// before a time. The blobs of the pieces are deleted when their reservations end.
func (w Writer) DeleteExpired(now, received api.Time, limit int) (int, error) {
	most := int64(0)
	for _, s := range []struct {
		text string
		at   api.Time
	}{
		{`DELETE FROM used_tokens WHERE hash IN (SELECT hash FROM used_tokens WHERE expires_at <= $1 ORDER BY hash LIMIT $2)`, now},
		{`DELETE FROM received_reports WHERE (source_id, name) IN
			(SELECT source_id, name FROM received_reports WHERE received_at <= $1 ORDER BY source_id, name LIMIT $2)`, received},
		{`DELETE FROM upload_pieces WHERE upload IN (SELECT hash FROM uploads WHERE expires_at <= $1 ORDER BY hash LIMIT $2)`, now},
		{`DELETE FROM uploads WHERE hash IN (SELECT hash FROM uploads WHERE expires_at <= $1 ORDER BY hash LIMIT $2)`,
			now},
	} {
		n, err := w.DB.ExecCount(s.text, s.at.UnixMilli(), limit)
		if err != nil {
			return 0, err
		}
		if most = max(most, n); n >= int64(limit) {
			most = int64(limit)
		}
	}
	return int(min(most, int64(limit))), nil
}
