package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/ratelimit"
	"bugslice/internal/tracker"
)

// problemOf returns the problem of an error. The cause of an internal error is logged.
func problemOf(r *http.Request, err error) *api.Problem {
	p, failed := tracker.ProblemOf(r.Context(), err)
	if failed {
		httpserver.Info(r).Err = err
	}
	return p
}

// complete returns a problem with what a response adds to it.
func (a *API) complete(p api.Problem, r *http.Request) api.Problem {
	p.RequestID = httpserver.Info(r).ID
	p.Type = a.BaseURL + "/docs#" + p.Code
	return p
}

// WriteProblem answers with a problem document (RFC 9457). It removes the headers that describe a successful response.
func (a *API) WriteProblem(w http.ResponseWriter, r *http.Request, problem *api.Problem) {
	p := a.complete(*problem, r)
	h := w.Header()
	setChallenge(h, p, httpserver.Info(r).Operation)
	for _, name := range []string{"ETag", "Link", "Location"} {
		h.Del(name)
	}
	switch {
	case p.RetryAfter > 0:
		h.Set("Retry-After", ratelimit.Seconds(p.RetryAfter))
	case p.Status == http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	body, err := json.Marshal(p)
	if err != nil {
		panic(err) // a problem is plain data
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	_, _ = w.Write(body)
}

const realm = `Bearer realm="bugslice"`

// setChallenge names the missing credential or scope in WWW-Authenticate (RFC 6750), unless the header is set.
func setChallenge(h http.Header, p api.Problem, operation string) {
	switch {
	case h.Get("WWW-Authenticate") != "":
	case p.Status == http.StatusUnauthorized:
		h.Set("WWW-Authenticate", realm+`, error="invalid_token"`)
	case p.Code == api.CodeScope:
		h.Set("WWW-Authenticate", realm+`, error="insufficient_scope", scope="`+string(api.Lookup(operation).Scope)+`"`)
	}
}
