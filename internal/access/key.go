package access

import (
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/store"
)

// Key is the credential of a request with an API key.
type Key struct {
	roleAccess

	ID             string
	Name           string
	Type           api.KeyType
	WithholdGuests bool
	FilesOnly      bool

	tokenHash  string
	given      []api.Scope // the scopes before the policy of the organisation
	expiresAt  *api.Time
	lastUsedAt *api.Time // when it was read
	superseded bool      // the key was rotated, and this token works until its grace period ends

	kept *keptRights
}

// caller returns the caller of a token whose rights are kept. It refuses a revoked or expired key, a superseded token
// whose grace period is over, and the key of a disabled user.
func (k *keptRights) caller(cred store.Credential, hash string, now api.Time) (Caller, error) {
	switch {
	case cred.RevokedAt != nil:
		return Caller{}, api.NewProblem(api.CodeUnauthorized, "The API key was revoked.")
	case cred.ExpiresAt != nil && !now.Before(cred.ExpiresAt.Time):
		return Caller{}, api.NewProblem(api.CodeUnauthorized, "The API key expired at "+cred.ExpiresAt.String()+".")
	case cred.TokenExpiresAt != nil && !now.Before(cred.TokenExpiresAt.Time):
		return Caller{}, api.NewProblem(api.CodeUnauthorized,
			"The API key was rotated and the grace period of this token is over.")
	case cred.UserDisabled:
		return Caller{}, api.NewProblem(api.CodeUnauthorized, "The user of the API key is disabled.")
	}
	c := Caller{Principal: Principal{Type: ServiceCaller, ID: cred.ID, Name: cred.Name}, Scopes: cred.Scopes,
		ExpiresAt:    cred.ExpiresAt,
		Organization: api.OrganizationRef{ID: cred.OrgID, Name: cred.OrgName}, policy: cred.Policy,
		Credential: Key{ID: cred.ID, Name: cred.Name, Type: cred.Type, WithholdGuests: cred.WithholdGuests,
			FilesOnly: cred.FilesOnly, given: cred.GivenScopes,
			tokenHash: hash, expiresAt: cred.ExpiresAt,
			superseded: cred.TokenExpiresAt != nil, lastUsedAt: cred.LastUsedAt, kept: k}}
	if cred.WorkspaceID != nil {
		c.WorkspaceID = *cred.WorkspaceID
	}
	if cred.UserID != nil {
		c.Principal = Principal{Type: UserCaller, ID: *cred.UserID, Name: cred.UserName, Email: cred.UserEmail}
	}
	return c, nil
}

// errNetwork refuses a key that is used from elsewhere. It names no network, because whoever has found a key learns none.
var errNetwork = api.NewProblem(api.CodeNetwork, "The organisation of the key admits keys from some networks only, and the "+
	"request comes from another one.")

// Admitted refuses a key that is used from a network which its organisation does not admit. Allow refuses it as well.
func (c Caller) Admitted() error {
	k, ok := c.Credential.(Key)
	if !ok || c.policy == nil || c.policy.AdmitsKeyFrom(c.Request.ClientAddress, k.FilesOnly) {
		return nil
	}
	return errNetwork
}

func (k Key) authentic() bool { return k.tokenHash != "" }

// filingOperations are those of a key that files only: a report, and the files of its own reports.
var filingOperations = []string{api.OpCreateSlice, api.OpCreateAttachment}

// admits refuses a superseded token when the effect of the operation would outlive it, and a key that files only
// every operation but those of filing.
func (k Key) admits(op *api.Operation) error {
	if k.FilesOnly && !slices.Contains(filingOperations, op.ID) {
		return errFilesOnly
	}
	if k.superseded && op.Effect == api.Lasting {
		return api.NewProblem(api.CodeSuperseded,
			"The key was rotated. Until its grace period ends, this token may only read, and write slices, comments and evidence. "+
				"Use the newest token for this operation.")
	}
	return refuseAccount(op)
}

func (k Key) current(q Queries, now api.Time, _ Caller) (Caller, error) {
	epoch, counted, err := q.RightsEpoch()
	if err != nil {
		return Caller{}, err
	}
	r, ok := keyRights{}, false
	if counted { // in a transaction as well: none has the epoch of a change that is not committed
		r, ok = k.kept.get(k.tokenHash, epoch)
	}
	if !ok {
		if r.credential, err = q.Credential(k.tokenHash); err != nil {
			return Caller{}, unknownToken(err)
		}
	}
	return k.kept.caller(r.credential, k.tokenHash, now)
}

var errFilesOnly = api.NewProblem(api.CodeForbidden, "This key files reports only. It creates slices and adds files to them; "+
	"for everything else use another key.")

// maxFiled is the number of the newest reports of a slice among which a key that files only must have one.
const maxFiled = 100

// reads refuses a key that files only every slice that it has neither filed nor reported again lately.
func (k Key) reads(q Queries, c Caller, s store.Slice) error {
	if err := k.roleAccess.reads(q, c, s); err != nil || !k.FilesOnly || k.wrote(s.Via) {
		return err
	}
	filed, err := q.Occurrences(s.ID, s.OccurrenceCount+1, maxFiled)
	if err == nil && !slices.ContainsFunc(filed, func(o store.Occurrence) bool { return k.wrote(o.Via) }) {
		err = store.ErrNotFound
	}
	return err
}

// wrote reports whether a record was written with the key.
func (k Key) wrote(via *api.Via) bool { return via != nil && via.KeyID != nil && *via.KeyID == k.ID }

func (k Key) lock(tx *Tx, _ *api.Operation, changedKeyID string) error {
	return tx.LockCredential(k.tokenHash, changedKeyID)
}

func (k Key) valid(tx *Tx, now api.Time, c Caller) (bool, error) {
	if k.expired(now) { // by the policy of the organisation, perhaps
		return false, nil
	}
	return tx.CredentialValid(k.tokenHash, store.Key{GivenScopes: k.given, Policy: c.policy}, now, tx.read.roles)
}

func (k Key) expired(now api.Time) bool { return k.expiresAt != nil && !now.Before(k.expiresAt.Time) }

func (k Key) identify(a *store.Actor) { a.KeyID = &k.ID }

func unknownToken(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(api.CodeUnauthorized, "The API key is unknown; it may have been rotated or revoked.")
	}
	return err
}

// Via returns the caller's API key as records name it; nil without one.
func (c Caller) Via() *api.Via {
	if k, ok := c.Credential.(Key); ok {
		return &api.Via{KeyID: &k.ID, Name: k.Name}
	}
	return nil
}

// KeyID returns the id of the caller's API key, empty without one.
func (c Caller) KeyID() string {
	k, _ := c.Credential.(Key)
	return k.ID
}

// WithholdsGuests reports whether the caller's API key withholds text of reporters without an account from agents. Keys
// that it creates or rotates do so, too.
func (c Caller) WithholdsGuests() bool {
	k, _ := c.Credential.(Key)
	return k.WithholdGuests
}

// FilesOnly reports whether the caller's API key files reports only, as every visitor of a source does.
func (c Caller) FilesOnly() bool {
	if c.Type == GuestCaller {
		return true
	}
	k, _ := c.Credential.(Key)
	return k.FilesOnly
}
