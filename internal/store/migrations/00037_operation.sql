-- +goose Up

-- Metrics and bugslice status count the failed deliveries.
CREATE INDEX deliveries_failed ON deliveries (webhook_id, id) WHERE status = 'failed';
