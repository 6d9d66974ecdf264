-- +goose Up
CREATE TABLE organizations (
    id         {{key}} PRIMARY KEY,
    name       TEXT    NOT NULL,
    created_at BIGINT  NOT NULL
);

CREATE TABLE users (
    id            {{key}} PRIMARY KEY,
    org_id        {{key}} NOT NULL REFERENCES organizations (id),
    email         {{key}} NOT NULL UNIQUE,
    name          TEXT    NOT NULL,
    role          {{key}} NOT NULL,
    password_hash TEXT    NOT NULL,
    created_at    BIGINT  NOT NULL,
    disabled_at   BIGINT
);
CREATE INDEX users_by_org ON users (org_id, id);

-- last_number and last_sequence are taken by one UPDATE … RETURNING, the last lock of a
-- transaction: within a workspace, commit order is the order of both.
CREATE TABLE workspaces (
    id            {{key}} PRIMARY KEY,
    org_id        {{key}} NOT NULL REFERENCES organizations (id),
    name          TEXT    NOT NULL,
    description   TEXT,
    last_number   BIGINT  NOT NULL DEFAULT 0,
    last_sequence BIGINT  NOT NULL DEFAULT 0,
    version       BIGINT  NOT NULL DEFAULT 1,
    created_at    BIGINT  NOT NULL,
    updated_at    BIGINT  NOT NULL
);

CREATE TABLE memberships (
    workspace_id {{key}} NOT NULL REFERENCES workspaces (id),
    user_id      {{key}} NOT NULL REFERENCES users (id),
    role         {{key}} NOT NULL,
    created_at   BIGINT  NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);
CREATE UNIQUE INDEX memberships_by_user ON memberships (user_id, workspace_id, role);

CREATE TABLE spaces (
    id           {{key}} PRIMARY KEY,
    workspace_id {{key}} NOT NULL REFERENCES workspaces (id),
    name         TEXT    NOT NULL,
    description  TEXT,
    created_at   BIGINT  NOT NULL,
    updated_at   BIGINT  NOT NULL
);
CREATE INDEX spaces_by_workspace ON spaces (workspace_id, id);

-- row names the slice in slice_search. Identifiers sort by creation, so id is the keyset
-- of createdAt. labels holds the array as shown; slice_labels is what filters read. What a
-- client refers to is checked behind the lock on the workspace, so its constraints wait.
CREATE TABLE slices (
    row              {{row}},
    id               {{key}} NOT NULL UNIQUE,
    workspace_id     {{key}} NOT NULL REFERENCES workspaces (id),
    number           BIGINT  NOT NULL,
    space_id         {{key}} REFERENCES spaces (id) DEFERRABLE INITIALLY DEFERRED,
    summary          TEXT    NOT NULL,
    description      TEXT,
    status           {{key}} NOT NULL,
    resolution       {{key}},
    priority         {{key}},
    severity         {{key}},
    labels           TEXT    NOT NULL,
    reporter_type    {{key}} NOT NULL,
    reporter_id      {{key}},
    reporter_name    TEXT    NOT NULL,
    assignee_id      {{key}} REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED,
    source_url       TEXT,
    environment      TEXT    NOT NULL,
    metadata         TEXT    NOT NULL,
    external_id      {{key}},
    duplicate_of_id  {{key}} REFERENCES slices (id) DEFERRABLE INITIALLY DEFERRED,
    attachment_count BIGINT  NOT NULL DEFAULT 0,
    comment_count    BIGINT  NOT NULL DEFAULT 0,
    version          BIGINT  NOT NULL DEFAULT 1,
    created_at       BIGINT  NOT NULL,
    updated_at       BIGINT  NOT NULL,
    resolved_at      BIGINT,
    deleted_at       BIGINT,
    UNIQUE (workspace_id, number)
);
CREATE INDEX slices_live ON slices (workspace_id, id) WHERE deleted_at IS NULL;
CREATE INDEX slices_live_by_update ON slices (workspace_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX slices_external_id ON slices (workspace_id, external_id) WHERE deleted_at IS NULL AND external_id IS NOT NULL;
CREATE INDEX slices_by_assignee ON slices (assignee_id, workspace_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX slices_duplicates ON slices (duplicate_of_id) WHERE duplicate_of_id IS NOT NULL;
CREATE INDEX slices_deleted ON slices (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE slice_labels (
    slice_id {{key}} NOT NULL REFERENCES slices (id),
    label    {{key}} NOT NULL,
    PRIMARY KEY (slice_id, label)
);

{{search}}

-- scopes is a space-separated list in the contract's order.
CREATE TABLE api_keys (
    id              {{key}} PRIMARY KEY,
    org_id          {{key}} NOT NULL REFERENCES organizations (id),
    type            {{key}} NOT NULL,
    name            TEXT    NOT NULL,
    scopes          TEXT    NOT NULL,
    user_id         {{key}} REFERENCES users (id),
    workspace_id    {{key}} REFERENCES workspaces (id),
    last4           TEXT    NOT NULL,
    created_by_user {{key}},
    created_by_key  {{key}},
    created_at      BIGINT  NOT NULL,
    expires_at      BIGINT,
    rotated_at      BIGINT,
    last_used_at    BIGINT,
    revoked_at      BIGINT
);
CREATE INDEX api_keys_by_user ON api_keys (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id) WHERE workspace_id IS NOT NULL;

-- The tokens that work for a key: the current one (expires_at null) and those in grace.
CREATE TABLE key_tokens (
    hash       {{key}} PRIMARY KEY,
    key_id     {{key}} NOT NULL REFERENCES api_keys (id),
    created_at BIGINT  NOT NULL,
    expires_at BIGINT
);
CREATE INDEX key_tokens_by_key ON key_tokens (key_id);

-- Every mutation writes its event in its own transaction: audit log, activity and outbox.
-- sequence is null for events of the organisation.
CREATE TABLE events (
    id           {{key}} PRIMARY KEY,
    org_id       {{key}} NOT NULL,
    workspace_id {{key}},
    sequence     BIGINT,
    type         {{key}} NOT NULL,
    actor_type   {{key}} NOT NULL,
    actor_id     {{key}},
    actor_key_id {{key}},
    subject_kind {{key}} NOT NULL,
    subject_id   {{key}} NOT NULL,
    data         TEXT    NOT NULL,
    created_at   BIGINT  NOT NULL
);
CREATE UNIQUE INDEX events_in_order ON events (workspace_id, sequence) WHERE workspace_id IS NOT NULL;
CREATE INDEX events_by_subject ON events (subject_id, id);

-- answer is null when the first answer held a secret.
CREATE TABLE idempotency_keys (
    principal  {{key}} NOT NULL,
    operation  {{key}} NOT NULL,
    key        {{key}} NOT NULL,
    request    {{key}} NOT NULL,
    answer     TEXT,
    created_at BIGINT  NOT NULL,
    PRIMARY KEY (principal, operation, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- One row a background job; whoever holds the lease runs it.
CREATE TABLE jobs (
    name         {{key}} PRIMARY KEY,
    leased_until BIGINT NOT NULL DEFAULT 0,
    next_run_at  BIGINT NOT NULL DEFAULT 0
);
