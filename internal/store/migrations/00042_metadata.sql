-- +goose Up

-- The keys of metadata by which the slices of a workspace are filtered: a JSON array, or nothing for none.
ALTER TABLE workspaces ADD COLUMN metadata_keys TEXT NOT NULL DEFAULT '';

-- The values that the slices which are not deleted have for these keys, derived from the slices. No dump contains them.
CREATE TABLE slice_metadata (
    workspace_id {{key}} NOT NULL,
    name         {{key}} NOT NULL,
    value        {{key}} NOT NULL,
    slice_id     {{key}} NOT NULL,
    PRIMARY KEY (workspace_id, name, value, slice_id)
);
CREATE INDEX slice_metadata_by_slice ON slice_metadata (slice_id);

-- The keys whose values a job adds to slice_metadata, or removes from it, and the last slice whose values were added.
CREATE TABLE metadata_backfills (
    workspace_id {{key}} NOT NULL,
    name         {{key}} NOT NULL,
    after_id     {{key}} NOT NULL,
    PRIMARY KEY (workspace_id, name)
);
