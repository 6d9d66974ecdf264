package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/url"
	"regexp"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// The grant types.
const (
	GrantCode    = "authorization_code"
	GrantRefresh = "refresh_token"
	GrantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

// Tokens are what a program gets: a token of its key, and for a client of MCP a refresh token.
type Tokens struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int64  `json:"expires_in"` // seconds
	Scope     string `json:"scope"`
	Refresh   string `json:"refresh_token,omitempty"`
}

// outcome is what a transaction stores: tokens, or a refusal that has changed something.
type outcome struct {
	tokens  Tokens
	refused *Error
}

// Token answers a request of a program for a token. The error is an *Error for a refusal.
func (s *Server) Token(ctx context.Context, from access.Request, q url.Values) (Tokens, error) {
	for name := range q {
		if len(q[name]) > 1 && name != "resource" {
			return Tokens{}, refuse("invalid_request", "A parameter is repeated.")
		}
	}
	if q.Get("client_id") == "" {
		return Tokens{}, refuse("invalid_request", "The client_id is missing.")
	}
	r := tokenRequest{s, from, q}
	var fn func(*access.Tx) (outcome, error)
	switch q.Get("grant_type") {
	case GrantCode:
		fn = r.redeem
	case GrantDevice:
		fn = r.redeemDevice
	case GrantRefresh:
		fn = r.refresh
	case "":
		return Tokens{}, refuse("invalid_request", "The grant_type is missing.")
	default:
		return Tokens{}, refuse("unsupported_grant_type",
			"The grant_type must be one of those in the metadata of this server.")
	}
	done, err := write(ctx, s, fn)
	if err != nil {
		return Tokens{}, err
	}
	if done.refused != nil {
		return Tokens{}, done.refused
	}
	return done.tokens, nil
}

// tokenRequest is a request for a token.
type tokenRequest struct {
	*Server
	from access.Request
	q    url.Values
}

// verifierForm is that of a code verifier (RFC 7636).
var verifierForm = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// redeem gives the tokens of an authorization code, once.
func (r tokenRequest) redeem(tx *access.Tx) (outcome, error) {
	g, err := tx.LockGrantOfCode(hash(r.q.Get("code")))
	if err != nil {
		return outcome{}, orUnknown(err, errUnknownCode)
	}
	if err := r.checkCode(g); err != nil {
		return outcome{}, err
	}
	return r.fetch(tx, g)
}

// checkCode refuses a request whose client, redirect, resource or verifier are not those of the authorization.
// Whoever lacks them learns nothing about the code, and cannot use it up.
func (r tokenRequest) checkCode(g store.KeyGrant) error {
	verifier, redirect := r.q.Get("code_verifier"), r.q.Get("redirect_uri")
	sum := sha256.Sum256([]byte(verifier))
	proof := base64.RawURLEncoding.EncodeToString(sum[:])
	switch {
	case g.ClientID == CommandLine || g.ClientID != r.q.Get("client_id"):
		return errUnknownCode
	case !verifierForm.MatchString(verifier) || subtle.ConstantTimeCompare([]byte(proof), []byte(g.Challenge)) != 1:
		return refuse("invalid_grant", "The code_verifier is not that of the code_challenge.")
	case redirect != "" && redirect != g.Redirect:
		return refuse("invalid_grant", "The redirect_uri is not that of the authorization.")
	}
	return r.checkResource(g)
}

