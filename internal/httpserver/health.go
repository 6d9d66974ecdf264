package httpserver

import (
	"context"
	"net/http"
	"time"

	"bugslice/api"
)

func health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

// readyTimeout bounds a check of readiness.
const readyTimeout = 5 * time.Second

// ready reports whether this node can serve, with a line for each note.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.draining:
		WriteProblem(w, r, api.NewProblem(api.CodeUnavailable, "This node is shutting down."))
		return
	default:
	}
	if s.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		if err := s.Ready(ctx); err != nil {
			s.Log.Warn("not ready", "error", err)
			WriteProblem(w, r, api.NewProblem(api.CodeUnavailable,
				"The database cannot be reached, or its migrations are not current."))
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
