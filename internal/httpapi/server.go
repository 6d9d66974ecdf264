// Package httpapi is the HTTP front end for programs: it turns the rows of api.Operations into routes. A request
// passes, in this order: credentials (401), rate limit (429), scope (403), validation (400, 413, 415, 422, every
// fault at once), then tracker. Every error response is a problem document. Its handler is mounted on an
// httpserver.Server.
package httpapi

import (
	"net/http"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/ratelimit"
	"bugslice/internal/tracker"
)

// Options are what an API is made from.
type Options struct {
	Tracker   *tracker.Tracker
	BaseURL   string             // without a trailing slash
	RateLimit int                // requests a minute for each key; 0 is off
	Failures  *ratelimit.Limiter // of failed authentications by client address, shared by all front ends
}

// API answers /v1, /openapi.json and /docs. It is safe for concurrent use.
type API struct {
	Options
	handler   http.Handler
	document  []byte
	reference []byte
	perKey    *ratelimit.Limiter // nil when off
	streams   *concurrencyLimit
	downloads *concurrencyLimit
}

// FailuresPerMinute bounds the failed authentications of one client address.
const FailuresPerMinute = 60

// How many responses a key may have in progress on a node.
const (
	streamsPerKey   = 20
	downloadsPerKey = 64
)

// New returns an API.
func New(o Options) (*API, error) {
	a := &API{Options: o, streams: newConcurrencyLimit(streamsPerKey, "streams open"),
		downloads: newConcurrencyLimit(downloadsPerKey, "downloads under way")}
	all := routes(a.Tracker)
	var err error
	if a.document, err = Document(); err != nil {
		return nil, err
	}
	if a.reference, err = reference(a.document); err != nil {
		return nil, err
	}
	if err = input.Prepare(); err != nil {
		return nil, err
	}
	if o.RateLimit > 0 {
		a.perKey = ratelimit.New(o.RateLimit, nil)
	}
	a.handler, err = a.mux(all)
	return a, err
}

// ServeHTTP answers a request for the API, and any other path with a problem.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// mux routes by path, then by method, so that the refusal of a method can list those that are allowed.
func (a *API) mux(all []route) (http.Handler, error) {
	compression, err := httpserver.NewCompression()
	if err != nil {
		return nil, err
	}
	paths := map[string]httpserver.Methods{}
	handle := func(method, path string, h http.Handler) {
		if paths[path] == nil {
			paths[path] = httpserver.Methods{}
		}
		paths[path][method] = h
	}
	for _, rt := range all {
		h := compression.Wrap(a.operation(rt))
		if rt.streaming {
			h = compression.WrapStream(a.operation(rt))
		}
		handle(rt.op.Method, rt.op.Path, h)
	}
	handle("GET", "/openapi.json", fixed("application/json", a.document))
	handle("GET", "/docs", fixed("text/html; charset=utf-8", a.reference))
	handle("GET", "/docs/reference.css", fixed("text/css; charset=utf-8", stylesheet))
	mux := http.NewServeMux()
	for path, methods := range paths {
		mux.Handle(path, methods)
	}
	mux.HandleFunc("/", a.NotFound)
	return mux, nil
}

// NotFound answers a path that does not exist.
func (a *API) NotFound(w http.ResponseWriter, r *http.Request) {
	a.WriteProblem(w, r, api.Refuse(api.CodeNotFound, "There is no such path. The API is described at /docs."))
}