// checkResource refuses a resource for which the grant is not.
func (r tokenRequest) checkResource(g store.KeyGrant) error {
	for _, text := range r.q["resource"] {
		asked, err := r.resource(text)
		if err == nil && asked != g.Resource && g.Resource != "" {
			err = refuse("invalid_target", "The resource is not that of the authorization.")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// redeemDevice gives the token of a device code, once, or says why there is none.
func (r tokenRequest) redeemDevice(tx *access.Tx) (outcome, error) {
	if r.q.Get("client_id") != CommandLine {
		return outcome{}, ErrDeviceClient
	}
	code := hash(r.q.Get("device_code"))
	g, err := tx.LockGrantOfCode(code)
	switch {
	case errors.Is(err, store.ErrNotFound):
		refused, err := r.poll(tx, code)
		return outcome{refused: refused}, err
	case err != nil:
		return outcome{}, err
	case g.ClientID != CommandLine:
		return outcome{}, errUnknownCode
	}
	return r.fetch(tx, g)
}

// fetch gives the tokens of a grant whose program has shown its code. A code that was used before ends the key: one
// of the two programs that have it is a thief's.
func (r tokenRequest) fetch(tx *access.Tx, g store.KeyGrant) (outcome, error) {
	switch {
	case g.RedeemedAt != nil:
		return outcome{refused: errUnknownCode}, r.Tracker.EndGrantedKey(tx, g, r.from)
	case !r.Now().Before(g.CodeExpiresAt.Time):
		return outcome{}, errUnknownCode
	}
	family := ""
	if g.ClientID != CommandLine {
		family = newFamily()
	}
	tokens, err := r.renew(tx, g, family)
	switch {
	case isRefused(err) && g.ClientID == CommandLine:
		return outcome{}, refuse("access_denied", "The key was revoked before its token was fetched.")
	case isRefused(err):
		return outcome{}, errUnknownCode
	case err != nil:
		return outcome{}, err
	}
	return outcome{tokens: tokens}, tx.RedeemCode(g.KeyID, r.clock())
}

// refresh gives new tokens for a refresh token, which ends. One that was replaced before ends the key.
func (r tokenRequest) refresh(tx *access.Tx) (outcome, error) {
	text := r.q.Get("refresh_token")
	family, ok := familyOf(text)
	if !ok {
		return outcome{}, errRefresh
	}
	g, err := tx.LockGrantOfFamily(hash(family))
	if err != nil {
		return outcome{}, orUnknown(err, errRefresh)
	}
	if g.ClientID != r.q.Get("client_id") {
		return outcome{}, errRefresh
	}
	if hash(text) != g.Refresh {
		return outcome{refused: errRefresh}, r.Tracker.EndGrantedKey(tx, g, r.from)
	}
	if err := r.checkRefresh(tx, g); err != nil {
		return outcome{}, err
	}
	tokens, err := r.renew(tx, g, family)
	if isRefused(err) {
		err = errRefresh
	}
	return outcome{tokens: tokens}, err
}

// checkRefresh refuses another resource than that of the grant, and scopes that the key does not have.
func (r tokenRequest) checkRefresh(tx *access.Tx, g store.KeyGrant) error {
	if err := r.checkResource(g); err != nil || r.q.Get("scope") == "" {
		return err
	}
	k, err := tx.StoredKey(g.KeyID)
	if err != nil {
		return err
	}
	asked, err := parseScopes(r.q.Get("scope"))
	if err == nil && slices.ContainsFunc(asked, func(s api.Scope) bool { return !slices.Contains(k.Scopes, s) }) {
		err = refuse("invalid_scope", "The user has not allowed all of these scopes: ask for an authorization again.")
	}
	return err
}

// renew gives the key of a grant another token: one that lapses with a refresh token of a family, or without a family
// one that ends with the key.
func (r tokenRequest) renew(tx *access.Tx, g store.KeyGrant, family string) (t Tokens, err error) {
	now := r.clock()
	renewal := tracker.Renewal{Request: r.from}
	if family != "" {
		lapses := api.At(now.Add(AccessLifetime))
		renewal.LapsesAt = &lapses
	}
	if g.RedeemedAt != nil {
		renewal.Grace = renewalGrace
	}
	k, err := r.Tracker.RenewKey(tx, g, renewal)
	if isProblem(err, api.CodeNetwork) { // the code, or the refresh token, still works from another network
		return t, refuse("access_denied", "The organisation admits programs from some networks only, and the request comes from "+
			"another one.")
	}
	if err != nil {
		return t, err
	}
	ends := k.ExpiresAt.Time // every grant has an expiry
	if renewal.LapsesAt != nil && renewal.LapsesAt.Before(ends) {
		ends = renewal.LapsesAt.Time
	}
	t = Tokens{Access: k.Token, Type: "Bearer", ExpiresIn: int64(ends.Sub(now.Time).Seconds()),
		Scope: joinScopes(k.Scopes)}
	if family == "" {
		return t, nil
	}
	t.Refresh = newRefresh(family)
	return t, tx.SetRefresh(g.KeyID, hash(family), hash(t.Refresh))
}

// Revoke ends the key of a program (RFC 7009), by its token or its refresh token, also a replaced one. A token that
// is no such one is none any more, which is no error. A client ends its own keys alone.
func (s *Server) Revoke(ctx context.Context, from access.Request, q url.Values) error {
	text := q.Get("token")
	if text == "" {
		return refuse("invalid_request", "The token is missing.")
	}
	return access.SystemChange(ctx, s.authority, func(tx *access.Tx) error {
		g, err := grantOfToken(tx, text)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err == nil && q.Get("client_id") != "" && q.Get("client_id") != g.ClientID {
			err = refuse("invalid_client", "The token was given to another client.")
		}
		if err != nil {
			return err
		}
		return s.Tracker.EndGrantedKey(tx, g, from)
	})
}

// grantOfToken returns the grant of a refresh token or of a token of its key.
func grantOfToken(tx *access.Tx, text string) (store.KeyGrant, error) {
	if family, ok := familyOf(text); ok {
		return tx.LockGrantOfFamily(hash(family))
	}
	c, err := tx.Credential(hash(text))
	if err != nil {
		return store.KeyGrant{}, err
	}
	return tx.KeyGrant(c.ID)
}
