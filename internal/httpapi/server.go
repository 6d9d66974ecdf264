// Package httpapi is the HTTP door: it turns the rows of api.Operations into routes. A
// request passes, in this order: request id and log, credentials (401), rate limit (429),
// scope (403), shape (400, 413, 415, 422, every fault at once), then tracker. Every refusal is a
// problem document.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"path"
	"sort"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"

	"bugslice/api"
	"bugslice/internal/disk"
	"bugslice/internal/ratelimit"
	"bugslice/internal/schema"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// Options are what a Server is made from.
type Options struct {
	Tracker        *tracker.Tracker
	Store          *store.Store
	BaseURL        string // without a trailing slash
	RateLimit      int    // requests a minute for each key; 0 is off
	TrustedProxies []netip.Prefix
	Log            *slog.Logger
	Metrics        *Metrics    // nil measures nothing
	Disk           *disk.Watch // nil watches nothing
	Pace           Pace        // DefaultPace when zero
}

// Server answers every path of the service. It is safe for concurrent use.
type Server struct {
	Options
	document  []byte
	reference []byte
	schemas   *schema.Validator
	perKey    *ratelimit.Limiter // nil when off
	failures  *ratelimit.Limiter
	draining  chan struct{}
	streams   concurrent
	downloads concurrent
}

// failuresPerMinute bounds the failed authentications of one client address.
const failuresPerMinute = 60

// How many answers a key may have under way on a node.
const (
	streamsPerKey   = 20
	downloadsPerKey = 64
)

// New returns a Server and its handler.
func New(o Options) (*Server, http.Handler, error) {
	s := &Server{Options: o, draining: make(chan struct{}), failures: ratelimit.New(failuresPerMinute, nil),
		streams: concurrent{most: streamsPerKey, what: "streams open"}, downloads: concurrent{most: downloadsPerKey, what: "downloads under way"}}
	routes := s.routes()
	var err error
	if s.document, err = Document(); err != nil {
		return nil, nil, err
	}
	if s.reference, err = reference(s.document); err != nil {
		return nil, nil, err
	}
	if s.schemas, err = schema.Compile(s.document, bodySchemas(routes)); err != nil {
		return nil, nil, err
	}
	if o.Metrics != nil {
		o.Metrics.watchRemoval(o.Tracker)
	}
	if o.RateLimit > 0 {
		s.perKey = ratelimit.New(o.RateLimit, nil)
	}
	if o.Metrics != nil && o.Disk != nil {
		o.Metrics.watchDisk(o.Disk)
	}
	handler, err := s.mux(routes)
	if err != nil {
		return nil, nil, err
	}
	return s, s.observe(handler), nil
}

// compressors compress answers: usually well, and what is written as it comes without any memory of
// what was written before, since a slow client keeps its compressor for as long as it likes.
func compressors() (usual, stateless func(http.Handler) http.HandlerFunc, err error) {
	types := gzhttp.ContentTypes([]string{"application/json", "application/problem+json", "text/html", "text/css", "text/javascript", "text/plain", "text/markdown"})
	usual, err = gzhttp.NewWrapper(gzhttp.MinSize(1024), types)
	if err == nil {
		stateless, err = gzhttp.NewWrapper(gzhttp.MinSize(1024), types, gzhttp.EnableZstd(false), gzhttp.CompressionLevel(gzip.StatelessCompression))
	}
	return usual, stateless, err
}

// Drain makes /readyz say that the node is leaving, so that no new requests are sent to it, and
// ends the streams, which go on at another node.
func (s *Server) Drain() { close(s.draining) }

// mux routes by path, then by method, so that a refused method can say which are allowed.
func (s *Server) mux(routes []route) (http.Handler, error) {
	compress, stateless, err := compressors()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	methods := map[string]map[string]http.Handler{}
	handle := func(method, path string, h http.Handler) {
		if methods[path] == nil {
			methods[path] = map[string]http.Handler{}
			mux.Handle(path, s.byMethod(methods[path]))
		}
		methods[path][method] = h
	}
	for _, r := range routes {
		h := compress(s.operation(r))
		if r.streamed {
			h = stateless(s.operation(r))
		}
		handle(r.op.Method, r.op.Path, h)
	}
	handle("GET", "/openapi.json", fixed("application/json", s.document))
	handle("GET", "/docs", fixed("text/html; charset=utf-8", s.reference))
	handle("GET", "/docs/reference.css", fixed("text/css; charset=utf-8", stylesheet))
	handle("GET", "/healthz", http.HandlerFunc(s.health))
	handle("GET", "/readyz", http.HandlerFunc(s.ready))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			http.Redirect(w, r, "/docs", http.StatusFound)
			return
		}
		s.refuse(w, r, api.Refuse(api.CodeNotFound, "There is no such path. The API is described at /docs."))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if clean := path.Clean(r.URL.Path); clean != r.URL.Path { // ServeMux would redirect
			s.refuse(w, r, api.Refuse(api.CodeNotFound, "There is no such path. Did you mean "+clean+"?"))
			return
		}
		mux.ServeHTTP(w, r)
	}), nil
}

func (s *Server) byMethod(handlers map[string]http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if h, ok := handlers[method]; ok {
			h.ServeHTTP(w, r)
			return
		}
		var allowed []string
		for m := range handlers {
			allowed = append(allowed, m)
			if m == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
		sort.Strings(allowed)
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.refuse(w, r, api.Refuse(api.CodeMethod, "This path takes "+strings.Join(allowed, ", ")+", not "+r.Method+"."))
	})
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

// ready says whether this node can serve: the database answers, its schema is the one this
// program needs, and the node is not about to stop.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	select {
	case <-s.draining:
		s.refuse(w, r, api.Refuse(api.CodeUnavailable, "This node is shutting down."))
		return
	default:
	}
	err := s.Store.Ping(ctx)
	if err == nil {
		err = s.Store.Migrated(ctx)
	}
	if err != nil {
		s.Log.Warn("not ready", "error", err)
		s.refuse(w, r, api.Refuse(api.CodeUnavailable, "The database cannot be reached, or its migrations are not current."))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ready\n"))
	if why := s.Tracker.RemovalSuspended(); why != "" {
		_, _ = w.Write([]byte("removal of files is suspended: " + why + "\n"))
	}
	if s.Disk.Low() { // reads are served
		_, _ = w.Write([]byte("the disk is nearly full: what would be stored is refused\n"))
	}
}
