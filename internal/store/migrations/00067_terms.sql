-- +goose Up

-- One index of terms finds the slices of all lists, searches and counts. It takes the place of the tables and indexes that are dropped.
-- No dump contains it.
{{terms}}

-- The rows of slices that the index has, and those that it gets, while it is built in the background: -1 before its preparations. On SQLite,
-- these drop what the index takes the place of.
CREATE TABLE slice_terms_build (after_row BIGINT NOT NULL, until_row BIGINT NOT NULL);
INSERT INTO slice_terms_build (after_row, until_row) SELECT -1, n FROM (SELECT COALESCE(max(row), 0) AS n FROM slices) AS s WHERE n > 0;

CREATE INDEX slices_in_order ON slices (workspace_id, id{{listed}}) WHERE deleted_at IS NULL;
CREATE INDEX slices_by_update ON slices (workspace_id, updated_at, id{{listed}}) WHERE deleted_at IS NULL;

{{drop}}
DELETE FROM slice_statistics WHERE kind IN ('present_priority', 'present_severity', 'present_assignee', 'present_space', 'present_release');
DELETE FROM pending_backfills WHERE name IN ('mentions', 'search');
