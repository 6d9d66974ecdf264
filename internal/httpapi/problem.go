package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/tracker"
)

// writeError answers with the problem of an error. The cause of a failure of the service goes to the log alone.
func (a *API) writeError(w http.ResponseWriter, r *http.Request, err error) {
	p, failed := tracker.ProblemOf(r.Context(), err)
	if failed {
		httpserver.Info(r).Err = err
	}
	a.WriteProblem(w, r, p)
}

// WriteProblem answers with a problem document (RFC 9457). Headers that describe a successful response are
// removed.
func (a *API) WriteProblem(w http.ResponseWriter, r *http.Request, known *api.Problem) {
	info := httpserver.Info(r)
	p := *known
	p.RequestID = info.ID
	p.Type = a.BaseURL + "/docs#" + p.Code
	h := w.Header()
	setChallenge(h, p, info.Operation)
	for _, name := range []string{"ETag", "Link", "Location"} {
		h.Del(name)
	}
	switch {
	case p.RetryAfter > 0:
		h.Set("Retry-After", seconds(p.RetryAfter))
	case p.Status == http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	if p.Status == http.StatusRequestTimeout { // the rest of the body is not read
		h.Set("Connection", "close")
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

// setChallenge names the missing credential or scope in WWW-Authenticate (RFC 6750), unless the header is
// there already.
func setChallenge(h http.Header, p api.Problem, operation string) {
	switch {
	case h.Get("WWW-Authenticate") != "":
	case p.Status == http.StatusUnauthorized:
		h.Set("WWW-Authenticate", realm+`, error="invalid_token"`)
	case p.Code == api.CodeScope:
		h.Set("WWW-Authenticate", realm+`, error="insufficient_scope", scope="`+string(api.Lookup(operation).Scope)+`"`)
	}
}
