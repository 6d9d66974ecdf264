package store

import (
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Workspace is a stored workspace.
type Workspace struct{ api.Workspace }

const workspaceColumns = `w.id, w.org_id, w.key, w.name, w.description, w.time_zone, w.metadata_keys, w.redaction, w.report_templates,
	w.label_colors, w.mail_content, w.keep_file_metadata, w.version, w.created_at, w.updated_at`

func scanWorkspace(r sqldb.Row) (Workspace, error) {
	var w Workspace
	var created, updated, keep int64
	var keys, redaction, templates, colors string
	err := r.Scan(&w.ID, &w.OrganizationID, &w.Key, &w.Name, &w.Description, &w.TimeZone, &keys, &redaction,
		&templates, &colors, &w.MailContent, &keep, &w.Version, &created, &updated)
	if err != nil {
		return w, err
	}
	w.CreatedAt, w.UpdatedAt, w.KeepFileMetadata = api.FromMillis(created), api.FromMillis(updated), keep == 1
	w.Redaction, w.ReportTemplates, w.LabelColors = api.NoRedactionRules(), []api.ReportTemplate{}, map[string]api.LabelColor{}
	err = errors.Join(unpack(keys, &w.MetadataKeys), unpack(redaction, &w.Redaction), unpack(templates, &w.ReportTemplates),
		unpack(colors, &w.LabelColors))
	return w, err
}

const workspaceByID = "SELECT " + workspaceColumns + " FROM workspaces w WHERE w.id = $1"

// Workspace returns a workspace.
func (q Queries) Workspace(id string) (Workspace, error) {
	return sqldb.One(q.db, scanWorkspace, workspaceByID, id)
}

// LockWorkspace is Workspace with a row lock.
func (tx *Tx) LockWorkspace(id string) (Workspace, error) {
	return sqldb.One(tx.db, scanWorkspace, workspaceByID+tx.db.Engine.LockRow, id)
}

// WorkspacesOf returns at most limit workspaces of a user after afterID, by id.
func (q Queries) WorkspacesOf(userID, afterID string, limit int) ([]Workspace, error) {
	return sqldb.List(q.db, scanWorkspace, "SELECT "+workspaceColumns+` FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
		WHERE m.user_id = $1 AND m.workspace_id > $2 ORDER BY m.workspace_id LIMIT $3`, userID, afterID, limit)
}

// MemberWorkspace is a workspace with the role of a member.
type MemberWorkspace struct {
	ID, Key, Name string
	TimeZone      string
	MetadataKeys  []string
	LabelColors   map[string]api.LabelColor
	Role          api.Role
	Sequence      int64 // of the newest event
	HasTests      bool  // whether a run of tests was counted
}

// MemberWorkspaces returns the workspaces of a user.
func (q Queries) MemberWorkspaces(userID string) ([]MemberWorkspace, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (w MemberWorkspace, err error) {
		var keys, colors string
		var tests int64
		err = r.Scan(&w.ID, &w.Key, &w.Name, &w.TimeZone, &keys, &colors, &w.Role, &w.Sequence, &tests)
		w.HasTests = tests == 1
		if err == nil {
			err = errors.Join(unpack(keys, &w.MetadataKeys), unpack(colors, &w.LabelColors))
		}
		return w, err
	}, `SELECT w.id, w.key, w.name, w.time_zone, w.metadata_keys, w.label_colors, m.role, w.last_sequence, w.has_tests
		FROM memberships m JOIN workspaces w ON w.id = m.workspace_id WHERE m.user_id = $1`, userID)
}

// WorkspacesIn returns the workspaces of an organisation, oldest first.
func (q Queries) WorkspacesIn(orgID string) ([]Workspace, error) {
	return sqldb.List(q.db, scanWorkspace, "SELECT "+workspaceColumns+
		" FROM workspaces w WHERE w.org_id = $1 ORDER BY w.id", orgID)
}

// InsertWorkspace stores a new workspace, with the version 1 unless it has one. Its key must be reserved.
func (tx *Tx) InsertWorkspace(w *Workspace) error {
	p, err := packWorkspace(w)
	if err != nil {
		return err
	}
	w.Version = max(w.Version, 1)
	return tx.db.Exec(`INSERT INTO workspaces (id, org_id, key, name, description, time_zone, metadata_keys, redaction, version, created_at,
			updated_at, keep_file_metadata, report_templates, label_colors, mail_content)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		w.ID, w.OrganizationID, w.Key, w.Name, w.Description, w.TimeZone, p.metadataKeys, p.redaction, w.Version,
		w.CreatedAt.UnixMilli(), w.UpdatedAt.UnixMilli(), sqldb.Flag(w.KeepFileMetadata), p.templates, p.colors, w.MailContent)
}

// UpdateWorkspace stores w over the version it was read at, else ErrConflict. Its key must be reserved.
func (tx *Tx) UpdateWorkspace(w *Workspace) error {
	p, err := packWorkspace(w)
	if err != nil {
		return err
	}
	err = tx.db.ExecOne(ErrConflict, `UPDATE workspaces SET name = $3, description = $4, updated_at = $5, redaction = $6, key = $7,
			time_zone = $8, metadata_keys = $9, keep_file_metadata = $10, report_templates = $11, label_colors = $12, mail_content = $13,
			version = version + 1
		WHERE id = $1 AND version = $2`,
		w.ID, w.Version, w.Name, w.Description, w.UpdatedAt.UnixMilli(), p.redaction, w.Key, w.TimeZone, p.metadataKeys,
		sqldb.Flag(w.KeepFileMetadata), p.templates, p.colors, w.MailContent)
	w.Version++
	return err
}

// packedWorkspace are the JSON columns of a workspace.
type packedWorkspace struct{ metadataKeys, redaction, templates, colors string }

func packWorkspace(w *Workspace) (p packedWorkspace, err error) {
	err = errors.Join(
		pack(&p.metadataKeys, w.MetadataKeys, len(w.MetadataKeys) == 0),
		pack(&p.redaction, w.Redaction, w.Redaction.IsEmpty()),
		pack(&p.templates, w.ReportTemplates, len(w.ReportTemplates) == 0),
		pack(&p.colors, w.LabelColors, len(w.LabelColors) == 0))
	return p, err
}

// MetadataKeys returns the keys of metadata by which the slices of workspaces are filtered, for each workspace that
// has some.
func (q Queries) MetadataKeys(workspaceIDs []string) (map[string][]string, error) {
	all := map[string][]string{}
	for chunk := range slices.Chunk(workspaceIDs, workspacesPerQuery) {
		var p sqldb.Params
		_, err := sqldb.List(q.db, func(r sqldb.Row) (_ struct{}, err error) {
			var id, text string
			var keys []string
			if err = r.Scan(&id, &text); err == nil {
				err = unpack(text, &keys)
			}
			all[id] = keys
			return struct{}{}, err
		}, "SELECT id, metadata_keys FROM workspaces WHERE id IN "+sqldb.In(&p, chunk)+" AND metadata_keys <> ''",
			p.Args...)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
