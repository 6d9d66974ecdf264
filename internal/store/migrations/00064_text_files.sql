-- +goose Up

-- The files that comments and descriptions contain. comment_id is empty for a description, and - for a file that came for a text or that
-- a comment has contained: a share shows it only while a shared text contains it.
CREATE TABLE text_files (
    file_id    {{key}} NOT NULL,
    slice_id   {{key}} NOT NULL,
    comment_id {{key}} NOT NULL,
    PRIMARY KEY (file_id, comment_id)
);
CREATE INDEX text_files_by_text ON text_files (slice_id, comment_id);

INSERT INTO pending_backfills (name) VALUES ('text files');
