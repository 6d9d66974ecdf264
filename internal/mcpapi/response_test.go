package mcpapi

import (
	"errors"
	"net/http/httptest"
	"testing"

	"bugslice/internal/assert"
)

// TestLostRight: a caller that loses a right while a tool works gets nothing of its answer.
func TestLostRight(t *testing.T) {
	lost := errors.New("revoked")
	for _, c := range []struct {
		check error
		body  string
	}{{nil, "answer"}, {lost, ""}} {
		to := httptest.NewRecorder()
		w := &response{ResponseWriter: to, check: func() error { return c.check }}
		w.WriteHeader(200)
		_, err := w.Write([]byte("answer"))
		assert.Equal(t, "error", errors.Is(err, lost), c.check != nil)
		assert.Equal(t, "body", to.Body.String(), c.body)
		assert.Equal(t, "failed", errors.Is(w.failed, lost), c.check != nil)
	}
}
