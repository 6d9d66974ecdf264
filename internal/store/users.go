package store

import (
	"database/sql"

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
	_, err := tx.exec("INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)", o.ID, o.Name, at.UnixMilli())
	return err
}

// Organizations returns every organisation of the instance, oldest first.
func (tx *Tx) Organizations() ([]api.OrganizationRef, error) {
	return list(tx, func(rows *sql.Rows) (o api.OrganizationRef, err error) { return o, rows.Scan(&o.ID, &o.Name) },
		"SELECT id, name FROM organizations ORDER BY id")
}

// LockOrganization holds other changes to who owns an organisation off until the transaction ends.
func (tx *Tx) LockOrganization(id string) error {
	_, err := tx.exec("UPDATE organizations SET name = name WHERE id = $1", id)
	return err
}

const userColumns = "id, org_id, email, name, role, password_hash, created_at, disabled_at"

func scanUser(rows *sql.Rows) (u User, err error) {
	var created int64
	var disabled *int64
	err = rows.Scan(&u.ID, &u.OrgID, &u.Email, &u.Name, &u.Role, &u.PasswordHash, &created, &disabled)
	u.CreatedAt, u.DisabledAt = api.FromMillis(created), timeAt(disabled)
	return u, err
}

// User returns a user by id.
func (tx *Tx) User(id string) (User, error) {
	return one(tx, scanUser, "SELECT "+userColumns+" FROM users WHERE id = $1", id)
}

// UserByEmail returns a user by e-mail address in lower case.
func (tx *Tx) UserByEmail(email string) (User, error) {
	return one(tx, scanUser, "SELECT "+userColumns+" FROM users WHERE email = $1", email)
}

// Users returns the users of an organisation, oldest first.
func (tx *Tx) Users(orgID string) ([]User, error) {
	return list(tx, scanUser, "SELECT "+userColumns+" FROM users WHERE org_id = $1 ORDER BY id", orgID)
}

// InsertUser stores a new user.
func (tx *Tx) InsertUser(u User) error {
	_, err := tx.exec(`INSERT INTO users (id, org_id, email, name, role, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		u.ID, u.OrgID, u.Email, u.Name, u.Role, u.PasswordHash, u.CreatedAt.UnixMilli())
	return err
}

// SetPassword replaces a user's password hash.
func (tx *Tx) SetPassword(userID, hash string) error {
	_, err := tx.exec("UPDATE users SET password_hash = $2 WHERE id = $1", userID, hash)
	return err
}

// SetDisabled disables a user at a time, or enables it when at is nil.
func (tx *Tx) SetDisabled(userID string, at *api.Time) error {
	_, err := tx.exec("UPDATE users SET disabled_at = $2 WHERE id = $1", userID, millis(at))
	return err
}

// CountOwners returns how many owners an organisation has whose account is not disabled.
func (tx *Tx) CountOwners(orgID string) (int, error) {
	return one(tx, scanOne[int], "SELECT count(*) FROM users WHERE org_id = $1 AND role = 'owner' AND disabled_at IS NULL", orgID)
}
