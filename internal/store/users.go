package store

import (
	"bugslice/api"
)

// User is a person of an organisation. Email is kept in lower case and is unique in the instance.
type User struct {
	ID, OrgID, Email, Name string
	Role                   api.Role
	PasswordHash           string
	CreatedAt              api.Time
	DisabledAt             *api.Time
}

// IndexEmail is the unique index of TakenError when a user has the e-mail address.
const IndexEmail = "users_email_key"

// InsertOrganization stores a new organisation.
func (tx *Tx) InsertOrganization(o api.OrganizationRef, at api.Time) error {
	_, err := tx.db.exec("INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)", o.ID, o.Name, at.UnixMilli())
	return err
}

// Organizations returns every organisation of the instance, oldest first.
func (q Queries) Organizations() ([]api.OrganizationRef, error) {
	return list(q.db, func(r row) (o api.OrganizationRef, err error) { return o, r.Scan(&o.ID, &o.Name) },
		"SELECT id, name FROM organizations ORDER BY id")
}

// LockOrganization holds other changes to who owns an organisation off until the transaction ends.
func (tx *Tx) LockOrganization(id string) error {
	_, err := tx.db.exec("UPDATE organizations SET name = name WHERE id = $1", id)
	return err
}

const userColumns = "id, org_id, email, name, role, password_hash, created_at, disabled_at"

func scanUser(r row) (u User, err error) {
	var created int64
	var disabled *int64
	err = r.Scan(&u.ID, &u.OrgID, &u.Email, &u.Name, &u.Role, &u.PasswordHash, &created, &disabled)
	u.CreatedAt, u.DisabledAt = api.FromMillis(created), timeAt(disabled)
	return u, err
}

// User returns a user by id.
func (q Queries) User(id string) (User, error) {
	return one(q.db, scanUser, "SELECT "+userColumns+" FROM users WHERE id = $1", id)
}

// UserByEmail returns a user by e-mail address in lower case.
func (q Queries) UserByEmail(email string) (User, error) {
	return one(q.db, scanUser, "SELECT "+userColumns+" FROM users WHERE email = $1", email)
}

// Users returns the users of an organisation, oldest first.
func (q Queries) Users(orgID string) ([]User, error) {
	return list(q.db, scanUser, "SELECT "+userColumns+" FROM users WHERE org_id = $1 ORDER BY id", orgID)
}

// InsertUser stores a new user.
func (tx *Tx) InsertUser(u User) error {
	_, err := tx.db.exec(`INSERT INTO users (id, org_id, email, name, role, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		u.ID, u.OrgID, u.Email, u.Name, u.Role, u.PasswordHash, u.CreatedAt.UnixMilli())
	return err
}

// SetPassword replaces a user's password hash.
func (tx *Tx) SetPassword(userID, hash string) error {
	_, err := tx.db.exec("UPDATE users SET password_hash = $2 WHERE id = $1", userID, hash)
	return err
}

// SetDisabled disables a user at a time, or enables it when at is nil.
func (tx *Tx) SetDisabled(userID string, at *api.Time) error {
	_, err := tx.db.exec("UPDATE users SET disabled_at = $2 WHERE id = $1", userID, millis(at))
	return err
}

// CountOwners returns how many owners an organisation has whose account is not disabled.
func (q Queries) CountOwners(orgID string) (int, error) {
	return one(q.db, scanOne[int], "SELECT count(*) FROM users WHERE org_id = $1 AND role = 'owner' AND disabled_at IS NULL", orgID)
}
