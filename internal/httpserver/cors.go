package httpserver

import (
	"net/http"
	"slices"
	"strings"

	"github.com/rs/cors"
)

// CORS lets the pages of other origins send requests to the paths at and below a prefix, and read the responses. No
// response allows credentials, so cookies are never part of such a request.
type CORS struct {
	Origins []string // such as https://bugs.example.com; AnyOrigin is all; none is off
	Prefix  string
}

// AnyOrigin among the origins allows every origin but null.
const AnyOrigin = "*"

// exposedHeaders are the headers of responses that scripts of other origins may read.
var exposedHeaders = []string{"Content-Disposition", "ETag", "Link", "Location", "RateLimit", "RateLimit-Policy",
	"Retry-After",
	"WWW-Authenticate", "X-Request-Id"}

// allows reports whether the pages of an origin may read responses. The origin null, which pages in a sandbox have,
// may not.
func (c CORS) allows(_ *http.Request, origin string) (allowed bool, vary []string) {
	named := slices.Contains(c.Origins, AnyOrigin) || slices.Contains(c.Origins, strings.ToLower(origin))
	return named && origin != "null", nil // Vary has Origin in any case
}

// wrap answers preflight requests below the prefix, and adds headers to all other responses there.
func (c CORS) wrap(next http.Handler) http.Handler {
	if len(c.Origins) == 0 {
		return next
	}
	methods := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete}
	shared := cors.New(cors.Options{AllowOriginVaryRequestFunc: c.allows, AllowedMethods: methods,
		AllowedHeaders: []string{"*"},
		ExposedHeaders: exposedHeaders, MaxAge: 3600}).Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == c.Prefix || strings.HasPrefix(r.URL.Path, c.Prefix+"/") {
			shared.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
