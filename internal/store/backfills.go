package store

import (
	"context"
	"errors"
	"fmt"

	"bugslice/internal/store/sqldb"
)

// backfills derive records of older databases that no SQL text could, in this order. A migration adds the name of its
// backfill to pending_backfills.
var backfills = []struct {
	name string
	run  func(*Tx) error
}{
	{"occurrences", func(tx *Tx) error { return errors.Join(tx.addAllMissingOccurrences(), tx.recountAll()) }},
	{"releases", addSeenReleases},
	{"statistics", (*Tx).rebuildStatistics},
	{"text files", (*Tx).addAllTextFiles},
	{"terms", (*Tx).BeginIndex},
}

// runBackfills runs the pending backfills, each in one transaction and once for a database.
func (s *Store) runBackfills(ctx context.Context) error {
	for _, b := range backfills {
		err := s.Write(ctx, func(tx *Tx) error {
			err := tx.db.ExecOne(ErrNotFound, "DELETE FROM pending_backfills WHERE name = $1", b.name)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			return errors.Join(err, b.run(tx))
		})
		if err != nil {
			return fmt.Errorf("derive the %s of older slices: %w", b.name, err)
		}
	}
	return nil
}

// rebuildStatistics counts the slices of every workspace, and their releases.
func (tx *Tx) rebuildStatistics() error {
	if err := tx.writeStatistics(); err != nil {
		return err
	}
	return tx.forEachWorkspace(func(workspaceID string) error {
		if err := tx.db.Exec("DELETE FROM slice_statistics WHERE workspace_id = $1", workspaceID); err != nil {
			return err
		}
		if err := tx.db.Exec("DELETE FROM releases WHERE workspace_id = $1", workspaceID); err != nil {
			return err
		}
		const page = 10_000
		for after := ""; ; {
			all, err := sqldb.List(tx.db, countedMembers.row().scan, "SELECT "+countedMembers.columns("s")+` FROM slices s
				WHERE s.workspace_id = $1 AND s.deleted_at IS NULL AND s.id > $2 ORDER BY s.id LIMIT $3`, workspaceID, after, page)
			if err != nil {
				return err
			}
			for _, s := range all {
				tx.shared.Pending.statistics = append(tx.shared.Pending.statistics,
					recount{workspaceID: workspaceID, before: &counted{}, after: s.counted()})
				after = s.ID
			}
			if err := tx.writeStatistics(); err != nil {
				return err
			}
			if len(all) < page {
				return nil
			}
		}
	})
}

// countedMembers are the members that statistics count.
var countedMembers = members.of("id", "status", "created_at", "resolved_at", "labels", "environment",
	"fixed_in_release", "releases")
