// Package openid asks an OpenID provider who a person is. It knows no account: it gives the address to sign in at the
// provider, exchanges the code with which the browser returns, refreshes what it got, and verifies tokens that end sessions.
//
// Every request goes through a safehttp.Policy, has a few seconds, and reads at most 256 KiB. The issuer, the audience, the
// expiry, the nonce and the signature of a token are checked; an algorithm with a shared secret, or none, is refused. The
// discovery document is kept for an hour.
//
// An error is an *Error. Its text has the provider's words, which are those of a stranger.
package openid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/time/rate"

	"bugslice/internal/safehttp"
)

// Bounds of what is asked of a provider.
const (
	requestTime   = 5 * time.Second
	exchangeTime  = 12 * time.Second // of all requests of one exchange
	maxBody       = 256 << 10
	documentAge   = time.Hour
	failureAge    = 10 * time.Second
	maxDocuments  = 200
	maxGroups     = 500
	maxClaim      = 255 // characters of a subject, of a session and of a group
	maxProviderID = 1000
)

// Settings are what an organisation has told of its provider.
type Settings struct {
	Issuer, ClientID string
	ClientSecret     string // empty for a public client
	Redirect         string // where browsers return
	GroupsClaim      string // with the groups of a person; empty for none
}

// Client asks providers. It is safe for concurrent use.
type Client struct {
	policy *safehttp.Policy
	http   *http.Client
	now    func() time.Time

	mu   sync.Mutex
	kept map[string]*kept // by issuer
}

// kept is a provider whose discovery document was read, or the error of reading it.
type kept struct {
	ready    chan struct{} // closed when it was read
	provider *oidc.Provider
	document document
	err      error
	at       time.Time
	fetches  *rate.Limiter // of keys for tokens that nobody has asked for
}

// document has what a discovery document says beside what package oidc reads.
type document struct {
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Keys          string   `json:"jwks_uri"`
	UserInfo      string   `json:"userinfo_endpoint"`
	EndSession    string   `json:"end_session_endpoint"`
	NamesIssuer   bool     `json:"authorization_response_iss_parameter_supported"`
	BackChannel   bool     `json:"backchannel_logout_supported"`
	FrontChannel  bool     `json:"frontchannel_logout_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	Scopes        []string `json:"scopes_supported"`
	Claims        []string `json:"claims_supported"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
}

// New returns a Client. The policy decides which addresses it may reach.
func New(p *safehttp.Policy, now func() time.Time) *Client {
	c := &Client{policy: p, now: now, http: p.Client(requestTime), kept: map[string]*kept{}}
	c.http.Transport = bounded{c.http.Transport}
	return c
}

// bounded refuses a response that is larger than maxBody, and one of a server that is busy or has failed.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil && (response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests) {
		_ = response.Body.Close()
		return nil, &Error{Away: true, Detail: "The provider did not answer: " + shorten(response.Status)}
	}
	if err == nil {
		response.Body = &boundedBody{ReadCloser: response.Body, left: maxBody}
	}
	return response, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

var errLarge = errors.New("the provider's response has more than 256 KiB")

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// Allowed returns the form of an address in which it is asked. Its error may be shown.
func (c *Client) Allowed(issuer string) (string, error) { return c.policy.Address(issuer) }

// discover returns the provider of an issuer.
func (c *Client) discover(ctx context.Context, issuer string) (*kept, error) {
	if len(issuer) > maxProviderID || strings.TrimSpace(issuer) != issuer {
		return nil, refuse("The issuer is no address.")
	}
	if _, err := c.policy.Address(issuer); err != nil {
		return nil, refusal(err)
	}
	c.mu.Lock()
	k, ok := c.kept[issuer]
	if ok && k.stale(c.now()) {
		ok = false
	}
	if !ok {
		if len(c.kept) >= maxDocuments {
			clear(c.kept)
		}
		k = &kept{ready: make(chan struct{}), at: c.now(), fetches: rate.NewLimiter(1, 20)}
		c.kept[issuer] = k
		go c.read(context.WithoutCancel(ctx), k, issuer)
	}
	c.mu.Unlock()
	select {
	case <-k.ready:
		return k, k.err
	case <-ctx.Done():
		return nil, refusal(ctx.Err())
	}
}

// stale reports whether a document is to be read again. One that is being read is not stale.
func (k *kept) stale(now time.Time) bool {
	select {
	case <-k.ready:
	default:
		return false
	}
	age := documentAge
	if k.err != nil {
		age = failureAge
	}
	return now.Sub(k.at) >= age || now.Before(k.at)
}

