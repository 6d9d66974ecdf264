package httpapi

import (
	"maps"
	"net/http"
	"slices"

	"bugslice/api"
	"bugslice/internal/apidoc"
	"bugslice/internal/httpserver"
	"bugslice/internal/suggest"
	assets "bugslice/internal/web/static"
)

const markdownType = "text/markdown; charset=utf-8"

// documents returns the handlers of the documents about the API, by path.
func (a *API) documents() (map[string]httpserver.Methods, error) {
	document, err := apidoc.OpenAPI(a.BaseURL)
	if err != nil {
		return nil, err
	}
	page, err := apidoc.Reference(document, a.Pages)
	if err != nil {
		return nil, err
	}
	text, err := apidoc.ReferenceMarkdown(document)
	if err != nil {
		return nil, err
	}
	guide, err := apidoc.Guide()
	if err != nil {
		return nil, err
	}
	html := static("text/html; charset=utf-8", page)
	return map[string]httpserver.Methods{
		"/openapi.json":       {http.MethodGet: anyOrigin(static("application/json", document))},
		"/docs":               {http.MethodGet: a.reference(html, text)},
		"/docs/reference.css": {http.MethodGet: a.referenceStyles()},
		"/docs/reference.js":  {http.MethodGet: static("text/javascript; charset=utf-8", assets.Content("reference.js"))},
		"/llms.txt":           {http.MethodGet: anyOrigin(static("text/plain; charset=utf-8", guide))},
	}, nil
}

// referenceStyles answers with the styles of the reference page, in the theme that the cookie of the web application names.
func (a *API) referenceStyles() http.Handler {
	const css = "text/css; charset=utf-8"
	system, themes := static(css, apidoc.Stylesheet(a.Pages, "")), map[string]http.Handler{}
	for _, theme := range apidoc.Themes {
		themes[theme] = static(css, apidoc.Stylesheet(a.Pages, theme))
	}
	if a.Pages.ThemeCookie == "" {
		return system
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := system
		if cookie, err := r.Cookie(a.Pages.ThemeCookie); err == nil && themes[cookie.Value] != nil {
			h = themes[cookie.Value]
		}
		w.Header().Set("Vary", "Cookie")
		h.ServeHTTP(w, r)
	})
}

// reference answers with the reference page, or with format=markdown with its index or one operation.
func (a *API) reference(page http.Handler, text apidoc.Markdown) http.Handler {
	index := static(markdownType, text.Index)
	operations := map[string]http.Handler{}
	for id, part := range text.Operations {
		operations[id] = static(markdownType, part)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		format, operation := query.Get("format"), query.Get("operation")
		switch {
		case format != "" && format != "html" && format != "markdown":
			a.WriteProblem(w, r, api.InvalidParameter("format", "not_allowed", "must be one of html, markdown"))
		case format != "markdown" && operation != "":
			a.WriteProblem(w, r, api.InvalidParameter("operation", "not_allowed", "send format=markdown with it"))
		case format != "markdown":
			page.ServeHTTP(w, r)
		case operation == "":
			index.ServeHTTP(w, r)
		case operations[operation] != nil:
			operations[operation].ServeHTTP(w, r)
		default:
			a.WriteProblem(w, r, api.InvalidParameter("operation", "not_found", "/docs?format=markdown lists the operations; "+
				"there is none with this id"+suggest.DidYouMean(operation, slices.Sorted(maps.Keys(operations)))))
		}
	})
}
