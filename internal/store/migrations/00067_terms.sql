-- +goose Up

-- One index of terms finds the slices of all lists, searches and counts. It takes the place of the tables and indexes that are dropped.
-- No dump contains it.
{{terms}}

-- The rows of slices that the index has, and those that it gets, while it is built in the background.
CREATE TABLE slice_terms_build (after_row BIGINT NOT NULL, until_row BIGINT NOT NULL);
INSERT INTO slice_terms_build (after_row, until_row) SELECT 0, n FROM (SELECT COALESCE(max(row), 0) AS n FROM slices) AS s WHERE n > 0;

CREATE INDEX slices_in_order ON slices (workspace_id, id{{listed}}) WHERE deleted_at IS NULL;
CREATE INDEX slices_by_update ON slices (workspace_id, updated_at, id{{listed}}) WHERE deleted_at IS NULL;

DROP INDEX slices_live;
DROP INDEX slices_live_by_update;
DROP INDEX slices_with_replays;
DROP INDEX slices_with_screenshots;
DROP INDEX slices_with_errors;
DROP INDEX slices_with_failures;
DROP INDEX slices_live_by_status;
DROP INDEX slices_live_by_assignee;
DROP INDEX slices_live_by_assignee_and_status;
DROP INDEX slices_live_by_resolution;
DROP INDEX slices_members;
DROP INDEX slices_in_priority_order;
DROP TABLE slice_search;
DROP TABLE search_backfill;
DROP TABLE live_facts;
DROP TABLE live_labels;
DROP TABLE slice_labels;
DROP TABLE slice_metadata;
DROP TABLE metadata_backfills;
DROP TABLE mentions;
DELETE FROM slice_statistics WHERE kind IN ('present_priority', 'present_severity', 'present_assignee', 'present_space', 'present_release');
DELETE FROM pending_backfills WHERE name IN ('mentions', 'search');
