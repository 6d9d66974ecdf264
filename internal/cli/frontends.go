package cli

import (
	"log/slog"
	"math"
	"net/http"

	"bugslice/internal/disk"
	"bugslice/internal/httpapi"
	"bugslice/internal/httpserver"
	"bugslice/internal/operator"
	"bugslice/internal/portable"
	"bugslice/internal/ratelimit"
	"bugslice/internal/tracker"
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
	backend := struct {
		*tracker.Tracker
		operator.Setup
		portable.Exports
	}{in.tracker, in.operator.Setup(), in.portable().Exports(in.tracker)}
	pages, err := web.New(web.Options{Backend: backend, BaseURL: base, Insecure: s.insecure})
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

// newMetrics returns the metrics of a node. watch is nil when the node keeps nothing on a disk.
func newMetrics(t *tracker.Tracker, watch *disk.Watch) *httpserver.Metrics {
	m := httpserver.NewMetrics(version())
	m.Gauge("bugslice_blob_removal_suspended",
		"1 while this node removes no files because another database may use their storage.",
		func() float64 {
			if t.RemovalSuspended() != "" {
				return 1
			}
			return 0
		})
	for _, why := range tracker.SignInRefusals {
		m.Counter("bugslice_sign_ins_refused_total", "Refused sign-ins and proofs of a password, by reason.",
			map[string]string{"reason": string(why)}, func() float64 { return float64(t.SignInsRefused(why)) })
	}
	if watch == nil {
		return m
	}
	m.Gauge("bugslice_disk_free_bytes",
		"Free bytes on the fullest of the disks that hold the database and the files.",
		func() float64 {
			n, err := watch.Free()
			if err != nil {
				return math.NaN() // Prometheus' value for unknown
			}
			return float64(n)
		})
	return m
}
