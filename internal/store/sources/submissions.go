package sources

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Submission is a report of a visitor that waits for a decision, or was decided lately.
type Submission struct {
	ID, SourceID, WorkspaceID string
	SliceID                   string // the slice that it becomes
	State                     api.SubmissionState
	Document                  string // the redacted report, in JSON of its writer
	CreatedAt                 api.Time
	DecidedAt                 *api.Time
	DecidedBy                 *string   // a user or a key
	ExpiresAt                 api.Time  // when it is deleted with its files
	SourceName                string    // of a source that may be deleted
	SourceGone                *api.Time // when its source was deleted
}

// File is a file of a submission. Its blobs are reserved until the submission expires.
type File struct {
	SubmissionID, Blob string
	Thumbnail          *string
	Document           string // its attachment, in JSON of its writer
}

// Keys returns the keys of the blobs of files.
func Keys(files []File) (keys []string) {
	for _, f := range files {
		keys = append(keys, f.Blob)
		if f.Thumbnail != nil {
			keys = append(keys, *f.Thumbnail)
		}
	}
	return keys
}

const submissionColumns = `u.id, u.source_id, u.workspace_id, u.slice_id, u.state, u.document, u.created_at, u.decided_at, u.decided_by,
	u.expires_at, s.settings, s.deleted_at FROM submissions u JOIN sources s ON s.id = u.source_id`

func scanSubmission(r sqldb.Row) (u Submission, err error) {
	var created, expires int64
	var decided, gone *int64
	var settings string
	if err = r.Scan(&u.ID, &u.SourceID, &u.WorkspaceID, &u.SliceID, &u.State, &u.Document, &created, &decided, &u.DecidedBy,
		&expires, &settings, &gone); err != nil {
		return u, err
	}
	u.CreatedAt, u.ExpiresAt = api.FromMillis(created), api.FromMillis(expires)
	u.DecidedAt, u.SourceGone = sqldb.TimeAt(decided), sqldb.TimeAt(gone)
	u.SourceName, err = nameIn(settings)
	return u, err
}

// Submission returns a submission, or sqldb.ErrNotFound.
func (q Reader) Submission(id string) (Submission, error) {
	return sqldb.One(q.DB, scanSubmission, "SELECT "+submissionColumns+" WHERE u.id = $1", id)
}

// SubmissionOfSlice returns the submission that becomes a slice, or sqldb.ErrNotFound.
func (q Reader) SubmissionOfSlice(sourceID, sliceID string) (Submission, error) {
	return sqldb.One(q.DB, scanSubmission, "SELECT "+submissionColumns+" WHERE u.source_id = $1 AND u.slice_id = $2", sourceID, sliceID)
}

// LockSubmission locks a submission and returns it, or sqldb.ErrNotFound.
func (w Writer) LockSubmission(id string) (Submission, error) {
	if _, err := sqldb.One(w.DB, sqldb.ScanOne[string], "SELECT u.id FROM submissions u WHERE u.id = $1"+w.DB.Engine.LockRow,
		id); err != nil {
		return Submission{}, err
	}
	return w.Submission(id)
}

// SubmissionFilter selects submissions.
type SubmissionFilter struct {
	Workspaces []string
	State      api.SubmissionState
	SourceID   string // empty for all
	BeforeID   string // only older ones; empty for all
	FromID     string // only this one and newer ones; empty for all
	Limit      int
}

// Submissions returns submissions, newest first.
func (q Reader) Submissions(f SubmissionFilter) ([]Submission, error) {
	if len(f.Workspaces) == 0 {
		return nil, nil
	}
	var p sqldb.Params
	where := "u.workspace_id IN " + sqldb.In(&p, f.Workspaces) + " AND u.state = " + p.Add(f.State)
	if f.SourceID != "" {
		where += " AND u.source_id = " + p.Add(f.SourceID)
	}
	if f.BeforeID != "" {
		where += " AND u.id < " + p.Add(f.BeforeID)
	}
	if f.FromID != "" {
		where += " AND u.id >= " + p.Add(f.FromID)
	}
	return sqldb.List(q.DB, scanSubmission, "SELECT "+submissionColumns+" WHERE "+where+" ORDER BY u.id DESC LIMIT "+p.Add(f.Limit),
		p.Args...)
}

// CountSubmissions returns the number of submissions of a workspace in a state, counted to limit.
func (q Reader) CountSubmissions(workspaceID string, state api.SubmissionState, limit int) (int, error) {
	return sqldb.One(q.DB, sqldb.ScanOne[int], `SELECT count(*) FROM
		(SELECT 1 FROM submissions WHERE workspace_id = $1 AND state = $2 LIMIT $3) AS some`, workspaceID, state, limit)
}

