package store

import (
	"context"
	"errors"
	"fmt"
)

// backfills derive records of older databases that no SQL text could, in this order. A migration adds the name of its backfill
// to pending_backfills.
var backfills = []struct {
	name string
	run  func(*Tx) error
}{
	{"occurrences", func(tx *Tx) error { return errors.Join(tx.addAllMissingOccurrences(), tx.recountAll()) }},
	{"mentions", (*Tx).addAllMentions},
}

// runBackfills runs the pending backfills, each in one transaction and once for a database.
func (s *Store) runBackfills(ctx context.Context) error {
	for _, b := range backfills {
		err := s.Write(ctx, func(tx *Tx) error {
			err := tx.db.execOne(ErrNotFound, "DELETE FROM pending_backfills WHERE name = $1", b.name)
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
