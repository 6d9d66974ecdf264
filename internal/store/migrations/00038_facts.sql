-- +goose Up

-- Lists of the slices with a fact about their environment.
CREATE INDEX slices_live_by_browser ON slices (workspace_id, ({{browser}}), id) WHERE deleted_at IS NULL;
CREATE INDEX slices_live_by_os ON slices (workspace_id, ({{os}}), id) WHERE deleted_at IS NULL;
CREATE INDEX slices_live_by_viewport ON slices (workspace_id, ({{viewport}}), id) WHERE deleted_at IS NULL;
