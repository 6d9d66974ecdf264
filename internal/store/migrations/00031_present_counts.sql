-- +goose Up

-- Further kinds of slice_statistics: present_priority, present_severity, present_assignee, present_space, present_release and
-- present_label count the slices with a status, at any time (span is 0), by value; start is the position of the status.
INSERT INTO pending_backfills (name) VALUES ('statistics') ON CONFLICT DO NOTHING;

-- The open reports of an assignee are the most frequent list of all.
CREATE INDEX slices_live_by_assignee_and_status ON slices (workspace_id, assignee_id, status, id) WHERE deleted_at IS NULL;
