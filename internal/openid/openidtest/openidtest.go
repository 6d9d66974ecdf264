// Package openidtest is an OpenID provider for tests, which answers as the standard says until a test makes it hostile. It
// allows everybody at once, as the person that the test has chosen.
package openidtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The client that every provider knows.
const (
	ClientID     = "bugslice"
	ClientSecret = "the client's secret"
)

// Person is who signs in.
type Person struct {
	Subject, Email, Name, SID string
	Unverified                bool
	Groups                    []string
}

// Provider is a provider on a server of its own. Its URL is the issuer. Fields that are functions change an answer.
type Provider struct {
	*httptest.Server

	Now func() time.Time

	mu       sync.Mutex
	behavior Behavior
	keys     []*ecdsa.PrivateKey
	codes    map[string]request
	tokens   map[string]Person // by refresh token
	refreshs int
}

// Behavior is what a test makes of a provider. Its zero value is one as the standard says.
type Behavior struct {
	Person       Person
	Document     func(map[string]any)       // changes the discovery document
	Claims       func(map[string]any)       // changes the ID token
	Sign         func(claims []byte) string // makes the ID token; nil for one with the provider's key
	Answer       func(url.Values)           // changes the query with which the browser returns
	UserInfo     func(map[string]any)       // changes the answer of the userinfo endpoint
	Raw          http.Handler               // answers every request; nil for none
	EndsRefresh  bool                       // refuses refresh tokens with invalid_grant
	Down         bool                       // answers 503
	NoRefresh    bool                       // gives no refresh token
	NoSignInTime bool                       // does not say when the person signed in
}

// request is a code with what the browser has asked for.
type request struct {
	person                        Person
	nonce, challenge, redirectURI string
}

// New returns a provider whose clock is now.
func New(t testing.TB, now func() time.Time) *Provider {
	p := &Provider{Now: now, codes: map[string]request{}, tokens: map[string]Person{}}
	p.Rotate()
	p.Server = httptest.NewServer(p)
	t.Cleanup(func() { p.CloseClientConnections(); p.Close() })
	return p
}

// Be changes the behavior of the provider.
func (p *Provider) Be(b Behavior) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.behavior = b
}

// Rotate replaces the key of the provider, and forgets the former one.
func (p *Provider) Rotate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, key)
}

// Refreshes returns the number of refresh tokens that the provider was asked to renew.
func (p *Provider) Refreshes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refreshs
}

