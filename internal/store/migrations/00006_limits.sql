-- +goose Up

-- A job that deletes is suspended while its node's clock is not to be trusted. last_run_at is null
-- until it has run once.
ALTER TABLE jobs ADD COLUMN last_run_at BIGINT;
ALTER TABLE jobs ADD COLUMN suspended_at BIGINT;
