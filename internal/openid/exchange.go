package openid

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Answer is that with which a browser returns from a provider.
type Answer struct{ State, Code, Issuer, Error, Description string }

// Person is who a provider says that somebody is.
type Person struct {
	Subject       string // the provider's name of the person, which never changes
	Email         string `untrusted:"true"` // as the provider writes it; empty when it gives none
	EmailVerified bool
	Name          string `untrusted:"true"`
	Groups        []string
	HasGroups     bool // whether the provider has said the groups
	Multiple      bool // whether the provider says that the person has proved several factors
	SessionID     string
	SignedInAt    time.Time // zero when the provider does not say
	RefreshToken  string
	ExpiresAt     time.Time // of the access token; zero when the provider does not say
}

// Exchange exchanges the code of an answer. It refuses an answer that is not of this attempt or of another issuer, and a
// token that is not what Attempt asked for.
func (c *Client) Exchange(ctx context.Context, s Settings, a Attempt, answer Answer) (Person, error) {
	ctx, cancel := context.WithTimeout(ctx, exchangeTime)
	defer cancel()
	k, err := c.discover(ctx, s.Issuer)
	if err != nil {
		return Person{}, err
	}
	if err := k.checkAnswer(s, a, answer); err != nil {
		return Person{}, err
	}
	token, err := k.config(s).Exchange(oidc.ClientContext(ctx, c.http), answer.Code,
		oauth2.VerifierOption(a.Verifier))
	if err != nil {
		e := refusal(err)
		e.Ended = false
		return Person{}, e
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Person{}, refuse("The provider gave no ID token.")
	}
	p, verified, err := c.verify(ctx, k, s, raw)
	if err != nil {
		return Person{}, err
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(a.Nonce)) != 1 {
		return Person{}, refuse("The ID token is not of this sign-in: its nonce is another one.")
	}
	if verified.AccessTokenHash != "" && verified.VerifyAccessToken(token.AccessToken) != nil {
		return Person{}, refuse("The ID token belongs to another access token.")
	}
	return c.complete(ctx, k, p, token, s.GroupsClaim)
}

// checkAnswer refuses an answer that is not of an attempt.
func (k *kept) checkAnswer(s Settings, a Attempt, answer Answer) error {
	switch {
	case a.State == "" || subtle.ConstantTimeCompare([]byte(answer.State), []byte(a.State)) != 1:
		return refuse("The answer is not of a sign-in that this browser has begun.")
	case answer.Issuer != "" && answer.Issuer != s.Issuer:
		return refuse("The answer came from another provider: " + shorten(answer.Issuer) + ".")
	case answer.Issuer == "" && k.document.NamesIssuer:
		return refuse("The answer does not say from which provider it came (iss), although this provider always says it.")
	case answer.Error != "":
		return refuse("The provider refused: " + shorten(strings.TrimSpace(answer.Error+" "+answer.Description)))
	case answer.Code == "":
		return refuse("The provider's answer has no code.")
	}
	return nil
}

// claims are those of an ID token and of the userinfo endpoint.
type claims struct {
	Subject       string   `json:"sub"`
	Email         string   `json:"email"`
	EmailVerified flexBool `json:"email_verified"`
	Name          string   `json:"name"`
	Username      string   `json:"preferred_username"`
	SessionID     string   `json:"sid"`
	AuthTime      int64    `json:"auth_time"`
	Authorized    string   `json:"azp"`
	Class         string   `json:"acr"`
	Methods       texts    `json:"amr"`
}

// texts are texts. Everything but an array of them is none.
type texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(text []byte) error {
	var all []string
	if json.Unmarshal(text, &all) == nil {
		*t = all
	}
	return nil
}

// The classes of authentication by which providers say that somebody has proved several factors, beside the method "mfa" of
// RFC 8176: those of OpenID Connect Extended Authentication Profile, of OpenID PAPE and of REFEDS.
var multipleFactors = []string{"phr", "phrh", "http://schemas.openid.net/pape/policies/2007/06/multi-factor",
	"https://refeds.org/profile/mfa"}

