-- +goose Up

-- What became of the metadata of a file: removed, none, kept or unknown.
ALTER TABLE attachments ADD COLUMN metadata TEXT NOT NULL DEFAULT 'unknown';

-- 1 for a workspace that stores pictures and videos with their metadata.
ALTER TABLE workspaces ADD COLUMN keep_file_metadata BIGINT NOT NULL DEFAULT 0;
