package cli

import (
	"testing"
	"time"
)

// TestMigrationIsNotBounded: the time for which a start waits for the database to answer does not end a migration.
func TestMigrationIsNotBounded(t *testing.T) {
	defer func(d time.Duration) { startTimeout = d }(startTimeout)
	startTimeout = 0
	f := instanceFlags{data: t.TempDir()}
	s, err := f.openStore(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrated(t.Context()); err != nil {
		t.Error(err)
	}
}
