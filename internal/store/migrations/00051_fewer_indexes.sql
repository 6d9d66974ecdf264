-- +goose Up

-- The index of lists by priority has the slices of a priority in the order of their ids, too.
DROP INDEX slices_live_by_priority;
-- It is slices_duplicates.
DROP INDEX slices_by_original;
