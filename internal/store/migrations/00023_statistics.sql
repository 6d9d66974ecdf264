-- +goose Up

-- Counts of the slices that are not deleted, derived from them. No dump contains them. A row is for a range of time in UTC: start
-- and span count quarters of an hour, since 1970 and of the range, which is one, a day or 32 days, and an hour for totals. Kinds:
-- total (value is empty), label, release, time_to_resolve (value is the lower bound of a class of times to resolve, in seconds).
CREATE TABLE slice_statistics (
    workspace_id {{key}} NOT NULL,
    kind         {{key}} NOT NULL,
    span         BIGINT  NOT NULL,
    start        BIGINT  NOT NULL,
    value        {{key}} NOT NULL,
    opened       BIGINT  NOT NULL, -- slices created in the range
    resolved     BIGINT  NOT NULL, -- slices resolved in the range
    unresolved   BIGINT  NOT NULL, -- slices created in the range that are open or in progress
    PRIMARY KEY (workspace_id, kind, span, start, value)
){{cluster}};

-- The slices that were reported more than once, by creation.
CREATE INDEX slices_live_recurring ON slices (workspace_id, created_at, fingerprint, occurrence_count)
    WHERE deleted_at IS NULL AND fingerprint IS NOT NULL AND occurrence_count > 1;

INSERT INTO pending_backfills (name) VALUES ('statistics');
