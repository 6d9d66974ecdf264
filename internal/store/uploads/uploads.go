// Package uploads stores what the door for the reports of visitors must remember: the tokens that were used, the
// reports that were received, and the files that arrive in pieces. All of it ends by itself.
//
// A piece is added exactly at the end of what was received, so that requests that write at once neither overlap nor
// leave a gap.
package uploads

import (
	"errors"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Errors of a Writer.
var (
	ErrUsed   = errors.New("uploads: the token was used for another report")
	ErrOffset = errors.New("uploads: the piece does not begin where the received bytes end")
)

// Report is a report that was received from a source.
type Report struct {
	SourceID   string
	Name       string // the digest of the name that the browser gave it
	Subject    string // the slice, or what waits for approval
	Occurrence int64  // of the slice; 0 for what waits
	ReceivedAt api.Time
}

// Upload is a file of a report that arrives in pieces.
type Upload struct {
	Hash       string // of its address
	SourceID   string
	Subject    string
	Occurrence int64
	Kind       string
	Name       string
	MediaType  string
	Encoding   string // gzip, or empty
	Length     int64
	Received   int64
	ChangedAt  api.Time
	AttachedAt *api.Time // nil until the report has the file
	ExpiresAt  api.Time
}

// IsComplete reports whether all bytes were received.
func (u Upload) IsComplete() bool { return u.Received == u.Length }

// Piece is a part of an upload.
type Piece struct {
	Start, Size int64
	Blob        string
}

// Reader reads uploads and reports.
type Reader struct{ DB *sqldb.Executor }

// Report returns a report by its source and the digest of its name.
func (q Reader) Report(sourceID, name string) (Report, error) {
	return sqldb.One(q.DB, func(r sqldb.Row) (o Report, err error) {
		var at int64
		err = r.Scan(&o.SourceID, &o.Name, &o.Subject, &o.Occurrence, &at)
		o.ReceivedAt = api.FromMillis(at)
		return o, err
	}, `SELECT source_id, name, subject, occurrence, received_at FROM received_reports WHERE source_id = $1 AND name = $2`, sourceID, name)
}

const uploadColumns = `hash, source_id, subject, occurrence, kind, name, media_type, encoding, length, received, changed_at, attached_at,
	expires_at FROM uploads`

func scanUpload(r sqldb.Row) (u Upload, err error) {
	var attached *int64
	var changed, expires int64
	err = r.Scan(&u.Hash, &u.SourceID, &u.Subject, &u.Occurrence, &u.Kind, &u.Name, &u.MediaType, &u.Encoding,
		&u.Length, &u.Received,
		&changed, &attached, &expires)
	u.ChangedAt, u.AttachedAt, u.ExpiresAt = api.FromMillis(changed), sqldb.TimeAt(attached), api.FromMillis(expires)
	return u, err
}

// Upload returns an upload that has not expired.
func (q Reader) Upload(hash string, now api.Time) (Upload, error) {
	return sqldb.One(q.DB, scanUpload, "SELECT "+uploadColumns+" WHERE hash = $1 AND expires_at > $2", hash,
		now.UnixMilli())
}

// Unattached returns at most limit uploads that were complete before a time, and that no report has.
func (q Reader) Unattached(before, now api.Time, limit int) ([]Upload, error) {
	return sqldb.List(q.DB, scanUpload, "SELECT "+uploadColumns+` WHERE received = length AND attached_at IS NULL
		AND changed_at < $1 AND expires_at > $2 ORDER BY changed_at, hash LIMIT $3`, before.UnixMilli(), now.UnixMilli(), limit)
}

// Pieces returns the pieces of an upload in their order.
func (q Reader) Pieces(hash string) ([]Piece, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (p Piece, err error) { return p, r.Scan(&p.Start, &p.Size, &p.Blob) },
		"SELECT start, size, blob FROM upload_pieces WHERE upload = $1 ORDER BY start", hash)
}

// Totals returns the number and the bytes of the uploads of a report.
func (q Reader) Totals(subject string, occurrence int64) (number, bytes int64, err error) {
	type totals struct{ number, bytes int64 }
	t, err := sqldb.One(q.DB, func(r sqldb.Row) (t totals, err error) { return t, r.Scan(&t.number, &t.bytes) },
		"SELECT count(*), CAST(coalesce(sum(length), 0) AS BIGINT) FROM uploads WHERE subject = $1 AND occurrence = $2",
		subject, occurrence)
	return t.number, t.bytes, err
}
