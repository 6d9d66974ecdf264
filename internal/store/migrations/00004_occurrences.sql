-- +goose Up

-- last_occurrence is JSON, empty until a slice is filed again.
ALTER TABLE slices ADD COLUMN last_occurrence TEXT NOT NULL DEFAULT '';
