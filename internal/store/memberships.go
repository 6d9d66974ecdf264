package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Membership is the role of a user in a workspace.
type Membership struct {
	WorkspaceID, UserID string
	Role                api.Role
}

const roleInWorkspace = "SELECT role FROM memberships WHERE user_id = $2 AND workspace_id = $1"

// Role returns the role of a user in a workspace; ErrNotFound for a user who is no member.
func (q Queries) Role(workspaceID, userID string) (api.Role, error) {
	return sqldb.One(q.brief().db, sqldb.ScanOne[api.Role], roleInWorkspace, workspaceID, userID)
}

// LockRole is Role with a row lock on the membership.
func (tx *Tx) LockRole(workspaceID, userID string) (api.Role, error) {
	return sqldb.One(tx.db, sqldb.ScanOne[api.Role], roleInWorkspace+tx.db.Engine.LockRow, workspaceID, userID)
}

// MembershipsOf returns the memberships of a user, by workspace.
func (q Queries) MembershipsOf(userID string) ([]Membership, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (m Membership, err error) {
		return m, r.Scan(&m.WorkspaceID, &m.UserID, &m.Role)
	}, "SELECT workspace_id, user_id, role FROM memberships WHERE user_id = $1 ORDER BY workspace_id", userID)
}

// WorkspaceIDsOf returns the workspaces in which a user has a role, or any role if role is empty.
func (q Queries) WorkspaceIDsOf(userID string, role api.Role) ([]string, error) {
	return sqldb.List(q.db, sqldb.ScanOne[string], `SELECT workspace_id FROM memberships WHERE user_id = $1 AND ($2 = '' OR role = $2)
		ORDER BY workspace_id`, userID, string(role))
}

// Members returns at most limit members of a workspace after afterID, by user id: all, or those whose names may have
// words that begin with the searched ones.
func (q Queries) Members(workspaceID string, searched []string, afterID string, limit int) ([]api.Member, error) {
	var p sqldb.Params
	return sqldb.List(q.db, func(r sqldb.Row) (m api.Member, err error) {
		return m, r.Scan(&m.UserID, &m.Name, &m.Email, &m.Role)
	}, "SELECT m.user_id, u.name, u.email, m.role FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = "+
		p.Add(workspaceID)+" AND m.user_id > "+p.Add(afterID)+" AND "+q.mayHaveWords(&p, "u.name", searched)+
		" ORDER BY m.user_id LIMIT "+p.Add(limit), p.Args...)
}

// MembersByEmail returns the member of a workspace with an e-mail address, when its id is after afterID.
func (q Queries) MembersByEmail(workspaceID, email, afterID string) ([]api.Member, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (m api.Member, err error) {
		return m, r.Scan(&m.UserID, &m.Name, &m.Email, &m.Role)
	}, `SELECT m.user_id, u.name, u.email, m.role FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.workspace_id = $1 AND u.email = $2 AND m.user_id > $3`, workspaceID, email, afterID)
}

// FindMembers returns the members of a workspace whose ids or e-mail addresses are given, by id and by e-mail address.
func (q Queries) FindMembers(workspaceID string, idsAndEmails []string) (map[string]api.Mention, error) {
	members := map[string]api.Mention{}
	if len(idsAndEmails) == 0 {
		return members, nil
	}
	var p sqldb.Params
	type member struct {
		api.Mention
		email string
	}
	rows, err := sqldb.List(q.db, func(r sqldb.Row) (m member, err error) {
		return m,
			r.Scan(&m.UserID, &m.Name, &m.email)
	},
		findMembers(&p, workspaceID, idsAndEmails), p.Args...)
	for _, m := range rows {
		members[m.UserID], members[m.email] = m.Mention, m.Mention
	}
	return members, err
}

