-- +goose Up

-- Lists of the slices that were resolved in a period.
CREATE INDEX slices_live_by_resolution ON slices (workspace_id, resolved_at, id) WHERE deleted_at IS NULL AND resolved_at IS NOT NULL;
