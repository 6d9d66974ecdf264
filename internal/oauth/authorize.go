package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// Authorization is the request of a client for a key (RFC 6749, with RFC 7636, 8707 and 9207), whose client and
// redirect are known.
type Authorization struct {
	Client   Client
	Redirect string
	Scopes   []api.Scope // that it asks for
	Refused  *Error      // why the request cannot be granted; nil when it can

	state, challenge, resource, issuer string
}

// AuthorizationParameters are the parameters of a request that a consent carries.
var AuthorizationParameters = []string{"client_id", "redirect_uri", "response_type", "state", "scope", "code_challenge",
	"code_challenge_method", "resource"}

// challengeForm is that of the SHA-256 of a verifier (RFC 7636).
var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// Authorization returns the request with some parameters. The error is an *Error when the client or its redirect is
// not known: then nothing may be sent there.
func (s *Server) Authorization(ctx context.Context, q url.Values) (Authorization, error) {
	for _, name := range AuthorizationParameters {
		if len(q[name]) > 1 {
			return Authorization{}, refuse("invalid_request", "The parameter "+name+" is repeated.")
		}
	}
	c, err := s.client(ctx, q.Get("client_id"))
	if err != nil {
		return Authorization{}, err
	}
	a := Authorization{Client: c, state: q.Get("state"), challenge: q.Get("code_challenge"), issuer: s.BaseURL}
	if a.Redirect, err = c.redirect(q.Get("redirect_uri")); err != nil {
		return Authorization{}, err
	}
	a.resource, a.Scopes, a.Refused = s.grantable(q)
	return a, nil
}

// grantable returns the resource and the scopes of a request, or why it cannot be granted.
func (s *Server) grantable(q url.Values) (resource string, scopes []api.Scope, refused *Error) {
	switch {
	case q.Get("response_type") != "code":
		return "", nil, refuse("unsupported_response_type", "The response_type must be code.")
	case q.Get("code_challenge_method") != "S256" || !challengeForm.MatchString(q.Get("code_challenge")):
		return "", nil, refuse("invalid_request",
			"PKCE is required: send a code_challenge with code_challenge_method=S256.")
	}
	resource, err := s.resource(q.Get("resource"))
	if err == nil {
		scopes, err = parseScopes(q.Get("scope"))
	}
	refused, _ = errors.AsType[*Error](err)
	return resource, scopes, refused
}

// resource returns the resource that a request names (RFC 8707). It refuses that of another server; none is this
// server.
func (s *Server) resource(asked string) (string, error) {
	own := []string{"", s.BaseURL, s.BaseURL + "/", s.BaseURL + MCP, s.BaseURL + MCP + "/"}
	if !slices.Contains(own, asked) {
		return "", refuse("invalid_target", "The resource is not this server, which is "+s.BaseURL+MCP+".")
	}
	return strings.TrimSuffix(asked, "/"), nil
}

// Destination returns what a user is shown of where an answer goes: a host, the scheme of a program, or nothing for
// this machine.
func (a Authorization) Destination() string { return destination(a.Redirect) }

// Origin returns what is known of the client: the host of its document, or else the destination.
func (a Authorization) Origin() string {
	if a.Client.Host != "" {
		return a.Client.Host
	}
	if d := a.Destination(); d != "" {
		return d
	}
	return "on this computer"
}

// answer returns the address with which the browser returns to the client. It names this server as the issuer (RFC
// 9207).
func (a Authorization) answer(further url.Values) string {
	further.Set("iss", a.issuer)
	if a.state != "" {
		further.Set("state", a.state)
	}
	return withQuery(a.Redirect, further)
}

// Refusal returns the address with which the browser tells the client that nothing is granted: because the request is
// refused, or else because the user has denied it.
func (a Authorization) Refusal() string {
	e := a.Refused
	if e == nil {
		e = refuse("access_denied", "The user has denied the request.")
	}
	return a.answer(url.Values{"error": {e.Code}, "error_description": {e.Description}})
}

// Approve creates the key of a client, and returns the address with which the browser gives the code to the client.
// It needs a recent proof of the password.
func (s *Server) Approve(ctx context.Context, u tracker.Session, a Authorization, c Choice) (string, error) {
	if a.Refused != nil {
		return "", a.Refused
	}
	v, err := c.key(s.Now(), keyName(a.Client.Name, a.Origin()), a.Scopes)
	if err != nil {
		return "", err
	}
	code := rand.Text()
	g := store.KeyGrant{ClientID: a.Client.ID, ClientName: a.Client.Name, Code: hash(code),
		CodeExpiresAt: api.At(s.Now().Add(codeLifetime)), Redirect: a.Redirect, Challenge: a.challenge,
		Resource: a.resource}
	if _, err := s.grant(ctx, u, v, g, func(*access.Tx, *store.KeyGrant) error { return nil }); err != nil {
		return "", err
	}
	return a.answer(url.Values{"code": {code}}), nil
}
