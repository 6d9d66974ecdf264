package webhook

import (
	"errors"
	"io"
	"net/http"
)

// MaxBody bounds what Handler reads of a message, in bytes.
const MaxBody = 1 << 20

// Handler returns an http.Handler for POSTed messages. It reads and verifies a message and
// calls receive with its id, which stays the same when the sender tries again, and its body.
// It answers 204 when receive returns nil and 500 otherwise, so that the sender tries again;
// 400 or 401 for what is not to be trusted, 413 for what is too large, and 405 for other methods.
func (v *Verifier) Handler(receive func(r *http.Request, id string, body []byte) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "webhooks are POSTed", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		case err != nil:
			http.Error(w, "the body did not arrive whole", http.StatusBadRequest)
			return
		}
		if err := v.Verify(r.Header, body); err != nil {
			status := http.StatusUnauthorized
			if errors.Is(err, ErrHeaders) {
				status = http.StatusBadRequest
			}
			http.Error(w, err.Error(), status)
			return
		}
		if err := receive(r, r.Header.Get(HeaderID), body); err != nil {
			http.Error(w, "not received; try again", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
