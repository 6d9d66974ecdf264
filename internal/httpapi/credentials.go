package httpapi

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/gateway"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/ratelimit"
	"bugslice/internal/token"
)

// authenticate returns the call of the caller whose API key the Authorization header has.
func (a *API) authenticate(w http.ResponseWriter, r *http.Request, op *api.Operation) (*gateway.Call, error) {
	info := httpserver.Info(r)
	client := gateway.Client{Address: info.Client, UserAgent: r.UserAgent(), RequestID: info.ID, Operation: op,
		InterruptRead: func() { httpserver.InterruptRead(w) }}
	var missing *api.Problem
	if client.Token, missing = bearer(r.Header); missing == nil {
		return a.Gateway.Open(r.Context(), client)
	}
	err := a.Gateway.LimitFailure(client, missing)
	if errors.Is(err, missing) {
		w.Header().Set("WWW-Authenticate", realm)
	}
	return nil, err
}

// bearer returns the token of the Authorization header, or the problem of a header that has none.
func bearer(h http.Header) (string, *api.Problem) {
	headers := h.Values("Authorization")
	if len(headers) == 0 {
		return "", api.NewProblem(api.CodeUnauthorized, "Send an API key: Authorization: Bearer svc_pat_…")
	}
	text, ok := token.FromAuthorization(headers[0])
	if !ok || len(headers) > 1 {
		return "", api.NewProblem(api.CodeUnauthorized,
			"Send one Authorization header: Bearer, a space, and the API key.")
	}
	return text, nil
}

// setRate tells the client how many requests remain; nothing without a limit.
func setRate(h http.Header, d *ratelimit.Decision) {
	if d != nil {
		h.Set("RateLimit-Policy", fmt.Sprintf(`"key";q=%d;w=60`, d.Limit))
		h.Set("RateLimit", fmt.Sprintf(`"key";r=%d;t=%s`, d.Remaining, ratelimit.Seconds(d.Reset)))
	}
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
