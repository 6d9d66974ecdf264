package store

import (
	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// User is a member of an organisation. Email is in lower case and unique in the instance.
type User struct {
	ID, OrgID, Email, Name string
	Role                   api.Role
	PasswordHash           string
	CreatedAt              api.Time
	DisabledAt             *api.Time
	SessionEpoch           int64 // sessions of another epoch have ended
	Theme, TimeZone        string
	Shortcuts              bool
	Version                int64     // of the profile
	Picture                string    // its name; empty for none
	ErasedAt               *api.Time // since when the user has no name and no e-mail address
}

const userColumns = `u.id, u.org_id, u.email, u.name, u.role, u.password_hash, u.created_at, u.disabled_at, u.session_epoch,
	u.theme, u.time_zone, u.shortcuts, u.version, u.picture, u.erased_at`

type userRow struct {
	user               User
	created, shortcuts int64
	disabled, erased   *int64
}

func (r *userRow) targets() []any {
	u := &r.user
	return []any{&u.ID, &u.OrgID, &u.Email, &u.Name, &u.Role, &u.PasswordHash, &r.created, &r.disabled, &u.SessionEpoch,
		&u.Theme, &u.TimeZone, &r.shortcuts, &u.Version, &u.Picture, &r.erased}
}

func (r *userRow) decode() User {
	u := &r.user
	u.CreatedAt, u.DisabledAt, u.Shortcuts = api.FromMillis(r.created), sqldb.TimeAt(r.disabled), r.shortcuts == 1
	u.ErasedAt = sqldb.TimeAt(r.erased)
	return *u
}

func scanUser(r sqldb.Row) (User, error) {
	var u userRow
	err := r.Scan(u.targets()...)
	return u.decode(), err
}

// User returns a user by id.
func (q Queries) User(id string) (User, error) {
	return sqldb.One(q.db, scanUser, "SELECT "+userColumns+" FROM users u WHERE u.id = $1", id)
}

// UserByEmail returns a user by e-mail address in lower case.
func (q Queries) UserByEmail(email string) (User, error) {
	return sqldb.One(q.db, scanUser, "SELECT "+userColumns+" FROM users u WHERE u.email = $1", email)
}

// Users returns the users of an organisation, oldest first.
func (q Queries) Users(orgID string) ([]User, error) {
	return sqldb.List(q.db, scanUser, "SELECT "+userColumns+" FROM users u WHERE u.org_id = $1 ORDER BY u.id", orgID)
}

// InsertUser stores a new user, whose time zone is that of the browser.
func (tx *Tx) InsertUser(u User) error {
	return tx.db.Exec(`INSERT INTO users (id, org_id, email, name, role, password_hash, created_at, time_zone)
		VALUES ($1, $2, $3, $4, $5, $6, $7, '')`,
		u.ID, u.OrgID, u.Email, u.Name, u.Role, u.PasswordHash, u.CreatedAt.UnixMilli())
}

// SetPassword replaces a user's password hash, and ends the user's sessions and the links to a password and to another address.
func (tx *Tx) SetPassword(userID, hash string) error {
	if err := tx.execEach(userID, linksOfUser...); err != nil {
		return err
	}
	return tx.db.Exec("UPDATE users SET password_hash = $2, session_epoch = session_epoch + 1 WHERE id = $1", userID,
		hash)
}

// RehashPassword replaces the hash of an unchanged password, unless the password has changed.
func (tx *Tx) RehashPassword(userID, former, hash string) error {
	return tx.db.Exec("UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2", userID, former, hash)
}

// SetDisabled disables a user at a time, or enables it when at is nil. The user's sessions end.
func (tx *Tx) SetDisabled(userID string, at *api.Time) error {
	return tx.db.Exec("UPDATE users SET disabled_at = $2, session_epoch = session_epoch + 1 WHERE id = $1", userID,
		sqldb.Millis(at))
}

// UpdateProfile stores the name, the theme, the time zone and the shortcuts of a user as the next version.
func (tx *Tx) UpdateProfile(u User) error {
	return tx.db.Exec("UPDATE users SET name = $2, theme = $3, time_zone = $4, shortcuts = $5, version = version + 1 WHERE id = $1",
		u.ID, u.Name, u.Theme, u.TimeZone, sqldb.Flag(u.Shortcuts))
}

// LockUser is User with a row lock.
func (tx *Tx) LockUser(id string) (User, error) {
	return sqldb.One(tx.db, scanUser, "SELECT "+userColumns+" FROM users u WHERE u.id = $1"+tx.db.Engine.LockRow, id)
}

// NamesOf returns the names of the users and keys with the ids.
func (q Queries) NamesOf(ids []string) (map[string]string, error) {
	names := map[string]string{}
	if len(ids) == 0 {
		return names, nil
	}
	var p sqldb.Params
	chosen := sqldb.In(&p, ids)
	rows, err := sqldb.List(q.db, func(r sqldb.Row) (v [2]string, err error) { return v, r.Scan(&v[0], &v[1]) },
		"SELECT id, name FROM users WHERE id IN "+chosen+" UNION ALL SELECT id, name FROM api_keys WHERE id IN "+chosen,
		p.Args...)
	for _, v := range rows {
		names[v[0]] = v[1]
	}
	return names, err
}
