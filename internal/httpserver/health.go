package httpserver

import (
	"context"
	"net/http"
	"sort"
	"strings"
	"time"

	"bugslice/api"
)

func health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

// readyTimeout bounds a check of readiness.
const readyTimeout = 5 * time.Second

// ready answers whether this node can serve, with a line for each note.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.draining:
		WriteProblem(w, r, api.Refuse(api.CodeUnavailable, "This node is shutting down."))
		return
	default:
	}
	if s.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		if err := s.Ready(ctx); err != nil {
			s.Log.Warn("not ready", "error", err)
			WriteProblem(w, r, api.Refuse(api.CodeUnavailable, "The database cannot be reached, or its migrations are not current."))
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ready\n"))
	if s.Notes == nil {
		return
	}
	for _, note := range s.Notes() {
		_, _ = w.Write([]byte(note + "\n"))
	}
}

// Methods is the handlers of one path by method. HEAD is answered by the handler of GET. Another method is
// refused with 405 and the list of those that are allowed.
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
	var allowed []string
	for name := range m {
		allowed = append(allowed, name)
		if name == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	sort.Strings(allowed)
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	WriteProblem(w, r, api.Refuse(api.CodeMethod, "This path takes "+list+", not "+r.Method+"."))
}
