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
