-- +goose Up

-- Whether the key files reports, and does nothing else.
ALTER TABLE api_keys ADD COLUMN files_only BIGINT NOT NULL DEFAULT 0;
{{filing}}
