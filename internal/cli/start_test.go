package cli

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"time"

	"bugslice/internal/assert"
)

// TestFilesOfAnotherUser: the refusal of a file that another user owns says what to do.
func TestFilesOfAnotherUser(t *testing.T) {
	err := fmt.Errorf("backup: %w", &fs.PathError{Op: "open", Path: "data/secret.key", Err: syscall.EACCES})
	assert.Equal(t, "text", explain(err),
		"backup: open data/secret.key: permission denied; run bugslice as the user that owns it")
}

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
