package httpserver

import (
	"net/http"
	"slices"
	"strings"

	"bugslice/api"
)

// Methods has the handlers of one path by method. The handler of GET also answers HEAD. Another method is refused
// with 405 and the list of the allowed methods.
type Methods map[string]http.Handler

// ServeHTTP passes a request to the handler of its method.
func (m Methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if h, ok := m[method]; ok {
		h.ServeHTTP(w, r)
		return
	}
	allowed := m.allowed()
	w.Header().Set("Allow", allowed)
	WriteProblem(w, r, api.NewProblem(api.CodeMethod, "This path allows "+allowed+", not "+r.Method+"."))
}

// allowed returns the methods as a sorted list.
func (m Methods) allowed() string {
	var names []string
	for name := range m {
		names = append(names, name)
		if name == http.MethodGet {
			names = append(names, http.MethodHead)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
