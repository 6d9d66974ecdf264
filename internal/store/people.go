package store

import (
	"errors"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// PeopleFilter is the filter and the position of a list of users.
type PeopleFilter struct {
	OrgID   string
	Reader  string   // only those who share a workspace with this user; empty for all
	Words   []string // only those whose names may have words that begin with these, or their e-mail addresses when Reader is empty
	AfterID string
	Limit   int
}

// People returns at most f.Limit users of an organisation after f.AfterID who are not erased, by id.
func (q Queries) People(f PeopleFilter) ([]User, error) {
	p := sqldb.Params{Args: []any{f.OrgID, f.AfterID, f.Reader, f.Limit}}
	searched := "u.name"
	if f.Reader == "" {
		searched = "(u.name || ' ' || u.email)"
	}
	return sqldb.List(q.db, scanUser, "SELECT "+userColumns+` FROM users u WHERE u.org_id = $1 AND u.id > $2 AND u.erased_at IS NULL
		AND ($3 = '' OR u.id = $3 OR EXISTS (SELECT 1 FROM memberships m JOIN memberships r ON r.workspace_id = m.workspace_id
			WHERE m.user_id = u.id AND r.user_id = $3)) AND `+q.mayHaveWords(&p, searched, f.Words)+`
		ORDER BY u.id LIMIT $4`, p.Args...)
}

// MembershipsOfUsers returns the memberships of users, by user and workspace.
func (q Queries) MembershipsOfUsers(userIDs []string) ([]Membership, error) {
	if len(userIDs) == 0 {
		return nil, nil
	}
	var p sqldb.Params
	return sqldb.List(q.db, func(r sqldb.Row) (m Membership, err error) {
		return m, r.Scan(&m.WorkspaceID, &m.UserID, &m.Role)
	}, "SELECT workspace_id, user_id, role FROM memberships WHERE user_id IN "+sqldb.In(&p, userIDs)+
		" ORDER BY user_id, workspace_id",
		p.Args...)
}

// SetOrganizationRole changes the role of a user in the organisation.
func (tx *Tx) SetOrganizationRole(userID string, role api.Role) error {
	return tx.db.Exec("UPDATE users SET role = $2 WHERE id = $1", userID, role)
}

// DeleteSessions deletes the sessions of a user, and the links to a password and to another address.
func (tx *Tx) DeleteSessions(userID string) error {
	return errors.Join(tx.execEach(userID, "DELETE FROM sessions WHERE user_id = $1"), tx.execEach(userID, linksOfUser...))
}

// linksOfUser delete the links of a user that others may have.
var linksOfUser = []string{"DELETE FROM reset_links WHERE user_id = $1", "DELETE FROM asked_reset_links WHERE user_id = $1",
	"DELETE FROM email_changes WHERE user_id = $1"}

// KeysOf returns the PATs of a user that are not revoked, by id.
func (q Queries) KeysOf(userID string) ([]Key, error) {
	return sqldb.List(q.db, scanKey,
		"SELECT "+keyColumns+keysOf+"WHERE k.user_id = $1 AND k.revoked_at IS NULL ORDER BY k.id", userID)
}
