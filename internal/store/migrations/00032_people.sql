-- +goose Up

-- The links with which people join an organisation, once each. hash is of the token, which is stored nowhere. workspaces is a
-- space-separated list of ids. user_id is the user who has invited. An invitation that was used or revoked is deleted. No backup
-- contains an invitation.
CREATE TABLE invitations (
    id             {{key}} PRIMARY KEY,
    org_id         {{key}} NOT NULL REFERENCES organizations (id),
    hash           {{key}} NOT NULL UNIQUE,
    email          {{key}} NOT NULL,
    role           {{key}} NOT NULL,
    workspace_role {{key}} NOT NULL,
    workspaces     TEXT    NOT NULL,
    user_id        {{key}} NOT NULL REFERENCES users (id),
    created_at     BIGINT  NOT NULL,
    expires_at     BIGINT  NOT NULL
);
CREATE INDEX invitations_by_org ON invitations (org_id, id);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);

-- At most one link for each user, with which the user sets another password once. created_by is null for a link of the operator.
-- No backup contains a link.
CREATE TABLE reset_links (
    user_id    {{key}} PRIMARY KEY REFERENCES users (id),
    hash       {{key}} NOT NULL UNIQUE,
    created_by {{key}} REFERENCES users (id),
    expires_at BIGINT  NOT NULL
);

-- An erased user has no name and no e-mail address.
ALTER TABLE users ADD COLUMN erased_at BIGINT;

-- The erasures in progress. email and names, a JSON list, are searched for. step and after are the position: a table, and the primary
-- key of the row after which the erasure continues, as a JSON list. The row is deleted when the erasure is complete.
CREATE TABLE erasures (
    user_id {{key}} PRIMARY KEY REFERENCES users (id),
    org_id  {{key}} NOT NULL,
    email   TEXT    NOT NULL,
    names   TEXT    NOT NULL,
    step    BIGINT  NOT NULL DEFAULT 0,
    after   TEXT    NOT NULL DEFAULT ''
);
