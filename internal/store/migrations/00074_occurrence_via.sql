-- +goose Up

-- The key with which an occurrence was filed, as JSON with its name at that time; empty without a key, and for occurrences from before.
ALTER TABLE occurrences ADD COLUMN via TEXT NOT NULL DEFAULT '';
