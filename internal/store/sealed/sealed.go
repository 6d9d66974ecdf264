// Package sealed has the encrypted secrets of all kinds of records.
package sealed

import (
	"cmp"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Kind is what an encrypted secret is for.
type Kind string

// The kinds of encrypted secrets.
const (
	Webhook       Kind = "webhook"       // signs its messages
	Authenticator Kind = "authenticator" // the key of the app of a user
	Provider      Kind = "provider"      // of an organisation, as a client of its provider
	Source        Kind = "source"        // by which a site signs who its reporters are
)

// Secret is an encrypted secret.
type Secret struct {
	Kind    Kind
	Owner   string // the id of the webhook, the user, the organisation or the source
	ID      string // of one of several of a webhook or a source; empty for the only one of its owner
	Sealed  string
	Current bool // false for one that was replaced
}

// Reader reads secrets.
type Reader struct{ DB *sqldb.Executor }

// All returns every secret that is used at a time, by kind and owner.
func (r Reader) All(at api.Time) ([]Secret, error) {
	return sqldb.List(r.DB, func(row sqldb.Row) (s Secret, err error) {
		var expires *int64
		err = row.Scan(&s.Kind, &s.Owner, &s.ID, &s.Sealed, &expires)
		s.Current = expires == nil
		return s, err
	}, `SELECT 'source', source_id, id, sealed, expires_at FROM source_secrets WHERE expires_at IS NULL OR expires_at > $1
		UNION ALL SELECT 'webhook', webhook_id, id, sealed, expires_at FROM webhook_secrets WHERE expires_at IS NULL OR expires_at > $1
		UNION ALL SELECT 'authenticator', user_id, '', sealed, NULL FROM authenticators
		UNION ALL SELECT 'provider', org_id, '', secret, NULL FROM providers WHERE secret <> '' ORDER BY 1, 2, 3`, at.UnixMilli())
}

// reseal are the statements that replace a secret of a kind.
var reseal = map[Kind]string{
	Webhook:       "UPDATE webhook_secrets SET sealed = $3 WHERE id = $1 AND sealed = $2",
	Authenticator: "UPDATE authenticators SET sealed = $3 WHERE user_id = $1 AND sealed = $2",
	Source:        "UPDATE source_secrets SET sealed = $3 WHERE id = $1 AND sealed = $2",
	Provider:      "UPDATE providers SET secret = $3 WHERE org_id = $1 AND secret = $2",
}

// Writer changes secrets.
type Writer struct{ Reader }

// Replace replaces the encrypted form of a secret, unless it has changed.
func (w Writer) Replace(s Secret, to string) error {
	return w.DB.Exec(reseal[s.Kind], cmp.Or(s.ID, s.Owner), s.Sealed, to)
}
