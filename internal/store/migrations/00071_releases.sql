-- +goose Up

-- The release with which a bug is gone; null while the slice has no resolution. releases is JSON: the releases that its later reports have
-- named, with the first and the last time in milliseconds.
ALTER TABLE slices ADD COLUMN fixed_in_release TEXT;
ALTER TABLE slices ADD COLUMN releases TEXT NOT NULL DEFAULT '';

-- The releases that the slices of a workspace name, derived from slices that are not deleted. No dump contains them. Times are null for
-- one that only fixes name.
CREATE TABLE releases (
    workspace_id  {{key}} NOT NULL,
    name          {{key}} NOT NULL,
    first_seen_at BIGINT,
    last_seen_at  BIGINT,
    first_reports BIGINT  NOT NULL, -- slices that were first reported with it
    reports       BIGINT  NOT NULL, -- slices that were reported with it
    fixed_reports BIGINT  NOT NULL, -- slices that are fixed in it
    PRIMARY KEY (workspace_id, name)
){{cluster}};

-- Releases are counted with the statistics, and the index gets the terms of resolutions and releases.
INSERT INTO pending_backfills (name) SELECT name FROM (SELECT 'releases' AS name UNION ALL SELECT 'statistics' UNION ALL SELECT 'terms') AS b
    WHERE NOT EXISTS (SELECT 1 FROM pending_backfills p WHERE p.name = b.name);
