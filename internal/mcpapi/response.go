package mcpapi

import "net/http"

// response is a response that nobody stores. It refuses a caller that has lost a right before it begins.
type response struct {
	http.ResponseWriter

	check  func() error
	begun  bool
	failed error // of check
}

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	if w.begun {
		return
	}
	if w.begun, w.failed = true, w.check(); w.failed != nil {
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *response) Write(b []byte) (int, error) {
	if w.WriteHeader(http.StatusOK); w.failed != nil {
		return 0, w.failed
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
