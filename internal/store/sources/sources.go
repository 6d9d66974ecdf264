// Package sources stores the sources from which visitors report, the secrets by which their sites sign, what became of the
// reports of each day, and the submissions that wait for a decision.
//
// A source that was deleted is found by nobody. The files of a submission are reservations in the storage of files, which
// end with it: whoever stores an attachment of the same blob takes the reservation over.
package sources

import (
	"encoding/json"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Source is a stored source.
type Source struct {
	api.Source
	OrgID string
}

// Secret is an encrypted secret of a source.
type Secret struct{ ID, Sealed string }

// formerSecrets is the maximum of secrets of a source in their grace period.
const formerSecrets = 10

// Reader reads sources and submissions.
type Reader struct{ DB *sqldb.Executor }

// Writer changes sources and submissions.
type Writer struct{ Reader }

const sourceColumns = `s.id, s.org_id, s.workspace_id, s.public_key, s.settings, s.secret_last4, s.created_by_user, s.created_by_key,
	s.version, s.created_at, s.updated_at FROM sources s`

func scanSource(r sqldb.Row) (s Source, err error) {
	var settings, last4 string
	var created, updated int64
	if err = r.Scan(&s.ID, &s.OrgID, &s.WorkspaceID, &s.Key, &settings, &last4, &s.Creator.UserID, &s.Creator.KeyID, &s.Version,
		&created, &updated); err != nil {
		return s, err
	}
	if last4 != "" {
		s.SecretLast4 = &last4
	}
	s.CreatedAt, s.UpdatedAt = api.FromMillis(created), api.FromMillis(updated)
	if err = json.Unmarshal([]byte(settings), &s.SourceFields); err == nil {
		s.complete()
	}
	return s, err
}

const sourceByID = "SELECT " + sourceColumns + " WHERE s.id = $1 AND s.deleted_at IS NULL"

// Source returns a source, or sqldb.ErrNotFound.
func (q Reader) Source(id string) (Source, error) { return sqldb.One(q.DB, scanSource, sourceByID, id) }

// LockSource is Source with a row lock.
func (w Writer) LockSource(id string) (Source, error) {
	return sqldb.One(w.DB, scanSource, sourceByID+w.DB.Engine.LockRow, id)
}

// SourceByKey returns the source with a public key, or sqldb.ErrNotFound.
func (q Reader) SourceByKey(key string) (Source, error) {
	return sqldb.One(q.DB, scanSource, "SELECT "+sourceColumns+" WHERE s.public_key = $1 AND s.deleted_at IS NULL", key)
}

// Sources returns at most limit sources of the workspaces after afterID, by id.
func (q Reader) Sources(workspaces []string, afterID string, limit int) ([]Source, error) {
	if len(workspaces) == 0 {
		return nil, nil
	}
	var p sqldb.Params
	return sqldb.List(q.DB, scanSource, "SELECT "+sourceColumns+" WHERE s.workspace_id IN "+sqldb.In(&p, workspaces)+
		" AND s.deleted_at IS NULL AND s.id > "+p.Add(afterID)+" ORDER BY s.id LIMIT "+p.Add(limit), p.Args...)
}

// CountSources returns the number of sources of a workspace.
func (q Reader) CountSources(workspaceID string) (int, error) {
	return sqldb.One(q.DB, sqldb.ScanOne[int],
		"SELECT count(*) FROM sources WHERE workspace_id = $1 AND deleted_at IS NULL", workspaceID)
}

// InsertSource stores a new source.
func (w Writer) InsertSource(s *Source) error {
	settings, err := json.Marshal(s.SourceFields)
	if err != nil {
		return err
	}
	s.Version = 1
	return w.DB.Exec(`INSERT INTO sources (id, org_id, workspace_id, public_key, settings, secret_last4, created_by_user, created_by_key,
			version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		s.ID, s.OrgID, s.WorkspaceID, s.Key, string(settings), last4(s), s.Creator.UserID, s.Creator.KeyID, s.Version,
		s.CreatedAt.UnixMilli(), s.UpdatedAt.UnixMilli())
}

// UpdateSource stores a locked source as its next version.
func (w Writer) UpdateSource(s *Source) error {
	settings, err := json.Marshal(s.SourceFields)
	if err != nil {
		return err
	}
	s.Version++
	return w.DB.Exec("UPDATE sources SET settings = $2, secret_last4 = $3, version = $4, updated_at = $5 WHERE id = $1",
		s.ID, string(settings), last4(s), s.Version, s.UpdatedAt.UnixMilli())
}

// complete makes lists of the settings empty that have no values.
func (s *Source) complete() {
	if s.Origins == nil {
		s.Origins = []string{}
	}
	if s.Captures == nil {
		s.Captures = []api.CapturePart{}
	}
	if s.Labels == nil {
		s.Labels = []string{}
	}
}

// nameIn returns the name in the settings of a source.
func nameIn(settings string) (string, error) {
	var of struct{ Name string }
	err := json.Unmarshal([]byte(settings), &of)
	return of.Name, err
}

func last4(s *Source) string {
	if s.SecretLast4 == nil {
		return ""
	}
	return *s.SecretLast4
}

// DeleteSource marks a source as deleted and deletes its secrets. Its submissions and its counts stay until Purge.
func (w Writer) DeleteSource(id string, at api.Time) error {
	if err := w.DB.Exec("DELETE FROM source_secrets WHERE source_id = $1", id); err != nil {
		return err
	}
	return w.DB.Exec("UPDATE sources SET deleted_at = $2, version = version + 1 WHERE id = $1", id, at.UnixMilli())
}

// InsertSecret replaces the secret of a source. The replaced secret is good until grace, earlier ones until the end of
// their own grace period.
func (w Writer) InsertSecret(sourceID string, s Secret, at, grace api.Time) error {
	now := at.UnixMilli()
	if err := w.DB.Exec("UPDATE source_secrets SET expires_at = $2 WHERE source_id = $1 AND expires_at IS NULL",
		sourceID, grace.UnixMilli()); err != nil {
		return err
	}
	if err := w.DB.Exec(`DELETE FROM source_secrets WHERE source_id = $1 AND (expires_at <= $2 OR id NOT IN
		(SELECT id FROM source_secrets WHERE source_id = $1 ORDER BY id DESC LIMIT $3))`, sourceID, now, formerSecrets); err != nil {
		return err
	}
	return w.DB.Exec("INSERT INTO source_secrets (id, source_id, sealed, created_at) VALUES ($1, $2, $3, $4)",
		s.ID, sourceID, s.Sealed, now)
}

// Secrets returns the secrets of a source that are good at a time, the newest first.
func (q Reader) Secrets(sourceID string, at api.Time) ([]Secret, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (s Secret, err error) { return s, r.Scan(&s.ID, &s.Sealed) },
		`SELECT id, sealed FROM source_secrets WHERE source_id = $1 AND (expires_at IS NULL OR expires_at > $2)
		ORDER BY id DESC`, sourceID, at.UnixMilli())
}

// DeleteSecret deletes a secret of a source.
func (w Writer) DeleteSecret(id string) error {
	return w.DB.Exec("DELETE FROM source_secrets WHERE id = $1", id)
}
