package store

import (
	"time"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// OAuthDevice is a command line that waits for a person who allows it. Its codes are hashes.
type OAuthDevice struct {
	Code, UserCode string
	Host           string // that the command line has named
	Scopes         []api.Scope
	ClientAddress  string
	CreatedAt      api.Time
	ExpiresAt      api.Time
	PolledAt       *api.Time
	Pause          time.Duration // between two polls
	DeniedAt       *api.Time
}

const deviceColumns = `d.hash, d.user_code, d.host, d.scopes, d.client_address, d.created_at, d.expires_at, d.polled_at, d.pause,
	d.denied_at`

func scanDevice(r sqldb.Row) (d OAuthDevice, err error) {
	var scopes string
	var created, expires, pause int64
	var polled, denied *int64
	err = r.Scan(&d.Code, &d.UserCode, &d.Host, &scopes, &d.ClientAddress, &created, &expires, &polled, &pause, &denied)
	d.Scopes, d.Pause = split[api.Scope](scopes), time.Duration(pause)*time.Millisecond
	d.CreatedAt, d.ExpiresAt, d.PolledAt, d.DeniedAt = api.FromMillis(created), api.FromMillis(expires), sqldb.TimeAt(polled),
		sqldb.TimeAt(denied)
	return d, err
}

// OAuthDeviceOfUser returns the device of a user code.
func (q Queries) OAuthDeviceOfUser(userCode string) (OAuthDevice, error) {
	return sqldb.One(q.db, scanDevice, "SELECT "+deviceColumns+" FROM oauth_devices d WHERE d.user_code = $1", userCode)
}

// LockOAuthDevice locks and returns the device of a device code.
func (tx *Tx) LockOAuthDevice(code string) (OAuthDevice, error) {
	return sqldb.One(tx.db, scanDevice, "SELECT "+deviceColumns+" FROM oauth_devices d WHERE d.hash = $1"+
		tx.db.Engine.LockRow, code)
}

// LockOAuthDeviceOfUser locks and returns the device of a user code.
func (tx *Tx) LockOAuthDeviceOfUser(userCode string) (OAuthDevice, error) {
	return sqldb.One(tx.db, scanDevice, "SELECT "+deviceColumns+" FROM oauth_devices d WHERE d.user_code = $1"+
		tx.db.Engine.LockRow,
		userCode)
}

// WaitingOAuthDevices returns at most limit devices whose codes have not expired, those that expire first before
// others.
func (q Queries) WaitingOAuthDevices(now api.Time, limit int) ([]OAuthDevice, error) {
	return sqldb.List(q.db, scanDevice, "SELECT "+deviceColumns+` FROM oauth_devices d WHERE d.expires_at > $1
		ORDER BY d.expires_at, d.hash LIMIT $2`, now.UnixMilli(), limit)
}

// InsertOAuthDevice stores a device.
func (tx *Tx) InsertOAuthDevice(d OAuthDevice) error {
	return tx.db.Exec(`INSERT INTO oauth_devices (hash, user_code, host, scopes, client_address, created_at, expires_at, pause)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, d.Code, d.UserCode, d.Host, join(d.Scopes), d.ClientAddress, d.CreatedAt.UnixMilli(),
		d.ExpiresAt.UnixMilli(), d.Pause.Milliseconds())
}

// RecordPoll records when a device has asked for its token, and how long it must wait before it asks again.
func (tx *Tx) RecordPoll(code string, at api.Time, pause time.Duration) error {
	return tx.db.Exec("UPDATE oauth_devices SET polled_at = $2, pause = $3 WHERE hash = $1", code, at.UnixMilli(),
		pause.Milliseconds())
}

// DenyOAuthDevice records that a person has denied a device.
func (tx *Tx) DenyOAuthDevice(code string, at api.Time) error {
	return tx.db.Exec("UPDATE oauth_devices SET denied_at = $2 WHERE hash = $1", code, at.UnixMilli())
}

// DeleteOAuthDevice deletes a device.
func (tx *Tx) DeleteOAuthDevice(code string) error {
	return tx.db.ExecOne(ErrNotFound, "DELETE FROM oauth_devices WHERE hash = $1", code)
}

// DeleteExpiredDevices deletes at most limit devices that expired before a time, and returns their number.
func (tx *Tx) DeleteExpiredDevices(before api.Time, limit int) (int, error) {
	n, err := tx.db.ExecCount(`DELETE FROM oauth_devices WHERE hash IN
		(SELECT hash FROM oauth_devices WHERE expires_at < $1 ORDER BY hash LIMIT $2)`, before.UnixMilli(), limit)
	return int(n), err
}
