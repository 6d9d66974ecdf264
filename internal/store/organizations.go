package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// InsertOrganization stores a new organisation.
func (tx *Tx) InsertOrganization(o api.OrganizationRef, at api.Time) error {
	return tx.db.Exec("INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)", o.ID, o.Name,
		at.UnixMilli())
}

// Organizations returns every organisation of the instance, oldest first.
func (q Queries) Organizations() ([]api.OrganizationRef, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (o api.OrganizationRef, err error) { return o, r.Scan(&o.ID, &o.Name) },
		"SELECT id, name FROM organizations ORDER BY id")
}

// Organization returns an organisation.
func (q Queries) Organization(id string) (api.OrganizationRef, error) {
	return sqldb.One(q.db, func(r sqldb.Row) (o api.OrganizationRef, err error) { return o, r.Scan(&o.ID, &o.Name) },
		"SELECT id, name FROM organizations WHERE id = $1", id)
}

// LockOrganization locks the row of an organisation. Transactions that change its owners take the lock.
func (tx *Tx) LockOrganization(id string) error {
	return tx.db.Exec("UPDATE organizations SET name = name WHERE id = $1", id)
}

// Owners returns the ids of an organisation's owners that are not disabled.
func (q Queries) Owners(orgID string) ([]string, error) {
	return sqldb.List(q.db, sqldb.ScanOne[string],
		"SELECT id FROM users WHERE org_id = $1 AND role = 'owner' AND disabled_at IS NULL ORDER BY id", orgID)
}

// CountOwners returns the number of an organisation's owners that are not disabled.
func (q Queries) CountOwners(orgID string) (int, error) {
	return sqldb.One(q.db, sqldb.ScanOne[int],
		"SELECT count(*) FROM users WHERE org_id = $1 AND role = 'owner' AND disabled_at IS NULL", orgID)
}
