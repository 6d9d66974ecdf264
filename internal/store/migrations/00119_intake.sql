-- +goose Up

-- The tokens of visitors that were used, by their hashes, until they expire. report is the name of the report.
CREATE TABLE used_tokens (
    hash       {{key}} PRIMARY KEY,
    report     {{key}} NOT NULL,
    expires_at BIGINT  NOT NULL
);
CREATE INDEX used_tokens_by_expiry ON used_tokens (expires_at);

-- The reports of visitors, by the digests of the names that their browsers gave them, so that a report that is sent again is taken once.
-- subject is the slice, with its occurrence, or what waits for approval, with 0.
CREATE TABLE received_reports (
    source_id   {{key}} NOT NULL,
    name        {{key}} NOT NULL,
    subject     {{key}} NOT NULL,
    occurrence  BIGINT  NOT NULL,
    received_at BIGINT  NOT NULL,
    PRIMARY KEY (source_id, name)
){{cluster}};
CREATE INDEX received_reports_by_time ON received_reports (received_at);

-- Files that visitors send in pieces, by the hashes of their addresses, until they expire. attached_at is null until the report has the
-- file.
CREATE TABLE uploads (
    hash        {{key}} PRIMARY KEY,
    source_id   {{key}} NOT NULL,
    subject     {{key}} NOT NULL,
    occurrence  BIGINT  NOT NULL,
    kind        TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    media_type  TEXT    NOT NULL,
    encoding    TEXT    NOT NULL,
    length      BIGINT  NOT NULL,
    received    BIGINT  NOT NULL,
    changed_at  BIGINT  NOT NULL,
    attached_at BIGINT,
    expires_at  BIGINT  NOT NULL
);
CREATE INDEX uploads_by_subject ON uploads (subject, occurrence);
CREATE INDEX uploads_by_expiry ON uploads (expires_at);

-- The pieces of uploads. blob is an encrypted file, whose key is reserved until the upload expires.
CREATE TABLE upload_pieces (
    upload {{key}} NOT NULL,
    start  BIGINT  NOT NULL,
    size   BIGINT  NOT NULL,
    blob   {{key}} NOT NULL,
    PRIMARY KEY (upload, start)
){{cluster}};
