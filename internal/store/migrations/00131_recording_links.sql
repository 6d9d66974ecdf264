-- +goose Up

-- Links with which people without an account file what a member has asked for. hash is of the token, which is stored nowhere. A link that
-- is revoked is deleted. No backup or export contains one. user_id and key_id are the user and the key that created it; reports is how many
-- have arrived by it.
CREATE TABLE recording_links (
    id           {{key}} PRIMARY KEY,
    workspace_id {{key}} NOT NULL REFERENCES workspaces (id),
    hash         {{key}} NOT NULL UNIQUE,
    ask          TEXT    NOT NULL,
    site_url     TEXT,
    max_reports  BIGINT  NOT NULL,
    reports      BIGINT  NOT NULL DEFAULT 0,
    user_id      {{key}} REFERENCES users (id),
    key_id       {{key}} REFERENCES api_keys (id),
    created_at   BIGINT  NOT NULL,
    expires_at   BIGINT  NOT NULL,
    CHECK (user_id IS NOT NULL OR key_id IS NOT NULL)
);
CREATE INDEX recording_links_by_workspace ON recording_links (workspace_id, id);
CREATE INDEX recording_links_by_expiry ON recording_links (expires_at);
