package store

import (
	"encoding/json"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// OAuthClient is a program that has registered itself.
type OAuthClient struct {
	ID, Name  string
	Redirects []string
	Network   string // from which it has registered
	CreatedAt api.Time
}

// OAuthClient returns a client that has registered itself.
func (q Queries) OAuthClient(id string) (OAuthClient, error) {
	return sqldb.One(q.db, func(r sqldb.Row) (c OAuthClient, err error) {
		var redirects string
		var created int64
		if err = r.Scan(&c.ID, &c.Name, &redirects, &c.Network, &created); err == nil {
			err = json.Unmarshal([]byte(redirects), &c.Redirects)
		}
		c.CreatedAt = api.FromMillis(created)
		return c, err
	}, "SELECT id, name, redirects, network, created_at FROM oauth_clients WHERE id = $1", id)
}

// InsertOAuthClient stores a client.
func (tx *Tx) InsertOAuthClient(c OAuthClient) error {
	redirects, err := json.Marshal(c.Redirects)
	if err != nil {
		return err
	}
	return tx.db.Exec("INSERT INTO oauth_clients (id, name, redirects, network, created_at) VALUES ($1, $2, $3, $4, $5)",
		c.ID, c.Name, string(redirects), c.Network, c.CreatedAt.UnixMilli())
}

const isUnused = "NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE g.client_id = c.id)"

// UnusedClients are clients for which no key was made.
type UnusedClients struct {
	Count  int
	Oldest api.Time // when the oldest has registered; zero without one
}

// UnusedClients returns what there is of unused clients: of all, and of those from a network.
func (q Queries) UnusedClients(network string) (all, here UnusedClients, err error) {
	counts, err := sqldb.One(q.db, func(r sqldb.Row) (n [4]int64, err error) {
		return n, r.Scan(&n[0], &n[1], &n[2], &n[3])
	}, `SELECT count(*), COALESCE(min(c.created_at), 0), count(CASE WHEN c.network = $1 THEN 1 END),
		COALESCE(min(CASE WHEN c.network = $1 THEN c.created_at END), 0) FROM oauth_clients c WHERE `+isUnused, network)
	all = UnusedClients{int(counts[0]), api.FromMillis(counts[1])}
	here = UnusedClients{int(counts[2]), api.FromMillis(counts[3])}
	return all, here, err
}

// DeleteUnusedClients deletes at most limit clients from before a time for which no key was made, and returns their
// number.
func (tx *Tx) DeleteUnusedClients(before api.Time, limit int) (int, error) {
	n, err := tx.db.ExecCount("DELETE FROM oauth_clients WHERE id IN (SELECT c.id FROM oauth_clients c WHERE c.created_at < $1 AND "+
		isUnused+" ORDER BY c.id LIMIT $2)", before.UnixMilli(), limit)
	return int(n), err
}
