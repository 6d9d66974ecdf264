// Package reporters stores the pages of reporters: addresses by which visitors see what became of their reports.
//
// A page is found by the hash of its address alone. It has a copy of what its reporter has typed, because the members of the
// workspace change the texts of the slice, and because a report may be an occurrence of a slice of somebody else.
package reporters

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Page is the page of a reporter.
type Page struct {
	ID         string
	Hash       string // of its address
	SourceID   string
	SliceID    string // the slice; of a report that waits, the one that it becomes
	Occurrence int64  // of the slice; 0 while the report waits
	Name       string // of the reporter; empty for none

	Summary, Description string // as they were filed
	CreatedAt            api.Time
}

// Comment is a comment that a reporter sees.
type Comment struct {
	ID        string
	Body      string
	Own       bool // written on the page, and not by a member
	CreatedAt api.Time
	UpdatedAt api.Time
}

// File is a file of a reporter.
type File struct {
	ID, Kind, Name string
	Size           int64
}

// Reader reads pages.
type Reader struct{ DB *sqldb.Executor }

// Writer changes pages.
type Writer struct{ Reader }

const pageColumns = `p.id, p.hash, p.source_id, p.slice_id, p.occurrence, p.name, p.summary, p.description, p.created_at
	FROM reporter_pages p `

func scanPage(r sqldb.Row) (p Page, err error) {
	var created int64
	err = r.Scan(&p.ID, &p.Hash, &p.SourceID, &p.SliceID, &p.Occurrence, &p.Name, &p.Summary, &p.Description, &created)
	p.CreatedAt = api.FromMillis(created)
	return p, err
}

// ByHash returns the page of an address, or sqldb.ErrNotFound.
func (q Reader) ByHash(hash string) (Page, error) {
	return sqldb.One(q.DB, scanPage, "SELECT "+pageColumns+"WHERE p.hash = $1", hash)
}

// Lock is ByHash with a row lock.
func (w Writer) Lock(hash string) (Page, error) {
	return sqldb.One(w.DB, scanPage, "SELECT "+pageColumns+"WHERE p.hash = $1"+w.DB.Engine.LockRow, hash)
}

// OfSlice returns at most limit pages of a slice, the first reporters first.
func (q Reader) OfSlice(sliceID string, limit int) ([]Page, error) {
	return sqldb.List(q.DB, scanPage, "SELECT "+pageColumns+"WHERE p.slice_id = $1 ORDER BY p.id LIMIT $2", sliceID, limit)
}

// Insert stores a page, unless its address has one.
func (w Writer) Insert(p Page) error {
	return w.DB.Exec(`INSERT INTO reporter_pages (id, hash, source_id, slice_id, occurrence, name, summary, description, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (hash) DO NOTHING`, p.ID, p.Hash, p.SourceID, p.SliceID, p.Occurrence,
		p.Name, p.Summary, p.Description, p.CreatedAt.UnixMilli())
}

// Accepted stores of which slice a report is which occurrence that has waited to become waitingID.
func (w Writer) Accepted(waitingID, sliceID string, occurrence int64) error {
	return w.DB.Exec("UPDATE reporter_pages SET slice_id = $2, occurrence = $3 WHERE slice_id = $1 AND occurrence = 0",
		waitingID, sliceID, occurrence)
}

// Delete deletes a page.
func (w Writer) Delete(id string) error {
	return w.DB.Exec("DELETE FROM reporter_pages WHERE id = $1", id)
}

// DeleteLeft deletes at most limit pages of reports that were deleted while they waited.
func (w Writer) DeleteLeft(limit int) (int, error) {
	n, err := w.DB.ExecCount(`DELETE FROM reporter_pages WHERE id IN (SELECT p.id FROM reporter_pages p
		WHERE p.occurrence = 0 AND NOT EXISTS (SELECT 1 FROM submissions u WHERE u.slice_id = p.slice_id)
			AND NOT EXISTS (SELECT 1 FROM slices s WHERE s.id = p.slice_id) ORDER BY p.id LIMIT $1)`, limit)
	return int(n), err
}

// MarkAnswer stores that a comment was written on a page.
func (w Writer) MarkAnswer(commentID, pageID string) error {
	return w.DB.Exec("UPDATE comments SET reporter_page = $2 WHERE id = $1", commentID, pageID)
}

// Comments returns the newest limit comments that the reporter of a page sees, the newest first.
func (q Reader) Comments(p Page, limit int) ([]Comment, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (c Comment, err error) {
		var page *string
		var created, updated int64
		err = r.Scan(&c.ID, &c.Body, &page, &created, &updated)
		c.Own, c.CreatedAt, c.UpdatedAt = page != nil, api.FromMillis(created), api.FromMillis(updated)
		return c, err
	}, `SELECT c.id, c.body, c.reporter_page, c.created_at, c.updated_at FROM comments c WHERE c.slice_id = $1
		AND (c.reporter_page = $2 OR c.reporter_page IS NULL AND c.visible_to_reporter = 1) ORDER BY c.id DESC LIMIT $3`,
		p.SliceID, p.ID, limit)
}

// Answers returns the ids of at most limit comments that were written on a page.
func (q Reader) Answers(p Page, limit int) ([]string, error) {
	return sqldb.List(q.DB, sqldb.ScanOne[string],
		"SELECT c.id FROM comments c WHERE c.slice_id = $1 AND c.reporter_page = $2 ORDER BY c.id LIMIT $3", p.SliceID, p.ID, limit)
}

// CountAnswers returns how many comments were written on a page, and how many of them since a time.
func (q Reader) CountAnswers(p Page, since api.Time) (all, lately int64, err error) {
	type counts struct{ all, lately int64 }
	n, err := sqldb.One(q.DB, func(r sqldb.Row) (c counts, err error) { return c, r.Scan(&c.all, &c.lately) },
		`SELECT count(*), COALESCE(sum(CASE WHEN c.created_at >= $3 THEN 1 ELSE 0 END), 0) FROM comments c
		WHERE c.slice_id = $1 AND c.reporter_page = $2`, p.SliceID, p.ID, since.UnixMilli())
	return n.all, n.lately, err
}

// Files returns at most limit files that the reporter of a page has sent, the first ones first.
func (q Reader) Files(p Page, limit int) ([]File, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (f File, err error) { return f, r.Scan(&f.ID, &f.Kind, &f.Name, &f.Size) },
		`SELECT a.id, a.kind, a.name, a.size FROM attachments a WHERE a.slice_id = $1 AND a.occurrence = $2 AND a.creator_type = 'guest'
		ORDER BY a.id LIMIT $3`, p.SliceID, p.Occurrence, limit)
}

// Events returns the ids of at most limit events about the slice of a page after an id.
func (q Reader) Events(p Page, afterID string, limit int) ([]string, error) {
	return sqldb.List(q.DB, sqldb.ScanOne[string],
		"SELECT e.id FROM events e WHERE e.subject_id = $1 AND e.id > $2 ORDER BY e.id LIMIT $3", p.SliceID, afterID, limit)
}

// EraseName replaces the name of the reporter of a page in its report: in the slice that was made of it, and in the occurrence.
func (w Writer) EraseName(p Page, name string) error {
	if p.Occurrence == 1 {
		if err := w.DB.Exec("UPDATE slices SET reporter_name = $2 WHERE id = $1", p.SliceID, name); err != nil {
			return err
		}
	}
	return w.DB.Exec("UPDATE occurrences SET reporter_name = $3 WHERE slice_id = $1 AND number = $2", p.SliceID, p.Occurrence, name)
}
