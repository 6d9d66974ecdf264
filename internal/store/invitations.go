package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Invitation is a stored invitation to an organisation.
type Invitation struct {
	ID, OrgID, Email string
	Role             api.Role // in the organisation
	WorkspaceRole    api.Role // in each of the workspaces
	Workspaces       []string
	UserID           string // who has invited
	CreatedAt        api.Time
	ExpiresAt        api.Time
}

const invitationColumns = "i.id, i.org_id, i.email, i.role, i.workspace_role, i.workspaces, i.user_id, i.created_at, i.expires_at"

func scanInvitation(r sqldb.Row) (i Invitation, err error) {
	var workspaces string
	var created, expires int64
	err = r.Scan(&i.ID, &i.OrgID, &i.Email, &i.Role, &i.WorkspaceRole, &workspaces, &i.UserID, &created, &expires)
	i.Workspaces, i.CreatedAt, i.ExpiresAt = split[string](workspaces), api.FromMillis(created), api.FromMillis(expires)
	return i, err
}

// Invitations returns the invitations of an organisation that have not expired, oldest first.
func (q Queries) Invitations(orgID string, now api.Time) ([]Invitation, error) {
	return sqldb.List(q.db, scanInvitation, "SELECT "+invitationColumns+` FROM invitations i
		WHERE i.org_id = $1 AND i.expires_at > $2 ORDER BY i.id`, orgID, now.UnixMilli())
}

// Invitation returns an invitation, expired or not.
func (q Queries) Invitation(id string) (Invitation, error) {
	return sqldb.One(q.db, scanInvitation, "SELECT "+invitationColumns+" FROM invitations i WHERE i.id = $1", id)
}

// InvitationOfToken returns the invitation of the token with a hash that has not expired.
func (q Queries) InvitationOfToken(hash string, now api.Time) (Invitation, error) {
	return sqldb.One(q.db, scanInvitation, "SELECT "+invitationColumns+
		" FROM invitations i WHERE i.hash = $1 AND i.expires_at > $2",
		hash, now.UnixMilli())
}

// InsertInvitation stores an invitation in place of a former one to the same e-mail address.
func (tx *Tx) InsertInvitation(i Invitation, hash string) error {
	if err := tx.db.Exec("DELETE FROM invitations WHERE org_id = $1 AND email = $2", i.OrgID, i.Email); err != nil {
		return err
	}
	return tx.db.Exec(`INSERT INTO invitations (id, org_id, hash, email, role, workspace_role, workspaces, user_id, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, i.ID, i.OrgID, hash, i.Email, i.Role, i.WorkspaceRole, join(i.Workspaces),
		i.UserID, i.CreatedAt.UnixMilli(), i.ExpiresAt.UnixMilli())
}

// DeleteInvitation deletes an invitation, or returns ErrNotFound. Of concurrent transactions that use an invitation,
// only one deletes it.
func (tx *Tx) DeleteInvitation(id string) error {
	return tx.db.ExecOne(ErrNotFound, "DELETE FROM invitations WHERE id = $1", id)
}

// DeleteInvitationsOf deletes the invitations by a user, and those to an e-mail address in the organisation.
func (tx *Tx) DeleteInvitationsOf(orgID, userID, email string) error {
	return tx.db.Exec("DELETE FROM invitations WHERE org_id = $1 AND (user_id = $2 OR email = $3)", orgID, userID,
		email)
}
