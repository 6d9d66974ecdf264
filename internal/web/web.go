package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/apidoc"
	"bugslice/internal/gateway"
	"bugslice/internal/httpserver"
	"bugslice/internal/oauth"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/pages/report"
	"bugslice/internal/web/static"
)

// Options are what an App is made from.
type Options struct {
	Tracker  *tracker.Tracker
	OAuth    *oauth.Server
	Setup    page.Setup
	Exports  page.Exports
	BaseURL  string           // without a trailing slash
	Origins  []string         // whose pages may call the API; "*" for all
	Insecure bool             // whether pages warn that the connection is not encrypted
	Rates    Rates            // of requests
	Now      func() time.Time // time.Now when nil

	bounds bounds // the Tracker when nil
}

// bounds bound the memory of forms and answers, and the work on answers. The tracker implements it.
type bounds interface {
	gateway.Bounds
	// Reserve returns the memory for a body that the caller sends. interrupt makes the pending read of the body return.
	Reserve(c access.Caller, interrupt func()) *admission.Reservation
}

// App answers requests for pages. It is safe for concurrent use.
type App struct {
	Options
	handler http.Handler
	shown   routes // the pages that can be opened
	unknown http.Handler
	cookies cookies
	rates   *rates // nil for no limits
}

// Application returns the paths of the web application that the reference of the API names.
func Application() apidoc.Application {
	return apidoc.Application{Home: "/", Mark: static.URL("mark.svg"), Font: static.URL("inter-latin-wght-normal.woff2"),
		Keys: "/settings/keys", ThemeCookie: themeCookie}
}

// New returns an App.
func New(o Options) (*App, error) { return newApp(o, table) }

func newApp(o Options, rows []row) (*App, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.bounds == nil {
		o.bounds = o.Tracker
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, err
	}
	a := &App{Options: o, cookies: newCookies(base.Scheme == "https"), rates: newRates(o.Rates, o.Now)}
	compression, err := httpserver.NewCompression()
	if err != nil {
		return nil, err
	}
	mux := newRoutes()
	a.shown = newRoutes()
	for _, r := range rows {
		if strings.Contains(r.path, ofReport) {
			r.get, r.post = report.OrDeleted(r.get), report.OrDeleted(r.post)
		}
		methods := httpserver.Methods{}
		for method, h := range map[string]page.Handler{http.MethodGet: r.get, http.MethodPost: r.post} {
			compress := compression.Wrap
			if r.streams {
				compress = compression.WrapStream
			}
			switch {
			case h == nil:
			case r.events:
				methods[method] = a.serve(r, h)
			default:
				methods[method] = compress(a.serve(r, h))
			}
		}
		mux.handle(r.path, a.refuseUnknown(r, methods))
		if r.get != nil {
			a.shown.handle(r.path, shownAt{r})
		}
	}
	for _, path := range []string{"/static/", "/capture/"} {
		mux.handle(path, httpserver.Methods{http.MethodGet: http.HandlerFunc(a.static)})
	}
	a.unknown = a.serve(row{access: anyone}, func(*page.Request) (page.Result, error) {
		return page.Result{}, api.NewProblem(api.CodeNotFound, "There is no page at this path.")
	})
	mux.handle("/", http.HandlerFunc(a.NotFound))
	mux.reports.HandleFunc("/", a.NotFound)
	mux.handle("/favicon.ico", http.RedirectHandler(static.URL("icon-180.png"), http.StatusFound))
	a.handler, err = a.sameOrigin(mux, base)
	return a, err
}

