-- +goose Up

-- A space with deleted_at is deleted for every reader. Its row stays until the last slice is detached from it.
ALTER TABLE spaces ADD COLUMN deleted_at BIGINT;
CREATE INDEX spaces_deleted ON spaces (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX slices_by_space ON slices (space_id, id) WHERE space_id IS NOT NULL;
