-- +goose Up

-- The duplicates of a slice.
CREATE INDEX slices_by_original ON slices (duplicate_of_id) WHERE duplicate_of_id IS NOT NULL;