// read reads the discovery document of an issuer, which must name that issuer, and allowed addresses.
func (c *Client) read(ctx context.Context, k *kept, issuer string) {
	defer close(k.ready)
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	seldom := *c.http
	seldom.Transport = seldomKeys{c.http.Transport, k, c.now}
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, &seldom), issuer)
	if err == nil {
		err = provider.Claims(&k.document)
	}
	if err != nil {
		k.err = refusal(err)
		return
	}
	d := k.document
	for what, address := range map[string]string{"authorization_endpoint": d.Authorization, "token_endpoint": d.Token,
		"jwks_uri": d.Keys} {
		if address == "" {
			k.err = refuse("The provider's document has no " + what + ".")
		}
	}
	for _, address := range []string{d.Authorization, d.Token, d.Keys, d.UserInfo, d.EndSession} {
		if _, err := c.policy.Address(address); address != "" && err != nil {
			k.err = refuse(fmt.Sprintf("The provider's document names %s: %v.", shorten(address), err))
		}
	}
	if len(d.Challenges) > 0 && !slices.Contains(d.Challenges, "S256") {
		k.err = refuse("The provider does not support PKCE with S256.")
	}
	k.provider = provider
}

// seldomKeys fetches the keys of a provider once a second, on average. They are kept between fetches, so that tokens of strangers,
// none of which is signed with one of them, do not keep those of the provider away.
type seldomKeys struct {
	http.RoundTripper

	k   *kept
	now func() time.Time
}

// RoundTrip implements http.RoundTripper.
func (s seldomKeys) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.k.document.Keys != "" && r.URL.String() == s.k.document.Keys && !s.k.fetches.AllowN(s.now(), 1) {
		return nil, &Error{Away: true, Detail: "Too many messages came at once."}
	}
	return s.RoundTripper.RoundTrip(r)
}

// Report is what a provider's document says that an admin should know.
type Report struct {
	Issuer         string
	NoRefresh      bool // it lists scopes, and offline_access is none of them
	BackChannel    bool
	FrontChannel   bool
	EndsSessions   bool // its own, on request
	ClaimsUnlisted bool // it lists claims, and the one of groups is none of them
}

// Check reads the document of a provider and its keys again.
func (c *Client) Check(ctx context.Context, issuer, groupsClaim string) (Report, error) {
	c.mu.Lock()
	delete(c.kept, issuer)
	c.mu.Unlock()
	k, err := c.discover(ctx, issuer)
	if err != nil {
		return Report{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	if err := c.checkKeys(ctx, k.document.Keys); err != nil {
		return Report{}, err
	}
	d := k.document
	return Report{Issuer: issuer, BackChannel: d.BackChannel, FrontChannel: d.FrontChannel,
		EndsSessions:   d.EndSession != "",
		NoRefresh:      len(d.Scopes) > 0 && !slices.Contains(d.Scopes, oidc.ScopeOfflineAccess),
		ClaimsUnlisted: groupsClaim != "" && len(d.Claims) > 0 && !slices.Contains(d.Claims, groupsClaim)}, nil
}

// checkKeys refuses a provider whose keys cannot be read.
func (c *Client) checkKeys(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return refusal(err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return refusal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return refuse("The provider's keys (jwks_uri) cannot be read: " + response.Status + ".")
	}
	return nil
}

// scopes returns the scopes to ask for: who the person is, a refresh token and groups where the provider lists these.
func (d document) scopes() []string {
	all := []string{oidc.ScopeOpenID, "email", "profile"}
	for _, s := range []string{oidc.ScopeOfflineAccess, "groups"} {
		if slices.Contains(d.Scopes, s) {
			all = append(all, s)
		}
	}
	return all
}

func (k *kept) config(s Settings) *oauth2.Config {
	endpoint := k.provider.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader // the default of the standard, which is never found out by a second attempt
	if s.ClientSecret == "" || len(k.document.Methods) > 0 && !slices.Contains(k.document.Methods,
		"client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{ClientID: s.ClientID, ClientSecret: s.ClientSecret, RedirectURL: s.Redirect,
		Endpoint: endpoint,
		Scopes:   k.document.scopes()}
}

// Attempt is one sign-in at a provider. Its texts are random, and known to one browser.
type Attempt struct {
	State, Nonce, Verifier string
	Fresh                  bool // whether the person must sign in anew, although the provider knows the browser
}

// Address returns the address at the provider where the person signs in.
func (c *Client) Address(ctx context.Context, s Settings, a Attempt) (string, error) {
	k, err := c.discover(ctx, s.Issuer)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)}
	if a.Fresh {
		options = append(options, oauth2.SetAuthURLParam("max_age", "0"), oauth2.SetAuthURLParam("prompt", "login"))
	}
	return k.config(s).AuthCodeURL(a.State, options...), nil
}

// EndAddress returns the address at the provider that ends its own session of a browser, empty when it has none. back is
// where the browser returns to.
func (c *Client) EndAddress(ctx context.Context, s Settings, back string) (string, error) {
	k, err := c.discover(ctx, s.Issuer)
	if err != nil || k.document.EndSession == "" {
		return "", err
	}
	u, err := url.Parse(k.document.EndSession)
	if err != nil {
		return "", refusal(err)
	}
	q := u.Query()
	q.Set("client_id", s.ClientID)
	q.Set("post_logout_redirect_uri", back)
	u.RawQuery = q.Encode()
	return u.String(), nil
}
