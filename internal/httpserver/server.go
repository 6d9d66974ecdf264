// Package httpserver is the HTTP server that the front ends share. A front end is a plain handler, mounted at a
// prefix. The server gives each request an id, the client's address, deadlines and a log line. It answers a panic with
// a 500, measures requests, answers health checks and drains.
package httpserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"sync"
	"time"

	"bugslice/api"
)

// Options are what a Server is made from.
type Options struct {
	Log            *slog.Logger
	Metrics        *Metrics // nil measures nothing
	TrustedProxies []netip.Prefix
	MinRate        MinRate // DefaultMinRate when zero
	CORS           CORS
	WriteProblem   ProblemWriter // for health checks and unknown paths; nil writes plain text

	Ready func(context.Context) error // returns why the node cannot serve; nil is always ready
	Notes func() []string             // returns lines that /readyz adds; nil adds none
}

// Server passes requests to the front ends that are mounted on it. It is safe for concurrent use once all
// are mounted.
type Server struct {
	Options
	mux            *http.ServeMux
	handler        http.Handler // of all paths
	draining       chan struct{}
	untrustedProxy sync.Once
}

// New returns a Server that answers /healthz and /readyz.
func New(o Options) *Server {
	s := &Server{Options: o, mux: http.NewServeMux(), draining: make(chan struct{})}
	s.mux.Handle("/healthz", Methods{http.MethodGet: http.HandlerFunc(health)})
	s.mux.Handle("/readyz", Methods{http.MethodGet: http.HandlerFunc(s.ready)})
	s.handler = o.CORS.wrap(http.HandlerFunc(s.route))
	return s
}

// mount is a front end and the writer of its problems.
type mount struct {
	http.Handler
	writeProblem ProblemWriter
}

// ServeHTTP passes a request to the front end. Problems of the request are written by its writer.
func (m mount) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Info(r).writeProblem = m.writeProblem
	m.Handler.ServeHTTP(w, r)
}

// Mount passes requests for a path and all paths below it to a front end. The longest prefix wins. The server writes
// its own problems below the prefix by write, or as plain text when write is nil.
func (s *Server) Mount(prefix string, h http.Handler, write ProblemWriter) {
	m := mount{h, write}
	s.mux.Handle(prefix, m)
	if prefix != "/" {
		s.mux.Handle(prefix+"/", m) // ServeMux would redirect to it
	}
}

// route passes a request to its front end. It refuses a path with empty or dot segments, or with a slash at its end,
// which ServeMux would redirect.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	clean := path.Clean(r.URL.Path)
	if clean == r.URL.Path {
		s.mux.ServeHTTP(w, r)
		return
	}
	nearest := &http.Request{Method: r.Method, Host: r.Host, URL: &url.URL{Path: clean}}
	if m, _ := s.mux.Handler(nearest); m != nil {
		if m, ok := m.(mount); ok {
			Info(r).writeProblem = m.writeProblem
		}
	}
	WriteProblem(w, r, api.NewProblem(api.CodeNotFound,
		"There is no such path: it has an empty or a dot segment, or a slash at its end. Without these it is "+clean+
			"."))
}

// drainTime bounds how long requests in progress may take when the server stops.
const drainTime = 25 * time.Second

// Serve answers requests on one listener, and requests for metrics on the other unless it is nil. When ctx ends, the
// server drains: /readyz fails, streams end by Draining, and requests in progress are completed.
func (s *Server) Serve(ctx context.Context, requests, metrics net.Listener) error {
	server := s.httpServer(s)
	failed := make(chan error, 2)
	go func() { failed <- server.Serve(newListener(requests)) }()
	if metrics != nil {
		metricsServer := s.httpServer(s.Metrics.Handler())
		go func() { failed <- metricsServer.Serve(newListener(metrics)) }()
		defer metricsServer.Close()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.Log.Info("stopping")
	close(s.draining)
	drain, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if err := server.Shutdown(drain); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}

// httpServer returns a server with timeouts for the header and the body of a request, for the response, and for the
// next request. A handler may extend the deadlines of the body and the response.
func (s *Server) httpServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ConnContext: withConnection, ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:  readTimeout,
		WriteTimeout: writeTimeout, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn)}
}
