package store

import "bugslice/api"

// User is a member of an organisation. Email is in lower case and unique in the instance.
type User struct {
	ID, OrgID, Email, Name string
	Role                   api.Role
	PasswordHash           string
	CreatedAt              api.Time
	DisabledAt             *api.Time
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
	return tx.db.exec(`INSERT INTO users (id, org_id, email, name, role, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		u.ID, u.OrgID, u.Email, u.Name, u.Role, u.PasswordHash, u.CreatedAt.UnixMilli())
}

// SetPassword replaces a user's password hash.
func (tx *Tx) SetPassword(userID, hash string) error {
	return tx.db.exec("UPDATE users SET password_hash = $2 WHERE id = $1", userID, hash)
}

// SetDisabled disables a user at a time, or enables it when at is nil.
func (tx *Tx) SetDisabled(userID string, at *api.Time) error {
	return tx.db.exec("UPDATE users SET disabled_at = $2 WHERE id = $1", userID, millis(at))
}

// NamesOf returns the names of the users and keys with the ids.
func (q Queries) NamesOf(ids []string) (map[string]string, error) {
	names := map[string]string{}
	if len(ids) == 0 {
		return names, nil
	}
	var p params
	chosen := in(&p, ids)
	rows, err := list(q.db, func(r row) (v [2]string, err error) { return v, r.Scan(&v[0], &v[1]) },
		"SELECT id, name FROM users WHERE id IN "+chosen+" UNION ALL SELECT id, name FROM api_keys WHERE id IN "+chosen, p.args...)
	for _, v := range rows {
		names[v[0]] = v[1]
	}
	return names, err
}
