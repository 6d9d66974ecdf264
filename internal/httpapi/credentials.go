package httpapi

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/ratelimit"
	"bugslice/internal/token"
	"bugslice/internal/tracker"
)

const realm = `Bearer realm="bugslice"`

// authenticate returns the caller that the Authorization header names. Failed attempts are limited by client
// address; a valid key is never refused because of them.
func (a *API) authenticate(w http.ResponseWriter, r *http.Request) (tracker.Caller, error) {
	c, challenge, err := a.readCredentials(r)
	var p *api.Problem
	if !errors.As(err, &p) || p.Status != http.StatusUnauthorized {
		return c, err
	}
	if d := a.Failures.Take(ratelimit.ClientKey(httpserver.Info(r).Client)); !d.Allowed {
		w.Header().Set("Retry-After", seconds(d.RetryAfter))
		return c, api.Refuse(api.CodeRateLimited, "Too many failed authentications from this address. Try again in "+seconds(d.RetryAfter)+" s.")
	}
	w.Header().Set("WWW-Authenticate", challenge)
	return c, err
}

// readCredentials returns the caller, or the challenge for WWW-Authenticate with the error.
func (a *API) readCredentials(r *http.Request) (c tracker.Caller, challenge string, err error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return c, realm, api.Refuse(api.CodeUnauthorized, "Send an API key: Authorization: Bearer svc_pat_…")
	}
	text, ok := token.FromAuthorization(headers[0])
	if !ok || len(headers) > 1 {
		return c, realm, api.Refuse(api.CodeUnauthorized, "The Authorization header must be one: Bearer, a space, and the API key.")
	}
	c, err = a.Tracker.Authenticate(r.Context(), text)
	info := httpserver.Info(r)
	c.Request = tracker.Request{ID: info.ID}
	if info.Client.IsValid() {
		c.Request.ClientAddress = info.Client.String()
	}
	return c, realm + `, error="invalid_token"`, err
}

// rateLimit counts a request against the limit of its key and tells the client how many remain.
func (a *API) rateLimit(w http.ResponseWriter, c tracker.Caller) error {
	if a.perKey == nil {
		return nil
	}
	d := a.perKey.Take(c.KeyID())
	w.Header().Set("RateLimit-Policy", fmt.Sprintf(`"key";q=%d;w=60`, d.Limit))
	w.Header().Set("RateLimit", fmt.Sprintf(`"key";r=%d;t=%s`, d.Remaining, seconds(d.Reset)))
	if d.Allowed {
		return nil
	}
	w.Header().Set("Retry-After", seconds(d.RetryAfter))
	return api.Refuse(api.CodeRateLimited,
		fmt.Sprintf("The key has used its %d requests a minute. Try again in %s s.", d.Limit, seconds(d.RetryAfter)))
}

// seconds rounds up, so that a request after that time is not too early.
func seconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}

// tokenInQuery refuses a credential in the URL, where logs and histories would keep it.
func tokenInQuery(r *http.Request) error {
	if !strings.Contains(r.URL.RawQuery, "token") && !strings.Contains(r.URL.RawQuery, "svc_") && !strings.Contains(r.URL.RawQuery, "%") {
		return nil
	}
	values := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at := input.Quote(name)
		if isKey(name) {
			at = "query" // the key is not repeated
		} else if name != "access_token" && !slices.ContainsFunc(values[name], isKey) {
			continue
		}
		return api.Refuse(api.CodeInvalidParameter, "API keys are taken from the Authorization header alone. One that was sent in a URL should be revoked.",
			api.Fault{Parameter: at, Code: "token_in_query", Detail: "send Authorization: Bearer …"})
	}
	return nil
}

func isKey(s string) bool {
	return strings.HasPrefix(s, "svc_pat_") || strings.HasPrefix(s, "svc_wst_")
}
