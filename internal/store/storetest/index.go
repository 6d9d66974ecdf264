package storetest

import (
	"context"
	"errors"
	"testing"

	"bugslice/internal/store"
)

// CheckIndex fails a test when the index of terms is not that of the slices, unless it is being built.
func CheckIndex(t testing.TB, s *store.Store) {
	t.Helper()
	c, err := s.CheckIndex(context.Background(), func(int64, int64) {})
	if err != nil && !errors.Is(err, store.ErrIndexing) {
		t.Errorf("check the index: %v", err)
	}
	if c.Faults > 0 {
		t.Errorf("the index has other terms than %d of the slices: %v", c.Faults, c.Faulty)
	}
}