// Files returns the files of a submission.
func (q Reader) Files(submissionID string) ([]File, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (f File, err error) {
		return f, r.Scan(&f.SubmissionID, &f.Blob, &f.Thumbnail, &f.Document)
	}, "SELECT submission_id, blob, thumbnail, document FROM submission_files WHERE submission_id = $1 ORDER BY blob", submissionID)
}

// InsertSubmission stores a new submission.
func (w Writer) InsertSubmission(u Submission) error {
	return w.DB.Exec(`INSERT INTO submissions (id, source_id, workspace_id, slice_id, state, document, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, u.ID, u.SourceID, u.WorkspaceID, u.SliceID, u.State, u.Document,
		u.CreatedAt.UnixMilli(), u.ExpiresAt.UnixMilli())
}

// InsertFile stores a file of a submission, whose blobs the caller has reserved.
func (w Writer) InsertFile(f File) error {
	return w.DB.Exec("INSERT INTO submission_files (submission_id, blob, thumbnail, document) VALUES ($1, $2, $3, $4)",
		f.SubmissionID, f.Blob, f.Thumbnail, f.Document)
}

// Decide stores the state of a locked submission, and who has decided it.
func (w Writer) Decide(u Submission) error {
	return w.DB.Exec("UPDATE submissions SET state = $2, slice_id = $3, decided_at = $4, decided_by = $5, expires_at = $6 WHERE id = $1",
		u.ID, u.State, u.SliceID, sqldb.Millis(u.DecidedAt), u.DecidedBy, u.ExpiresAt.UnixMilli())
}

// DeleteFiles deletes the records of the files of a submission.
func (w Writer) DeleteFiles(submissionID string) error {
	return w.DB.Exec("DELETE FROM submission_files WHERE submission_id = $1", submissionID)
}

// DeleteSubmission deletes a submission and the records of its files.
func (w Writer) DeleteSubmission(id string) error {
	if err := w.DeleteFiles(id); err != nil {
		return err
	}
	return w.DB.Exec("DELETE FROM submissions WHERE id = $1", id)
}

// DeleteExpired deletes at most limit submissions that expired before a time, with the records of their files, and returns
// their number.
func (w Writer) DeleteExpired(now api.Time, limit int) (int, error) {
	ids, err := sqldb.List(w.DB, sqldb.ScanOne[string],
		"SELECT id FROM submissions WHERE expires_at <= $1 ORDER BY expires_at, id LIMIT $2", now.UnixMilli(), limit)
	for _, id := range ids {
		if err == nil {
			err = w.DeleteSubmission(id)
		}
	}
	return len(ids), err
}

// Purge deletes up to limit rows of what belongs to a source that was marked as deleted, but for submissions that wait or were
// decided, and after the last of them the source. It deletes the counts of days before oldest, too.
func (w Writer) Purge(oldest int64, limit int) (int, error) {
	n, err := w.DB.ExecCount(`DELETE FROM source_days WHERE (source_id, day, outcome) IN
		(SELECT source_id, day, outcome FROM source_days WHERE day < $1 ORDER BY source_id, day, outcome LIMIT $2)`, oldest, limit)
	if err != nil || n > 0 {
		return int(n), err
	}
	gone, err := sqldb.List(w.DB, sqldb.ScanOne[string], `SELECT s.id FROM sources s WHERE s.deleted_at IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM submissions u WHERE u.source_id = s.id)
		AND NOT EXISTS (SELECT 1 FROM source_days d WHERE d.source_id = s.id) ORDER BY s.id LIMIT $1`, limit)
	for _, id := range gone {
		if err == nil {
			err = w.DB.Exec("DELETE FROM sources WHERE id = $1", id)
		}
	}
	return len(gone), err
}

// ReserveAgain reserves the blobs of all submissions until they expire, after their records were loaded from a dump.
func (w Writer) ReserveAgain() error {
	for _, column := range []string{"blob", "thumbnail"} {
		if err := w.DB.Exec("INSERT INTO unreferenced_blobs (key, remove_at) SELECT f." + column + //nolint:gosec // constants
			", u.expires_at FROM submission_files f JOIN submissions u ON u.id = f.submission_id WHERE f." + column +
			" IS NOT NULL"); err != nil {
			return err
		}
	}
	return nil
}