// flexBool is a boolean that some providers write as a text.
type flexBool bool

// UnmarshalJSON implements json.Unmarshaler. Everything but true is false.
func (b *flexBool) UnmarshalJSON(text []byte) error {
	*b = string(text) == "true" || string(text) == `"true"`
	return nil
}

// verify returns what an ID token says.
func (c *Client) verify(ctx context.Context, k *kept, s Settings, raw string) (Person, *oidc.IDToken, error) {
	verifier := k.provider.VerifierContext(oidc.ClientContext(ctx, c.http), &oidc.Config{ClientID: s.ClientID,
		Now: c.now})
	verified, err := verifier.Verify(oidc.ClientContext(ctx, c.http), raw)
	if err != nil {
		return Person{}, nil, refusal(err)
	}
	var said claims
	if err := verified.Claims(&said); err != nil {
		return Person{}, nil, refusal(err)
	}
	switch {
	case said.Authorized != "" && said.Authorized != s.ClientID,
		said.Authorized == "" && len(verified.Audience) > 1:
		return Person{}, nil, refuse("The ID token was given to another client (azp).")
	case verified.Subject == "" || len(verified.Subject) > maxClaim || len(said.SessionID) > maxClaim ||
		strings.ContainsRune(verified.Subject+said.SessionID,
			0) || !utf8.ValidString(verified.Subject+said.SessionID):
		return Person{}, nil, refuse("The ID token has no subject, or one that is too long.")
	case verified.IssuedAt.After(c.now().Add(5 * time.Minute)):
		return Person{}, nil, refuse("The ID token was issued in the future: compare the clocks.")
	}
	p := Person{Subject: verified.Subject, SessionID: said.SessionID,
		Multiple: slices.Contains(said.Methods, "mfa") || slices.Contains(multipleFactors, said.Class)}
	if said.AuthTime > 0 {
		p.SignedInAt = time.Unix(said.AuthTime, 0)
	}
	p.describe(said)
	p.takeGroups(verified, s.GroupsClaim)
	return p, verified, nil
}

// describe takes the address and the name of claims.
func (p *Person) describe(said claims) {
	if said.Email != "" {
		p.Email, p.EmailVerified = strings.TrimSpace(said.Email), bool(said.EmailVerified)
	}
	for _, name := range []string{said.Name, said.Username} {
		if p.Name == "" {
			p.Name = shorten(name)
		}
	}
}

// claimed is what has claims: an ID token, or the answer of the userinfo endpoint.
type claimed interface{ Claims(any) error }

// takeGroups takes the groups of a claim: a text, or an array of texts.
func (p *Person) takeGroups(from claimed, claim string) {
	var all map[string]json.RawMessage
	if claim == "" || from.Claims(&all) != nil || all[claim] == nil {
		return
	}
	var groups []string
	if err := json.Unmarshal(all[claim], &groups); err != nil {
		var one string
		if json.Unmarshal(all[claim], &one) != nil {
			return
		}
		groups = []string{one}
	}
	p.HasGroups, p.Groups = true, slices.DeleteFunc(groups,
		func(g string) bool { return g == "" || len(g) > maxClaim })
	p.Groups = p.Groups[:min(len(p.Groups), maxGroups)]
}

