-- +goose Up

-- The release with which a bug is gone; null while the slice has no resolution.
ALTER TABLE slices ADD COLUMN fixed_in_release TEXT;

-- The index gets the terms of resolutions and releases.
INSERT INTO pending_backfills (name) SELECT 'terms' WHERE NOT EXISTS (SELECT 1 FROM pending_backfills WHERE name = 'terms');
