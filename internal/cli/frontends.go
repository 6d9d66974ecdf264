package cli

import (
	"log/slog"
	"net/http"

	"bugslice/internal/httpapi"
	"bugslice/internal/httpserver"
	"bugslice/internal/ratelimit"
	"bugslice/internal/web"
)

// newServer returns the HTTP server of an instance with its front ends. Another front end is mounted here.
func newServer(in *instance, s serveSettings, metrics *httpserver.Metrics, base string, log *slog.Logger) (*httpserver.Server, error) {
	failures := ratelimit.New(httpapi.FailuresPerMinute, nil)
	front, err := httpapi.New(httpapi.Options{Tracker: in.tracker, BaseURL: base, RateLimit: s.rateLimit, Failures: failures})
	if err != nil {
		return nil, err
	}
	server := httpserver.New(httpserver.Options{Log: log, Metrics: metrics, TrustedProxies: s.trustedProxies,
		CORS:         httpserver.CORS{Origins: s.origins, Prefix: "/v1"},
		WriteProblem: front.WriteProblem, Ready: in.tracker.Ready, Notes: in.tracker.Notes})
	for _, prefix := range []string{"/v1", "/openapi.json", "/docs"} {
		server.Mount(prefix, front, front.WriteProblem)
	}
	if !s.pages {
		server.Mount("/", root(front), front.WriteProblem)
		return server, nil
	}
	options := web.Options{Tracker: in.tracker, Setup: in.operator.Setup(), Exports: in.portable().Exports(in.tracker),
		BaseURL: base, Insecure: s.insecure}
	if s.rateLimit > 0 {
		options.Rates = web.DefaultRates
	}
	pages, err := web.New(options)
	if err != nil {
		return nil, err
	}
	server.Mount("/", pages, pages.WriteProblem)
	return server, nil
}

// root answers the paths of no front end while the web application is off. It redirects the address of the instance to the reference page.
func root(front *httpapi.API) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			http.Redirect(w, r, "/docs", http.StatusFound)
			return
		}
		front.NotFound(w, r)
	})
}