func (p *Provider) now() Behavior {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.behavior
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b := p.now()
	switch {
	case b.Raw != nil:
		b.Raw.ServeHTTP(w, r)
	case b.Down:
		http.Error(w, "down", http.StatusServiceUnavailable)
	case r.URL.Path == "/.well-known/openid-configuration":
		p.document(w, b)
	case r.URL.Path == "/authorize":
		p.authorize(w, r, b)
	case r.URL.Path == "/token":
		p.token(w, r, b)
	case r.URL.Path == "/keys":
		p.publish(w)
	case r.URL.Path == "/userinfo":
		claims := map[string]any{"sub": b.Person.Subject, "email": b.Person.Email,
			"email_verified": !b.Person.Unverified,
			"name":           b.Person.Name, "groups": b.Person.Groups}
		if b.UserInfo != nil {
			b.UserInfo(claims)
		}
		writeJSON(w, http.StatusOK, claims)
	case r.URL.Path == "/end":
		http.Redirect(w, r, r.URL.Query().Get("post_logout_redirect_uri"), http.StatusFound)
	default:
		http.NotFound(w, r)
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (p *Provider) document(w http.ResponseWriter, b Behavior) {
	d := map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize",
		"token_endpoint": p.URL + "/token",
		"jwks_uri":       p.URL + "/keys", "userinfo_endpoint": p.URL + "/userinfo", "end_session_endpoint": p.URL + "/end",
		"id_token_signing_alg_values_supported": []string{"ES256"},
		"code_challenge_methods_supported":      []string{"S256"},
		"scopes_supported": []string{"openid", "email", "profile", "offline_access",
			"groups"},
		"authorization_response_iss_parameter_supported": true, "backchannel_logout_supported": true,
		"frontchannel_logout_supported": true}
	if b.Document != nil {
		b.Document(d)
	}
	writeJSON(w, http.StatusOK, d)
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request, b Behavior) {
	q := r.URL.Query()
	if q.Get("client_id") != ClientID || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || q.Get("state") == "" {
		http.Error(w, "the request lacks something", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = request{b.Person, q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri")}
	p.mu.Unlock()
	answer := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}
	if b.Answer != nil {
		b.Answer(answer)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request, b Behavior) {
	id, secret, _ := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	if id != ClientID || secret != ClientSecret {
		writeJSON(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	var person Person
	nonce := ""
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		p.mu.Lock()
		asked, ok := p.codes[r.PostFormValue("code")]
		delete(p.codes, r.PostFormValue("code"))
		p.mu.Unlock()
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if !ok || asked.challenge != encode(sum[:]) || asked.redirectURI != r.PostFormValue("redirect_uri") {
			writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant",
				"error_description": "the code is unknown"})
			return
		}
		person, nonce = asked.person, asked.nonce
	case "refresh_token":
		p.mu.Lock()
		known, ok := p.tokens[r.PostFormValue("refresh_token")]
		delete(p.tokens, r.PostFormValue("refresh_token"))
		p.refreshs++
		p.mu.Unlock()
		if !ok || b.EndsRefresh {
			writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
			return
		}
		person = known
		if b.Person.Subject == known.Subject {
			person = b.Person
		}
	}
	answer := map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 300,
		"id_token": p.idToken(b, person, nonce)}
	if !b.NoRefresh {
		refresh := rand.Text()
		p.mu.Lock()
		p.tokens[refresh] = person
		p.mu.Unlock()
		answer["refresh_token"] = refresh
	}
	writeJSON(w, http.StatusOK, answer)
}

func (p *Provider) idToken(b Behavior, person Person, nonce string) string {
	now := p.Now().Unix()
	claims := map[string]any{"iss": p.URL, "sub": person.Subject, "aud": ClientID, "iat": now, "exp": now + 300,
		"email": person.Email, "email_verified": !person.Unverified, "name": person.Name}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	if person.SID != "" {
		claims["sid"] = person.SID
	}
	if person.Groups != nil {
		claims["groups"] = person.Groups
	}
	if !b.NoSignInTime {
		claims["auth_time"] = now
	}
	if b.Claims != nil {
		b.Claims(claims)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	if b.Sign != nil {
		return b.Sign(text)
	}
	return p.Sign(text)
}

// LogoutToken returns a message that ends sessions. change changes its claims; nil for none.
func (p *Provider) LogoutToken(subject, sid string, change func(map[string]any)) string {
	now := p.Now().Unix()
	claims := map[string]any{"iss": p.URL, "aud": ClientID, "iat": now, "exp": now + 120, "jti": rand.Text(),
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}
	if subject != "" {
		claims["sub"] = subject
	}
	if sid != "" {
		claims["sid"] = sid
	}
	if change != nil {
		change(claims)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	return p.Sign(text)
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Sign returns a token with claims, signed with the provider's present key.
func (p *Provider) Sign(claims []byte) string {
	p.mu.Lock()
	key, n := p.keys[len(p.keys)-1], len(p.keys)
	p.mu.Unlock()
	text := encode([]byte(`{"alg":"ES256","kid":"`+keyID(n)+`"}`)) + "." + encode(claims)
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		panic(err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return text + "." + encode(signature)
}

func keyID(n int) string { return "key" + strings.Repeat("'", n) }

func (p *Provider) publish(w http.ResponseWriter) {
	p.mu.Lock()
	key, n := p.keys[len(p.keys)-1], len(p.keys)
	p.mu.Unlock()
	public, err := key.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	writeJSON(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{"kty": "EC", "crv": "P-256",
		"alg": "ES256", "use": "sig",
		"kid": keyID(n), "x": encode(public[1:33]), "y": encode(public[33:])}}})
}

// Enter opens an address of the provider as a browser does, and returns the query with which it returns.
func (p *Provider) Enter(t testing.TB, location string) url.Values {
	t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	response, err := browser.Get(location)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	to, err := url.Parse(response.Header.Get("Location"))
	if err != nil || response.StatusCode != http.StatusFound {
		t.Fatalf("the provider answers %s", response.Status)
	}
	return to.Query()
}

// Unsigned returns a token with claims and an algorithm, signed by sign; nil for no signature.
func Unsigned(algorithm string, claims []byte, sign func(text string) []byte) string {
	text := encode([]byte(`{"alg":"`+algorithm+`"}`)) + "." + encode(claims)
	if sign == nil {
		return text + "."
	}
	return text + "." + encode(sign(text))
}

// Changed returns a function that sets members.
func Changed(members map[string]any) func(map[string]any) {
	return func(all map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if members[name] == nil {
				delete(all, name)
				continue
			}
			all[name] = members[name]
		}
	}
}

// MAC signs a text with the client's secret, as an algorithm with a shared secret does.
func MAC(text string) []byte { return mac([]byte(ClientSecret), text) }

// PublicMAC signs a text with the provider's public key in PEM, as if that were a shared secret.
func (p *Provider) PublicMAC(text string) []byte {
	p.mu.Lock()
	key := p.keys[len(p.keys)-1]
	p.mu.Unlock()
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		panic(err)
	}
	return mac(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), text)
}

func mac(secret []byte, text string) []byte {
	h := hmac.New(sha256.New, secret)
	_, _ = h.Write([]byte(text))
	return h.Sum(nil)
}

// Text answers every request with a text.
func Text(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) })
}

// Redirect answers every request with a redirect.
func Redirect(to string) http.Handler { return http.RedirectHandler(to, http.StatusFound) }
