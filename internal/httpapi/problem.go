package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"bugslice/api"
	"bugslice/internal/store"
)

// refuse answers with a problem. An error that is none becomes a bare 500, or a 503 when the
// database is away; its cause goes to the log alone.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	x := current(r)
	var known *api.Problem
	switch {
	case errors.As(err, &known):
	case errors.Is(err, store.ErrUnavailable):
		x.err = err
		known = api.Refuse(api.CodeUnavailable, "The database cannot be reached or written right now. Nothing was changed; try again.")
	case r.Context().Err() != nil:
		known = api.Refuse(api.CodeUnavailable, "The request was ended before it was answered.")
	default:
		x.err = err
		known = unforeseen
	}
	p := *known
	p.RequestID = x.id
	p.Type = s.BaseURL + "/docs#" + p.Code
	h := w.Header()
	if p.Status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
		h.Set("Retry-After", "1")
	}
	for _, name := range []string{"ETag", "Link", "Location"} {
		h.Del(name)
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
