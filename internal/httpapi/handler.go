package httpapi

import (
	"net/http"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/operations"
)

// New returns an API. It returns an error when its documents cannot be made.
func New(o Options) (*API, error) {
	a := &API{Options: o}
	paths, err := a.paths()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for path, methods := range paths {
		mux.Handle(path, methods)
	}
	mux.HandleFunc("/", a.NotFound)
	a.handler = mux
	return a, nil
}

// paths returns the handlers of each path by method.
func (a *API) paths() (map[string]httpserver.Methods, error) {
	compression, err := httpserver.NewCompression()
	if err != nil {
		return nil, err
	}
	paths, err := a.documents()
	if err != nil {
		return nil, err
	}
	for _, op := range operations.All(a.Gateway.Tracker) {
		if paths[op.Path] == nil {
			paths[op.Path] = httpserver.Methods{}
		}
		compress := compression.Wrap
		if op.WriteJSON != nil {
			compress = compression.WrapStream
		}
		paths[op.Path][op.Method] = compress(a.operation(newRoute(op)))
	}
	return paths, nil
}

// ServeHTTP answers a request for the API, and any other path with a problem.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// NotFound answers a path that does not exist.
func (a *API) NotFound(w http.ResponseWriter, r *http.Request) {
	a.WriteProblem(w, r, api.NewProblem(api.CodeNotFound, "There is no such path. The API is described in short at /llms.txt, "+
		"and in full at /docs."))
}
