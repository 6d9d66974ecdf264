package store

import (
	"bugslice/api"
)

// Workspace is a stored workspace, with the version its updates are conditional on.
type Workspace struct {
	api.Workspace
	Version int64
}

const workspaceColumns = "w.id, w.org_id, w.name, w.description, w.redaction, w.version, w.created_at, w.updated_at"

func scanWorkspace(r row) (Workspace, error) {
	var w Workspace
	var created, updated int64
	var redaction string
	err := r.Scan(&w.ID, &w.OrganizationID, &w.Name, &w.Description, &redaction, &w.Version, &created, &updated)
	if err != nil {
		return w, err
	}
	w.CreatedAt, w.UpdatedAt = api.FromMillis(created), api.FromMillis(updated)
	w.Redaction = api.RedactionRules{Fields: []string{}, Patterns: []api.RedactionPattern{}, Allow: []string{}}
	return w, unpack(redaction, &w.Redaction)
}

const workspaceByID = "SELECT " + workspaceColumns + " FROM workspaces w WHERE w.id = $1"

// Workspace returns a workspace, whoever sees it.
func (q Queries) Workspace(id string) (Workspace, error) {
	return one(q.db, scanWorkspace, workspaceByID, id)
}

// LockWorkspace is Workspace with a row lock.
func (tx *Tx) LockWorkspace(id string) (Workspace, error) {
	return one(tx.db, scanWorkspace, workspaceByID+tx.db.engine.lockRow, id)
}

// WorkspacesOf returns at most limit workspaces behind afterID that a user is a member of.
func (q Queries) WorkspacesOf(userID, afterID string, limit int) ([]Workspace, error) {
	return list(q.db, scanWorkspace, "SELECT "+workspaceColumns+` FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
		WHERE m.user_id = $1 AND m.workspace_id > $2 ORDER BY m.workspace_id LIMIT $3`, userID, afterID, limit)
}

// WorkspacesIn returns the workspaces of an organisation, oldest first.
func (q Queries) WorkspacesIn(orgID string) ([]Workspace, error) {
	return list(q.db, scanWorkspace, "SELECT "+workspaceColumns+" FROM workspaces w WHERE w.org_id = $1 ORDER BY w.id", orgID)
}

