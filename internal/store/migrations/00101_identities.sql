-- +goose Up

-- The OpenID provider of an organisation. The secret is sealed; domains are words, and rules are JSON.
CREATE TABLE providers (
    org_id        {{key}} PRIMARY KEY REFERENCES organizations (id),
    name          TEXT    NOT NULL,
    issuer        {{key}} NOT NULL,
    client_id     TEXT    NOT NULL,
    secret        TEXT    NOT NULL,
    domains       TEXT    NOT NULL,
    groups_claim  TEXT    NOT NULL,
    rules         TEXT    NOT NULL,
    passwords_off BIGINT  NOT NULL,
    tried_at      BIGINT,
    version       BIGINT  NOT NULL
);

-- Who a user is at a provider. granted is what its groups have given the user, as JSON.
CREATE TABLE identities (
    org_id       {{key}} NOT NULL REFERENCES organizations (id),
    issuer       {{key}} NOT NULL,
    subject      {{key}} NOT NULL,
    user_id      {{key}} NOT NULL REFERENCES users (id),
    email        TEXT    NOT NULL,
    granted      TEXT    NOT NULL,
    linked_at    BIGINT  NOT NULL,
    confirmed_at BIGINT  NOT NULL,
    PRIMARY KEY (org_id, issuer, subject)
){{cluster}};
CREATE UNIQUE INDEX identities_by_user ON identities (user_id, issuer);

-- Sessions that began at a provider. The refresh token is sealed, and empty where the provider gave none.
CREATE TABLE provider_sessions (
    session_id   {{key}} PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    org_id       {{key}} NOT NULL,
    issuer       {{key}} NOT NULL,
    subject      {{key}} NOT NULL,
    sid          {{key}} NOT NULL,
    refresh      TEXT    NOT NULL,
    due_at       BIGINT  NOT NULL,
    confirmed_at BIGINT  NOT NULL,
    leased_until BIGINT  NOT NULL
);
CREATE INDEX provider_sessions_by_subject ON provider_sessions (org_id, issuer, subject);

-- Hashes of what a provider or a browser may send once, until it expires.
CREATE TABLE used_answers (
    hash       {{key}} PRIMARY KEY,
    expires_at BIGINT NOT NULL
);

-- When a session ends in any case, and until when a user has a password although the organisation has none.
ALTER TABLE sessions ADD COLUMN ends_at BIGINT;
ALTER TABLE users ADD COLUMN password_until BIGINT;
