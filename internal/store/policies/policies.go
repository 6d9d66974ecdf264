// Package policies stores the policies of organisations, and reads the records that they concern. Whoever reads a
// session or a key reads the policy of its organisation in the same statement, so that none is judged by a former one.
package policies

import (
	"strings"

	"bugslice/api"
	"bugslice/internal/policy"
	"bugslice/internal/store/sqldb"
)

// Columns are the columns of the policy of an organisation o.
const Columns = `o.policy_version, o.session_hours, o.session_idle_hours, o.personal_key_days, o.service_key_days, o.personal_key_makers,
	o.personal_key_scopes, o.key_networks, o.filing_anywhere, o.invitation_domains, o.second_factor_required`

// KeyExpiry is the expression of the expiry of a key k of an organisation o, null for a key that never expires:
// policy.KeyEnd in SQL.
const KeyExpiry = `CASE WHEN (CASE WHEN k.type = 'pat' THEN o.personal_key_days ELSE o.service_key_days END) > 0
	AND (k.expires_at IS NULL OR k.expires_at > k.created_at + 86400000 *
		(CASE WHEN k.type = 'pat' THEN o.personal_key_days ELSE o.service_key_days END))
	THEN k.created_at + 86400000 * (CASE WHEN k.type = 'pat' THEN o.personal_key_days ELSE o.service_key_days END)
	ELSE k.expires_at END`

// Row scans Columns.
type Row struct {
	f                         api.PolicyFields
	version, anywhere, factor int64
	scopes, networks, domains string
}

// Targets returns what the columns are scanned into.
func (r *Row) Targets() []any {
	f := &r.f
	return []any{&r.version, &f.SessionHours, &f.SessionIdleHours, &f.PersonalKeyDays, &f.ServiceKeyDays, &f.PersonalKeyMakers,
		&r.scopes, &r.networks, &r.anywhere, &r.domains, &r.factor}
}

// Decode returns the policy that was scanned.
func (r *Row) Decode() *policy.Policy {
	f := r.f
	f.PersonalKeyScopes = []api.Scope{}
	for _, s := range strings.Fields(r.scopes) {
		f.PersonalKeyScopes = append(f.PersonalKeyScopes, api.Scope(s))
	}
	f.KeyNetworks, f.InvitationDomains = strings.Fields(r.networks), strings.Fields(r.domains)
	f.FilingAnywhere, f.SecondFactor = r.anywhere == 1, r.factor == 1
	return policy.New(f, r.version)
}

// Reader reads policies.
type Reader struct{ DB *sqldb.Executor }

// Of returns the policy of an organisation.
func (q Reader) Of(orgID string) (*policy.Policy, error) { return q.read(orgID, "") }

func (q Reader) read(orgID, lock string) (*policy.Policy, error) {
	return sqldb.One(q.DB, func(r sqldb.Row) (*policy.Policy, error) {
		var p Row
		err := r.Scan(p.Targets()...)
		return p.Decode(), err
	}, "SELECT "+Columns+" FROM organizations o WHERE o.id = $1"+lock, orgID)
}

// Writer changes policies.
type Writer struct{ Reader }

// Keep is Of, and keeps the policy from being changed until the transaction ends.
func (w Writer) Keep(orgID string) (*policy.Policy, error) {
	return w.read(orgID, w.DB.Engine.LockShare)
}

// Put stores policies, and raises their version.
func (w Writer) Put(orgID string, f api.PolicyFields) error {
	scopes := make([]string, len(f.PersonalKeyScopes))
	for i, s := range f.PersonalKeyScopes {
		scopes[i] = string(s)
	}
	return w.DB.Exec(`UPDATE organizations SET policy_version = policy_version + 1, session_hours = $2, session_idle_hours = $3,
			personal_key_days = $4, service_key_days = $5, personal_key_makers = $6, personal_key_scopes = $7, key_networks = $8,
			filing_anywhere = $9, invitation_domains = $10, second_factor_required = $11 WHERE id = $1`,
		orgID, f.SessionHours, f.SessionIdleHours, f.PersonalKeyDays, f.ServiceKeyDays, f.PersonalKeyMakers,
		strings.Join(scopes, " "), strings.Join(f.KeyNetworks, " "), sqldb.Flag(f.FilingAnywhere),
		strings.Join(f.InvitationDomains, " "), sqldb.Flag(f.SecondFactor))
}
