package identities

import (
	"encoding/json"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Provider is the OpenID provider of an organisation.
type Provider struct {
	OrgID, OrgName string
	Name           string // on the button to sign in
	Issuer         string
	ClientID       string
	Sealed         string // the client's secret, encrypted; empty for a public client
	Domains        []string
	GroupsClaim    string
	Rules          []api.GroupRule
	PasswordsOff   bool
	TriedAt        *api.Time // when an admin has signed in by these settings
	Version        int64
}

// Identity is who a user is at a provider.
type Identity struct {
	OrgID, Issuer, Subject string
	UserID                 string
	Email                  string // at the provider, when it was linked
	Granted                Granted
	LinkedAt, ConfirmedAt  api.Time
}

// Granted is what the groups of a user have given it.
type Granted struct {
	Admin      bool             `json:"admin,omitempty"` // of the organisation, where it was a member before
	Workspaces map[string]Grant `json:"workspaces,omitempty"`
}

// Grant is a role in a workspace that a group has given, with the one before; empty for none.
type Grant struct {
	Role   api.Role `json:"role"`
	Before api.Role `json:"before,omitempty"`
}

// Session is a session that began at a provider.
type Session struct {
	ID                     string
	OrgID, Issuer, Subject string
	SID                    string // the provider's name of its session; empty when it gives none
	Sealed                 string // the refresh token, encrypted; empty when the provider gave none
	DueAt, ConfirmedAt     api.Time
}

// WithoutProvider is the condition of a session s of a user u, whose organisation signs in at its provider alone, that did
// not begin there and was not opened by the operator's leave.
const WithoutProvider = `(s.ends_at IS NULL AND NOT EXISTS (SELECT 1 FROM provider_sessions x WHERE x.session_id = s.id)
	AND EXISTS (SELECT 1 FROM providers p WHERE p.org_id = u.org_id AND p.passwords_off = 1))`

// Reader reads providers and identities.
type Reader struct{ DB *sqldb.Executor }

const providerColumns = `p.org_id, o.name, p.name, p.issuer, p.client_id, p.secret, p.domains, p.groups_claim, p.rules, p.passwords_off,
	p.tried_at, p.version FROM providers p JOIN organizations o ON o.id = p.org_id`

func scanProvider(r sqldb.Row) (p Provider, err error) {
	var domains, rules string
	var off int64
	var tried *int64
	if err = r.Scan(&p.OrgID, &p.OrgName, &p.Name, &p.Issuer, &p.ClientID, &p.Sealed, &domains, &p.GroupsClaim,
		&rules, &off, &tried,
		&p.Version); err != nil {
		return p, err
	}
	p.Domains, p.PasswordsOff = strings.Fields(domains), off == 1
	if tried != nil {
		at := api.FromMillis(*tried)
		p.TriedAt = &at
	}
	return p, json.Unmarshal([]byte(rules), &p.Rules)
}

// Provider returns the provider of an organisation, or sqldb.ErrNotFound.
func (q Reader) Provider(orgID string) (Provider, error) {
	return sqldb.One(q.DB, scanProvider, "SELECT "+providerColumns+" WHERE p.org_id = $1", orgID)
}

// Providers returns at most limit providers, by name.
func (q Reader) Providers(limit int) ([]Provider, error) {
	return sqldb.List(q.DB, scanProvider, "SELECT "+providerColumns+" ORDER BY p.name, p.org_id LIMIT $1", limit)
}

const identityColumns = `i.org_id, i.issuer, i.subject, i.user_id, i.email, i.granted, i.linked_at, i.confirmed_at FROM identities i`

func scanIdentity(r sqldb.Row) (i Identity, err error) {
	var granted string
	var linked, confirmed int64
	if err = r.Scan(&i.OrgID, &i.Issuer, &i.Subject, &i.UserID, &i.Email, &granted, &linked, &confirmed); err != nil {
		return i, err
	}
	i.LinkedAt, i.ConfirmedAt = api.FromMillis(linked), api.FromMillis(confirmed)
	return i, json.Unmarshal([]byte(granted), &i.Granted)
}

// Identity returns the identity of a subject of an issuer in an organisation, or sqldb.ErrNotFound.
func (q Reader) Identity(orgID, issuer, subject string) (Identity, error) {
	return sqldb.One(q.DB, scanIdentity,
		"SELECT "+identityColumns+" WHERE i.org_id = $1 AND i.issuer = $2 AND i.subject = $3",
		orgID, issuer, subject)
}

// IdentityOf returns the identity of a user at an issuer, or sqldb.ErrNotFound.
func (q Reader) IdentityOf(userID, issuer string) (Identity, error) {
	return sqldb.One(q.DB, scanIdentity, "SELECT "+identityColumns+" WHERE i.user_id = $1 AND i.issuer = $2", userID,
		issuer)
}

// CountLinked returns the number of users of an organisation that are not disabled, and of those with an identity at an
// issuer.
func (q Reader) CountLinked(orgID, issuer string) (users, linked int64, err error) {
	counts, err := sqldb.One(q.DB, func(r sqldb.Row) (n [2]int64, err error) { return n, r.Scan(&n[0], &n[1]) },
		`SELECT count(*), count(i.user_id) FROM users u LEFT JOIN identities i ON i.user_id = u.id AND i.issuer = $2
		WHERE u.org_id = $1 AND u.disabled_at IS NULL AND u.erased_at IS NULL`, orgID, issuer)
	return counts[0], counts[1], err
}

// CountSessionsWithout returns the number of sessions of an organisation that did not begin at its provider and are not
// bound to end by an operator, and of the users who have them.
func (q Reader) CountSessionsWithout(orgID string) (sessions, users int64, err error) {
	counts, err := sqldb.One(q.DB, func(r sqldb.Row) (n [2]int64, err error) { return n, r.Scan(&n[0], &n[1]) },
		`SELECT count(*), count(DISTINCT s.user_id) FROM sessions s JOIN users u ON u.id = s.user_id AND u.session_epoch = s.epoch
		WHERE u.org_id = $1 AND s.ends_at IS NULL AND NOT EXISTS (SELECT 1 FROM provider_sessions x WHERE x.session_id = s.id)`, orgID)
	return counts[0], counts[1], err
}

const sessionColumns = `x.session_id, x.org_id, x.issuer, x.subject, x.sid, x.refresh, x.due_at, x.confirmed_at FROM provider_sessions x`

func scanSession(r sqldb.Row) (s Session, err error) {
	var due, confirmed int64
	err = r.Scan(&s.ID, &s.OrgID, &s.Issuer, &s.Subject, &s.SID, &s.Sealed, &due, &confirmed)
	s.DueAt, s.ConfirmedAt = api.FromMillis(due), api.FromMillis(confirmed)
	return s, err
}

// Session returns what is known of the provider of a session, or sqldb.ErrNotFound for one that began without.
func (q Reader) Session(sessionID string) (Session, error) {
	return sqldb.One(q.DB, scanSession, "SELECT "+sessionColumns+" WHERE x.session_id = $1", sessionID)
}

// SessionsOf returns the sessions of a subject, or with its sid alone when sid is not empty. An empty subject selects by
// the sid.
func (q Reader) SessionsOf(orgID, issuer, subject, sid string) ([]Session, error) {
	return sqldb.List(q.DB, scanSession, "SELECT "+sessionColumns+` WHERE x.org_id = $1 AND x.issuer = $2
		AND ($3 = '' OR x.subject = $3) AND ($4 = '' OR x.sid = $4) AND ($3 <> '' OR $4 <> '') ORDER BY x.session_id`,
		orgID, issuer, subject, sid)
}

// PasswordUntil returns the time until which a user has a password although the organisation has none; nil for none.
func (q Reader) PasswordUntil(userID string) (*api.Time, error) {
	ms, err := sqldb.One(q.DB, sqldb.ScanOne[*int64], "SELECT password_until FROM users WHERE id = $1", userID)
	if err != nil || ms == nil {
		return nil, err
	}
	at := api.FromMillis(*ms)
	return &at, nil
}