// complete adds what the userinfo endpoint says where the ID token lacks the address or the groups.
func (c *Client) complete(ctx context.Context, k *kept, p Person, token *oauth2.Token, groupsClaim string) (
	Person, error,
) {
	p.RefreshToken = token.RefreshToken
	if token.ExpiresIn > 0 {
		p.ExpiresAt = c.now().Add(time.Duration(token.ExpiresIn) * time.Second)
	}
	if p.Email != "" && (groupsClaim == "" || p.HasGroups) || k.document.UserInfo == "" {
		return p, nil
	}
	info, err := k.provider.UserInfo(oidc.ClientContext(ctx, c.http), oauth2.StaticTokenSource(token))
	if err != nil {
		return Person{}, refusal(err)
	}
	if info.Subject != p.Subject {
		return Person{}, refuse("The userinfo endpoint speaks of another person than the ID token.")
	}
	var said claims
	if err := info.Claims(&said); err != nil {
		return Person{}, refusal(err)
	}
	if p.Email == "" {
		p.describe(said)
	}
	if !p.HasGroups {
		p.takeGroups(info, groupsClaim)
	}
	return p, nil
}

// Refresh asks a provider whether a person may still be signed in. An Error that says Ended is its no.
func (c *Client) Refresh(ctx context.Context, s Settings, refreshToken, subject string) (Person, error) {
	ctx, cancel := context.WithTimeout(ctx, exchangeTime)
	defer cancel()
	k, err := c.discover(ctx, s.Issuer)
	if err != nil {
		return Person{}, err
	}
	source := k.config(s).TokenSource(oidc.ClientContext(ctx, c.http), &oauth2.Token{RefreshToken: refreshToken})
	token, err := source.Token()
	if err != nil {
		return Person{}, refusal(err)
	}
	p := Person{Subject: subject}
	if raw, _ := token.Extra("id_token").(string); raw != "" {
		if p, _, err = c.verify(ctx, k, s, raw); err != nil {
			return Person{}, err
		}
		if p.Subject != subject {
			return Person{}, &Error{Ended: true, Detail: "The provider's refreshed token is of another person."}
		}
	}
	if p.Email == "" {
		p.Email = " " // the address is not asked for again
	}
	p, err = c.complete(ctx, k, p, token, s.GroupsClaim)
	p.Email = strings.TrimSpace(p.Email)
	return p, err
}

// Logout is a message of a provider that sessions have ended: of a subject, or one by its SessionID.
type Logout struct {
	Subject, SessionID string
	ID                 string // of the message, which works once
	ExpiresAt          time.Time
}

// logoutAge is the age of a message that ends sessions.
const logoutAge = 5 * time.Minute

// VerifyLogout verifies a message of the back channel.
func (c *Client) VerifyLogout(ctx context.Context, s Settings, raw string) (Logout, error) {
	ctx, cancel := context.WithTimeout(ctx, exchangeTime)
	defer cancel()
	k, err := c.discover(ctx, s.Issuer)
	if err != nil {
		return Logout{}, err
	}
	verifier := k.provider.Verifier(&oidc.Config{ClientID: s.ClientID, Now: c.now}) // with keys that are kept
	token, err := verifier.VerifyLogout(oidc.ClientContext(ctx, c.http), raw)
	if err != nil {
		return Logout{}, refusal(err)
	}
	var said struct {
		Nonce *json.RawMessage `json:"nonce"`
		ID    string           `json:"jti"`
		At    int64            `json:"iat"`
		Until int64            `json:"exp"`
	}
	if err := token.Claims(&said); err != nil {
		return Logout{}, refusal(err)
	}
	age := c.now().Sub(time.Unix(said.At, 0))
	switch {
	case said.Nonce != nil:
		return Logout{}, refuse("A logout token has no nonce.")
	case said.ID == "" || len(said.ID) > maxClaim:
		return Logout{}, refuse("The logout token has no identifier (jti).")
	case age > logoutAge || age < -logoutAge:
		return Logout{}, refuse("The logout token is not of now (iat).")
	case token.Subject == "" && token.SessionID == "":
		return Logout{}, refuse("The logout token names neither a subject nor a session.")
	}
	return Logout{Subject: token.Subject, SessionID: token.SessionID, ID: said.ID,
		ExpiresAt: c.now().Add(2 * logoutAge)}, nil
}

// IsEnded reports whether a provider has said no for good.
func IsEnded(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Ended
}
