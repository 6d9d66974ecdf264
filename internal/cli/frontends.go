package cli

import (
	"log/slog"
	"net/http"

	"bugslice/internal/access"
	"bugslice/internal/command/tree"
	"bugslice/internal/gateway"
	"bugslice/internal/httpapi"
	"bugslice/internal/httpserver"
	"bugslice/internal/intakeapi"
	"bugslice/internal/mcpapi"
	"bugslice/internal/oauth"
	"bugslice/internal/oauthapi"
	"bugslice/internal/safehttp"
	"bugslice/internal/web"
)

// newServer returns the HTTP server of an instance with its front ends. Another front end is mounted here.
func newServer(in *instance, s serveSettings, metrics *httpserver.Metrics, base string, log *slog.Logger) (
	*httpserver.Server, error,
) {
	calls, err := gateway.New(gateway.Options{Tracker: in.tracker, RateLimit: s.rateLimit})
	if err != nil {
		return nil, err
	}
	api := httpapi.Options{Gateway: calls, BaseURL: base}
	if s.pages {
		api.Pages = web.Application()
	}
	front, err := httpapi.New(api)
	if err != nil {
		return nil, err
	}
	server := httpserver.New(httpserver.Options{Log: log, Metrics: metrics, TrustedProxies: s.trustedProxies,
		CORS:         httpserver.CORS{Origins: s.origins, Prefix: "/v1"},
		WriteProblem: front.WriteProblem, Ready: in.tracker.Ready, Notes: in.tracker.Notes})
	for _, prefix := range []string{"/v1", "/openapi.json", "/docs", "/llms.txt"} {
		server.Mount(prefix, front, front.WriteProblem)
	}
	if err := mountAgents(server, front, s, base); err != nil {
		return nil, err
	}
	server.Mount(intakeapi.Path, intakeapi.New(in.intake, front.WriteProblem), front.WriteProblem)
	if !s.pages {
		server.Mount("/", root(front), front.WriteProblem)
		return server, nil
	}
	policy, err := safehttp.NewPolicy(nil)
	if err != nil {
		return nil, err
	}
	grants := oauth.New(oauth.Options{Store: access.Seal(in.store), Tracker: in.tracker, BaseURL: base, Policy: policy})
	programs := oauthapi.New(oauthapi.Options{Server: grants, Limited: s.rateLimit > 0})
	for _, prefix := range oauthapi.Prefixes {
		server.Mount(prefix, programs, programs.WriteProblem)
	}
	options := web.Options{Tracker: in.tracker, Setup: in.operator.Setup(), Exports: in.portable().Exports(in.tracker),
		OAuth: grants, BaseURL: base, Origins: s.origins, Insecure: s.insecure}
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

// mountAgents mounts the endpoint of agents (MCP), whose tools call the API.
func mountAgents(server *httpserver.Server, front *httpapi.API, s serveSettings, base string) error {
	o := mcpapi.Options{Gateway: front.Gateway, Operations: front, WriteProblem: front.WriteProblem, BaseURL: base,
		Version: tree.Version(Version), WithholdGuests: s.withholdGuests}
	if s.pages { // where users sign in
		o.Metadata = base + oauth.ResourcePath + oauth.MCP
	}
	agents, err := mcpapi.New(o)
	if err == nil {
		server.Mount(mcpapi.Path, agents, front.WriteProblem)
	}
	return err
}

// root answers the paths of no front end while the web application is off. It redirects the address of the instance
// to the reference page.
func root(front *httpapi.API) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			http.Redirect(w, r, "/docs", http.StatusFound)
			return
		}
		front.NotFound(w, r)
	})
}
