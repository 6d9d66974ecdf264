-- +goose Up

-- The client of the last use of a key: null for a key that was never used, or was last used before this migration.
ALTER TABLE api_keys ADD COLUMN last_used_address {{key}};
ALTER TABLE api_keys ADD COLUMN last_used_agent TEXT;

-- The newest events that a key caused.
CREATE INDEX events_by_key ON events (actor_key_id, id) WHERE actor_key_id IS NOT NULL;

-- The refused calls of a key, counted by hour and problem code. last_call is a method and the pattern of a path.
CREATE TABLE key_refusals (
    key_id    {{key}} NOT NULL,
    hour      BIGINT  NOT NULL,
    code      {{key}} NOT NULL,
    refused   BIGINT  NOT NULL,
    last_at   BIGINT  NOT NULL,
    last_call TEXT    NOT NULL,
    PRIMARY KEY (key_id, hour, code)
);
CREATE INDEX key_refusals_by_hour ON key_refusals (hour);
