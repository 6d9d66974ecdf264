-- +goose Up

-- How a webhook writes events, and which slices it tells of.
ALTER TABLE webhooks ADD COLUMN format TEXT NOT NULL DEFAULT 'standard';
ALTER TABLE webhooks ADD COLUMN query TEXT;

-- The messages that a webhook changes, by slice.
CREATE TABLE webhook_messages (
    webhook_id {{key}} NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    slice_id   {{key}} NOT NULL REFERENCES slices (id) ON DELETE CASCADE,
    message    TEXT    NOT NULL,
    PRIMARY KEY (webhook_id, slice_id)
){{cluster}};
CREATE INDEX webhook_messages_by_slice ON webhook_messages (slice_id);
