-- +goose Up

-- Counts and filtered lists by one member.
CREATE INDEX slices_live_by_status ON slices (workspace_id, status, id) WHERE deleted_at IS NULL;
CREATE INDEX slices_live_by_priority ON slices (workspace_id, priority, id) WHERE deleted_at IS NULL;
CREATE INDEX slices_live_by_severity ON slices (workspace_id, severity, id) WHERE deleted_at IS NULL;
CREATE INDEX slices_live_by_assignee ON slices (workspace_id, assignee_id, id) WHERE deleted_at IS NULL;
CREATE INDEX slices_live_by_space ON slices (workspace_id, space_id, id) WHERE deleted_at IS NULL;
CREATE INDEX slices_live_by_release ON slices (workspace_id, ({{release}}), id) WHERE deleted_at IS NULL;
CREATE INDEX slices_live_unlabelled ON slices (workspace_id, id) WHERE deleted_at IS NULL AND labels = '';

-- The labels of the slices that are not deleted, derived from slice_labels. No dump contains them.
CREATE TABLE live_labels (
    workspace_id {{key}} NOT NULL,
    label        {{key}} NOT NULL,
    slice_id     {{key}} NOT NULL,
    PRIMARY KEY (workspace_id, label, slice_id)
);
CREATE INDEX live_labels_by_slice ON live_labels (slice_id);
INSERT INTO live_labels (workspace_id, label, slice_id)
    SELECT s.workspace_id, l.label, l.slice_id FROM slice_labels l JOIN slices s ON s.id = l.slice_id WHERE s.deleted_at IS NULL;