// InsertWorkspace stores a new workspace.
func (tx *Tx) InsertWorkspace(w *Workspace) error {
	redaction, err := packRules(w.Redaction)
	if err != nil {
		return err
	}
	w.Version = 1
	_, err = tx.db.exec(`INSERT INTO workspaces (id, org_id, name, description, redaction, version, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		w.ID, w.OrganizationID, w.Name, w.Description, redaction, w.Version, w.CreatedAt.UnixMilli(), w.UpdatedAt.UnixMilli())
	return err
}

// UpdateWorkspace stores w over the version it was read at, else ErrConflict.
func (tx *Tx) UpdateWorkspace(w *Workspace) error {
	redaction, err := packRules(w.Redaction)
	if err != nil {
		return err
	}
	n, err := tx.db.exec(`UPDATE workspaces SET name = $3, description = $4, updated_at = $5, redaction = $6, version = version + 1
		WHERE id = $1 AND version = $2`, w.ID, w.Version, w.Name, w.Description, w.UpdatedAt.UnixMilli(), redaction)
	if err == nil && n == 0 {
		err = ErrConflict
	}
	w.Version++
	return err
}

func packRules(r api.RedactionRules) (string, error) {
	return pack(r, len(r.Fields)+len(r.Patterns)+len(r.Allow) == 0)
}

// Counters are what a workspace counts: the last number given to a slice and the last
// sequence given to an event. Subscriptions is 0 when it has no webhook, else a number that
// changes with every change of its webhooks. Stored is how many bytes it counts, and Filed how many
// slices and occurrences were filed on the day.
type Counters struct {
	Number, Sequence, Subscriptions, Stored, Filed int64

	Charged bool // the events that the sequences were taken for are counted in Stored
}

// Advance takes numbers and sequences from a workspace and returns the last of each. It is
// the last lock of a transaction, so that commits and counters are in one order.
func (tx *Tx) Advance(workspaceID string, numbers, events int) (Counters, error) {
	return tx.advance(workspaceID, numbers, events, 0, 0)
}

// AdvanceFiled is Advance for one event that a slice or an occurrence was filed with, on a day. An event
// that tells of a new number was charged with the number 0: its further digits are counted here.
func (tx *Tx) AdvanceFiled(workspaceID string, numbers, events int, day int64) (Counters, error) {
	return tx.advance(workspaceID, numbers, events, 1, day)
}

func (tx *Tx) advance(workspaceID string, numbers, events, filed int, day int64) (Counters, error) {
	bytes := tx.charged[workspaceID]
	c, err := one(tx.db, func(r row) (c Counters, err error) {
		return c, r.Scan(&c.Number, &c.Sequence, &c.Subscriptions, &c.Stored, &c.Filed)
	},
		`UPDATE workspaces SET last_number = last_number + $2, last_sequence = last_sequence + $3,
			stored = stored + $4 + $5 * (length(CAST(last_number + $2 AS TEXT)) - 1),
			day_slices = CASE WHEN $6 = 0 OR day = $7 THEN day_slices ELSE 0 END + $6, day = CASE WHEN $6 = 0 THEN day ELSE $7 END
		WHERE id = $1 RETURNING last_number, last_sequence, subscriptions, stored, day_slices`,
		workspaceID, numbers, events, bytes, numbers*filed, filed, day)
	if err == nil {
		delete(tx.charged, workspaceID)
		tx.workspace = workspaceID
	}
	return c, err
}

const roleInWorkspace = "SELECT role FROM memberships WHERE user_id = $2 AND workspace_id = $1"

// Role returns what a user is in a workspace; ErrNotFound when not a member.
func (q Queries) Role(workspaceID, userID string) (api.Role, error) {
	return one(q.db, scanOne[api.Role], roleInWorkspace, workspaceID, userID)
}

// LockRole is Role with a row lock on the membership.
func (tx *Tx) LockRole(workspaceID, userID string) (api.Role, error) {
	return one(tx.db, scanOne[api.Role], roleInWorkspace+tx.db.engine.lockRow, workspaceID, userID)
}

// MembershipsOf returns what a user is in each of its workspaces.
func (q Queries) MembershipsOf(userID string) ([]Membership, error) {
	return list(q.db, func(r row) (m Membership, err error) {
		return m, r.Scan(&m.WorkspaceID, &m.UserID, &m.Role)
	}, "SELECT workspace_id, user_id, role FROM memberships WHERE user_id = $1 ORDER BY workspace_id", userID)
}

// WorkspaceIDsOf returns every workspace a user is a member of; with a role, only those where it is that.
func (q Queries) WorkspaceIDsOf(userID string, role api.Role) ([]string, error) {
	return list(q.db, scanOne[string], `SELECT workspace_id FROM memberships WHERE user_id = $1 AND ($2 = '' OR role = $2)
		ORDER BY workspace_id`, userID, string(role))
}

// Members returns at most limit members of a workspace behind afterID, ordered by user id.
func (q Queries) Members(workspaceID, afterID string, limit int) ([]api.Member, error) {
	return list(q.db, func(r row) (m api.Member, err error) {
		return m, r.Scan(&m.UserID, &m.Name, &m.Email, &m.Role)
	}, `SELECT m.user_id, u.name, u.email, m.role FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.workspace_id = $1 AND m.user_id > $2 ORDER BY m.user_id LIMIT $3`, workspaceID, afterID, limit)
}

// PutMember makes a user a member of a workspace, or changes its role there.
func (tx *Tx) PutMember(workspaceID, userID string, role api.Role, at api.Time) error {
	_, err := tx.db.exec(`INSERT INTO memberships (workspace_id, user_id, role, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`, workspaceID, userID, role, at.UnixMilli())
	return err
}

// DeleteMember ends a membership; ErrNotFound when there is none.
func (tx *Tx) DeleteMember(workspaceID, userID string) error {
	n, err := tx.db.exec("DELETE FROM memberships WHERE workspace_id = $1 AND user_id = $2", workspaceID, userID)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// CountAdmins returns how many admins a workspace has whose account is not disabled.
func (q Queries) CountAdmins(workspaceID string) (int, error) {
	return one(q.db, scanOne[int], `SELECT count(*) FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.workspace_id = $1 AND m.role = 'admin' AND u.disabled_at IS NULL`, workspaceID)
}

const spaceColumns = "id, workspace_id, name, description, created_at, updated_at"

func scanSpace(r row) (s api.Space, err error) {
	var created, updated int64
	err = r.Scan(&s.ID, &s.WorkspaceID, &s.Name, &s.Description, &created, &updated)
	s.CreatedAt, s.UpdatedAt = api.FromMillis(created), api.FromMillis(updated)
	return s, err
}

// Space returns a space of a workspace.
func (q Queries) Space(workspaceID, id string) (api.Space, error) {
	return one(q.db, scanSpace, "SELECT "+spaceColumns+" FROM spaces WHERE id = $2 AND workspace_id = $1", workspaceID, id)
}

// Spaces returns at most limit spaces of a workspace behind afterID.
func (q Queries) Spaces(workspaceID, afterID string, limit int) ([]api.Space, error) {
	return list(q.db, scanSpace, "SELECT "+spaceColumns+" FROM spaces WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT $3",
		workspaceID, afterID, limit)
}

// InsertSpace stores a new space.
func (tx *Tx) InsertSpace(s api.Space) error {
	_, err := tx.db.exec(`INSERT INTO spaces (id, workspace_id, name, description, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		s.ID, s.WorkspaceID, s.Name, s.Description, s.CreatedAt.UnixMilli(), s.UpdatedAt.UnixMilli())
	return err
}
