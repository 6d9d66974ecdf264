-- +goose Up

-- The authenticator apps of users. sealed is the encrypted key. used_step is the last step of 30 seconds of which a code was used. failed
-- counts the wrong codes since the last right one.
CREATE TABLE authenticators (
    user_id    {{key}} PRIMARY KEY REFERENCES users (id),
    sealed     TEXT    NOT NULL,
    used_step  BIGINT  NOT NULL,
    failed     BIGINT  NOT NULL,
    created_at BIGINT  NOT NULL
);

-- The passkeys of users. credential is the id by which browsers name it, in base64. record is its public key with its counter, in JSON.
CREATE TABLE passkeys (
    id           {{key}} PRIMARY KEY,
    user_id      {{key}} NOT NULL REFERENCES users (id),
    credential   {{key}} NOT NULL,
    record       TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    created_at   BIGINT  NOT NULL,
    last_used_at BIGINT
);
CREATE UNIQUE INDEX passkeys_by_credential ON passkeys (credential);
CREATE INDEX passkeys_by_user ON passkeys (user_id, id);

-- The recovery codes of users, by their hashes.
CREATE TABLE recovery_codes (
    user_id {{key}} NOT NULL REFERENCES users (id),
    hash    {{key}} NOT NULL,
    used_at BIGINT,
    PRIMARY KEY (user_id, hash)
){{cluster}};

-- Sign-ins of which the first factor was proved and the second was not, by the hash of the token that the browser has. provider is who
-- the provider of the organisation has confirmed, encrypted; empty when the first factor was proved here.
CREATE TABLE pending_sign_ins (
    hash       {{key}} PRIMARY KEY,
    user_id    {{key}} NOT NULL REFERENCES users (id),
    epoch      BIGINT  NOT NULL,
    attempts   BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    provider   TEXT    NOT NULL DEFAULT ''
);
CREATE INDEX pending_sign_ins_by_expiry ON pending_sign_ins (expires_at);

-- The questions that passkeys have answered, until they expire.
CREATE TABLE answered_challenges (
    hash       {{key}} PRIMARY KEY,
    expires_at BIGINT  NOT NULL
);
CREATE INDEX answered_challenges_by_expiry ON answered_challenges (expires_at);

-- Users whose factors somebody else has removed, until they have signed in.
CREATE TABLE removed_factors (
    user_id    {{key}} PRIMARY KEY REFERENCES users (id),
    removed_at BIGINT  NOT NULL
);

-- The second factor that was proved in a session; empty for none.
ALTER TABLE sessions ADD COLUMN second_factor {{key}} NOT NULL DEFAULT '';

-- Whether sessions of an organisation need a second factor.
ALTER TABLE organizations ADD COLUMN second_factor_required BIGINT NOT NULL DEFAULT 0;
