-- +goose Up

-- fingerprint is unique among the slices of a workspace that are open or in progress.
-- redaction is JSON, empty when nothing was removed. symptoms are messages of errors, by which a
-- slice is found, too.
ALTER TABLE slices ADD COLUMN fingerprint {{key}};
ALTER TABLE slices ADD COLUMN occurrence_count BIGINT NOT NULL DEFAULT 1;
ALTER TABLE slices ADD COLUMN last_seen_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE slices ADD COLUMN symptoms TEXT NOT NULL DEFAULT '';
ALTER TABLE slices ADD COLUMN redaction TEXT NOT NULL DEFAULT '';
UPDATE slices SET last_seen_at = created_at;
CREATE UNIQUE INDEX slices_open_fingerprint ON slices (workspace_id, fingerprint)
    WHERE fingerprint IS NOT NULL AND deleted_at IS NULL AND status IN ('open', 'in_progress');
CREATE INDEX slices_by_fingerprint ON slices (workspace_id, fingerprint, id) WHERE fingerprint IS NOT NULL AND deleted_at IS NULL;

-- redaction is JSON, empty when there are no rules of its own. stored is how many bytes its files take.
ALTER TABLE workspaces ADD COLUMN redaction TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN stored BIGINT NOT NULL DEFAULT 0;

-- The bytes are in the blob store under blob, gzipped when packed is 1. thumbnail is a blob too.
-- A file that was read as evidence has entries, and the occurrence it came with.
CREATE TABLE attachments (
    id           {{key}} PRIMARY KEY,
    slice_id     {{key}} NOT NULL REFERENCES slices (id),
    workspace_id {{key}} NOT NULL,
    kind         {{key}} NOT NULL,
    name         TEXT    NOT NULL,
    content_type TEXT    NOT NULL,
    size         BIGINT  NOT NULL,
    sha256       {{key}} NOT NULL,
    width        BIGINT,
    height       BIGINT,
    blob         {{key}} NOT NULL UNIQUE,
    packed       BIGINT  NOT NULL DEFAULT 0,
    stored       BIGINT  NOT NULL,
    thumbnail    {{key}} UNIQUE,
    entries      BIGINT,
    creator_type {{key}} NOT NULL,
    creator_id   {{key}},
    creator_name TEXT    NOT NULL,
    created_at   BIGINT  NOT NULL
);
CREATE INDEX attachments_by_slice ON attachments (slice_id, id);

CREATE TABLE comments (
    id          {{key}} PRIMARY KEY,
    slice_id    {{key}} NOT NULL REFERENCES slices (id),
    body        TEXT    NOT NULL,
    author_type {{key}} NOT NULL,
    author_id   {{key}},
    author_name TEXT    NOT NULL,
    created_at  BIGINT  NOT NULL,
    updated_at  BIGINT  NOT NULL
);
CREATE INDEX comments_by_slice ON comments (slice_id, id);
