package store

import (
	"cmp"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// SecretKind is what an encrypted secret is for.
type SecretKind string

// The kinds of encrypted secrets.
const (
	OfWebhook       SecretKind = "webhook"       // signs its messages
	OfAuthenticator SecretKind = "authenticator" // the key of the app of a user
	OfProvider      SecretKind = "provider"      // of an organisation, as a client of its provider
	OfSource        SecretKind = "source"        // by which a site signs who its reporters are
)

// SealedSecret is an encrypted secret.
type SealedSecret struct {
	Kind    SecretKind
	Owner   string // the id of the webhook, the user, the organisation or the source
	ID      string // of one of several of a webhook or a source; empty for the only one of its owner
	Sealed  string
	Current bool // false for one that was replaced
}

// SealedSecrets returns every secret that is used at a time, by kind and owner.
func (q Queries) SealedSecrets(at api.Time) ([]SealedSecret, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (s SealedSecret, err error) {
		var expires *int64
		err = r.Scan(&s.Kind, &s.Owner, &s.ID, &s.Sealed, &expires)
		s.Current = expires == nil
		return s, err
	}, `SELECT 'source', source_id, id, sealed, expires_at FROM source_secrets WHERE expires_at IS NULL OR expires_at > $1
		UNION ALL SELECT 'webhook', webhook_id, id, sealed, expires_at FROM webhook_secrets WHERE expires_at IS NULL OR expires_at > $1
		UNION ALL SELECT 'authenticator', user_id, '', sealed, NULL FROM authenticators
		UNION ALL SELECT 'provider', org_id, '', secret, NULL FROM providers WHERE secret <> '' ORDER BY 1, 2, 3`, at.UnixMilli())
}

// reseal are the statements that replace a secret of a kind.
var reseal = map[SecretKind]string{
	OfWebhook:       "UPDATE webhook_secrets SET sealed = $3 WHERE id = $1 AND sealed = $2",
	OfAuthenticator: "UPDATE authenticators SET sealed = $3 WHERE user_id = $1 AND sealed = $2",
	OfSource:        "UPDATE source_secrets SET sealed = $3 WHERE id = $1 AND sealed = $2",
	OfProvider:      "UPDATE providers SET secret = $3 WHERE org_id = $1 AND secret = $2",
}

// ResealSecret replaces the encrypted form of a secret, unless it has changed.
func (tx *Tx) ResealSecret(s SealedSecret, sealed string) error {
	return tx.db.Exec(reseal[s.Kind], cmp.Or(s.ID, s.Owner), s.Sealed, sealed)
}
