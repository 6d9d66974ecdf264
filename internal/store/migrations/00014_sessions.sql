-- +goose Up

-- A session of another epoch than its user's has ended. A change of the password and the disabling of the user raise
-- the epoch. version counts the changes of the profile: name, theme, time_zone and shortcuts.
ALTER TABLE users ADD COLUMN session_epoch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN theme {{key}} NOT NULL DEFAULT 'system';
ALTER TABLE users ADD COLUMN time_zone {{key}} NOT NULL DEFAULT 'UTC';
ALTER TABLE users ADD COLUMN shortcuts BIGINT NOT NULL DEFAULT 1;
ALTER TABLE users ADD COLUMN version BIGINT NOT NULL DEFAULT 1;

-- The session with which a user caused an event; null for other credentials. It may have ended since.
ALTER TABLE events ADD COLUMN actor_session_id {{key}};

-- hash is of the token, which is stored nowhere. No backup contains a session.
CREATE TABLE sessions (
    id             {{key}} PRIMARY KEY,
    user_id        {{key}} NOT NULL REFERENCES users (id),
    hash           {{key}} NOT NULL UNIQUE,
    epoch          BIGINT  NOT NULL,
    created_at     BIGINT  NOT NULL,
    last_used_at   BIGINT  NOT NULL,
    proved_at      BIGINT  NOT NULL,
    user_agent     TEXT    NOT NULL,
    client_address TEXT    NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id, last_used_at);
CREATE INDEX sessions_by_use ON sessions (last_used_at);
CREATE INDEX sessions_by_age ON sessions (created_at);

-- At most one row: the link with which an empty instance is set up once. No backup contains it.
CREATE TABLE setup_links (
    row_number BIGINT PRIMARY KEY,
    hash       {{key}} NOT NULL,
    expires_at BIGINT  NOT NULL
);
