-- +goose Up

-- Each report of the bug of a slice, the first one included. Migrate adds those that the rows of older slices describe: the
-- first report and the newest one.
CREATE TABLE occurrences (
    slice_id      {{key}} NOT NULL REFERENCES slices (id),
    number        BIGINT  NOT NULL,
    reporter_type {{key}} NOT NULL,
    reporter_id   {{key}},
    reporter_name TEXT    NOT NULL,
    environment   TEXT    NOT NULL,
    external_id   {{key}},
    metadata      TEXT    NOT NULL,
    created_at    BIGINT  NOT NULL,
    PRIMARY KEY (slice_id, number)
);

-- The number of the occurrence that a file belongs to.
ALTER TABLE attachments ADD COLUMN occurrence BIGINT NOT NULL DEFAULT 1;
CREATE INDEX attachments_by_occurrence ON attachments (slice_id, occurrence, id);

-- The errors of the console or the failed requests in a file of evidence. Files from before have none counted.
ALTER TABLE attachments ADD COLUMN faults BIGINT NOT NULL DEFAULT 0;

-- Counts of the evidence of a slice, which change with its attachments.
ALTER TABLE slices ADD COLUMN evidence_console BIGINT NOT NULL DEFAULT 0;
ALTER TABLE slices ADD COLUMN evidence_console_errors BIGINT NOT NULL DEFAULT 0;
ALTER TABLE slices ADD COLUMN evidence_network BIGINT NOT NULL DEFAULT 0;
ALTER TABLE slices ADD COLUMN evidence_failed_requests BIGINT NOT NULL DEFAULT 0;
ALTER TABLE slices ADD COLUMN evidence_actions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE slices ADD COLUMN evidence_replays BIGINT NOT NULL DEFAULT 0;
ALTER TABLE slices ADD COLUMN evidence_screenshots BIGINT NOT NULL DEFAULT 0;
ALTER TABLE slices ADD COLUMN evidence_videos BIGINT NOT NULL DEFAULT 0;

-- Lists of the slices that have a kind of evidence, in both orders.
CREATE INDEX slices_with_replays ON slices (workspace_id, id) WHERE deleted_at IS NULL AND evidence_replays > 0;
CREATE INDEX slices_with_screenshots ON slices (workspace_id, id) WHERE deleted_at IS NULL AND evidence_screenshots > 0;
CREATE INDEX slices_with_errors ON slices (workspace_id, id) WHERE deleted_at IS NULL AND evidence_console_errors > 0;
CREATE INDEX slices_with_failures ON slices (workspace_id, id) WHERE deleted_at IS NULL AND evidence_failed_requests > 0;
CREATE INDEX slices_with_replays_by_update ON slices (workspace_id, updated_at, id) WHERE deleted_at IS NULL AND evidence_replays > 0;
CREATE INDEX slices_with_screenshots_by_update ON slices (workspace_id, updated_at, id) WHERE deleted_at IS NULL AND evidence_screenshots > 0;
CREATE INDEX slices_with_errors_by_update ON slices (workspace_id, updated_at, id) WHERE deleted_at IS NULL AND evidence_console_errors > 0;
CREATE INDEX slices_with_failures_by_update ON slices (workspace_id, updated_at, id) WHERE deleted_at IS NULL AND evidence_failed_requests > 0;
