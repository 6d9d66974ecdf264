-- +goose Up

-- The key with which a slice was filed or a comment was written, as JSON with its name at that time; empty without a key, and for records
-- from before.
ALTER TABLE slices ADD COLUMN via TEXT NOT NULL DEFAULT '';
ALTER TABLE comments ADD COLUMN via TEXT NOT NULL DEFAULT '';
