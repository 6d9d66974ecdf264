-- +goose Up

-- Links with which people without an account read parts of a slice. hash is of the token, which is stored nowhere. A share that is
-- revoked is deleted. No backup or export contains a share. user_id and key_id are the user and the key that created it;
-- recorded_at is the time of the last event of an opening.
CREATE TABLE shares (
    id             {{key}} PRIMARY KEY,
    slice_id       {{key}} NOT NULL REFERENCES slices (id),
    workspace_id   {{key}} NOT NULL REFERENCES workspaces (id),
    hash           {{key}} NOT NULL UNIQUE,
    parts          TEXT    NOT NULL,
    user_id        {{key}} REFERENCES users (id),
    key_id         {{key}} REFERENCES api_keys (id),
    created_at     BIGINT  NOT NULL,
    expires_at     BIGINT  NOT NULL,
    openings       BIGINT  NOT NULL DEFAULT 0,
    last_opened_at BIGINT,
    recorded_at    BIGINT,
    CHECK (user_id IS NOT NULL OR key_id IS NOT NULL)
);
CREATE INDEX shares_by_slice ON shares (slice_id, id);
CREATE INDEX shares_by_workspace ON shares (workspace_id, id);
CREATE INDEX shares_by_expiry ON shares (expires_at);
