-- +goose Up

-- The slices of the top fingerprints, derived from slices: those that are not deleted and were reported more than once, or with whose
-- fingerprint there is another one in the workspace. No dump contains them.
CREATE TABLE recurring_slices (
    slice_id         {{key}} NOT NULL PRIMARY KEY,
    workspace_id     {{key}} NOT NULL,
    created_at       BIGINT  NOT NULL,
    fingerprint      {{key}} NOT NULL,
    occurrence_count BIGINT  NOT NULL
);
INSERT INTO recurring_slices (slice_id, workspace_id, created_at, fingerprint, occurrence_count)
    SELECT s.id, s.workspace_id, s.created_at, s.fingerprint, s.occurrence_count FROM slices s
    WHERE s.deleted_at IS NULL AND s.fingerprint IS NOT NULL AND (s.occurrence_count > 1 OR EXISTS (SELECT 1 FROM slices o
        WHERE o.workspace_id = s.workspace_id AND o.fingerprint = s.fingerprint AND o.deleted_at IS NULL AND o.id <> s.id));
CREATE INDEX recurring_slices_by_creation ON recurring_slices (workspace_id, created_at, fingerprint, occurrence_count);
DROP INDEX slices_live_recurring;
