-- +goose Up

-- When a workspace is deleted; null for one that stays.
ALTER TABLE workspaces ADD COLUMN delete_at BIGINT;
CREATE INDEX workspaces_by_deletion ON workspaces (delete_at) WHERE delete_at IS NOT NULL;
