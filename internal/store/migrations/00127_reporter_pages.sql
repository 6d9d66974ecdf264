-- +goose Up

-- The pages of reporters, by the hashes of their addresses. summary and description are what the reporter has typed, redacted. slice_id is
-- the slice, or the one that a report becomes that waits for approval: its occurrence is 0.
CREATE TABLE reporter_pages (
    id          {{key}} PRIMARY KEY,
    hash        {{key}} NOT NULL,
    source_id   {{key}} NOT NULL,
    slice_id    {{key}} NOT NULL,
    occurrence  BIGINT  NOT NULL,
    name        TEXT    NOT NULL,
    summary     TEXT    NOT NULL,
    description TEXT    NOT NULL,
    created_at  BIGINT  NOT NULL
);
CREATE UNIQUE INDEX reporter_pages_by_hash ON reporter_pages (hash);
CREATE INDEX reporter_pages_by_slice ON reporter_pages (slice_id);

-- Whether reporters see a comment on their pages; and the page on which a reporter has written it, null for other comments.
ALTER TABLE comments ADD COLUMN visible_to_reporter BIGINT NOT NULL DEFAULT 0;
ALTER TABLE comments ADD COLUMN reporter_page {{key}};
