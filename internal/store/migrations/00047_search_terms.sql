-- +goose Up

-- The words of the search index begin with characters of the workspace, and each slice has terms for the time of its creation. The backfill
-- indexes all slices again.
DROP TABLE slice_search;
{{search}}
INSERT INTO pending_backfills (name) VALUES ('search') ON CONFLICT DO NOTHING;
