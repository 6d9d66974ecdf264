-- +goose Up

-- Keyed hashes of the random values that were removed from a slice, as JSON: later comments lose them, too. No value is stored.
ALTER TABLE slices ADD COLUMN removed TEXT NOT NULL DEFAULT '';