// findMembers is the statement of FindMembers. It looks the membership of each user up: with a join or EXISTS, both
// databases may read all members of the workspace, of whom they expect few.
func findMembers(p *sqldb.Params, workspaceID string, names []string) string {
	return "SELECT u.id, u.name, u.email FROM users u WHERE (u.id IN " + sqldb.In(p, names) + " OR u.email IN " + sqldb.In(p, names) + `)
		AND (SELECT m.role FROM memberships m WHERE m.workspace_id = ` + p.Add(workspaceID) + " AND m.user_id = u.id) IS NOT NULL"
}

// MentionNames returns the names by which texts mention those of some users who are members of one of the workspaces:
// their ids and e-mail addresses.
func (q Queries) MentionNames(workspaces, userIDs []string) (names []string, err error) {
	var p sqldb.Params
	found, err := sqldb.List(q.db, func(r sqldb.Row) (n [2]string, err error) { return n, r.Scan(&n[0], &n[1]) },
		"SELECT u.id, u.email FROM users u WHERE u.id IN "+sqldb.In(&p, userIDs)+
			" AND EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.workspace_id IN "+
			sqldb.In(&p, workspaces)+
			") ORDER BY u.id", p.Args...)
	for _, n := range found {
		names = append(names, n[0], n[1])
	}
	return names, err
}

// PutMember makes a user a member of a workspace, or changes the role of a member.
func (tx *Tx) PutMember(workspaceID, userID string, role api.Role, at api.Time) error {
	err := tx.db.Exec(`INSERT INTO memberships (workspace_id, user_id, role, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`, workspaceID, userID, role, at.UnixMilli())
	if err != nil {
		return err
	}
	return tx.DeleteFormerAssignee(Assignee{workspaceID, userID})
}

// DeleteMember ends a membership; ErrNotFound for a user who is no member.
func (tx *Tx) DeleteMember(workspaceID, userID string) error {
	return tx.db.ExecOne(ErrNotFound, "DELETE FROM memberships WHERE workspace_id = $1 AND user_id = $2", workspaceID,
		userID)
}

// Assignee is a user to whom slices of a workspace are assigned.
type Assignee struct{ WorkspaceID, UserID string }

// InsertFormerAssignee records that a user who is no member any more is still assigned to slices of the workspace.
func (tx *Tx) InsertFormerAssignee(a Assignee) error {
	return tx.db.Exec("INSERT INTO former_assignees (workspace_id, user_id) VALUES ($1, $2) ON CONFLICT (workspace_id, user_id) DO NOTHING",
		a.WorkspaceID, a.UserID)
}

// LockFormerAssignee returns a user of InsertFormerAssignee with a row lock, or ErrNotFound.
func (tx *Tx) LockFormerAssignee() (Assignee, error) {
	return sqldb.One(tx.db, func(r sqldb.Row) (a Assignee, err error) { return a, r.Scan(&a.WorkspaceID, &a.UserID) },
		"SELECT workspace_id, user_id FROM former_assignees ORDER BY workspace_id, user_id LIMIT 1"+
			tx.db.Engine.LockRow)
}

// DeleteFormerAssignee deletes what InsertFormerAssignee has recorded, if anything.
func (tx *Tx) DeleteFormerAssignee(a Assignee) error {
	return tx.db.Exec("DELETE FROM former_assignees WHERE workspace_id = $1 AND user_id = $2", a.WorkspaceID, a.UserID)
}

// AdminNames returns the names of at most limit admins of a workspace that are not disabled.
func (q Queries) AdminNames(workspaceID string, limit int) ([]string, error) {
	return sqldb.List(q.db, sqldb.ScanOne[string], `SELECT u.name FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.workspace_id = $1 AND m.role = 'admin' AND u.disabled_at IS NULL ORDER BY u.id LIMIT $2`, workspaceID, limit)
}

// CountAdmins returns the number of a workspace's admins that are not disabled.
func (q Queries) CountAdmins(workspaceID string) (int, error) {
	return sqldb.One(q.db, sqldb.ScanOne[int], `SELECT count(*) FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.workspace_id = $1 AND m.role = 'admin' AND u.disabled_at IS NULL`, workspaceID)
}
