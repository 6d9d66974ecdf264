package policies

import (
	"strings"

	"bugslice/api"
	"bugslice/internal/store/identities"
	"bugslice/internal/store/sqldb"
)

// Session is a session that policies may end, with its user.
type Session struct {
	ID, UserID, Name, Email string
	CreatedAt, LastUsedAt   api.Time
	EndsAt                  *api.Time
}

// Sessions returns the sessions of an organisation that nothing but their limits ends, by user.
func (q Reader) Sessions(orgID string) ([]Session, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (s Session, err error) {
		var created, used int64
		var ends *int64
		err = r.Scan(&s.ID, &s.UserID, &s.Name, &s.Email, &created, &used, &ends)
		s.CreatedAt, s.LastUsedAt, s.EndsAt = api.FromMillis(created), api.FromMillis(used), sqldb.TimeAt(ends)
		return s, err
	}, `SELECT s.id, u.id, u.name, u.email, s.created_at, s.last_used_at, s.ends_at
		FROM users u JOIN sessions s ON s.user_id = u.id AND s.epoch = u.session_epoch
		WHERE u.org_id = $1 AND u.disabled_at IS NULL AND NOT `+identities.WithoutProvider+` ORDER BY u.name, u.id, s.id`, orgID)
}

// Key is a key that policies may end or limit, as it was created.
type Key struct {
	api.PolicyKey
	UserID    string
	Role      api.Role // of the user in the organisation; empty for a WST
	Scopes    []api.Scope
	CreatedAt api.Time
	ExpiresAt *api.Time
	FilesOnly bool
}

// Keys returns the keys of an organisation that are not revoked, and whose user is not disabled, the last used first.
func (q Reader) Keys(orgID string) ([]Key, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (k Key, err error) {
		var scopes string
		var created, files int64
		var expires, used *int64
		err = r.Scan(&k.ID, &k.Name, &k.Owner, &k.Type, &k.UserID, &k.Role, &scopes, &created, &expires, &used, &k.Address, &files,
			&k.Webhooks)
		for _, s := range strings.Fields(scopes) {
			k.Scopes = append(k.Scopes, api.Scope(s))
		}
		k.CreatedAt, k.ExpiresAt, k.LastUsedAt = api.FromMillis(created), sqldb.TimeAt(expires), sqldb.TimeAt(used)
		k.FilesOnly = files == 1
		return k, err
	}, `SELECT k.id, k.name, COALESCE(u.name, w.name, ''), k.type, COALESCE(k.user_id, ''), COALESCE(u.role, ''), k.scopes, k.created_at,
			k.expires_at, k.last_used_at, COALESCE(k.last_used_address, ''), k.files_only,
			COALESCE(h.webhooks, 0)
		FROM api_keys k LEFT JOIN users u ON u.id = k.user_id LEFT JOIN workspaces w ON w.id = k.workspace_id
			LEFT JOIN (SELECT grant_key, COUNT(*) AS webhooks FROM webhooks WHERE org_id = $1 AND enabled = 1 AND deleted_at IS NULL
				GROUP BY grant_key) h ON h.grant_key = k.id
		WHERE k.org_id = $1 AND k.revoked_at IS NULL AND u.disabled_at IS NULL ORDER BY COALESCE(k.last_used_at, 0) DESC, k.id`, orgID)
}

// WithoutFactor returns at most limit people of an organisation who are not disabled and have no second factor, by name.
func (q Reader) WithoutFactor(orgID string, limit int) ([]api.PolicyPerson, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (p api.PolicyPerson, err error) { return p, r.Scan(&p.ID, &p.Name, &p.Email) },
		`SELECT u.id, u.name, u.email FROM users u WHERE u.org_id = $1 AND u.disabled_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM authenticators a WHERE a.user_id = u.id)
			AND NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id)
		ORDER BY u.name, u.id LIMIT $2`, orgID, limit)
}
