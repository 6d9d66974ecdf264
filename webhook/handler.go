package webhook

import (
	"errors"
	"io"
	"net/http"
)

// MaxBody is the maximum size of a message that Handler accepts, in bytes.
const MaxBody = 1 << 20

// Handler returns an http.Handler that verifies each message and calls receive with its id and its body. The id is
// the same when the sender repeats a message. The status is 204 when receive returns nil; 500 when it returns an
// error, so that the sender repeats the message; 400 or 401 when the message must not be trusted; 413 when it is too
// large; and 405 for a method other than POST.
func (v *Verifier) Handler(receive func(r *http.Request, id string, body []byte) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "the method must be POST", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			http.Error(w, "the body is incomplete", http.StatusBadRequest)
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
			http.Error(w, "the message was not received; repeat it", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
