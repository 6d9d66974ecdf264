package factor

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Passkeys verifies the passkeys of one address.
type Passkeys struct{ party *webauthn.WebAuthn }

// NewPasskeys returns the Passkeys of a server with an address. It is nil where browsers make none: at an address that
// is an IP address, or without https, except for localhost.
func NewPasskeys(address string) *Passkeys {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || net.ParseIP(u.Hostname()) != nil ||
		u.Scheme != "https" && u.Hostname() != "localhost" {
		return nil
	}
	party, err := webauthn.New(&webauthn.Config{RPID: u.Hostname(), RPDisplayName: "Bugslice",
		RPOrigins: []string{u.Scheme + "://" + u.Host}, AttestationPreference: protocol.PreferNoAttestation})
	if err != nil {
		return nil
	}
	return &Passkeys{party}
}

// Account is a user with the records of its passkeys.
type Account struct {
	ID, Email, Name string
	Records         []string // as Created and Answered return them
}

// WebAuthnID is for the library, as are the other methods of an Account.
func (a Account) WebAuthnID() []byte { return []byte(a.ID) }

// WebAuthnName returns the e-mail address.
func (a Account) WebAuthnName() string { return a.Email }

// WebAuthnDisplayName returns the name.
func (a Account) WebAuthnDisplayName() string { return a.Name }

// WebAuthnCredentials returns the passkeys.
func (a Account) WebAuthnCredentials() []webauthn.Credential {
	all := make([]webauthn.Credential, 0, len(a.Records))
	for _, record := range a.Records {
		var c webauthn.Credential
		if json.Unmarshal([]byte(record), &c) == nil {
			all = append(all, c)
		}
	}
	return all
}

// Question is what a browser is asked, and what the server must know to verify its answer.
type Question struct {
	Options string // JSON, for the script of the page
	State   []byte // secret, and for one answer
}

// Passkey is a passkey as a browser has made it or used it.
type Passkey struct {
	ID       string // of the credential
	UserID   string
	Record   string // to be stored
	Verified bool   // its user has unlocked it, so that it is two factors: what the user has, and is or knows
	Cloned   bool   // it counts less than before, so that it has a copy
}

// ErrNotVerified refuses an answer that no passkey of the account has given to the question at this address.
var ErrNotVerified = errors.New("the passkey is not verified")

// AskToCreate returns the question for a new passkey of an account.
func (p *Passkeys) AskToCreate(a Account) (q Question, err error) {
	var exclude []protocol.CredentialDescriptor
	for _, c := range a.WebAuthnCredentials() {
		exclude = append(exclude, c.Descriptor())
	}
	options, state, err := p.party.BeginRegistration(a, webauthn.WithExclusions(exclude),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementPreferred, UserVerification: protocol.VerificationPreferred}))
	if err != nil {
		return q, err
	}
	return questionOf(options.Response, state)
}

// Created verifies the answer to AskToCreate.
func (p *Passkeys) Created(a Account, state []byte, answer string) (Passkey, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal(state, &session); err != nil {
		return Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return Passkey{}, errors.Join(ErrNotVerified, err)
	}
	c, err := p.party.CreateCredential(a, session, parsed)
	if err != nil {
		return Passkey{}, errors.Join(ErrNotVerified, err)
	}
	return passkeyOf(a.ID, *c)
}

// Ask returns the question for a passkey of an account, or of any account for a nil one. A passkey of any account must
// be unlocked by its user.
func (p *Passkeys) Ask(a *Account) (q Question, err error) {
	if a == nil {
		options, state, err := p.party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
		if err != nil {
			return q, err
		}
		return questionOf(options.Response, state)
	}
	options, state, err := p.party.BeginLogin(*a, webauthn.WithUserVerification(protocol.VerificationPreferred))
	if err != nil {
		return q, err
	}
	return questionOf(options.Response, state)
}

// Answered verifies the answer to Ask. find returns the account that the answer names.
func (p *Passkeys) Answered(state []byte, answer string, find func(userID string) (Account, error)) (Passkey, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal(state, &session); err != nil {
		return Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return Passkey{}, errors.Join(ErrNotVerified, err)
	}
	var user webauthn.User
	var c *webauthn.Credential
	if len(session.UserID) == 0 {
		user, c, err = p.party.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
			return find(string(handle))
		}, session, parsed)
	} else {
		var a Account
		if a, err = find(string(session.UserID)); err != nil {
			return Passkey{}, err
		}
		user = a
		c, err = p.party.ValidateLogin(a, session, parsed)
	}
	if err != nil {
		return Passkey{}, errors.Join(ErrNotVerified, err)
	}
	used, err := passkeyOf(string(user.WebAuthnID()), *c)
	used.Verified = parsed.Response.AuthenticatorData.Flags.HasUserVerified()
	return used, err
}

// IsUnlocked reports whether the user has unlocked a passkey, by its record, so that it is two factors.
func IsUnlocked(record string) bool {
	var c webauthn.Credential
	return json.Unmarshal([]byte(record), &c) == nil && c.Flags.UserVerified
}

func questionOf(options any, state *webauthn.SessionData) (q Question, err error) {
	text, err := json.Marshal(options)
	if err != nil {
		return q, err
	}
	q.Options = string(text)
	q.State, err = json.Marshal(state)
	return q, err
}

func passkeyOf(userID string, c webauthn.Credential) (Passkey, error) {
	cloned := c.Authenticator.CloneWarning
	c.Authenticator.CloneWarning = false
	c.Attestation = webauthn.CredentialAttestation{} // none was asked for
	record, err := json.Marshal(c)
	return Passkey{ID: base64.RawURLEncoding.EncodeToString(c.ID), UserID: userID, Record: string(record),
		Verified: c.Flags.UserVerified, Cloned: cloned}, err
}
