package tracker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/blob"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// TestReadyNeedsTheDatabase: a node is ready while its database answers.
func TestReadyNeedsTheDatabase(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		if err := w.Ready(t.Context()); err != nil {
			t.Errorf("with the database: %v", err)
		}
		must(t, w.store.Close())
		if err := w.Ready(t.Context()); err == nil {
			t.Error("a node is ready without its database")
		}
	})
}

// TestProblemOf: a wrapped refusal is returned unchanged. Other errors are failures of the service whose text no
// client sees, unless the client has left.
func TestProblemOf(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	for name, c := range map[string]struct {
		ctx    context.Context
		err    error
		code   string
		failed bool
	}{
		"a refusal":         {t.Context(), api.NotFound("slice"), api.CodeNotFound, false},
		"a wrapped refusal": {t.Context(), fmt.Errorf("list: %w", api.NotFound("slice")), api.CodeNotFound, false},
		"no database": {t.Context(), fmt.Errorf("%w: dial", store.ErrUnavailable), api.CodeUnavailable,
			true},
		"no database, no client": {gone, fmt.Errorf("%w: dial", store.ErrUnavailable), api.CodeUnavailable, true},
		"no client":              {gone, errors.New("dial"), api.CodeUnavailable, false},
		"a read-only node":       {t.Context(), store.ErrReadOnly, api.CodeUnavailable, false},
		"no storage of files":    {t.Context(), fmt.Errorf("%w: dial", blob.ErrUnavailable), api.CodeUnavailable, true},
		"anything else":          {t.Context(), errors.New("dial"), api.CodeInternal, true},
	} {
		p, failed := tracker.ProblemOf(c.ctx, c.err)
		if p.Code != c.code || failed != c.failed {
			t.Errorf("%s: %s (a failure: %v), want %s (%v)", name, p.Code, failed, c.code, c.failed)
		}
	}
	p, failed := tracker.ProblemOf(t.Context(), fmt.Errorf("create: %w", store.ErrUncertain))
	assert.Equal(t, "code", p.Code, api.CodeUnavailable)
	assert.Equal(t, "a failure", failed, true)
	assert.Contains(t, "detail", p.Detail, "may be stored", "Idempotency-Key")
	assert.NotContains(t, "detail", p.Detail, "Nothing was changed")
}
