-- +goose Up

-- Whether agents that use the key get no text and no evidence of reporters without an account.
ALTER TABLE api_keys ADD COLUMN withhold_guests BIGINT NOT NULL DEFAULT 0;
{{guests}}
