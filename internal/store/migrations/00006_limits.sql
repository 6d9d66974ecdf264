-- +goose Up

-- A job that deletes is suspended while its node's clock is not to be trusted. last_run_at is null
-- until it has run once.
ALTER TABLE jobs ADD COLUMN last_run_at BIGINT;
ALTER TABLE jobs ADD COLUMN suspended_at BIGINT;

-- stored counts the bytes of a workspace's rows, too. day is the UTC day, in days since 1970, on which
-- day_slices were filed. workspace_id is whose quota an answer counts towards.
ALTER TABLE workspaces ADD COLUMN day BIGINT NOT NULL DEFAULT 0;
ALTER TABLE workspaces ADD COLUMN day_slices BIGINT NOT NULL DEFAULT 0;
ALTER TABLE idempotency_keys ADD COLUMN workspace_id {{key}};
UPDATE workspaces SET stored = u.bytes FROM (SELECT workspace_id, CAST(sum(bytes) AS BIGINT) AS bytes FROM (
    SELECT workspace_id, 256 + octet_length(summary) + COALESCE(octet_length(description), 0) + octet_length(labels) + octet_length(environment)
        + octet_length(metadata) + octet_length(redaction) + octet_length(last_occurrence) + octet_length(symptoms)
        + COALESCE(octet_length(source_url), 0) + COALESCE(octet_length(external_id), 0) + COALESCE(octet_length(fingerprint), 0) AS bytes FROM slices
    UNION ALL SELECT s.workspace_id, 256 + octet_length(c.body) FROM comments c JOIN slices s ON s.id = c.slice_id
    UNION ALL SELECT workspace_id, 256 + stored FROM attachments
    UNION ALL SELECT workspace_id, 256 + octet_length(data) FROM events WHERE workspace_id IS NOT NULL
    UNION ALL SELECT workspace_id, 1024 FROM deliveries
) AS r GROUP BY workspace_id) AS u WHERE u.workspace_id = workspaces.id;
