package tracker

import (
	"context"
	"errors"
	"math"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/openid"
	"bugslice/internal/store"
	"bugslice/internal/store/identities"
)

// The times after which a session asks its provider again.
const (
	maxRefreshAge = 10 * time.Minute // of a session that is used
	minRefreshAge = time.Minute
)

const refreshPurpose = "refresh token of a provider"

// ProviderPath is the path below which browsers and providers return to an organisation. Each organisation has addresses
// of its own, so that no answer is taken for that of another provider.
const ProviderPath = "/login/"

// providerOf returns the provider of an organisation, or one without an issuer.
func providerOf(q access.Queries, orgID string) (identities.Provider, error) {
	p, err := q.Identities().Provider(orgID)
	if errors.Is(err, store.ErrNotFound) {
		return identities.Provider{OrgID: orgID}, nil
	}
	return p, err
}

// providerSettings returns the settings of a provider with its secret.
func (t *Tracker) providerSettings(p identities.Provider) (openid.Settings, error) {
	s := openid.Settings{Issuer: p.Issuer, ClientID: p.ClientID, GroupsClaim: p.GroupsClaim,
		Redirect: t.baseURL + ProviderPath + p.OrgID + "/callback"}
	if p.Sealed == "" {
		return s, nil
	}
	secret, err := t.unseal(providerPurpose, p.OrgID, p.Sealed)
	s.ClientSecret = secret
	return s, err
}

// signInProvider returns the provider of an organisation with its settings, or refuses it with not_found.
func (t *Tracker) signInProvider(ctx context.Context, orgID string) (identities.Provider, openid.Settings, error) {
	p, err := t.access.Read(ctx).Identities().Provider(orgID)
	if err != nil {
		return p, openid.Settings{}, access.OrNotFound(err, "provider")
	}
	s, err := t.providerSettings(p)
	return p, s, err
}

// providerProblem returns the problem of a provider that did not confirm a person. Its text has the provider's words.
func providerProblem(err error) error {
	var refused *openid.Error
	if !errors.As(err, &refused) {
		return err
	}
	if refused.Away {
		return api.NewProblem(api.CodeUnavailable, refused.Detail)
	}
	return refuseSignIn("provider", refused.Detail)
}

// FaultSignIn begins the codes of faults of a sign-in at a provider that is refused.
const FaultSignIn = "sign_in_"

// refuseSignIn refuses a sign-in at a provider.
func refuseSignIn(code, detail string) error {
	return api.NewProblem(api.CodeForbidden, detail, api.Fault{Code: FaultSignIn + code, Detail: detail})
}

// sealRefresh encrypts a refresh token, which belongs to one session.
func (t *Tracker) sealRefresh(sessionID, text string) string {
	if text == "" {
		return ""
	}
	return t.seal(refreshPurpose, sessionID, text)
}

// nextRefresh returns when a session asks the provider again: when the access token has expired, and after ten minutes.
func (t *Tracker) nextRefresh(p openid.Person) api.Time {
	if p.RefreshToken == "" {
		return api.FromMillis(math.MaxInt64 / 2)
	}
	after := maxRefreshAge
	if !p.ExpiresAt.IsZero() {
		after = min(after, max(minRefreshAge, p.ExpiresAt.Sub(t.now())))
	}
	return api.At(t.now().Add(after))
}

var errNoPasswords = refuseSignIn("no_passwords",
	"Your organisation signs in at its provider alone. Passwords do not open an account here.")

// passwordUntil refuses a user of an organisation that signs in at its provider alone, unless the operator has set the
// password lately: then it returns until when. It returns nil where passwords work.
func (t *Tracker) passwordUntil(q access.Queries, u store.User) (*api.Time, error) {
	p, err := providerOf(q, u.OrgID)
	if err != nil || !p.PasswordsOff {
		return nil, err
	}
	until, err := q.Identities().PasswordUntil(u.ID)
	if err == nil && (until == nil || !t.now().Before(until.Time)) {
		err = errNoPasswords
	}
	return until, err
}

// SignInChoice is a provider at which people may sign in.
type SignInChoice struct {
	OrgID, Name, Organization string
	Domains                   []string
	PasswordsOff              bool
}

// maxChoices is the number of providers that a page to sign in knows.
const maxChoices = 200

// SignInChoices returns the providers of the instance by name.
func (t *Tracker) SignInChoices(ctx context.Context) (all []SignInChoice, err error) {
	providers, err := t.access.Read(ctx).Identities().Providers(maxChoices)
	for _, p := range providers {
		all = append(all, SignInChoice{p.OrgID, p.Name, p.OrgName, p.Domains, p.PasswordsOff})
	}
	return all, err
}
