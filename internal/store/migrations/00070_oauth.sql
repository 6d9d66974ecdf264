-- +goose Up

-- Programs that have registered themselves (RFC 7591). redirects is a JSON list. network is the client address from which one came, of
-- IPv6 the /64. A client for which no key was made is deleted after a day.
CREATE TABLE oauth_clients (
    id         {{key}} PRIMARY KEY,
    name       TEXT    NOT NULL,
    redirects  TEXT    NOT NULL,
    network    {{key}} NOT NULL,
    created_at BIGINT  NOT NULL
);
CREATE INDEX oauth_clients_by_age ON oauth_clients (created_at);

-- Command lines that wait for a person who allows them (RFC 8628). hash is of the device code and user_code of the user code, which
-- are stored nowhere. pause is the least time between two polls in milliseconds. A request that was allowed is deleted.
CREATE TABLE oauth_devices (
    hash           {{key}} PRIMARY KEY,
    user_code      {{key}} NOT NULL UNIQUE,
    host           TEXT    NOT NULL,
    scopes         TEXT    NOT NULL,
    client_address TEXT    NOT NULL,
    created_at     BIGINT  NOT NULL,
    expires_at     BIGINT  NOT NULL,
    polled_at      BIGINT,
    pause          BIGINT  NOT NULL,
    denied_at      BIGINT
);
CREATE INDEX oauth_devices_by_expiry ON oauth_devices (expires_at);

-- The keys that were made for a program, and the user who allowed it. code is the hash of the code with which the program fetches the
-- token, once and before code_expires_at. redirect, challenge and resource are those of the authorization request, and empty for a
-- device. refresh is the hash of the present refresh token and family that of the part that all refresh tokens of the key share; both
-- are null without one.
CREATE TABLE oauth_grants (
    key_id          {{key}} PRIMARY KEY REFERENCES api_keys (id),
    user_id         {{key}} NOT NULL REFERENCES users (id),
    client_id       {{key}} NOT NULL,
    client_name     TEXT    NOT NULL,
    code            {{key}} NOT NULL UNIQUE,
    code_expires_at BIGINT  NOT NULL,
    redeemed_at     BIGINT,
    redirect        TEXT    NOT NULL,
    challenge       TEXT    NOT NULL,
    resource        TEXT    NOT NULL,
    family          {{key}} UNIQUE,
    refresh         {{key}}
);
CREATE INDEX oauth_grants_unredeemed ON oauth_grants (code_expires_at) WHERE redeemed_at IS NULL;
CREATE INDEX oauth_grants_by_client ON oauth_grants (client_id);

-- When an access token ends that is renewed by a refresh token; null for one that ends with its key.
ALTER TABLE key_tokens ADD COLUMN lapses_at BIGINT;
