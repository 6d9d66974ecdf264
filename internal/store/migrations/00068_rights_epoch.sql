-- +goose Up

-- A number that increases with every change of the rights of API keys: of keys, tokens, users, memberships and organizations. It tells
-- whether what was read of them is up to date. On PostgreSQL nothing increases it, because every change would wait for its row.
CREATE TABLE rights_epoch (epoch BIGINT NOT NULL);
INSERT INTO rights_epoch (epoch) VALUES (0);
{{rights}}
