// Package recordings stores recording links, with which people without an account file what a member has asked for.
//
// A link is found by the hash of its token, and read together with the rights of its creator, so that none works longer than these.
// TakeReport counts a report in the transaction that files it: concurrent reports never exceed the number that a link takes.
package recordings

import (
	"strings"

	"bugslice/api"
	"bugslice/internal/store/policies"
	"bugslice/internal/store/sqldb"
)

// Link is a stored recording link with its workspace and its creator. Active is not set.
type Link struct {
	api.RecordingLink
	OrgID     string
	Workspace string // the name of its workspace
	Creator   Creator
}

// Creator is the state of the user and the key that created a link, as the policy of the organisation leaves it.
type Creator struct {
	Name         string // of the user, or else of the key
	IsMember     bool   // whether the user is a member of the workspace
	UserDisabled bool
	KeyRevoked   bool
	KeyExpiresAt *api.Time
	KeyScopes    []api.Scope
}

// Reader reads links.
type Reader struct{ DB *sqldb.Executor }

// Writer changes links.
type Writer struct{ Reader }

const selectLinks = `SELECT l.id, l.workspace_id, l.ask, l.site_url, l.max_reports, l.reports, l.user_id, l.key_id, l.created_at,
		l.expires_at, w.org_id, w.name, COALESCE(u.name, k.name), m.user_id, u.disabled_at,
		k.revoked_at, k.expires_at, COALESCE(k.scopes, ''), COALESCE(k.type, ''), COALESCE(k.created_at, 0), ` + policies.Columns + `
	FROM recording_links l JOIN workspaces w ON w.id = l.workspace_id JOIN organizations o ON o.id = w.org_id
		LEFT JOIN users u ON u.id = l.user_id LEFT JOIN memberships m ON m.workspace_id = l.workspace_id AND m.user_id = l.user_id
		LEFT JOIN api_keys k ON k.id = l.key_id `

func scanLink(r sqldb.Row) (l Link, err error) {
	var scopes string
	var created, expires, keyCreated int64
	var disabled, revoked, keyExpires *int64
	var member *string
	var keyType api.KeyType
	var p policies.Row
	err = r.Scan(append([]any{&l.ID, &l.WorkspaceID, &l.Ask, &l.SiteURL, &l.MaxReports, &l.Reports, &l.CreatedBy.UserID,
		&l.CreatedBy.KeyID, &created, &expires, &l.OrgID, &l.Workspace, &l.Creator.Name, &member, &disabled,
		&revoked, &keyExpires, &scopes, &keyType, &keyCreated}, p.Targets()...)...)
	l.CreatedAt, l.ExpiresAt = api.FromMillis(created), api.FromMillis(expires)
	c := &l.Creator
	c.IsMember, c.UserDisabled, c.KeyRevoked = member != nil, disabled != nil, revoked != nil
	if l.CreatedBy.KeyID != nil {
		given := []api.Scope{}
		for word := range strings.FieldsSeq(scopes) {
			given = append(given, api.Scope(word))
		}
		policy := p.Decode()
		c.KeyExpiresAt = policy.KeyEnd(keyType, api.FromMillis(keyCreated), sqldb.TimeAt(keyExpires))
		c.KeyScopes = policy.KeyScopes(keyType, given)
	}
	return l, err
}

// ByHash returns the link of the token with a hash, active or not, or sqldb.ErrNotFound.
func (q Reader) ByHash(hash string) (Link, error) {
	return sqldb.One(q.DB, scanLink, selectLinks+"WHERE l.hash = $1", hash)
}

// Link returns a link, active or not, or sqldb.ErrNotFound.
func (q Reader) Link(id string) (Link, error) {
	return sqldb.One(q.DB, scanLink, selectLinks+"WHERE l.id = $1", id)
}

// Shown says which links a list has: all of the workspaces, and in any workspace of Within those that a user has created.
type Shown struct {
	Workspaces []string
	Within     []string
	UserID     string
}

// Links returns at most limit links after afterID that have not expired, by id.
func (q Reader) Links(of Shown, afterID string, now api.Time, limit int) ([]Link, error) {
	var p sqldb.Params
	var any []string
	if len(of.Workspaces) > 0 {
		any = append(any, "l.workspace_id IN "+sqldb.In(&p, of.Workspaces))
	}
	if len(of.Within) > 0 && of.UserID != "" {
		any = append(any, "l.workspace_id IN "+sqldb.In(&p, of.Within)+" AND l.user_id = "+p.Add(of.UserID))
	}
	if len(any) == 0 {
		return nil, nil
	}
	return sqldb.List(q.DB, scanLink, selectLinks+"WHERE ("+strings.Join(any, " OR ")+") AND l.id > "+p.Add(afterID)+
		" AND l.expires_at > "+p.Add(now.UnixMilli())+" ORDER BY l.id LIMIT "+p.Add(limit), p.Args...)
}

// Count returns the number of links of a workspace that have not expired.
func (q Reader) Count(workspaceID string, now api.Time) (int, error) {
	return sqldb.One(q.DB, sqldb.ScanOne[int],
		"SELECT count(*) FROM recording_links WHERE workspace_id = $1 AND expires_at > $2", workspaceID, now.UnixMilli())
}

// Insert stores a new link with the hash of its token.
func (w Writer) Insert(l Link, hash string) error {
	return w.DB.Exec(`INSERT INTO recording_links (id, workspace_id, hash, ask, site_url, max_reports, user_id, key_id, created_at,
			expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, l.ID, l.WorkspaceID, hash, l.Ask, l.SiteURL, l.MaxReports,
		l.CreatedBy.UserID, l.CreatedBy.KeyID, l.CreatedAt.UnixMilli(), l.ExpiresAt.UnixMilli())
}

// TakeReport counts a report that arrives by a link. It returns false when the link takes no more, or is gone.
func (w Writer) TakeReport(id string) (bool, error) {
	n, err := w.DB.ExecCount("UPDATE recording_links SET reports = reports + 1 WHERE id = $1 AND reports < max_reports", id)
	return n == 1, err
}

// Delete deletes a link. It returns sqldb.ErrNotFound if the link does not exist.
func (w Writer) Delete(id string) error {
	return w.DB.ExecOne(sqldb.ErrNotFound, "DELETE FROM recording_links WHERE id = $1", id)
}
