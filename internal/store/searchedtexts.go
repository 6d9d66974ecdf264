package store

import (
	"errors"
	"iter"

	"bugslice/internal/store/sqldb"
)

// Limits of the texts that are read to say why a search finds a slice.
const (
	maxSearchedComments = 200 // the newest
	maxSearchedFiles    = 200
)

// SearchedTexts returns the live slices of ids with the texts alone by which searches find them, and the numbers of
// their comments and files.
func (q Queries) SearchedTexts(ids []string) (map[string]Slice, error) {
	found := make(map[string]Slice, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	var p sqldb.Params
	all, err := sqldb.List(q.db, func(r sqldb.Row) (s Slice, err error) {
		var labels string
		err = r.Scan(&s.ID, &s.Summary, &s.Description, &s.SourceURL, &s.Symptoms, &labels, &s.ExternalID,
			&s.Fingerprint, &s.CommentCount, &s.AttachmentCount)
		return s, errors.Join(err, unpack(labels, &s.Labels))
	}, `SELECT s.id, s.summary, s.description, s.source_url, s.symptoms, s.labels, s.external_id, s.fingerprint, s.comment_count,
		s.attachment_count FROM slices s WHERE s.id IN `+sqldb.In(&p, ids)+" AND s.deleted_at IS NULL", p.Args...)
	for _, s := range all {
		found[s.ID] = s
	}
	return found, err
}

// SearchedComments returns the texts of the newest comments of a slice.
func (q Queries) SearchedComments(sliceID string) iter.Seq2[string, error] {
	return sqldb.Rows(q.db, sqldb.ScanOne[string],
		"SELECT c.body FROM comments c WHERE c.slice_id = $1 ORDER BY c.id DESC LIMIT $2", sliceID, maxSearchedComments)
}

// SearchedFiles returns the newest files of a slice, with their names and symptoms alone.
func (q Queries) SearchedFiles(sliceID string) ([]Attachment, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (a Attachment, err error) { return a, r.Scan(&a.Name, &a.Symptoms) },
		"SELECT a.name, a.symptoms FROM attachments a WHERE a.slice_id = $1 ORDER BY a.id DESC LIMIT $2", sliceID,
		maxSearchedFiles)
}
