// Package factor has the factors by which users prove who they are, beside passwords: codes of an authenticator app
// (TOTP, RFC 6238), recovery codes, and passkeys (WebAuthn). It stores nothing: what is to be used once, the caller
// marks as used.
package factor
