package api

// Factors are the ways in which a user proves who it is.
type Factors struct {
	Password      bool      `json:"password"`
	Authenticator *Time     `json:"authenticator"` // since when the user has an authenticator app; null for none
	Passkeys      []Passkey `json:"passkeys"`      // oldest first
	RecoveryCodes int       `json:"recoveryCodes"` // that were not used
	Required      bool      `json:"required"`      // whether the organisation requires a second factor
	Address       bool      `json:"address"`       // whether browsers make passkeys at the address of the service
}

// HasSecond reports whether the user has a second factor.
func (f Factors) HasSecond() bool { return f.Authenticator != nil || len(f.Passkeys) > 0 }

// Passkey is a passkey of a user.
type Passkey struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	CreatedAt  Time   `json:"createdAt"`
	LastUsedAt *Time  `json:"lastUsedAt"`
}

// ListFactors returns the ways in which the user proves who it is.
type ListFactors struct{ Returns[Factors] }

// Proof shows who a user is: a password, a code, or the answer of a passkey.
type Proof struct {
	Password string        `json:"password"`
	Code     string        `json:"code"` // of an authenticator app, or a recovery code
	Passkey  PasskeyAnswer `json:"passkey"`
	Device   string        `json:"device"` // the sealed mark of a browser that has signed in before; empty without one
}

// PasskeyQuestion is what a browser asks a passkey.
type PasskeyQuestion struct {
	Options string `json:"options"` // of WebAuthn, in JSON; empty when there is no passkey to ask
	State   string `json:"state"`   // sealed; the answer needs it
}

// PasskeyAnswer is the answer of a passkey to a question.
type PasskeyAnswer struct {
	State  string `json:"state"`
	Answer string `json:"answer"` // of WebAuthn, in JSON; empty without one
}

// Prove records that the user has just proved who it is, and rotates the session.
type Prove struct {
	Returns[NewSession]
	Body Proof
}

// AskProof returns how the user proves who it is in this session, with a question for its passkeys.
type AskProof struct{ Returns[ProofChoice] }

// ProofChoice says how a user may prove who it is.
type ProofChoice struct {
	Password bool            `json:"password"`
	Code     bool            `json:"code"`
	Passkey  PasskeyQuestion `json:"passkey"`
}

// BeginAuthenticator returns a new key for an authenticator app, which is stored when a code of it is confirmed.
type BeginAuthenticator struct{ Returns[NewAuthenticator] }

// NewAuthenticator is a key for an authenticator app.
type NewAuthenticator struct {
	Key     string `json:"key"`     // in base32
	Address string `json:"address"` // that apps read from a QR code
	State   string `json:"state"`   // the sealed key
}

// ConfirmAuthenticator stores the key of an authenticator app that shows its codes.
type ConfirmAuthenticator struct {
	Returns[AddedFactor]
	Body AuthenticatorConfirmation
}

// AuthenticatorConfirmation is a code of a new authenticator app.
type AuthenticatorConfirmation struct {
	State  string `json:"state"`
	Code   string `json:"code"`
	Device string `json:"device"` // as in Proof
}

// AddedFactor is what a user gets with a new second factor.
type AddedFactor struct {
	RecoveryCodes []string   `json:"recoveryCodes"` // shown once; none when the user has some
	Session       NewSession `json:"session"`
}

// RemoveAuthenticator removes the authenticator app of the user.
type RemoveAuthenticator struct{ Returns[Nothing] }

// BeginPasskey returns the question for a new passkey.
type BeginPasskey struct{ Returns[PasskeyQuestion] }

// AddPasskey stores a new passkey.
type AddPasskey struct {
	Returns[AddedFactor]
	Body NewPasskey
}

// NewPasskey is a passkey that a browser has made.
type NewPasskey struct {
	Name    string        `json:"name"`
	Passkey PasskeyAnswer `json:"passkey"`
	Device  string        `json:"device"` // as in Proof
}

// RenamePasskey gives a passkey of the user another name. The name is for its user alone, and needs no proof.
type RenamePasskey struct {
	Returns[Nothing]
	PasskeyID string `path:"passkeyId" id:"psk"`
	Body      PasskeyName
}

// PasskeyName is the name of a passkey, by which its user knows it.
type PasskeyName struct {
	Name string `json:"name"`
}

// RemovePasskey removes a passkey of the user.
type RemovePasskey struct {
	Returns[Nothing]
	PasskeyID string `path:"passkeyId" id:"psk"`
}

// ReplaceRecoveryCodes returns new recovery codes. The former ones stop working.
type ReplaceRecoveryCodes struct{ Returns[RecoveryCodes] }

// RecoveryCodes are codes that each replace the second factor once. They are shown once.
type RecoveryCodes struct {
	Codes []string `json:"codes"`
}

// RemovePassword removes the password of a user, who signs in with passkeys then.
type RemovePassword struct {
	Returns[NewSession]
	Body DeviceMark
}

// DeviceMark is the mark of a browser.
type DeviceMark struct {
	Device string `json:"device"` // as in Proof
}

// RemoveFactors removes every factor of another user but the password.
type RemoveFactors struct {
	Returns[Nothing]
	UserID string `path:"userId" id:"usr"`
}
