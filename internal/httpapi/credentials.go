package httpapi

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/ratelimit"
	"bugslice/internal/token"
)

// authenticate returns the caller whose API key the Authorization header has. The rate of failures is limited for each
// client address; a valid key is never refused because of it.
func (a *API) authenticate(w http.ResponseWriter, r *http.Request) (access.Caller, error) {
	c, challenge, err := a.readCredentials(r)
	if p, ok := errors.AsType[*api.Problem](err); !ok || p.Status != http.StatusUnauthorized {
		return c, err
	}
	if d := a.Failures.Allow(ratelimit.ClientKey(httpserver.Info(r).Client)); !d.Allowed {
		w.Header().Set("Retry-After", seconds(d.RetryAfter))
		return c, api.NewProblem(api.CodeRateLimited,
			"Too many failed authentications from this address. Try again in "+seconds(d.RetryAfter)+" s.")
	}
	w.Header().Set("WWW-Authenticate", challenge)
	return c, err
}

// readCredentials returns the caller whose API key the Authorization header has, and records the use of the key. With an
// error it returns the challenge for WWW-Authenticate.
func (a *API) readCredentials(r *http.Request) (c access.Caller, challenge string, err error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return c, realm, api.NewProblem(api.CodeUnauthorized, "Send an API key: Authorization: Bearer svc_pat_…")
	}
	text, ok := token.FromAuthorization(headers[0])
	if !ok || len(headers) > 1 {
		return c, realm, api.NewProblem(api.CodeUnauthorized, "Send one Authorization header: Bearer, a space, and the API key.")
	}
	c, err = a.Tracker.AuthenticateRequest(r.Context(), text)
	info := httpserver.Info(r)
	c.Request = access.Request{ID: info.ID}
	if info.Client.IsValid() {
		c.Request.ClientAddress = info.Client.String()
	}
	if err == nil {
		a.Tracker.NoteUse(c, r.UserAgent())
	} else if keyID := access.RefusedKeyID(err); keyID != "" {
		a.Tracker.NoteRefusal(keyID, api.CodeUnauthorized, info.Operation)
	}
	return c, realm + `, error="invalid_token"`, err
}

// rateLimit counts a request against the limit of its key and tells the client how many remain.
func (a *API) rateLimit(w http.ResponseWriter, c access.Caller) error {
	if a.perKey == nil {
		return nil
	}
	return a.takeTokens(w, c, 1)
}

// rateLimitItems counts the items of a batch as requests of the key, except for the first, which rateLimit has counted. A
// batch counts as no more requests than the key has in a minute.
func (a *API) rateLimitItems(w http.ResponseWriter, c access.Caller, in any) error {
	items := in.(interface{ Size() int }).Size()
	if a.perKey == nil || items == 1 {
		return nil
	}
	return a.takeTokens(w, c, min(items, a.RateLimit)-1)
}

// takeTokens counts n requests of a key, or refuses them when the key has fewer left.
func (a *API) takeTokens(w http.ResponseWriter, c access.Caller, n int) error {
	d := a.perKey.AllowN(c.KeyID(), n)
	w.Header().Set("RateLimit-Policy", fmt.Sprintf(`"key";q=%d;w=60`, d.Limit))
	w.Header().Set("RateLimit", fmt.Sprintf(`"key";r=%d;t=%s`, d.Remaining, seconds(d.Reset)))
	if d.Allowed {
		return nil
	}
	w.Header().Set("Retry-After", seconds(d.RetryAfter))
	return api.NewProblem(api.CodeRateLimited,
		fmt.Sprintf("The key has used its %d requests a minute, or a batch has more items than are left. Try again in %s s.",
			d.Limit, seconds(d.RetryAfter)))
}

// rejectTokenInQuery refuses a token in the URL, because logs and browser histories store URLs.
func rejectTokenInQuery(r *http.Request) error {
	if !mayHaveToken(r.URL.RawQuery) {
		return nil
	}
	values := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		parameter := input.Quote(name)
		switch {
		case isToken(name):
			parameter = "query" // the response does not repeat the token
		case name != "access_token" && !slices.ContainsFunc(values[name], isToken):
			continue
		}
		return api.NewProblem(api.CodeInvalidParameter,
			"Send the API key in the Authorization header, never in a URL. Revoke a key that was sent in a URL.",
			api.Fault{Parameter: parameter, Code: "token_in_query", Detail: "send Authorization: Bearer …"})
	}
	return nil
}

// mayHaveToken reports whether a query must be parsed to look for a token. A percent sign may encode one.
func mayHaveToken(query string) bool {
	return strings.Contains(query, "token") || strings.Contains(query, "svc_") || strings.Contains(query, "%")
}

// isToken reports whether a text begins like the token of an API key.
func isToken(s string) bool {
	return strings.HasPrefix(s, "svc_pat_") || strings.HasPrefix(s, "svc_wst_")
}