// ServeHTTP answers a request for a page, and any other path with a problem.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// refuseUnknown answers a path that is no text or has not the form of its row like a path that does not exist, whatever
// the method.
func (a *App) refuseUnknown(at row, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isText(r.URL.Path) || at.form != nil && !at.form.MatchString(r.URL.Path) {
			a.NotFound(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// routes are handlers by path. The paths of a report are apart from the others, with which their patterns would be
// ambiguous.
type routes struct{ pages, reports *http.ServeMux }

func newRoutes() routes { return routes{http.NewServeMux(), http.NewServeMux()} }

// ofReport is in the pattern of each path of a report, at the beginning of most.
const ofReport = "/{reference}"

func (r routes) handle(pattern string, h http.Handler) {
	if strings.HasPrefix(pattern, ofReport) {
		r.reports.Handle(pattern, h)
		return
	}
	r.pages.Handle(pattern, h)
}

// of returns the handlers among which that of a path is.
func (r routes) of(path string) *http.ServeMux {
	if first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); isReference(first) {
		return r.reports
	}
	return r.pages
}

// ServeHTTP implements http.Handler.
func (r routes) ServeHTTP(w http.ResponseWriter, q *http.Request) { r.of(q.URL.Path).ServeHTTP(w, q) }

func isReference(text string) bool {
	_, _, ok := api.ParseReference(text)
	return ok
}

// shownAt is the row of a page that can be opened. It answers no request.
type shownAt struct{ row }

func (shownAt) ServeHTTP(http.ResponseWriter, *http.Request) {}

// isPage says whether a page can be opened at a path.
func (a *App) isPage(path string) bool {
	_, ok := a.rowOf(path)
	return ok
}

// rowOf returns the row of a path at which a page can be opened.
func (a *App) rowOf(path string) (row, bool) {
	h, _ := a.shown.of(path).Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	at, ok := h.(shownAt)
	return at.row, ok && isText(path) && (at.form == nil || at.form.MatchString(path))
}

// offers returns whether pages offer that of a path to the reader: there is one, and the roles of the reader may open
// it.
func (a *App) offers(q *page.Request, path string) bool {
	at, ok := a.rowOf(path)
	return ok && (at.scope != oneWorkspace || len(q.Workspaces) > 0) && at.audience.has(q)
}

// has returns whether the reader may see the page of the selected workspace, or of any when none is selected.
func (a audience) has(q *page.Request) bool {
	switch {
	case a == everybody:
		return true
	case a == workspaceAdmins && q.Workspace.ID != "":
		return q.Workspace.Role == api.RoleAdmin
	case a == managers:
		return q.Session.Role != api.RoleMember
	case a == auditors && q.Session.Role != api.RoleMember:
		return true
	}
	return slices.ContainsFunc(q.Workspaces, func(w page.Workspace) bool { return w.Role == api.RoleAdmin })
}

// NotFound answers a path that does not exist: who is signed in keeps the navigation. The paths of shares read no
// session.
func (a *App) NotFound(w http.ResponseWriter, r *http.Request) {
	opened := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case wantsJSON(r):
		a.WriteProblem(w, r, api.NewProblem(api.CodeNotFound,
			"There is no page at this path. The API is described in short at /llms.txt, and in full at /docs."))
	case opened && !strings.HasPrefix(r.URL.Path, "/s/") && !strings.HasPrefix(r.URL.Path, "/record/") && !isAsset(r.URL.Path):
		a.unknown.ServeHTTP(w, r)
	default:
		a.WriteProblem(w, r, api.NewProblem(api.CodeNotFound, "There is no page at this path."))
	}
}

func isAsset(path string) bool {
	return strings.HasPrefix(path, "/static/") || strings.HasPrefix(path, "/capture/")
}

func (a *App) static(w http.ResponseWriter, r *http.Request) {
	httpserver.Info(r).Operation = "/static/"
	if !static.Serve(w, r) {
		a.NotFound(w, r)
	}
}

// sameOrigin refuses changes that a page of another origin asks for. The base URL is the origin that browsers know,
// also behind a proxy that changes the host.
func (a *App) sameOrigin(h http.Handler, base *url.URL) (http.Handler, error) {
	p := http.NewCrossOriginProtection()
	if err := p.AddTrustedOrigin(base.Scheme + "://" + strings.ToLower(base.Host)); err != nil {
		return nil, err
	}
	refuse := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.WriteProblem(w, r, api.NewProblem(api.CodeForbidden, "The request came from a page of another origin."))
	})
	p.SetDenyHandler(refuse)
	protected := p.Handler(h)
	if base.Scheme != "https" {
		return protected, nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if lacksTLS(r) {
			refuse(w, r)
			return
		}
		protected.ServeHTTP(w, r)
	}), nil
}

// lacksTLS returns whether the request for a change comes from a page of http, which anybody on the network can
// alter. When a browser sends no Sec-Fetch-Site, http.CrossOriginProtection compares the host of Origin and not its
// scheme.
func lacksTLS(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get("Sec-Fetch-Site") == "" &&
		strings.HasPrefix(r.Header.Get("Origin"), "http:")
}
