-- +goose Up

-- The mentions in comments and descriptions, derived from them. No dump contains them. name is the id or the e-mail address of a
-- user as the text has it, in small letters; comment_id is empty for a description.
CREATE TABLE mentions (
    workspace_id {{key}} NOT NULL,
    name         {{key}} NOT NULL,
    slice_id     {{key}} NOT NULL,
    comment_id   {{key}} NOT NULL,
    PRIMARY KEY (workspace_id, name, slice_id, comment_id)
);
CREATE INDEX mentions_by_text ON mentions (slice_id, comment_id);

-- Counts and lists by reporter.
CREATE INDEX slices_live_by_reporter ON slices (workspace_id, reporter_id, id) WHERE deleted_at IS NULL;

INSERT INTO pending_backfills (name) VALUES ('mentions');
